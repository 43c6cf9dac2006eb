"""The same table of steps with every real adapter, each with a program in its own language (support/matrix.py has the table)."""

import glob
import os

from support import matrix, programs
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
        with cells.cell("several steps"):
            result = state(t.good("dap_next", count=2), "stopped")
            equal((result["steps_done"], result["stop_reason"]), (2, "step"), "two lines", result)
            contains(result.text, "2 of 2 steps done\n")
            contains(result["top_frame"]["name"], "total", "over the call")
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
            # The argument is read after a stop: Ruby's globals were read for the packet of the stop, and that took it out of ARGV.
            result = t.good("dap_continue", timeout_ms=WAIT)
            if target.adapter == "debugpy":
                # It counts sys.exit(3) as an exception that nobody catches.
                contains(state(result, "stopped").text, "SystemExit: 3")
                result = t.good("dap_continue")
            equal(state(result, "terminated")["exit_code"], 3, "exit code", result)
    # What was written to it is judged at the end of the test; without a recording there would be nothing to judge.
    check(glob.glob(os.path.join(t.records, target.adapter + "-*.client")), "the connections were recorded", os.listdir(t.records))


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
            pause_in(t, target.source("busy"))
            state(t.good("dap_continue", timeout_ms=100), "running")
        with cells.cell("stop while running"):
            result = state(t.good("dap_stop"), "terminated")
            equal(result["termination_reason"], "stopped by request", "reason", result)
            check("exit_code" not in result.data, "no exit code is invented", result)
        with cells.cell("nothing left"):
            equal(t.left_beside_dapple(), [], "left after the stop")
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


def pause_in(t, source):
    """Pauses until the program is met in its own code: it may just be printing or reading the clock, deep in its runtime."""
    def met():
        result = state(t.good("dap_pause"), "stopped")
        frame = result.data.get("shown_frame", result["top_frame"])
        if source in frame.get("source_path", ""):
            return True
        state(t.good("dap_continue", timeout_ms=0), "running")
        return False
    until(met, "a pause in the program's own code")


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


# ---- JavaScript, whose threads and children each have a session of their own ----

def javascript(t, name, mark, **arguments):
    """Launches with a breakpoint at a mark, and checks that the program was stopped there."""
    target = t.target("js-debug")
    path = target.source(name)
    breakpoints = [{"file": path, "line": target.line(name, mark)}]
    result = t.good("dap_launch", program=path, breakpoints=breakpoints, timeout_ms=WAIT, limit=40, **arguments)
    at(target, result, name, mark)
    return target, result


def value(t, expression):
    return int(t.good("dap_evaluate", expression=expression)["evaluation"]["result"])


def test_worker_threads(t):
    # Each worker is a child session that the adapter asks for. Both come to the breakpoint by themselves; the one is shown, the other
    # waits for its turn, and neither's variables are taken for the other's.
    target, result = javascript(t, "workers", "worker")
    names, squares, output = [result["child_session"]], [value(t, "square")], result["output"]
    t.good("dap_set_breakpoints", file_path=target.source("workers"), breakpoints=[{"line": target.line("workers", "worker")},
                                                                                   {"line": target.line("workers", "main")}])
    for _ in range(3):
        result = state(t.good("dap_continue", timeout_ms=WAIT), "stopped")
        output += result["output"]
        if result["top_frame"]["line"] == target.line("workers", "worker"):
            names.append(result["child_session"])
            squares.append(value(t, "square"))
    result = state(t.good("dap_continue", timeout_ms=WAIT), "terminated")
    output += result["output"]
    equal(sorted(squares), [9, 16], "each worker's own square")
    check(len(set(names)) == 2, "the stops name two workers", names)
    for line in ("worker 3", "worker 4", "square 9", "square 16"):
        contains(output, line)
    equal(result["exit_code"], 0, "exit code", result)


def test_workers_that_stop_at_once(t):
    # While one worker stands, the other reaches its breakpoint too: a resume of the one must not lose the other's stop.
    target, first = javascript(t, "workers", "worker")
    printed = first["output"]

    def both():
        nonlocal printed
        printed += t.good("dap_status")["output"]
        return {"worker 3", "worker 4"} <= set(printed.splitlines())
    until(both, "the words of both workers")
    second = at(target, t.good("dap_continue", timeout_ms=WAIT), "workers", "worker")
    check(first["child_session"] != second["child_session"], "the other worker", second)
    check(first["thread_id"] != second["thread_id"], "another thread", second)
    equal(state(t.good("dap_continue", timeout_ms=WAIT), "terminated")["exit_code"], 0)


def test_stop_with_workers(t):
    # dap_stop at a worker's breakpoint, while the other worker and the main thread are alive: nothing stays.
    javascript(t, "workers", "worker")
    equal(state(t.good("dap_stop"), "terminated")["termination_reason"], "stopped by request")
    equal(t.left_beside_dapple(), [], "left after the stop")


def test_forked_child(t):
    # A process that the program starts is debugged like the program; the end of the child is not the end of the session.
    target, result = javascript(t, "fork", "child")
    equal(value(t, "square"), 25, "in the child")
    t.good("dap_set_breakpoints", file_path=target.source("fork"), breakpoints=[{"line": target.line("fork", "parent")}])
    result = at(target, t.good("dap_continue", timeout_ms=WAIT), "fork", "parent")
    equal(value(t, "code"), 0, "in the parent, told of the child's end")
    output = result["output"]
    result = state(t.good("dap_continue", timeout_ms=WAIT), "terminated")
    contains(output + result["output"], "child 25")
    contains(output + result["output"], "child ended with 0")
    equal(result["exit_code"], 0, "exit code", result)


def test_test_runner(t):
    # The test runner of Node.js gives each file a process: breakpoints in all of them are hit, and the runner's report is kept.
    t.target("js-debug")
    files = ["matrix/runner/%s.test.js" % name for name in ("first", "second")]
    paths = [programs.source(name) for name in files]
    breakpoints = [{"file": path, "line": programs.line(name, "assert")} for name, path in zip(files, paths)]
    result = t.good("dap_launch", program=paths[0], args=paths[1:], launch_arguments={"runtimeArgs": ["--test"]},
                    breakpoints=breakpoints, timeout_ms=WAIT, limit=40)
    stopped, output = [], ""
    while result["state"] == "stopped" and len(stopped) < 3:
        stopped.append(result["top_frame"]["source_path"])
        equal(value(t, "sum"), 4)
        output += result["output"]
        result = t.good("dap_continue", timeout_ms=WAIT, limit=40)
    equal(sorted(stopped), sorted(paths), "where it stopped")
    equal(state(result, "terminated")["exit_code"], 0, "exit code", result)
    contains(output + result["output"], "pass 2")


# ---- Go ----

def test_go_from_its_sources(t):
    # Nobody builds before debugging: a source of a module is built by the adapter, in the module's folder, and nothing of it stays there.
    target = t.target("dlv")
    t.environment.update(programs.go_environment(t.built_folder))
    t.file("go.mod", "module cart\n\ngo 1.19\n")
    with open(target.source("cart")) as file:
        path = t.file("main.go", file.read())
    result = t.good("dap_launch", program=path, breakpoints=[{"file": path, "line": target.line("cart", "print")}], timeout_ms=50000,
                    limit=55)
    equal((state(result, "stopped")["adapter_id"], result["top_frame"]["line"]), ("dlv", target.line("cart", "print")), "the stop", result)
    result = state(t.good("dap_continue", timeout_ms=WAIT), "terminated")
    equal((result["exit_code"], "cart 35" in result["output"]), (0, True), "the end", result)
    # delve removes what it built when it ends, which may be after the program's end was told.
    until(lambda: sorted(os.listdir(t.make("work"))) == ["go.mod", "main.go"], "nothing but the sources in the folder")


def test_go_that_does_not_compile(t):
    # The launch fails with what the compiler said, not with "Failed to launch".
    t.target("dlv")
    t.environment.update(programs.go_environment(t.built_folder))
    t.file("go.mod", "module cart\n\ngo 1.19\n")
    path = t.file("main.go", "package main\n\nfunc main() {\n\tno_such_name()\n}\n")
    result = t.call("dap_launch", program=path, timeout_ms=50000, limit=55)
    check(result.is_error, "an error", result)
    contains(result.text, "no_such_name", "the compiler's words")


# ---- the table itself ----

def test_the_table_cannot_lie(t):
    # A cell that is called impossible and works, or called possible and fails, fails the test that tries it; what failed once stays failed.
    path = os.path.join(t.folder, "matrix.jsonl")
    before = os.environ.get("DAPPLE_TEST_MATRIX")
    os.environ["DAPPLE_TEST_MATRIX"] = path
    try:
        (name, step), _ = next(iter(matrix.IMPOSSIBLE.items()))
        for adapter, works, word in ((name, True, "failed"), ("gdb", False, "failed"), (name, False, "not claimed"), ("gdb", True, "passed")):
            cells = Cells(adapter)
            with cells.cell(step):
                check(works, "the step")
            equal(bool(cells.failures), word == "failed", "%s, which works: %s" % (adapter, works))
            with open(path) as file:
                equal(file.read().splitlines()[-1], '["%s", "%s", "%s"]' % (adapter, step, word))
        equal(matrix.read(path), {(name, step): "failed", ("gdb", step): "failed"})
        contains(matrix.summary(matrix.read(path)), "0 passed, 2 failed")
    finally:
        os.environ.pop("DAPPLE_TEST_MATRIX")
        if before is not None:
            os.environ["DAPPLE_TEST_MATRIX"] = before
