"""The same table of steps with every real adapter, each with a program in its own language (support/matrix.py has the table)."""

import os

from support import matrix
from support.matrix import Cells, every_adapter
from support.scenario import check, contains, equal, lacks, state, until

WAIT = 20000


def at(target, result, program, mark):
    """Stopped on the line that carries the mark."""
    state(result, "stopped")
    equal(result["top_frame"]["line"], target.line(program, mark), "line of the mark %r" % mark, result)
    equal(os.path.realpath(result["top_frame"]["source_path"]), os.path.realpath(target.source(program)), "source", result)
    return result


def local(target, result, name):
    wanted = target.language.local % name
    found = [row for row in result["locals"] if row["name"] == wanted]
    check(found, "the local %s is in the stop" % wanted, result)
    return found[0]


def child(t, row, name):
    rows = t.good("dap_variables", variables_reference=row["variables_reference"])["variables"]
    if len(rows) == 1 and rows[0]["name"] in ("", "value"):  # what a pointer points to
        rows = t.good("dap_variables", variables_reference=rows[0]["variables_reference"])["variables"]
    found = [part for part in rows if part["name"].strip("[]'\"@:") == name]
    check(found, "no child %r" % name, [part["name"] for part in rows])
    return found[0]


def nested(t, target, row):
    """Opens the item in the stop, and what is inside of it."""
    contains(child(t, row, "name")["value"], "plum")
    if target.language is matrix.C:
        contains(child(t, child(t, row, "flags"), "heavy")["value"], "1")
    else:
        contains(child(t, child(t, row, "tags"), "1")["value"], "plum")


def steps_to(t, target, tool, mark, most):
    for _ in range(most):
        result = state(t.good(tool), "stopped")
        if result["top_frame"]["line"] == target.line("cart", mark):
            return at(target, result, "cart", mark)
    raise AssertionError("%d times %s did not lead to %r: %s" % (most, tool, mark, result))


@every_adapter
def test_walk(t, target):
    # A day with one program: two launches, in one server.
    with Cells(target.adapter) as cells:
        with cells.cell("breakpoint"):
            result = at(target, target.launch("cart", "call", timeout_ms=WAIT), "cart", "call")
            equal(result["stop_reason"], "breakpoint", "reason", result)
        with cells.cell("step in"):
            contains(state(t.good("dap_step_in"), "stopped")["top_frame"]["name"], "total")
        with cells.cell("step over"):
            steps_to(t, target, "dap_next", "loop", 8)
        with cells.cell("condition"):
            t.good("dap_set_breakpoints", file_path=target.source("cart"),
                   breakpoints=[{"line": target.line("cart", "cost"), "condition": target.language.condition}])
            at(target, t.good("dap_continue", timeout_ms=WAIT), "cart", "cost")
        with cells.cell("stack"):
            frames = t.good("dap_stack")["stack_frames"]
            lines = {target.line("cart", mark): name for mark, name in (("cost", "cost"), ("loop", "total"), ("call", "main"))}
            own = [frame for frame in frames if frame.get("source_path") == target.source("cart") and frame["line"] in lines]
            equal([lines[frame["line"]] for frame in own], ["cost", "total", "main"], "who calls whom", frames)
            for frame in own:
                contains(frame["name"], lines[frame["line"]])
        with cells.cell("locals by value"):
            result = steps_to(t, target, "dap_next", "cost-return", 2)
            equal(local(target, result, "amount")["value"], "10", "amount", result)
            contains(result.text, "%s" % target.language.local % "amount")
        with cells.cell("nested value"):
            nested(t, target, local(target, result, "item"))
        with cells.cell("evaluate"):
            equal(t.good("dap_evaluate", expression=target.language.product)["evaluation"]["result"], "70")
        with cells.cell("step out"):
            result = step_out(t, target)
            contains(result["top_frame"]["name"], "total", "stepped out")
        with cells.cell("output"):
            t.good("dap_set_breakpoints", file_path=target.source("cart"), breakpoints=[])
            result = state(t.good("dap_continue", timeout_ms=WAIT), "terminated")
            contains(result["output"], "cart 35")
        with cells.cell("exit code 0"):
            equal((result["exit_code"], result["termination_reason"]), (0, "Debuggee exited"), "exit", result)
        with cells.cell("relaunch"):
            t.good("dap_set_breakpoints", file_path=target.source("cart"), breakpoints=[{"line": target.line("cart", "print")}])
            at(target, target.launch("cart", args=["3"], timeout_ms=WAIT), "cart", "print")
        with cells.cell("exit code 3"):
            result = t.good("dap_continue", timeout_ms=WAIT)
            if target.adapter == "debugpy":
                # It counts sys.exit(3) as an exception that nobody catches.
                contains(state(result, "stopped").text, "SystemExit: 3")
                result = t.good("dap_continue")
            equal(state(result, "terminated")["exit_code"], 3, "exit code", result)


def step_out(t, target):
    result = state(t.good("dap_step_out"), "stopped")
    if target.adapter == "rdbg" and "cost" in result["top_frame"]["name"]:
        # Ruby's debugger stops once more at the method's `end`.
        result = state(t.good("dap_next"), "stopped")
    return result


SAYS = {"Python": "ValueError: bad quantity: -3", "C": "SIGSEGV", "Go": "bad quantity: -3", "JavaScript": "RangeError: bad quantity: -3",
        "Ruby": "bad quantity: -3", "Perl": "bad quantity: -3"}
ENDS = {"Python": 1, "Go": 2, "JavaScript": 1, "Ruby": 1, "Perl": 255}


@every_adapter
def test_ends(t, target):
    # The other ways that a program comes to a halt: crashed, paused, stopped by us, before its first line.
    with Cells(target.adapter) as cells:
        result = target.launch("crash", timeout_ms=WAIT)
        with cells.cell("exception or signal"):
            check(state(result, "stopped")["stop_reason"] in ("exception", "signal"), "the reason", result)
            contains(result.text.split("Debuggee output")[0], SAYS[target.language.name])
        finish_crash(t, target, result)
        with cells.cell("pause a busy loop"):
            launch_busy(t, target)
            result = state(t.good("dap_pause"), "stopped")
            contains(result["top_frame"]["source_path"], target.source("busy"))
            state(t.good("dap_continue", timeout_ms=100), "running")
        with cells.cell("stop while running"):
            result = state(t.good("dap_stop"), "terminated")
            equal(result["termination_reason"], "stopped by request", "reason", result)
            check("exit_code" not in result.data, "no exit code is invented", result)
        with cells.cell("nothing left"):
            equal(t.left_beside_dapple(1.0), [], "left after the stop")
        with cells.cell("stop on entry"):
            result = state(target.launch("cart", stop_on_entry=True, timeout_ms=WAIT), "stopped")
            lacks(result["output"], "cart 35", "the program has not run yet")
        if t.good("dap_status")["state"] == "stopped":
            result = state(t.good("dap_continue", timeout_ms=WAIT), "terminated")
            contains(result["output"], "cart 35")


def launch_busy(t, target):
    """Runs it until it has printed its line; what the debugger says of the program's path has the same word in it."""
    output = state(target.launch("busy", timeout_ms=0), "running")["output"]

    def printed():
        nonlocal output
        output += t.good("dap_status")["output"]
        return "busy" in output.splitlines()
    until(printed, "the program's first line")


def finish_crash(t, target, result):
    """Whether it stopped or not, it ends with what its language gives such an end."""
    if result["state"] == "stopped":
        result = t.good("dap_continue", timeout_ms=WAIT)
    state(result, "terminated")
    if target.language is matrix.C:
        contains(result["termination_reason"], "SIGSEGV", "how it ended")
    else:
        equal(result["exit_code"], ENDS[target.language.name], "exit code", result)


def test_readme_shows_the_matrix(t):
    # The README is what people read before they try; it must not promise what the tests do not hold, nor hide what they do.
    shown = matrix.readme_parts()[1]
    equal(shown, matrix.readme_table(), "run tests/support/matrix.py --readme")
