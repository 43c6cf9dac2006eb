"""Where Dapple may be started: odd folders, missing variables, little room."""

import os
import resource

from support import programs
from support.fake import OK, output, stopped
from support.scenario import check, contains, equal, good, state

PATH = programs.source("lines.c")
BREAKPOINT = [{"file": PATH, "line": 3}]


def works(t, dapple=None):
    """A launch, a step and an evaluation."""
    t.fake.script(path=PATH, on={"continue": [[OK, output("0123456789 \n" * 10000), stopped("pause")]]})
    state(t.fake_launch(dapple, breakpoints=BREAKPOINT), "stopped")
    dapple = dapple or t.dapple
    state(dapple.call("dap_next"), "stopped")
    contains(good(dapple.call("dap_evaluate", expression="x"))["evaluation"]["result"], "<x>")
    return state(dapple.call("dap_continue"), "stopped")


def test_no_temporary_folder(t):
    # What is too long cannot be kept in a file: it is cut all the same, and nothing fails.
    t.environment["TMPDIR"] = "/nonexistent/tmp"
    result = works(t)
    check(len(result.text) < 17000, "cut", len(result.text))
    equal(len(result["output"]), 120000, "structured is complete")


def test_bare_environment(t):
    # No HOME, no LANG, no TMPDIR: hosts start servers like that.
    t.environment.update({"HOME": None, "LANG": None, "TMPDIR": None, "VIRTUAL_ENV": None})
    works(t)


def test_other_locale(t):
    # Text is UTF-8 whatever the locale says.
    t.environment.update({"LANG": "C", "LC_ALL": "POSIX"})
    t.fake_stopped(on={"continue": [[OK, output("\u00e9\U0001f600\n"), stopped("pause")]]})
    equal(t.good("dap_continue")["output"], "\u00e9\U0001f600\n")


def test_folder_that_has_gone(t):
    # The folder it was started in is deleted: absolute paths work, and nothing falls over.
    folder = t.make("work/short-lived")
    dapple = t.start(cwd=folder)
    os.rmdir(folder)
    result = t.fake_launch(dapple, breakpoints=BREAKPOINT, timeout_ms=3000)
    check(result.is_error or result["state"] in ("stopped", "running"), "an answer", result)


def test_root_folder(t):
    # Some hosts start servers in /: relative paths are resolved against it, and the texts say so.
    dapple = t.start(cwd="/")
    works(t, dapple)
    text = dapple.call("dap_launch", program="no-such-program", session="other").text
    contains(text, "/no-such-program")


def test_few_descriptors(t):
    # When descriptors run out a launch fails with the reason; the server lives.
    t.fake.script(path=PATH)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (32, hard))
    dapple = t.start()
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    failed = None
    for number in range(14):
        result = t.fake_launch(dapple, breakpoints=BREAKPOINT, session="s%d" % number)
        if result.is_error:
            failed = result
            break
    check(failed is not None, "descriptors do not run out?")
    contains(failed.text, "Dapple: ")
    state(dapple.call("dap_status", session="s0"), "stopped")
    state(dapple.call("dap_stop", session="s0"), "terminated")
    good(t.fake_launch(dapple, breakpoints=BREAKPOINT, session="s0"))


def test_project_in_an_odd_place(t):
    # Paths inside the project are shown relative to it, whatever its name.
    folder = t.make("work/a b\u00e9 'q' %s {x}")
    source = os.path.join(folder, "main.c")
    with open(source, "w") as file:
        file.write("one\ntwo\nthree\nfour\n")
    dapple = t.start(cwd=folder)
    t.fake.script(path=source, line=3)
    result = state(t.fake_launch(dapple, breakpoints=[{"file": "main.c", "line": 3}]), "stopped")
    contains(result.text, "at main.c:3:1 in work")
    equal(t.fake.received("setBreakpoints")[0]["arguments"]["source"]["path"], source, "absolute on the wire")
