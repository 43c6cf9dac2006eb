"""The examples of the help and the manual: each is a command that can be typed, and does what it says.

An operation's declaration says in which state it can be called, and the program is brought there. What an example needs besides is
here: the program where Python's debugger has not what it shows, and what has to happen before.
"""

import contextlib
import os
import shlex
import shutil
import subprocess

from support import attaching, leaks, programs
from support.commands import read_declarations
from support.fake import OK, stopped
from support.scenario import check, contains, equal, until

FOLDER = programs.source("examples")
PROGRAMS = {  # the adapter, and how it is brought to where the examples begin
    "python": ("debugpy", "launch app.py --break app.py:42"),
    "C": ("gdb", "launch app --break app.c:9"),
    "C with watchpoints": ("lldb-dap", "launch app --break app.c:9 --adapter lldb-dap"),
    "JavaScript": ("js-debug", "launch app.js --break app.js:3"),
    "Ruby": ("rdbg", "launch app.rb --break app.rb:5"),
}
ELSEWHERE = {  # operations, or single examples, that are not tried on Python
    "breakpoint_locations": "C", "loaded_sources": "C", "modules": "C", "read_memory": "C", "write_memory": "C", "disassemble": "C",
    "registers": "C", "dapple add-breakpoint --data total": "C with watchpoints", "step_in_targets": "JavaScript",
    "restart_frame": "JavaScript", "locations": "JavaScript", "step_back": "Ruby", "reverse_continue": "fake", "terminate_threads": "fake",
    "dapple attach 4711": "attach", "dapple attach --port 5678 --adapter debugpy": "attach",
    "dapple attach --wait-for ./server": "attach",
}
BEFORE = {  # what has to happen before, in place of the launch
    "exception": ["launch app.py -- crash"],
    "send_input": ["launch ask.py --terminal --timeout 0"],
    "remove_breakpoint": ["launch app.py --break app.py:42", "break app.py:48", "break app.py:50"],
    "enable_breakpoint": ["launch app.py --break app.py:42", "break app.py:48", "break app.py:50"],
}


def examples():
    """(operation, example, where)"""
    for declaration in read_declarations().values():
        for example in declaration["cli"]["examples"]:
            where = ELSEWHERE.get(example) or ELSEWHERE.get(declaration["name"]) or "python"
            yield declaration, example, where


class Typist:
    """Types commands in a folder with the programs in it."""

    def __init__(self, t):
        self.commands = t.use_commands()
        self.lines = None  # what was typed to come to the present state, while it is the same
        self.folder = os.path.join(t.make("work"), "examples")
        shutil.copytree(FOLDER, self.folder)
        with open(os.path.join(self.folder, "input.txt"), "w") as file:
            file.write("some input\n")

    def type(self, line, status=0, prefix="dapple "):
        words = shlex.split(line.removeprefix(prefix))
        outcome = self.commands.run(*words, cwd=self.folder, timeout=60)
        equal(outcome.status, status, line, outcome)
        return outcome.out + outcome.err

    def compile(self, name):
        subprocess.run(["gcc", "-g", "-O0", "-o", name, name + ".c"], cwd=self.folder, check=True)

    def bring(self, declaration, launch):
        """To the state that it needs, by a fresh daemon, where numbers begin at 1; what only looks leaves it so."""
        needs = declaration["needs"]
        by_state = {"inactive": [], "running": ["launch app.py --timeout 0 -- wait"]}
        lines = BEFORE.get(declaration["name"]) or by_state.get(needs, [launch])
        if lines != self.lines:
            self.type("daemon stop")
            for line in lines:
                self.type(line)
        self.lines = lines if only_looks(declaration) else None


def only_looks(declaration):
    return declaration["annotations"]["readOnlyHint"]


def goes_on(declaration):
    return not only_looks(declaration) and declaration["needs"] in ("stopped", "running")


def is_of_sessions(declaration):
    return not only_looks(declaration) and not goes_on(declaration)


def try_on(t, place, chosen=lambda declaration: True):
    adapter, launch = PROGRAMS[place]
    t.target(adapter)
    typist = Typist(t)
    if place.startswith("C"):
        typist.compile("app")
    tried = 0
    # First what only looks, so that it can look at one stop.
    for declaration, example, where in sorted(examples(), key=lambda row: not only_looks(row[0])):
        if where == place and chosen(declaration):
            typist.bring(declaration, launch)
            shown = typist.type(example)
            check(shown.strip() and "dap_" not in shown, "it says something: " + example, shown)
            tried += 1
    check(tried > 0, "examples of " + place)


def test_all_have_a_place(t):
    # What is written here of an example that is gone is written in vain.
    known = {example for _, example, _ in examples()} | {declaration["name"] for declaration, _, _ in examples()}
    equal(set(ELSEWHERE) - known, set())
    equal(set(BEFORE) - known, set())
    equal({where for _, _, where in examples()} - set(PROGRAMS), {"attach", "fake"})


def test_python_looking(t):
    try_on(t, "python", only_looks)


def test_python_going_on(t):
    try_on(t, "python", goes_on)


def test_python_sessions(t):
    try_on(t, "python", is_of_sessions)


def test_c(t):
    try_on(t, "C")


def test_c_with_watchpoints(t):
    try_on(t, "C with watchpoints")


def test_javascript(t):
    try_on(t, "JavaScript")


def test_ruby(t):
    try_on(t, "Ruby")


def test_attach(t):
    # The numbers of the process and of the port are those of programs that were started here.
    t.target("debugpy")
    t.target("gdb")
    typist = Typist(t)
    typist.compile("server")
    server = os.path.join(typist.folder, "server")
    with contextlib.ExitStack() as stack:
        def start(*command, ready):
            return stack.enter_context(attaching.started(t, *command, path="unused", ready=ready, cwd=typist.folder))
        first = start(server, ready=lambda: True)
        until(lambda: os.readlink("/proc/%d/exe" % first.pid) == server, "it runs")
        contains(typist.type("dapple attach 4711".replace("4711", str(first.pid))), "pid %d" % first.pid)
        typist.type("stop")
        os.kill(first.pid, 9)
        first.process.wait()
        port = attaching.free_port()
        start(attaching.python(), "-m", "debugpy", "--listen", str(port), "app.py", "wait", ready=lambda: attaching.listens(port))
        typist.type("dapple attach --port 5678 --adapter debugpy".replace("5678", str(port)))
        typist.type("stop")
        waiting = typist.commands.popen("attach", "--wait-for", "./server", cwd=typist.folder)
        until(lambda: leaks.describe(waiting.pid), "the command")
        second = start(server, ready=lambda: True)
        out = waiting.communicate(timeout=40)[0].decode()
        equal(waiting.returncode, 0, "attach --wait-for", out)
        contains(out, "pid %d" % second.pid)
        typist.type("stop")


def test_fake(t):
    # No adapter here can: the fake one does.
    typist = Typist(t)
    t.fake_stopped(capabilities={"supportsTerminateThreadsRequest": True, "supportsStepBack": True}, 
                   on={"reverseContinue": [[OK, stopped("step")]], "terminateThreads": [[OK]]})
    tried = [typist.type(example) for _, example, where in examples() if where == "fake"]
    equal(len(tried), 2, "examples", tried)


def test_others(t):
    # The commands that are no operations: run and break, as their help has them, and what docs/cli.md shows.
    t.target("debugpy")
    typist = Typist(t)
    with open(os.path.join(os.path.dirname(__file__), "..", "..", "docs", "cli.md")) as file:
        lines = [line.strip() for line in file if line.startswith("    dapple")]
    shown = [part for line in lines for part in line.replace("      dapple", "\ndapple").split("\n")]  # in two columns
    check(len(shown) > 8, "commands of the page", shown)
    for line in shown:
        typist.type(line.strip())
    for name in ("run", "break"):
        lines = typist.type("help " + name).split("examples:\n")[1].splitlines()
        check(lines, "examples of " + name)
        for line in lines:
            typist.type(line.strip())
