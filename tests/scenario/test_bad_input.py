"""What people and models get wrong. Every error names what is wrong and what to do, in one line, and changes nothing."""

import os

from support import leaks, programs
from support.scenario import check, contains, each_adapter, equal, good, lacks, native, state


def one_line(text):
    check(text.startswith("Dapple: "), "starts with the name", text)
    first = text.split("\n", 1)[0]
    check(len(first) < 1000, "not a page", first)
    return first


def idle(t):
    equal(t.good("dap_status")["state"], "idle", "the session was not touched")
    equal(t.left_beside_dapple(), [], "no process was left")


def test_program_missing(t):
    # The path as it was resolved, so that a wrong folder shows, and the near miss that the folder has.
    first = one_line(t.bad("dap_launch", program="cart.pyy"))
    contains(first, os.path.join(programs.FOLDER, "cart.pyy"))
    contains(first, "cart.py", "the near miss")
    idle(t)


def test_program_is_a_folder(t):
    contains(one_line(t.bad("dap_launch", program=programs.FOLDER)), programs.FOLDER)
    idle(t)


def test_program_not_executable(t):
    # An executable file without its x bit: chmod is the next step.
    first = one_line(t.bad("dap_launch", program=t.built("quick-not-executable")))
    contains(first, "quick-not-executable")
    contains(first, "chmod +x")
    idle(t)


def test_source_file_that_cannot_run(t):
    # The common mistake with C: the source is passed in place of the executable.
    for name in ("cart.c", "shapes.cpp"):
        first = one_line(t.bad("dap_launch", program=programs.source(name)))
        contains(first, name)
        contains(first, "-g")
    idle(t)


def test_object_file_and_library(t):
    for name in ("library.o", "liblibrary.so"):
        contains(one_line(t.bad("dap_launch", program=t.built(name))), name)
    idle(t)


def test_file_of_an_unknown_kind(t):
    # A text file says which adapters there are, instead of trying one.
    path = t.file("notes.txt", "not a program\n")
    first = one_line(t.bad("dap_launch", program=path))
    contains(first, "notes.txt")
    idle(t)


def test_empty_file(t):
    contains(one_line(t.bad("dap_launch", program=t.file("empty", "", 0o755))), "empty")
    idle(t)


@native
def test_no_debug_information(t, target):
    # It runs, but line breakpoints cannot bind: a warning that names -g, not an error and not silence.
    result = t.call("dap_launch", program=t.built("quick-nodebug"), adapter=target.adapter, limit=40,
                    breakpoints=[{"file": programs.source("quick.c"), "line": programs.line("quick.c", "puts")}])
    state(result, "terminated")
    contains(result.text, "no debug information")
    contains(result.text, "-g")
    check(any("debug information" in warning for warning in result["warnings"]), "in the structured result too", result)
    # Told once: a launch that is repeated repeats no warning about what has not changed.
    again = state(t.call("dap_launch", program=t.built("quick-nodebug"), adapter=target.adapter, limit=40), "terminated")
    lacks(again.text, "no debug information")


def test_adapter_missing(t):
    # Nothing installed: what was looked for, where, and the command that installs it.
    t.environment.update({"PATH": t.make("nothing"), "DAPPLE_ADAPTERS": t.make("nothing"), "VIRTUAL_ENV": None})
    t.move_dapple_away()
    first = one_line(t.bad("dap_launch", program=t.built("quick"), adapter="gdb"))
    contains(first, "gdb")
    contains(first, "install")
    idle(t)


def test_unknown_adapter(t):
    # The names that exist are part of the answer.
    first = one_line(t.bad("dap_launch", program=t.built("quick"), adapter="no-such-adapter"))
    for name in ("no-such-adapter", "debugpy", "gdb", "lldb-dap"):
        contains(first, name)
    idle(t)


def test_gdb_that_is_too_old(t):
    # A gdb below 14 has no DAP: it is named with its version instead of being started and failing oddly.
    path = os.path.join(t.bin, "gdb")
    with open(path, "w") as file:
        file.write("#!/bin/sh\necho 'GNU gdb (Debian 13.1-3) 13.1'\n")
    os.chmod(path, 0o755)
    t.environment["PATH"] = t.bin
    t.move_dapple_away()
    first = t.bad("dap_launch", program=t.built("quick"), adapter="gdb")
    contains(first, "13.1")
    contains(first, "14")


def test_adapter_that_exits_at_once(t):
    # The reason is on the adapter's stderr, and so it is in the answer, with the exit code.
    path = os.path.join(t.bin, "lldb-dap")
    with open(path, "w") as file:
        file.write("#!/bin/sh\necho 'libpython9.so: cannot open shared object file' >&2\nexit 127\n")
    os.chmod(path, 0o755)
    text = t.bad("dap_launch", program=t.built("quick"), adapter="lldb-dap")
    contains(text, "launch failed")
    contains(text, "libpython9.so: cannot open shared object file")
    contains(text, "127")
    equal(t.left_beside_dapple(), [], "no process was left")
    check(t.good("dap_status")["state"] in ("idle", "terminated"), "not active")


def test_adapter_that_is_no_program(t):
    # The file has its x bit but cannot be executed.
    path = os.path.join(t.bin, "lldb-dap")
    with open(path, "wb") as file:
        file.write(b"\x7fELF junk")
    os.chmod(path, 0o755)
    text = t.bad("dap_launch", program=t.built("quick"), adapter="lldb-dap")
    contains(text, "lldb-dap")
    equal(t.left_beside_dapple(), [], "no process was left")


def test_python_program_that_does_not_compile(t):
    # A syntax error is the program's output, not the debugger's failure.
    target = t.target("debugpy")
    path = t.file("broken.py", "def f(:\n    pass\n")
    result = good(t.call("dap_launch", program=path, adapter=target.adapter, limit=40))
    contains(result.text, "SyntaxError")


def test_breakpoint_in_a_file_that_does_not_exist(t):
    # Kept, since the file may come; and said, since it is more likely a mistake.
    path = os.path.join(t.make("work"), "missing.py")
    result = t.good("dap_set_breakpoints", file_path=path, breakpoints=[{"line": 3}])
    contains(result.text, "Warning: file not found: %s; breakpoints will not bind until it exists" % path)
    check(any(path in warning for warning in result["warnings"]), "in the structured result too", result)
    equal([entry["file_path"] for entry in result["desired_breakpoints"]], [path], "kept")
    contains(t.good("dap_set_breakpoints", file_path=t.make("work"), breakpoints=[{"line": 3}]).text, "not a file")
    t.good("dap_set_breakpoints", file_path=t.make("work"), breakpoints=[])
    cleared = t.good("dap_set_breakpoints", file_path=path, breakpoints=[])
    check("warnings" not in cleared.data, "clearing never warns", cleared)
    contains(cleared.text, "Desired Breakpoints: none")


@each_adapter
def test_breakpoint_past_the_end_and_on_a_blank_line(t, target):
    # Adapters move such lines without a word, or never bind them: the row says which.
    target.launch("cart", "call")
    past = programs.last_line("cart" + target.extension) + 50
    blank = next(number for number, line in enumerate(open(target.source("cart")), 1) if not line.strip())
    result = t.good("dap_set_breakpoints", file_path=target.source("cart"), breakpoints=[{"line": past}, {"line": blank}])
    for wanted, row in zip((past, blank), result["breakpoints"]):
        if row["verified"] and row["line"] != wanted:
            contains(result.text, "requested line %d, bound to line %d" % (wanted, row["line"]))
        else:
            check(not row["verified"], "line %d cannot be verified as it is" % wanted, result)
    t.good("dap_stop")


@each_adapter
def test_breakpoint_of_a_launch_in_a_missing_file(t, target):
    # The launch goes on; the warning is there.
    path = os.path.join(t.make("work"), "missing" + target.extension)
    result = target.launch("quick", breakpoints=[{"file": path, "line": 1}])
    state(result, "terminated")
    contains(result.text, path)


def test_folder_of_the_program_missing(t):
    path = os.path.join(t.make("work"), "no-such-folder")
    text = t.bad("dap_launch", program=t.built("quick"), cwd=path)
    contains(one_line(text), path)
    idle(t)


BAD = [
    ("dap_launch", {"program": ""}, "/program"),
    ("dap_launch", {"program": {}}, "/program"),
    ("dap_launch", {"program": "x", "linee": 1}, "/linee"),
    ("dap_launch", {"program": "x", "args": [1, {}]}, "/args/1"),
    ("dap_launch", {"program": "x", "timeout_ms": -1}, "/timeout_ms"),
    ("dap_launch", {"program": "x", "context": "all"}, "/context"),
    ("dap_launch", {"program": "x", "stop_on_exceptions": "some"}, "/stop_on_exceptions"),
    ("dap_launch", {"program": "x", "breakpoints": [{"file": "a.c"}]}, "line"),
    ("dap_launch", {"program": "x", "breakpoints": [{"file": "a.c", "line": 0}]}, "/breakpoints/0/line"),
    ("dap_launch", {"program": "x", "env": {"A": True}}, "/env/A"),
    ("dap_launch", {"program": "x", "launch_arguments": 3}, "/launch_arguments"),
    ("dap_set_breakpoints", {"breakpoints": []}, "file_path"),
    ("dap_set_breakpoints", {"file_path": "a.c"}, "breakpoints"),
    ("dap_set_breakpoints", {"file_path": "a.c", "breakpoints": [{"line": 0}]}, "/breakpoints/0/line"),
    ("dap_set_breakpoints", {"file_path": "a.c", "breakpoints": [{"line": 1.5}]}, "/breakpoints/0/line"),
    ("dap_set_breakpoints", {"file_path": "a.c", "breakpoints": [{"line": 1, "wehn": "x"}]}, "/breakpoints/0/wehn"),
    ("dap_continue", {"threads": 1}, "/threads"),
    ("dap_next", {"timeout_ms": "soon"}, "/timeout_ms"),
    ("dap_stack", {"count": 0}, "/count"),
    ("dap_stack", {"start": -1}, "/start"),
    ("dap_variables", {"frame_id": -1}, "/frame_id"),
    ("dap_evaluate", {}, "expression"),
    ("dap_evaluate", {"expression": ""}, "/expression"),
    ("dap_status", {"session": ""}, "/session"),
    ("dap_status", {"session": "x" * 65}, "/session"),
    ("dap_stop", {"force": True}, "/force"),
]


def test_bad_arguments(t):
    # The first problem, with its path and its rule, before anything has happened.
    for tool, arguments, part in BAD:
        text = t.bad(tool, **arguments)
        check("\n" not in text.strip(), "one line", text)
        contains(text, "invalid arguments", "%s %s" % (tool, arguments))
        contains(text, part, "%s %s" % (tool, arguments))
    contains(t.bad("dap_launch"), "program")
    equal(t.good("dap_status")["desired_breakpoints"], [], "nothing was kept")
    idle(t)


def test_arguments_that_models_get_nearly_right(t):
    # Numbers and lists as text, null for what is not wanted.
    t.fake.script(path=programs.source("quick.c"), line=3)
    t.fake.install(t.bin)
    result = t.call("dap_launch", program=t.built("quick"), adapter="lldb-dap", args="one", stop_on_entry="true", cwd=None,
                    breakpoints='[{"file": "quick.c", "line": "3", "condition": null}]', timeout_ms="5000")
    state(result, "stopped")
    launch = t.fake.received("launch")[0]["arguments"]
    equal(launch["args"], ["one"], "a single string for a list")
    rows = t.fake.received("setBreakpoints")[0]["arguments"]
    equal([row["line"] for row in rows["breakpoints"]], [3], "a number as text")
    check("condition" not in rows["breakpoints"][0], "null is left out", rows)
    equal(rows["source"]["path"], programs.source("quick.c"), "relative to the project's folder")
    # The names of DAP and of other operations, and lines alone.
    t.good("dap_set_breakpoints", file="quick.c", lines=[3, "4"])
    t.good("dap_add_breakpoint", filePath="quick.c", lineNumber=5, hitCondition=2)
    kept = {row["line"]: row.get("hit_condition") for row in t.good("dap_breakpoints")["breakpoints"]}
    equal(kept, {3: None, 4: None, 5: "2"}, "under other names")
    contains(t.bad("dap_set_breakpoints", file="quick.c", path="slow.c", lines=[3]), "/path is given as file, too, with another value")
    good(t.call("dap_stack", count="2", thread_id=None))


def test_calls_in_the_wrong_state(t):
    # A state failure is a result: what is needed, and the state as it is. Nothing reaches an adapter.
    for tool, word in (("dap_continue", "continue"), ("dap_next", "next"), ("dap_step_in", "stepIn"), ("dap_step_out", "stepOut"),
                       ("dap_stack", "stack")):
        text = t.bad(tool)
        check(text.startswith("Dapple: %s requires a stopped Debuggee" % word), tool, text)
        contains(text.split("\n")[1], '"state":"idle"')
    contains(t.bad("dap_variables", frame_id=0), "variables requires a stopped Debuggee")
    contains(t.bad("dap_evaluate", expression="1"), "evaluate requires a stopped Debuggee")
    contains(t.bad("dap_pause"), "pause requires a running Debuggee")
    result = t.call("dap_next")
    check(result.data.get("error") and result["state"] == "idle", "structured too", result)
    state(t.good("dap_stop"), "idle")
    equal(leaks.files_below(t.tmp), [], "no file")


def test_idle_texts(t):
    equal(t.good("dap_status").text.strip(), "idle (no Debug Session)")
    equal(t.good("dap_stop").text.strip(), "idle (no Debug Session)")
    path = programs.source("quick.c")
    text = t.good("dap_set_breakpoints", file_path="quick.c", breakpoints=[{"line": 8, "condition": "answer > 1"}]).text
    equal(text.strip().split("\n"), [
        "Saved; breakpoints apply to the next launch (no active Debug Session).", "Desired Breakpoints:",
                                     "  quick.c:8 if answer > 1"])
    equal(t.good("dap_status")["desired_breakpoints"],
          [{"file_path": path, "breakpoints": [{"line": 8, "condition": "answer > 1"}]}])


def test_no_debug_is_refused(t):
    # noDebug in the launch arguments would turn the debugger off without a word.
    text = t.bad("dap_launch", program=t.built("quick"), adapter="lldb-dap", launch_arguments={"noDebug": True})
    contains(text, "noDebug")
