"""More of what agents meet with real adapters: odd endings, odd values, odd places."""

import os
import platform
import shutil
import signal

from support import leaks, programs
from support.scenario import check, contains, each_adapter, equal, good, lacks, native, state, until, within


@each_adapter
def test_program_that_kills_itself(t, target):
    # SIGKILL cannot be caught by anybody: the end is told at once, and no exit code of 0 is made up.
    result = state(target.launch("signals", args=[str(int(signal.SIGKILL))]), "terminated")
    check(result.get("exit_code") != 0, "killed is not success", result)
    within(result.seconds, 10, "the end is seen at once")
    if target.adapter == "debugpy":  # exit code 247 names nothing
        contains(result.text, "Debuggee exited: a death by signal 9, SIGKILL, is told so)")


def test_crash_below_python(t):
    # A crash of native code in Python has no stop and no trace, and exit code 245 did not look like one: what shows the place is said.
    target = t.target("debugpy")
    result = state(target.launch("signals", args=[str(int(signal.SIGSEGV))]), "terminated")
    contains(result.text, "a death by signal 11, SIGSEGV, is told so; launched with env PYTHONFAULTHANDLER=1 it prints where")
    result = state(target.launch("signals", args=[str(int(signal.SIGSEGV))], env={"PYTHONFAULTHANDLER": "1"}), "terminated")
    contains(result.text, "Fatal Python error: Segmentation fault")
    equal(state(target.launch("signals"), "terminated")["termination_reason"], "Debuggee exited", "an exit is one")


def test_exception_in_a_child(t):
    # What a child process does not catch is its own end alone; debugpy writes a note into the name of an exception in code without a file.
    target = t.target("debugpy")
    text = state(target.launch("child"), "stopped").text
    contains(text, "exception: ValueError: of the child\nuncaught: the next dap_continue ends this child, not the program\n")
    lacks(t.good("dap_exception").text, "(note:")
    state(t.good("dap_continue"), "terminated")


def test_started_as_in_a_shell(t):
    # An agent writes what it would type: the interpreter first, with -m or a script. It was told that there is no such file.
    target = t.target("debugpy")
    folder, line = os.path.dirname(target.source("cart")), target.line("cart", "end")
    stop = [{"file": target.source("cart"), "line": line}]
    for program, args in (("python3 -m cart 7", None), ("python", ["cart.py", "7"])):
        words = {} if args is None else {"args": args}
        state(t.good("dap_launch", program=program, cwd=folder, breakpoints=stop, **words), "stopped")
        equal(t.good("dap_evaluate", expression="sys.argv[1:]")["evaluation"]["result"], "['7']", program)
        t.good("dap_stop")
    # Options of the interpreter were refused.
    state(t.good("dap_launch", program="python3 -X dev -W error cart.py 7", cwd=folder, breakpoints=stop), "stopped")
    equal(t.good("dap_evaluate", expression="sys.flags.dev_mode, sys.warnoptions[-1], sys.argv[1:]")["evaluation"]["result"], "(True, 'error', ['7'])", "they count")
    t.good("dap_stop")
    contains(t.bad("dap_launch", program="python3", args=["-O", "-c", "1"]), "cannot be given its option -c: name the script (or -m MODULE) as program")
    contains(t.bad("dap_launch", program="ruby"), "program: ruby is an interpreter: name the script that it is to run\n")
    contains(t.bad("dap_launch", program="timeout"), "does not exist; on PATH there is /")
    contains(t.bad("dap_launch", program="python3 'a b.py'"), "does not exist", "what a shell takes apart is not guessed")


def test_a_failing_test(t):
    # "pytest -x" is found as a shell finds it, not taken for a file of the folder. A runner catches what its tests raise: the run ended, or stopped at the
    # runner's exit, and nothing told how to stop where the test fails.
    t.target("debugpy")
    runner = os.path.join(t.bin, "pytest")
    with open(runner, "w", encoding="utf-8") as file:
        file.write("#!/usr/bin/env python3\nimport sys\nsys.exit(int(sys.argv[1] == '-x'))\n")
    os.chmod(runner, 0o755)
    result = state(t.good("dap_launch", program="pytest -x", timeout_ms=20000), "stopped")
    contains(result.text, "tests that fail stop nothing, since pytest catches what they raise: after dap_add_breakpoint exception=userUnhandled")
    lacks(state(t.good("dap_continue"), "terminated").text, "tests that fail")
    t.good("dap_add_breakpoint", exception="userUnhandled")
    result = state(t.good("dap_launch", program="python3 -m unittest failing", timeout_ms=20000), "stopped")
    contains(result.text, "AssertionError: 4 != 5")
    contains(result.text, "  price: int = 4")
    lacks(state(t.good("dap_continue"), "terminated").text, "tests that fail")


@native
def test_crash_then_continue(t, target):
    # After the stop at the signal the program goes on into its death: the end names it.
    state(target.launch("crash"), "stopped")
    result = state(t.good("dap_continue"), "terminated")
    check(result.get("exit_code") != 0, "a crash is not success", result)
    check("SIGSEGV" in result.text or "signal 11" in result.text, "the signal is named", result)
    # For a pointer that cannot be one the processor gives no address, and debuggers show a 0: no null pointer is to be looked for.
    result = state(target.launch("crash", args=["wild"]), "stopped")
    lacks(result.text, "at address 0x0\n")
    if platform.machine() == "x86_64":
        contains(result.text, "a pointer that cannot be one")


@each_adapter
def test_leaving_without_ceremony(t, target):
    # os._exit in Python, exec of another program in C: an end like others.
    result = target.launch("signals")
    if result["state"] == "stopped":
        # lldb-dap stops at the first instruction after an exec.
        equal(result["stop_description"], "exec", "the reason")
        result = t.good("dap_continue")
    state(result, "terminated")
    equal(result.get("exit_code"), 7 if target.python else 0, "exit code", result)


@each_adapter
def test_values_that_are_hard_to_show(t, target):
    # Long, endless, broken and binary values: the stop is short, and every one of them can be looked at.
    result = state(target.launch("data", "end"), "stopped")
    check(len(result.text.encode()) <= 3 * 1024 + 400, "the packet keeps its budget", len(result.text.encode()))
    check(not set(result.text) & {"\x1b", "\x00", "\x01"}, "control characters", repr(result.text))
    frame = result["top_frame"]["id"]
    scopes = t.good("dap_variables", frame_id=frame)["scopes"]
    rows = {row["name"]: row for scope in scopes for row in scope.get("variables", [])}
    for name in ("numbers", "text"):
        check(name in rows, "%s is listed" % name, list(rows))
    page = t.good("dap_variables", variables_reference=rows["numbers"]["variables_reference"], start=50, count=3)
    check(any("50" in row["value"] for row in page["variables"]), "a page of a long list", page)
    for row in list(rows.values()):
        if row["variables_reference"]:
            good(t.call("dap_variables", variables_reference=row["variables_reference"], count=20))
    state(t.good("dap_status"), "stopped")


@each_adapter
def test_endless_value(t, target):
    # A list that holds itself, a ring of nodes: each step down is one call, for as long as one likes.
    target.launch("data", "end")
    value = t.good("dap_evaluate", expression="loop" if target.python else "first")["evaluation"]
    for _ in range(6):
        rows = t.good("dap_variables", variables_reference=value["variables_reference"])["variables"]
        value = next(row for row in reversed(rows) if row["variables_reference"] and (row["name"] == "0" or not target.python))


@each_adapter
def test_assignment_by_evaluation(t, target):
    # Code that changes the program is changed for good.
    target.launch("cart", "cost-return")
    if target.python:
        result = t.call("dap_evaluate", expression="item.__setattr__('qty', 77)")
    else:
        result = t.call("dap_evaluate", expression="amount = 77")
    good(result)
    contains(t.good("dap_evaluate", expression="item.qty" if target.python else "amount")["evaluation"]["result"], "77")


@each_adapter
def test_evaluation_that_does_not_return(t, target):
    # The expression runs the program's code and never comes back: the call ends, and the session can still be stopped.
    t.settings(timeouts={"requestMs": 3000})
    target.launch("busy", "spin")
    expression = "__import__('time').sleep(60)" if target.python else "(int)sleep(60)"
    result = t.call("dap_evaluate", expression=expression, limit=30)
    if not result.is_error:
        return
    contains(result.text, "evaluate")
    result = state(t.good("dap_stop", limit=15), "terminated")
    within(result.seconds, 10, "the stop")
    equal(t.left_beside_dapple(), [], "nothing is left")


@each_adapter
def test_step_out_of_the_last_frame(t, target):
    # Stepping beyond the end is the end, not a hang.
    target.launch("quick" if target.python else "cart", *([] if target.python else ["end"]), stop_on_entry=target.python)
    for _ in range(12):
        result = t.good("dap_step_out" if target.python else "dap_next", timeout_ms=5000)
        if result["state"] != "stopped":
            break
    state(result, "terminated")


@each_adapter
def test_bad_condition(t, target):
    # A condition that cannot be computed: a stop, an error or a warning of the adapter, never a hang, and the session goes on.
    result = state(target.launch("cart", "cost", condition="no_such_name ==", timeout_ms=8000), "stopped")
    contains(result.text, "since its condition no_such_name == could not be evaluated: ")
    state(t.good("dap_stop"), "terminated")


@each_adapter
def test_many_steps(t, target):
    # Forty steps through a loop: each answered, each at a place, none lost.
    target.launch("cart", "call")
    number = t.good("dap_status")["stop_number"]
    state(t.good("dap_step_in"), "stopped")
    for count in range(40):
        result = t.good("dap_step_in" if count % 3 == 0 else "dap_next")
        if result["state"] != "stopped":
            break
        check(result["top_frame"]["line"] > 0, "a place", result)
        equal(result["stop_number"], number + count + 2, "no stop is lost", result)


@each_adapter
def test_odd_paths(t, target):
    # Blanks, quotes and letters beyond ASCII in the names of folders and files.
    folder = t.make("work/it's a \"f\u00f6lder\" $HOME")
    program = os.path.join(folder, "pr\u00f6g ram" + (".py" if target.python else ""))
    shutil.copy(target.program("cart"), program)
    source = program if target.python else target.source("cart")
    result = good(t.call("dap_launch", program=program, adapter=target.adapter, limit=40,
                         breakpoints=[{"file": source, "line": target.line("cart", "print")}]))
    state(result, "stopped")
    equal(result["top_frame"]["source_path"], source, "source")
    result = state(t.good("dap_continue"), "terminated")
    contains(result["output"], "cart 35")


@each_adapter
def test_program_behind_a_link(t, target):
    # A symbolic link to the program and to its source: breakpoints bind all the same.
    link = os.path.join(t.make("work"), "link" + (".py" if target.python else ""))
    os.symlink(target.program("cart"), link)
    source = link if target.python else target.source("cart")
    result = good(t.call("dap_launch", program=link, adapter=target.adapter, limit=40,
                         breakpoints=[{"file": source, "line": target.line("cart", "print")}]))
    state(result, "stopped")


@each_adapter
def test_two_launches_of_two_programs(t, target):
    # Breakpoints of another program's file do not disturb.
    state(target.launch("cart", "print"), "stopped")
    t.good("dap_stop")
    result = state(target.launch("quick"), "terminated")
    contains(result["output"], "quick")


@each_adapter
def test_stop_under_a_step(t, target):
    # Stop is served while a step waits, and the step's call is answered with the end.
    target.launch("escape", "wait", args=[os.path.join(t.make("work"), "pids")])
    waiting = t.dapple.start("dap_next")
    until(lambda: t.good("dap_status")["state"] == "running", "the step runs")
    state(t.good("dap_stop"), "terminated")
    result = waiting.result()
    equal(result["state"], "terminated", "the step's result", result)


@each_adapter
def test_launches_one_after_the_other(t, target):
    # Nothing piles up: no process, no descriptor.
    folder = "/proc/%d/fd" % t.dapple.process.pid
    before = len(os.listdir(folder))
    for _ in range(4):
        state(target.launch("quick"), "terminated")
        equal(t.left_beside_dapple(), [], "nothing is left after the end")
    until(lambda: len(os.listdir(folder)) <= before, "the number of descriptors from before (%d)" % before)


def test_default_adapters(t):
    # Without a word about adapters: Python by its extension and by its first line, executables by what they are.
    for name in ("debugpy", "gdb", "lldb-dap"):
        t.target(name)
    equal(state(t.good("dap_launch", program="quick.py", limit=40), "terminated")["adapter_id"], "debugpy")
    script = t.file("script", "#!/usr/bin/env python3\nprint('from a script')\n", 0o755)
    result = state(t.good("dap_launch", program=script, limit=40), "terminated")
    equal(result["adapter_id"], "debugpy")
    contains(result["output"], "from a script")
    check(state(t.good("dap_launch", program=t.built("quick"), limit=40), "terminated")["adapter_id"] in ("gdb", "lldb-dap"),
          "native")


def test_standard_error_of_the_program(t):
    # Both streams in one order, told apart in the structured result.
    target = t.target("debugpy")
    path = t.file("streams.py", "import sys\nprint('out', flush=True)\nprint('err', file=sys.stderr, flush=True)\nx = 1\n")
    result = state(good(t.call("dap_launch", program=path, adapter=target.adapter, limit=40)), "terminated")
    # debugpy sends a text and its line end as two events, between which the other stream's may come: each stream is whole by itself.
    for stream, text in (("stdout", "out\n"), ("stderr", "err\n")):
        equal("".join(part["text"] for part in result["output_parts"] if part["stream"] == stream), text, stream, result)


def test_imported_module(t):
    # A breakpoint in a file that is imported later, given before it exists for the debugger.
    target = t.target("debugpy")
    module = t.file("helper.py", "def add(a, b):\n    total = a + b\n    return total\n")
    path = t.file("main.py", "import helper\n\nprint(helper.add(2, 3))\n")
    result = good(t.call("dap_launch", program=path, adapter=target.adapter, limit=40, breakpoints=[{"file": module, "line": 3}]))
    state(result, "stopped")
    equal(result["top_frame"]["source_path"], module)
    contains(result.text, "total: int = 5")


def test_exception_inside_a_library(t):
    # The deepest frame is in the standard library; the program's own line is among the callers.
    target = t.target("debugpy")
    path = t.file("lib.py", "import json\n\n\ndef load(text):\n    return json.loads(text)\n\n\nload('{bad')\n")
    result = good(t.call("dap_launch", program=path, adapter=target.adapter, limit=40))
    state(result, "stopped")
    contains(result.text, "JSONDecodeError")
    lines = [(os.path.basename(frame.get("source_path", "")), frame["line"]) for frame in t.good("dap_stack")["stack_frames"]]
    check(("lib.py", 5) in lines, "the program's own frame", lines)


def test_children_of_a_python_program(t):
    # A program with worker processes runs to its end, though they are not debugged.
    target = t.target("debugpy")
    path = t.file("pool.py", "import multiprocessing\n\n\ndef square(x):\n    return x * x\n\n\nif __name__ == '__main__':\n"
                             "    with multiprocessing.Pool(2) as pool:\n        print(sum(pool.map(square, range(5))))\n")
    result = good(t.call("dap_launch", program=path, adapter=target.adapter, limit=40))
    state(result, "terminated")
    contains(result["output"], "30")
    equal(t.left_beside_dapple(), [], "nothing is left")


@native
def test_library_without_source(t, target):
    # Frames of the C library have no source here: shown without a word too much, and without an excerpt.
    state(target.launch("crash", args=["abort"]), "stopped")
    result = t.good("dap_status")
    lacks(result.text, "-> ")
    frames = t.good("dap_stack")["stack_frames"]
    scopes = t.good("dap_variables", frame_id=frames[0]["id"])["scopes"]
    check(isinstance(scopes, list), "scopes of a frame without source", scopes)


@native
def test_changed_variable_in_c(t, target):
    # A step changes a local: the packet marks it.
    target.launch("cart", "loop")
    result = t.good("dap_next")
    for _ in range(2):
        if result["top_frame"]["line"] == programs.line("cart.c", "loop"):
            break
        result = t.good("dap_next")
    contains(result.text, "(was ")
