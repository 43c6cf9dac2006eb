"""`dapple doctor`: which adapters are here and work, and what a launch would do."""

import glob
import json
import os
import signal
import subprocess
import sys

from support import adapters, leaks, programs
from support.fake import FAKE_ADAPTER
from support.scenario import check, contains, equal, lacks, until


def doctor(t, *arguments, status=0, cwd=None):
    done = subprocess.run([t.dapple_path, "doctor", *arguments], env=t.env(), cwd=cwd or t.make("work"), capture_output=True, text=True,
                          timeout=30)
    equal(done.returncode, status, "the status of dapple doctor", done)
    return done


def report(t, *arguments, status=0, cwd=None):
    return json.loads(doctor(t, "--json", *arguments, status=status, cwd=cwd).stdout)


def adapter(told, name):
    return next(row for row in told["adapters"] if row["id"] == name)


def install(t, name, text, mode=0o755):
    path = os.path.join(t.bin, name)
    with open(path, "w") as file:
        file.write("#!/bin/sh\n" + text)
    os.chmod(path, mode)
    return path


def catalog():
    return [os.path.basename(path)[:-len(".json")] for path in glob.glob(os.path.join(adapters.REPOSITORY, "adapters", "*.json"))]


def only(t, *wanted, **more):
    """Only these adapters count, and what is installed is what the test puts into $DAPPLE_ADAPTERS."""
    t.settings(adapters=dict({name: None for name in catalog() if name not in wanted}, **more))
    t.environment["PATH"] = t.make("nothing")
    t.move_dapple_away()


def nothing_left(t):
    equal(leaks.wait_none(t.test_id), [], "no process was left")
    equal(leaks.files_below(t.tmp), [], "no file was left")


def test_works_and_does_not(t):
    # One table for everything that can be: a newcomer sees what works, what is broken and why, and how to get the rest.
    only(t, "codelldb", "netcoredbg", "gdb", "flutter")
    t.fake.install(t.bin, "codelldb")
    old = install(t, "gdb", "echo 'GNU gdb (GDB) 13.1'\n")
    broken = install(t, "netcoredbg", "case $1 in --version) echo '.NET Core debugger 3.1.2-1054'; exit;; esac\n"
                     "echo 'libicu was not found' >&2\nexit 4\n")
    told = report(t)
    equal(told["working"], 1)
    works = adapter(told, "codelldb")
    equal((works["state"], works["path"]), ("works", os.path.join(t.bin, "codelldb")))
    check(works["answer_ms"] >= 0 and "reason" not in works and "install" not in works, "nothing to say", works)
    fails = adapter(told, "netcoredbg")
    equal((fails["state"], fails["path"], fails["version"]), ("fails", broken, "3.1.2-1054"))
    contains(fails["reason"], "it exited with code 4 before it answered \"initialize\"")
    equal(fails["stderr"], ["libicu was not found"])
    unusable = adapter(told, "gdb")
    equal(unusable["state"], "unusable")
    contains(unusable["reason"], old + " is 13.1, but DAP needs 14 or newer")
    missing = adapter(told, "flutter")
    equal((missing["state"], missing["support"]), ("missing", "experimental"))
    check(missing["install"], "how to get it", missing)
    equal([row["id"] for row in told["adapters"]], ["codelldb", "flutter", "gdb", "netcoredbg"])
    nothing_left(t)


def test_table(t):
    # Read by people: 100 columns, the words of an adapter apart from ours, and no control character of its.
    only(t, "codelldb", "netcoredbg", "flutter")
    t.fake.install(t.bin, "codelldb")
    install(t, "netcoredbg", "printf 'bad \\033[31mnews\\nworks     mine\\n' >&2\nexit 4\n")
    text = doctor(t).stdout
    lines = text.splitlines()
    check(all(len(line) <= 100 or " " not in line.strip() for line in lines), "100 columns", text)
    check(lines[0].startswith("works     codelldb "), "what works comes first", text)
    contains(text, "fails     netcoredbg ")
    contains(text, "          | bad \\x1b[31mnews\n          | works     mine\n")
    contains(text, "missing   flutter ")
    contains(text, "to install it: ")
    equal(lines[-2:], ["1 of 3 adapters work, 1 is here but cannot be used.",
                       "dapple doctor PROGRAM tells how a program would be launched."])
    nothing_left(t)


def test_nothing_works(t):
    # A fresh machine: the status is for scripts, the hint for people.
    only(t, "flutter", "kotlin-debug-adapter")
    contains(doctor(t, status=1).stdout, "0 of 2 adapters work.\nInstall the one for your language.\n")


def test_the_whole_catalog(t):
    # Whatever is installed on the machine that runs this: every adapter is there once, with what matters.
    done = subprocess.run([t.dapple_path, "doctor", "--json"], env=t.env(), cwd=t.make("work"), capture_output=True, text=True, timeout=30)
    told = json.loads(done.stdout)
    equal([row["id"] for row in told["adapters"]], sorted(catalog()))
    working = sum(row["state"] == "works" for row in told["adapters"])
    equal((done.returncode, told["working"]), (0 if working else 1, working))
    for row in told["adapters"]:
        check(row["state"] in ("works", "fails", "unusable", "missing") and row["programs"], "complete", row)
        check(("path" in row) == (row["state"] in ("works", "fails")), "where it was found", row)
        check((row["state"] == "works") == ("install" not in row), "how to get it", row)
    t.adapters_files |= {"lldb", "ruby-debug-sock-%d" % os.getuid()}


def test_silent_adapter(t):
    # One that never answers holds nobody up for more than its time, and is ended with everything that it started.
    only(t, "codelldb", "netcoredbg")
    t.fake.install(t.bin, "codelldb")
    install(t, "netcoredbg", "case $1 in --version) exit;; esac\n/bin/sleep 1000 &\nexec /bin/sleep 1000\n")
    told = report(t)
    equal(adapter(told, "codelldb")["state"], "works", "side by side")
    contains(adapter(told, "netcoredbg")["reason"], "the adapter did not answer \"initialize\" (waited 10 s)")
    nothing_left(t)


def test_interrupted(t):
    # Ctrl-C while an adapter is waited for: nothing of it stays, and no file.
    only(t, "netcoredbg", "rdbg")
    mark = os.path.join(t.make("work"), "started")
    install(t, "netcoredbg", "case $1 in --version) exit;; esac\necho > %s\nexec /bin/sleep 1000\n" % mark)
    for number in (signal.SIGINT, signal.SIGTERM):
        process = subprocess.Popen([t.dapple_path, "doctor"], env=t.env(), cwd=t.make("work"), stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        until(lambda: os.path.exists(mark), "the adapter's start")
        process.send_signal(number)
        out, err = process.communicate(timeout=10)
        equal((process.returncode, out, err), (1, "", "dapple doctor: interrupted\n"))
        os.unlink(mark)
        nothing_left(t)


def test_killed(t):
    # Killed before it can end anything: its adapters end all the same.
    only(t, "netcoredbg")
    mark = os.path.join(t.make("work"), "started")
    install(t, "netcoredbg", "/bin/sleep 1000 &\necho > %s\nexec /bin/sleep 1000\n" % mark)
    process = subprocess.Popen([t.dapple_path, "doctor"], env=t.env(), cwd=t.make("work"), stdout=subprocess.DEVNULL)
    until(lambda: os.path.exists(mark), "the adapter's start")
    process.kill()
    process.wait()
    equal(leaks.wait_none(t.test_id), [], "no process was left")
    for name in leaks.files_below(t.tmp):
        os.unlink(os.path.join(t.tmp, name))  # the empty program, which nobody was left to remove


def test_adapter_that_is_the_program(t):
    # rdbg runs the program itself: the doctor must not run the user's. It gets an empty one.
    only(t, "rdbg")
    seen = os.path.join(t.make("work"), "seen")
    install(t, "rdbg", "case $1 in --version) echo rdbg 1.9.2; exit;; esac\necho \"$@\" > %s\n/bin/cat \"$5\" >> %s\nexit 5\n" % (seen, seen))
    program = t.file("mine.rb", "system('touch ran')\n")
    for arguments in ([], [program]):
        doctor(t, *arguments, status=1)
        with open(seen) as file:
            text = file.read()
        lacks(text, program, "the user's program")
        contains(text, "--open --sock-path=")
        contains(text, "\nexit\n", "a program all the same")
        told = report(t, *arguments, status=1)
        if not arguments:
            continue
        equal(told["command"]["argv"][1:], ["--stop-at-load", "--open", "--sock-path=$SOCKET", "--", program], "what a launch would start")
        equal(told["adapter"]["version"], "1.9.2")
    nothing_left(t)


def test_the_users_adapters(t):
    # What the settings define is examined as they define it; an untrusted project's is not run.
    only(t, mine={"command": sys.executable, "args": ["-IS", FAKE_ADAPTER]})
    mark = os.path.join(t.make("work"), "ran")
    t.file("project/.dapple/settings.json", json.dumps({"adapters": {"evil": {"command": "touch", "args": [mark]}}}))
    folder = t.make("work/project")
    told = report(t, cwd=folder)
    equal(adapter(told, "mine")["state"], "works")
    check(not any(row["id"] == "evil" for row in told["adapters"]), "not of an untrusted project", told)
    contains(told["warnings"][0], "not trusted")
    contains(doctor(t, cwd=folder).stdout, "warning   project settings: not trusted")
    check(not os.path.exists(mark), "nor was it run")


def test_one_adapter(t):
    # Only what was asked for is started.
    t.fake.install(t.bin, "codelldb")
    told = report(t, "--adapter", "vscode-lldb")
    equal([row["id"] for row in told["adapters"]], ["codelldb"], "by another name")
    contains(doctor(t, "--adapter=nothing", status=1).stderr, "there is no adapter nothing")


def launched(t, arguments):
    """The launch arguments that an adapter really gets."""
    t.good("dap_launch", program=t.built("quick"), adapter="codelldb", timeout_ms=0)
    return t.fake.received(arguments)[-1]["arguments"]


def test_a_program(t):
    # What it says is what a launch does: the same arguments reach the adapter.
    t.fake.install(t.bin, "codelldb")
    told = report(t, "--adapter", "codelldb", t.built("quick"), cwd=t.project)
    equal(told["adapter"]["state"], "works")
    equal(told["chosen_because"], "named by the call")
    equal(told["command"]["argv"], [os.path.join(t.bin, "codelldb")])
    equal(told["command"]["cwd"], t.project)
    equal(told["command"]["transport"], "stdio")
    check("GIT_PAGER=cat" in told["command"]["env"], "variables for the adapter", told)
    equal(told["warnings"], [])
    equal(t.fake.received("launch"), [], "nothing was launched")
    equal(told["arguments"], launched(t, "launch"), "the launch arguments")


def test_a_program_as_text(t):
    t.fake.install(t.bin, "codelldb")
    text = doctor(t, "--adapter", "codelldb", t.built("quick"), cwd=t.project).stdout
    for part in ("program   " + t.built("quick"), "adapter   codelldb, because: named by the call", "works     yes: it answered",
                 "command   " + os.path.join(t.bin, "codelldb"), "folder    " + t.project,
                 "variables that keep programs from asking and paging", "spoken to over its stdin and stdout",
                 '            "program": "%s"' % t.built("quick"), "settings  none: ", "profile   none, since a program is given"):
        contains(text, part)


def test_why_an_adapter_was_passed_over(t):
    # The reason names the preferred one that is too old, and the warning that a launch would have.
    only(t, "gdb", "lldb-dap")
    install(t, "gdb", "echo 'GNU gdb (GDB) 13.1'\n")
    t.fake.install(t.bin)
    told = report(t, t.built("quick-nodebug"))
    equal(told["adapter"]["id"], "lldb-dap")
    contains(told["chosen_because"], "ELF executable; not gdb: %s is 13.1, but DAP needs 14 or newer" % os.path.join(t.bin, "gdb"))
    contains(told["warnings"][0], "no debug information")


def test_a_program_that_cannot_be_launched(t):
    # The message of a launch, and a status for scripts.
    for name, part in (("nothing.py", "does not exist"), ("cart.c", "is C source code")):
        text = doctor(t, name, status=1, cwd=t.project).stdout
        contains(text, "cannot    program " + programs.source(name))
        contains(" ".join(text.split()), part)
        contains(report(t, name, status=1, cwd=t.project)["error"], part)


def test_settings_in_effect(t):
    # Which files count and whether they are trusted is half of why something is launched.
    t.fake.install(t.bin, "codelldb")
    t.settings(profiles={"web": {"adapter": "codelldb", "arguments": {}}})
    own = os.path.join(t.home, ".config/dapple/settings.json")
    path = t.file("project/.dapple/settings.json", json.dumps({"profiles": {"api": {"adapter": "codelldb", "arguments": {}}}}))
    folder = t.make("work/project")
    arguments = ("--adapter", "codelldb", t.built("quick"))
    text = doctor(t, *arguments, cwd=folder).stdout
    contains(text, "settings  %s (yours)\n" % own)
    contains(" ".join(text.split()), path + " (the project's; not trusted, so its adapters and profiles do not count)")
    contains(text, "there are: web (codelldb)\n")
    told = report(t, *arguments, cwd=folder)
    equal([(row["path"], row["project"], row["trusted"]) for row in told["settings"]], [(own, False, True), (path, True, False)])
    subprocess.run([t.dapple_path, "trust"], env=t.env(), cwd=folder, check=True, stdout=subprocess.DEVNULL)
    told = report(t, *arguments, cwd=folder)
    equal((told["settings"][1]["trusted"], told["profiles"], told["warnings"]), (True, ["api", "web"], []))


def test_options(t):
    # A slip is named, with where help is.
    contains(doctor(t, "--help").stdout, "Usage: dapple doctor")
    for arguments, part in ((["--jsn"], '"--jsn"'), (["a", "b"], '"b"'), (["--adapter"], '"--adapter"')):
        text = doctor(t, *arguments, status=2).stderr
        contains(text, part)
        contains(text, "dapple doctor --help")


def test_greeting_is_valid(t):
    # What the doctor says to an adapter is a proper DAP conversation; the scenario's end checks every recorded byte of it.
    t.fake.install(t.bin, "codelldb")
    doctor(t, "--adapter", "codelldb")
    equal(t.fake.commands(), ["initialize", "disconnect"])
    check(glob.glob(os.path.join(t.fake.folder, "raw-*.client")), "it was recorded")
