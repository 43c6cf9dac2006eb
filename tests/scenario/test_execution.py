"""Every way to go on from a stop, with every real adapter that claims it; the rest is refused by name and never sent."""

import os
import re
import signal

from support import programs
from support.fake import OK, stopped
from support.matrix import Cells, every_adapter
from support.scenario import check, contains, equal, lacks, native, state, until

WAIT = 20000
PATH = programs.source("lines.c")
CLAIMED = {"supportsSteppingGranularity": True, "supportsStepInTargetsRequest": True, "supportsStepBack": True,
          "supportsGotoTargetsRequest": True, "supportsRestartFrame": True, "supportsTerminateThreadsRequest": True,
          "supportsSingleThreadExecutionRequests": True}


def at(target, result, program, mark):
    state(result, "stopped")
    equal(result["top_frame"]["line"], target.line(program, mark), "line of the mark %r" % mark, result)
    return result


# ---- to a place ----

def until_line(t, target, mark, form="%d"):
    return at(target, t.good("dap_continue", until=form % target.line("cart", mark), timeout_ms=WAIT), "cart", mark)


@every_adapter
def test_until(t, target):
    # "Run to that line" took three calls: set a breakpoint, continue, take the breakpoint back; and the last one was forgotten.
    source = target.source("cart")
    with Cells(target.adapter) as cells:
        at(target, target.launch("cart", "call", timeout_ms=WAIT), "cart", "call")
        with cells.cell("run to a line"):
            result = until_line(t, target, "cost-return", "%s:%%d" % source)
            contains(result.text, "ran to ")
            equal(result["until_reached"], True, "reached", result)
            # It stood beside the user's own, which is what is listed, and is gone: the loop comes there three times more.
            equal([len(entry["breakpoints"]) for entry in t.good("dap_status")["desired_breakpoints"]], [1], "desired")
            until_line(t, target, "total-return")
            # Another stop comes first.
            t.good("dap_set_breakpoints", file_path=source, breakpoints=[{"line": target.line("cart", "print")}])
            result = at(target, t.good("dap_continue", until=str(target.line("cart", "call")), timeout_ms=WAIT), "cart", "print")
            contains(result.text, "stopped before it came to ")
            equal(result["until_reached"], False, "reached", result)
            # The end comes first; in the next run nothing of it is left.
            result = state(t.good("dap_continue", until=str(target.line("cart", "cost")), timeout_ms=WAIT), "terminated")
            contains(result.text, "ended before it came to ")
            at(target, target.launch("cart", timeout_ms=WAIT), "cart", "print")


@every_adapter
def test_until_a_function(t, target):
    # By its name, also where the adapter sets no breakpoints at names (js-debug, rdbg, perl): twice, and nothing is left.
    at(target, target.launch("cart", "call", timeout_ms=WAIT), "cart", "call")
    name = "main.cost" if target.adapter == "dlv" else "cost"
    for amount in ("apple", "pear"):
        result = state(t.good("dap_continue", until=name, timeout_ms=WAIT), "stopped")
        contains(result.text, "ran to function " + name)
        lacks(result.text, "hit breakpoint")  # the temporary one's id is nobody's
        contains(result["top_frame"]["name"], "cost", "frame")
        expression = {"perl": "$_[0]->{name}", "gdb": "item->name", "lldb-dap": "item->name", "codelldb": "item->name"}
        contains(t.good("dap_evaluate", expression=expression.get(target.adapter, "item.name")).text, amount)
    equal([row["kind"] for row in t.good("dap_breakpoints")["breakpoints"] if row["kind"] != "exception"], ["source"], "what is left")
    contains(state(t.good("dap_continue", timeout_ms=WAIT), "terminated")["output"], "cart 35")


@every_adapter
def test_until_in_a_running_program(t, target):
    # The wait ends, the program does not: the temporary breakpoint is taken away while the program runs.
    at(target, target.launch("pair", "start", timeout_ms=WAIT), "pair", "start")
    t.good("dap_set_breakpoints", file_path=target.source("pair"), breakpoints=[])
    result = t.good("dap_continue", until=str(target.line("pair", "never")), timeout_ms=300)
    contains(state(result, "running").text, "has not come to ")
    contains(result.text, "; the temporary breakpoint was removed")
    state(t.good("dap_stop"), "terminated")


def test_until_that_times_out(t):
    t.fake_stopped(on={"continue": [[OK]]})
    result = state(t.good("dap_continue", until="lines.c:5", timeout_ms=100), "running")
    contains(result.text, "has not come to lines.c:5; the temporary breakpoint was removed")
    sent = [[row["line"] for row in message["arguments"]["breakpoints"]] for message in t.fake.received("setBreakpoints")]
    equal(sent, [[3], [3, 5], [3]], "what was set")


@every_adapter
def test_until_at_a_condition(t, target):
    # The user's own breakpoint on that line has a condition that does not hold: it must not keep the program from stopping
    # there, and has its condition again afterwards.
    source, line = target.source("cart"), target.line("cart", "cost")
    at(target, target.launch("cart", "call", timeout_ms=WAIT), "cart", "call")
    t.good("dap_set_breakpoints", file_path=source, breakpoints=[{"line": line, "condition": "1 == 2"}])
    at(target, t.good("dap_continue", until=str(line), timeout_ms=WAIT), "cart", "cost")
    contains(state(t.good("dap_continue", timeout_ms=WAIT), "terminated")["output"], "cart 35")
    equal(t.good("dap_status")["desired_breakpoints"][0]["breakpoints"][0]["condition"], "1 == 2", "the condition")


def test_until_bad_places(t):
    # What cannot be is said before the program has run past it.
    target = t.target("gdb")
    at(target, target.launch("cart", "call", timeout_ms=WAIT), "cart", "call")
    for place, words in (("nowhere.c:3", "there is no file"), ("cart.c", "say which line"), ("cart.c:0", "is no line"),
                         ("cart.c:100000", "nothing was run"), ("no_such_function", "nothing was run"),
                         ("99999999999", "is no line"), ("the return", "is no place")):
        contains(t.bad("dap_continue", until=place), words, place)
        at(target, t.good("dap_status"), "cart", "call")
    lacks(t.good("dap_status").text, "100000")
    at(target, t.good("dap_continue", until="line %d" % target.line("cart", "print"), timeout_ms=WAIT), "cart", "print")
    state(t.good("dap_continue", timeout_ms=WAIT), "terminated")


def test_until_the_users_own(t):
    # A breakpoint of the user's stands there already: none is added, and it is not taken away.
    t.fake_stopped(on={"continue": [[OK, stopped("breakpoint")]]})
    before = len(t.fake.received("setBreakpoints"))
    result = state(t.good("dap_continue", until="lines.c:3"), "stopped")
    contains(result.text, "ran to lines.c:3; your own breakpoint there stays")
    equal(len(t.fake.received("setBreakpoints")), before, "nothing was set")


def test_until_that_is_refused(t):
    # The adapter takes the breakpoint and refuses to go on: the breakpoint is taken back, the stop stands.
    t.fake_stopped(on={"continue": [[{"fail": "not now"}]]})
    contains(t.bad("dap_continue", until="lines.c:5"), "not now")
    sent = [[row["line"] for row in message["arguments"]["breakpoints"]] for message in t.fake.received("setBreakpoints")]
    equal(sent, [[3], [3, 5], [3]], "what was set")
    state(t.good("dap_status"), "stopped")


def test_until_while_breakpoints_change(t):
    # The user changes the file's breakpoints while the program runs to a place: the temporary one stays in what is sent.
    t.fake_stopped(on={"continue": [[OK]], "pause": [[OK, stopped("pause")]]})
    call = t.dapple.start("dap_continue", until="lines.c:5")
    t.fake.wait_command("continue")
    t.good("dap_set_breakpoints", file_path="lines.c", breakpoints=[{"line": 4}])
    state(t.good("dap_pause"), "stopped")
    contains(state(call.result(), "stopped").text, "stopped before it came to lines.c:5")
    sent = [[row["line"] for row in message["arguments"]["breakpoints"]] for message in t.fake.received("setBreakpoints")]
    equal(sent, [[3], [3, 5], [4, 5], [4]], "what was set")


# ---- steps ----

@every_adapter
def test_steps_of_a_kind(t, target):
    # One instruction, a chosen call of a line, back: each where the adapter claims it.
    with Cells(target.adapter) as cells:
        at(target, target.launch("cart", "loop", timeout_ms=WAIT), "cart", "loop")
        with cells.cell("instruction step"):
            frame = t.good("dap_next", granularity="instruction")["top_frame"]
            equal(frame["line"], target.line("cart", "loop"), "still on the line")
        t.good("dap_stop")
        at(target, target.launch("cart", "loop", timeout_ms=WAIT), "cart", "loop")
        with cells.cell("step-in target"):
            targets = t.good("dap_step_in_targets")["targets"]
            equal(["cost" in entry["label"] for entry in targets], [True], "targets", targets)
            contains(state(t.good("dap_step_in", function="cost"), "stopped")["top_frame"]["name"], "cost")
        if t.good("dap_status")["state"] == "stopped":
            with cells.cell("restart frame"):
                t.good("dap_continue", until=str(target.line("cart", "cost-return")), timeout_ms=WAIT)
                frames = t.good("dap_stack")["stack_frames"]
                total = next(frame for frame in frames if "total" in frame["name"])
                result = state(t.good("dap_restart_frame", frame_id=total["id"]), "stopped")
                contains(result["top_frame"]["name"], "total")


@every_adapter
def test_goto(t, target):
    # Forward over the call, and back to it: the program is where it was told to be, with the values that it had.
    with Cells(target.adapter) as cells:
        at(target, target.launch("cart", "call", timeout_ms=WAIT), "cart", "call")
        with cells.cell("goto"):
            result = at(target, t.good("dap_goto", line=target.line("cart", "print")), "cart", "print")
            equal(result["stop_reason"], "goto", "reason", result)
            at(target, t.good("dap_goto", line=target.line("cart", "call"), file_path=target.source("cart")), "cart", "call")
            t.good("dap_set_breakpoints", file_path=target.source("cart"), breakpoints=[])
            contains(state(t.good("dap_continue", timeout_ms=WAIT), "terminated")["output"], "cart 35")


def test_goto_out_of_the_function(t):
    # codelldb jumps into any function, on the stack of the one that it leaves: what is shown there is not what it seems to be.
    target = t.target("codelldb")
    at(target, target.launch("cart", "call", timeout_ms=WAIT), "cart", "call")
    result = at(target, t.good("dap_goto", line=target.line("cart", "cost-return")), "cart", "cost-return")
    contains(result.text, "the jump left main")
    target = t.target("debugpy")
    at(target, target.launch("cart", "call", timeout_ms=WAIT, session="two"), "cart", "call")
    contains(t.bad("dap_goto", line=target.line("cart", "cost"), session="two"), "goto request failed")
    at(target, t.good("dap_status", session="two"), "cart", "call")


def test_goto_that_goes_elsewhere(t):
    # debugpy accepts a line of a function from outside of it, and goes nowhere: "stopped (goto)" with another line looked like success.
    target = t.target("debugpy")
    state(target.launch("cart", stop_on_entry=True, timeout_ms=WAIT), "stopped")
    line = target.line("cart", "cost")
    result = state(t.good("dap_goto", line=line), "stopped")
    check(result["top_frame"]["line"] != line, "not there", result)
    contains(result.text, "Warning: line %d was asked for, and the program stands in line %d" % (line, result["top_frame"]["line"]))


@every_adapter
def test_step_back(t, target):
    # Ruby's debugger records when it is told to; what it has recorded can be walked back.
    program = "record" if target.adapter == "rdbg" else "cart"
    with Cells(target.adapter) as cells:
        at(target, target.launch(program, "print", timeout_ms=WAIT), program, "print")
        with cells.cell("step back"):
            stops = [t.good("dap_step_back") for _ in range(3)]
            lines = [stop["top_frame"]["line"] for stop in stops[1:]]
            equal(lines, [target.line("record", mark) for mark in ("double-return", "double")], "back into the call")
            equal([row["value"] for row in stops[-1]["locals"] if row["name"] == "number"], ["2"], "its argument", stops[-1])


def test_step_back_without_a_recording(t):
    # The adapter claims it and refuses: the stop stands, and the reason is given.
    target = t.target("rdbg")
    at(target, target.launch("cart", "call", timeout_ms=WAIT), "cart", "call")
    contains(t.bad("dap_step_back"), "only over what it has recorded")
    at(target, t.good("dap_status"), "cart", "call")
    t.bad("dap_reverse_continue")
    at(target, t.good("dap_status"), "cart", "call")


# ---- several steps in one call ----

def test_several_steps(t):
    # Each line was a call of its own. With `count` only the last stop is read, and what comes between ends the series. (All adapters: the
    # matrix.)
    target = t.target("gdb")
    at(target, target.launch("cart", "call", timeout_ms=WAIT), "cart", "call")
    t.good("dap_set_breakpoints", file=target.source("cart"), lines=[target.line("cart", "cost")])
    result = at(target, t.good("dap_next", count=50, timeout_ms=WAIT), "cart", "cost")
    contains(result.text, "0 of 50 steps done; the next one led to this stop")
    t.good("dap_set_breakpoints", file=target.source("cart"), lines=[])
    result = state(t.good("dap_step_out", count=2, timeout_ms=WAIT), "stopped")
    contains(result.text, "2 of 2 steps done\n")
    contains(result["top_frame"]["name"], "main")
    lacks(state(t.good("dap_next"), "stopped").text, "steps done")


def test_several_steps_back(t):
    # Backwards, and out of calls, too; where the recording ends, the series does, and the stop stands.
    target = t.target("rdbg")
    at(target, target.launch("record", "print", timeout_ms=WAIT), "record", "print")
    result = at(target, t.good("dap_step_back", count=3), "record", "double")
    equal(result["steps_done"], 3, "back", result)
    result = state(t.good("dap_step_back", count=200), "stopped")
    contains(result.text, " of 200 steps done; the next one was refused: ")
    equal(result["stop_number"], t.good("dap_status")["stop_number"], "the stop that is shown is the last one", result)


def steps(*stops):
    """Steps of the fake adapter: the next one each time it is asked."""
    return {"next": [[OK, *([stop] if isinstance(stop, dict) else stop)] for stop in stops]}


STEP = stopped("step")
SERIES = (  # what comes at the third step, the state after it, and the words
    (stopped("breakpoint"), "stopped", "2 of 5 steps done; the next one led to this stop"),
    (stopped("exception"), "stopped", "2 of 5 steps done; the next one led to this stop"),
    (stopped("pause"), "stopped", "2 of 5 steps done; the next one led to this stop"),
    (stopped("step", thread=2), "stopped", "2 of 5 steps done; the next one led to this stop"),
    ([{"event": "exited", "body": {"exitCode": 3}}, {"event": "terminated"}], "terminated",
     "2 of 5 steps done; the program ended in the next one"),
    ([{"exit": 0}], "terminated", "2 of 5 steps done; the program ended in the next one"),
    ([], "running", "2 of 5 steps done; the next one is under way"),
)


def test_series_that_end_early(t):
    # A stop for another reason, another thread, the end, the time-out: said with how many steps were done, and none is sent after it.
    for number, (last, wanted, words) in enumerate(SERIES):
        name = "s%d" % number
        t.fake.script(path=PATH, on=steps(STEP, STEP, last), threads=[{"id": 1, "name": "a"}, {"id": 2, "name": "b"}])
        state(t.fake_launch(session=name, breakpoints=[{"file": PATH, "line": 3}]), "stopped")
        before = len(t.fake.received("next"))
        result = state(t.good("dap_next", session=name, count=5, timeout_ms=20000 if last else 1500), wanted)
        contains(result.text, words)
        equal(result["steps_done"], 2, "done", result)
        equal(len(t.fake.received("next")) - before, 3, "sent")
        t.good("dap_stop", session=name)


def test_series_that_is_refused(t):
    # The first step's refusal is the call's; a later one's is where the series ends, with the stop as it was.
    t.fake_stopped(on={"next": [[OK, STEP], [{"fail": "not now"}], [{"fail": "not at all"}]]})
    result = state(t.good("dap_next", count=3), "stopped")
    contains(result.text, "1 of 3 steps done; the next one was refused: next request failed: not now")
    number = result["stop_number"]
    contains(t.bad("dap_next", count=3), "not at all")
    equal(t.good("dap_status")["stop_number"], number, "the stop")
    contains(t.bad("dap_next", count=0), "/count must be >= 1")
    contains(t.bad("dap_next", count=1001), "/count must be <= 1000")
    contains(t.bad("dap_step_in", function="f", count=2), "/count: a chosen call is one step")


def test_series_whose_answers_are_late(t):
    # The stop overtakes the answer to its own step: the series goes on, and the late answers are nobody's.
    t.fake_stopped(on={"next": [[STEP], [STEP], [{"respond_to": "next"}, {"respond_to": "next"}, OK, STEP]]})
    equal(state(t.good("dap_next", count=3), "stopped")["steps_done"], 3, "done")
    t.fake.script(path=PATH, on={"next": [[STEP], [{"fail_to": "next", "message": "too late"}, OK, STEP]]})
    state(t.fake_launch(session="b", breakpoints=[{"file": PATH, "line": 3}]), "stopped")
    equal(state(t.good("dap_next", session="b", count=2), "stopped")["steps_done"], 2, "done")


def test_cancelled_in_the_middle_of_a_series(t):
    # The step under way comes to its end, and no other one is sent.
    t.fake_stopped(on=steps(STEP, [{"gate": "late"}, STEP]))
    series = t.dapple.start("dap_next", count=5)
    t.fake.wait_command("next", 2)
    t.dapple.cancel(series)
    state(t.good("dap_status"), "running")
    t.fake.open_gate("late")
    until(lambda: t.good("dap_status")["state"] == "stopped", "the step's end")
    equal(len(t.fake.received("next")), 2, "sent")
    check(not series.done(), "the cancelled call got an answer", series.message)


def test_paused_in_the_middle_of_a_series(t):
    # Another call waits for the program to stand still: it gets the stop, also where that is a step's, and the series ends there.
    t.fake_stopped(on=dict(steps(STEP, [{"received": "pause"}, STEP]), pause=[[OK]]))
    series = t.dapple.start("dap_next", count=5)
    t.fake.wait_command("next", 2)
    state(t.good("dap_pause"), "stopped")
    contains(series.result().text, "2 of 5 steps done; then another call wanted the program to stand still")
    equal(len(t.fake.received("next")), 2, "sent")


# ---- threads ----

def both_workers(t, target):
    """Stops with the one worker's number known, then at the other's breakpoint; returns both numbers. No breakpoints are left."""
    result = at(target, target.launch("pair", "left", timeout_ms=WAIT), "pair", "left")
    left = result["thread_id"]
    t.good("dap_set_breakpoints", file_path=target.source("pair"), breakpoints=[{"line": target.line("pair", "right")}])
    result = at(target, t.good("dap_continue", timeout_ms=WAIT), "pair", "right")
    t.good("dap_set_breakpoints", file_path=target.source("pair"), breakpoints=[])
    return left, result["thread_id"]


def step_of(t, number):
    """Steps one thread. LLDB now and then stops for the one that was stepped before."""
    def ended():
        result = state(t.good("dap_next", thread_id=number, timeout_ms=WAIT), "stopped")
        if result["thread_id"] != number:
            contains(result.text, "step interrupted: thread %d was being stepped" % number)
            return None
        return result
    return until(ended, "the end of the thread's step")


def pause_of(t, number, name):
    """Pauses until the thread is met in its function: it may just be in a signal's handler of its runtime, and one that had just met the
    breakpoint that was taken away may still tell of it, as may one whose step was interrupted. LLDB may have no frames when there is much
    to do."""
    def met():
        result = state(t.good("dap_pause", thread_id=number), "stopped")
        if result["stop_reason"] not in ("breakpoint", "step"):
            equal((result["thread_id"], result["stop_reason"]), (number, "pause"), "the thread that was asked for", result)
            if "top_frame" in result.data and any(name in frame["name"] for frame in t.good("dap_stack")["stack_frames"]):
                return True
        state(t.good("dap_continue", timeout_ms=0), "running")
        return False
    until(met, "a pause of the thread in its function")


@every_adapter
def test_threads(t, target):
    # One thread has stopped, another one is stepped: the step is that thread's, and the stop is told of it.
    with Cells(target.adapter) as cells:
        left, right = both_workers(t, target)
        with cells.cell("step another thread"):
            result = step_of(t, left)
            if target.adapter != "dlv":  # a goroutine may just be in a signal's handler
                contains(result["top_frame"]["name"], "left")
            step_of(t, right)
        state(t.good("dap_continue", timeout_ms=0), "running")
        with cells.cell("pause a chosen thread"):
            for number, name in ((left, "left"), (right, "right"), (left, "left")):
                pause_of(t, number, name)
                state(t.good("dap_continue", timeout_ms=0), "running")


@native
def test_unknown_threads(t, target):
    # Some adapters take any number for a thread's, and step or pause another one.
    both_workers(t, target)
    contains(t.bad("dap_next", thread_id=424242), "no thread 424242")
    state(t.good("dap_status"), "stopped")
    state(t.good("dap_continue", timeout_ms=0), "running")
    result = t.call("dap_pause", thread_id=424242)
    contains(result.text, "thread 424242", "it is said that there is none")
    check(t.good("dap_status").data.get("thread_id") != 424242, "no thread is invented")


def test_one_thread_alone(t):
    # gdb lets one thread go on alone: the other's counter stands still meanwhile, and the state says who runs.
    target = t.target("gdb")
    left, right = both_workers(t, target)
    before = t.good("dap_evaluate", expression="right_count")["evaluation"]["result"]
    for _ in range(3):
        result = state(t.good("dap_next", thread_id=left, single_thread=True), "stopped")
        equal(result["thread_id"], left, "the thread that was stepped")
    equal(t.good("dap_evaluate", expression="right_count")["evaluation"]["result"], before, "the other thread's counter")
    result = t.good("dap_continue", thread_id=left, single_thread=True, timeout_ms=200)
    contains(state(result, "running").text, "only thread %d runs" % left)
    contains(t.good("dap_status").text, "only thread %d runs" % left)
    state(t.good("dap_pause", thread_id=left), "stopped")
    equal(t.good("dap_evaluate", expression="right_count")["evaluation"]["result"], before, "the other thread's counter")
    lacks(t.good("dap_continue", timeout_ms=100).text, "only thread")


def test_thread_of_another_child(t):
    # Each worker of JavaScript is a session of its own, with threads of its own.
    target = t.target("js-debug")
    left, right = both_workers(t, target)
    check(left != right, "two numbers")
    contains(t.bad("dap_next", thread_id=left), "is not one of the process that stopped")


def test_pause_of_an_idle_program(t):
    # An idle Node runs nothing that could stop: the call waited for its whole time and said "running". Now it stands at once, and says where.
    target = t.target("js-debug")
    path = t.file("idle.js", "globalThis.requests = 7;\nrequire('node:http').createServer(() => {}).listen(0, () => console.log('listening'));\n")
    output = state(t.good("dap_launch", program=path, timeout_ms=0, limit=40), "running")["output"]

    def listening():
        nonlocal output
        output += t.good("dap_status")["output"]
        return "listening" in output
    until(listening, "the server's first words")
    result = state(t.good("dap_pause", timeout_ms=WAIT), "stopped")
    contains(result.text, "idle: the program runs no code")
    equal(t.good("dap_evaluate", expression="requests")["evaluation"]["result"], "7", "what is global")
    contains(t.good("dap_evaluate", expression="process.getActiveResourcesInfo()").text, "TCPServerWrap")
    state(t.good("dap_continue", timeout_ms=0), "running")
    text = t.good("dap_request", command="evaluate", arguments={"expression": "requests + 1"}).text
    contains(text, '"result": "8"')  # the root of the session, which was asked, never answered
    state(t.good("dap_stop"), "terminated")


def test_pause_in_skipped_code_before_idling(t):
    # CI found it: a pause that came while Node.js still ran code of its own was spent there. js-debug steps through what it skips, one step
    # after the other, and found the program idle at its end; the expression that wakes an idle one had been answered between two of the steps.
    # The signal's handler is Node's own code alone.
    t.target("js-debug")
    path = t.file("signals.js", """\
const { EventEmitter } = require('node:events');
const events = new EventEmitter();
process.on('SIGUSR2', events.emit.bind(events, 'tick'));
require('node:http').createServer(() => {}).listen(0, () => console.log(`pid ${process.pid} `));
""")
    output = state(t.good("dap_launch", program=path, timeout_ms=0, limit=40), "running")["output"]

    def begun():
        nonlocal output
        output += t.good("dap_status")["output"]
        return re.search(r"pid (\d+) ", output)
    pid = int(until(begun, "the program's process id").group(1))
    pausing = t.dapple.start("dap_pause", timeout_ms=WAIT)
    until(lambda: '"command":"pause","success":true' in t.wire_tail(), "the answer to the pause")
    os.kill(pid, signal.SIGUSR2)
    contains(state(pausing.result(WAIT / 1000 + 10), "stopped").text, "idle: the program runs no code")
    state(t.good("dap_stop"), "terminated")


# ---- what adapters say ----

def test_all_kinds_with_the_fake(t):
    # Each request with each argument, as it goes out, to an adapter that claims all of it.
    step = [[OK, stopped("step")]]
    t.fake_stopped(capabilities=CLAIMED, on={
        "next": step, "stepIn": step, "stepOut": step, "stepBack": step, "reverseContinue": [[OK, stopped("breakpoint")]],
        "goto": [[OK, {"event": "stopped", "body": {"reason": "", "threadId": 1, "allThreadsStopped": True}}]],
        "restartFrame": [[OK, stopped("restart")]],
        "gotoTargets": [[{"respond": {"targets": [{"id": 7, "label": "line 9", "line": 9}]}}],
                        [{"respond": {"targets": [{"id": 1, "label": "one", "line": 9},
                                                  {"id": 2, "label": "two\nrows", "line": 9}]}}],
                        [{"respond": {"targets": []}}]],
        "stepInTargets": [[{"respond": {"targets": [{"id": 0, "label": "cost"}, {"id": 5, "label": "total"},
                                                    {"id": 6, "label": "totals"}]}}]],
        "terminateThreads": [[OK]]}, threads=[{"id": 1, "name": "main"}, {"id": 2, "name": "other"}])

    def sent(command):
        return t.fake.received(command)[-1].get("arguments")
    state(t.good("dap_next", granularity="instruction", thread_id=2, single_thread=True), "stopped")
    equal(sent("next"), {"threadId": 2, "singleThread": True, "granularity": "instruction"})
    state(t.good("dap_step_out", granularity="statement"), "stopped")
    equal(sent("stepOut"), {"threadId": 1})
    state(t.good("dap_step_back", granularity="line"), "stopped")
    equal(sent("stepBack"), {"threadId": 1, "granularity": "line"})
    state(t.good("dap_reverse_continue"), "stopped")
    equal(sent("reverseContinue"), {"threadId": 1})
    state(t.good("dap_restart_frame"), "stopped")
    equal(sent("restartFrame"), {"frameId": 1000})

    equal(state(t.good("dap_goto", line=9), "stopped")["stop_reason"], "goto", "the reason that the adapter left out")
    equal(sent("goto"), {"threadId": 1, "targetId": 7})
    result = t.good("dap_goto", line=9)
    contains(result.text, "Nothing was done yet")
    contains(result.text, "two\\nrows at line 9 [target_id ")
    two = result["targets"][1]["target_id"]
    contains(t.bad("dap_step_in", target_id=two), "target_id of dap_goto")
    contains(t.bad("dap_goto", line=9), "no place to go on at in line 9")
    state(t.good("dap_goto", target_id=two), "stopped")
    equal(sent("goto"), {"threadId": 1, "targetId": 2})
    contains(t.bad("dap_goto", target_id=two), "belongs to stop")
    contains(t.bad("dap_goto"), "line")

    targets = t.good("dap_step_in_targets")["targets"]
    equal([entry["label"] for entry in targets], ["cost", "total", "totals"], "labels")
    contains(t.bad("dap_step_in", function="tot"), "2 of the calls")
    contains(t.bad("dap_step_in", function="nothing"), "no call of this line")
    contains(t.bad("dap_step_in", function="cost", target_id=targets[0]["target_id"]), "give one of them")
    contains(t.bad("dap_step_in", function="cost", thread_id=2), "thread_id")
    state(t.good("dap_step_in", function="total"), "stopped")
    equal(sent("stepIn"), {"threadId": 1, "targetId": 5})
    contains(t.good("dap_terminate_threads", thread_ids=[2]).text, "accepted to end 1 thread")
    equal(sent("terminateThreads"), {"threadIds": [2]})
    contains(t.bad("dap_terminate_threads", thread_ids=[]), "at least one")


def test_nothing_that_is_not_claimed_is_sent(t):
    # Some adapters never answer what they do not know, and one dies of it.
    t.fake_stopped()
    before = t.fake.commands()
    for tool, arguments, capability in (
            ("dap_next", {"granularity": "instruction"}, "supportsSteppingGranularity"),
            ("dap_step_out", {"granularity": "line"}, "supportsSteppingGranularity"),
            ("dap_continue", {"single_thread": True}, "supportsSingleThreadExecutionRequests"),
            ("dap_step_in_targets", {}, "supportsStepInTargetsRequest"),
            ("dap_step_in", {"function": "f"}, "supportsStepInTargetsRequest"),
            ("dap_step_back", {}, "supportsStepBack"), ("dap_reverse_continue", {}, "supportsStepBack"),
            ("dap_goto", {"line": 1}, "supportsGotoTargetsRequest"), ("dap_restart_frame", {}, "supportsRestartFrame"),
            ("dap_terminate_threads", {"thread_ids": [1]}, "supportsTerminateThreadsRequest")):
        contains(t.bad(tool, **arguments), capability, tool)
        state(t.good("dap_status"), "stopped")
    equal(t.fake.commands(), before, "nothing was sent")


def test_frame_that_cannot_be_restarted(t):
    frame = {"id": 4, "name": "start", "line": 3, "column": 1, "canRestart": False}
    t.fake_stopped(capabilities=CLAIMED, on={"stackTrace": [[{"respond": {"stackFrames": [frame], "totalFrames": 1}}]]})
    contains(t.bad("dap_restart_frame"), "the frame of start cannot be restarted")
    equal(t.fake.received("restartFrame"), [], "nothing was sent")


def test_all_go_on_although_one_was_asked_for(t):
    # The answer says that all threads go on (or says nothing, which means the same): then the state must not say that one runs.
    t.fake_stopped(capabilities=CLAIMED, on={"continue": [[{"respond": {}}]]})
    result = state(t.good("dap_continue", single_thread=True, timeout_ms=100), "running")
    contains(result.text, "let all threads go on")
    lacks(result.text, "only thread 1 runs")


def test_condition_taken_off(t):
    # codelldb keeps the condition of a breakpoint that is set again without one: the program ran past one that was shown as set.
    target = t.target("codelldb")
    source, line = target.source("cart"), target.line("cart", "cost")
    at(target, target.launch("cart", "call", timeout_ms=WAIT), "cart", "call")
    t.good("dap_set_breakpoints", file_path=source, breakpoints=[{"line": line, "condition": "1 == 2"}])
    t.good("dap_set_breakpoints", file_path=source, breakpoints=[{"line": line}])
    at(target, t.good("dap_continue", timeout_ms=WAIT), "cart", "cost")


def test_until_at_an_emulated_condition(t):
    # The adapter knows no conditions, so that Dapple decides at each stop there; the program was to run to that very line.
    t.fake_stopped(capabilities={"supportsConditionalBreakpoints": None},
                   on={"continue": [[OK, stopped("breakpoint")]],
                       "evaluate": [[{"respond": {"result": "False", "variablesReference": 0}}]]})
    t.good("dap_set_breakpoints", file_path="lines.c", breakpoints=[{"line": 3, "condition": "qty > 5"}])
    contains(state(t.good("dap_continue", until="lines.c:3"), "stopped").text, "ran to lines.c:3")
    equal(t.fake.received("evaluate"), [], "nothing was decided")


def test_a_step_that_another_goroutine_interrupts(t):
    # dlv keeps a step that a breakpoint of another goroutine interrupts, and told every other step as an exception of the program, with status 0.
    # And its own stop on entry was none that one could do anything with: no stack, no step, "unknown goroutine 1".
    target = t.target("dlv")
    lines = {mark: target.line("handover", mark) for mark in ("start", "waits", "other", "after")}
    breakpoints = [{"file": target.source("handover"), "line": lines[mark]} for mark in ("waits", "other")]
    result = state(target.launch("handover", stop_on_entry=True, breakpoints=breakpoints, timeout_ms=WAIT), "stopped")
    equal((result["stop_reason"], result["top_frame"]["name"]), ("entry", "main.main"), "the entry", result)
    lacks(t.good("dap_breakpoints").text, "main.main")
    result = state(t.good("dap_next", timeout_ms=WAIT), "stopped")
    equal((result["stop_reason"], result["top_frame"]["line"]), ("step", lines["start"]), "a step from there", result)
    main_thread = result["thread_id"]
    result = state(t.good("dap_continue", timeout_ms=WAIT), "stopped")
    equal(result["top_frame"]["line"], lines["waits"], "the breakpoint", result)
    result = state(t.good("dap_next", timeout_ms=WAIT), "stopped")
    equal(result["top_frame"]["line"], lines["other"], "the other's breakpoint", result)
    contains(result.text, "step interrupted: thread %d was being stepped when this thread stopped; that step is not over" % main_thread)
    for tool in ("dap_next", "dap_step_in", "dap_step_out"):
        contains(t.bad(tool), "the step of thread %d, which this stop interrupted, is not over" % main_thread)
    equal(t.good("dap_status")["stop_number"], result["stop_number"], "nothing has moved")
    result = state(t.good("dap_continue", timeout_ms=WAIT), "stopped")
    equal((result["stop_reason"], result["thread_id"], result["top_frame"]["line"]), ("step", main_thread, lines["after"]), "its end", result)
    lacks(result.text, "step interrupted")
    state(t.good("dap_next", timeout_ms=WAIT), "stopped")
    # A function's breakpoint of this launch stays for the next, which was to stop elsewhere: nothing said where it came from, nor why one of two
    # at a place, of which delve takes one, was "pending".
    t.good("dap_add_breakpoint", function="main.other")
    t.good("dap_stop")
    here = [{"file": target.source("handover"), "line": target.line("handover", mark)} for mark in ("function", "waits")]
    result = state(target.launch("handover", breakpoints=here, timeout_ms=WAIT), "stopped")
    rows = result.text.split("Desired Breakpoints:\n")[1].splitlines()
    check(rows[2].startswith("  function main.other · not verified: Breakpoint exists at "), "one of two", rows)
    check(rows[2].endswith(": another of these breakpoints stands there already · from an earlier launch"), "where it comes from", rows)
    contains(rows[3], "others stay until dap_remove_breakpoint")
    check(not any("earlier" in row for row in rows[:2]), "those of this launch are not marked", rows)
