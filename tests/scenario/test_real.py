"""The same steps with every real adapter: what an agent does in a day."""

import os

from support.scenario import check, contains, each_adapter, equal, good, lacks, native, state, until, within


def frame_line(result):
    return result["top_frame"]["line"]


def by_name(variables):
    return {variable["name"]: variable for variable in variables}


def child(t, variable, name):
    """One child of a value, found by its name."""
    rows = by_name(t.good("dap_variables", variables_reference=variable["variables_reference"])["variables"])
    found = [row for key, row in rows.items() if name in key]
    check(found, "no child %r" % name, list(rows))
    return found[0]


@each_adapter
def test_breakpoint_given_with_the_launch(t, target):
    # One call has to answer the question: launch with a breakpoint comes back standing on it, with source and locals.
    result = state(target.launch("cart", "cost"), "stopped")
    equal(result["stop_reason"], "breakpoint", "reason", result)
    equal(frame_line(result), target.line("cart", "cost"), "line", result)
    equal(os.path.realpath(result["top_frame"]["source_path"]), os.path.realpath(target.source("cart")), "source")
    contains(result["top_frame"]["name"], "cost")
    contains(result.head, "stopped (breakpoint) at cart%s:%d" % (target.extension, target.line("cart", "cost")))
    contains(result.text, "qty", "the source line is shown")


@each_adapter
def test_breakpoint_set_before_the_launch(t, target):
    # Breakpoints are kept for the launches that come.
    saved = t.good("dap_set_breakpoints", file_path=target.source("cart"), breakpoints=[{"line": target.line("cart", "print")}])
    check("breakpoints" not in saved.data, "nothing is bound before a launch", saved)
    result = state(target.launch("cart"), "stopped")
    equal(frame_line(result), target.line("cart", "print"), "line", result)
    equal(result["desired_breakpoints"],
          [{"file_path": target.source("cart"), "breakpoints": [{"line": target.line("cart", "print")}]}])


@each_adapter
def test_condition(t, target):
    # A condition runs as code in the frame, so the loop is passed until it holds.
    result = state(target.launch("cart", "cost", condition="item.qty == 10" if target.python else "item->qty == 10"), "stopped")
    equal(frame_line(result), target.line("cart", "cost"), "line", result)
    value = t.good("dap_evaluate", expression="item.qty" if target.python else "item->qty")
    contains(value["evaluation"]["result"], "10")
    contains(t.good("dap_status").text, " if item", "the condition is listed")


@each_adapter
def test_locals_by_value_in_the_stop_packet(t, target):
    # Where, why and the variables that matter arrive with the stop; no second call.
    result = state(target.launch("cart", "cost-return"), "stopped")
    rows = by_name(result["locals"])
    contains(rows["amount"]["value"], "6")
    contains(result.text, "amount")
    line = next(line for line in result.text.split("\n") if "amount" in line and "=" in line and "return" not in line
                and "*" not in line)
    contains(line, "6")
    contains(" ".join(result["source_excerpt"]["lines"]), "return amount")


@each_adapter
def test_stack(t, target):
    # Frames with the callers' places, and pages of them.
    target.launch("cart", "cost")
    result = t.good("dap_stack")
    names = [frame["name"] for frame in result["stack_frames"]]
    for index, name in enumerate(("cost", "total", "main")):
        contains(names[index], name)
    equal(result["stack_frames"][1]["line"], target.line("cart", "loop"), "the caller's line", result)
    page = t.good("dap_stack", start=1, count=1)
    equal([frame["line"] for frame in page["stack_frames"]], [target.line("cart", "loop")], "page")


@each_adapter
def test_nested_variables(t, target):
    # Values open step by step through their references, also those of a caller's frame.
    target.launch("cart", "loop")
    frames = t.good("dap_stack")["stack_frames"]
    caller = next(frame for frame in frames if "main" in frame["name"])
    scopes = t.good("dap_variables", frame_id=caller["id"])["scopes"]
    rows = by_name([row for scope in scopes for row in scope.get("variables", [])])
    first = child(t, rows["items"], "0")
    contains(child(t, first, "name")["value"], "apple")
    if target.python:
        contains(child(t, child(t, first, "tags"), "0")["value"], "new")
    else:
        contains(child(t, child(t, first, "flags"), "fresh")["value"], "1")


@each_adapter
def test_variables_of_two_frames_are_not_mixed_up(t, target):
    # lldb-dap up to 19 gives every frame the same scope references: without care the caller's locals show up in the top frame.
    target.launch("cart", "cost-return")
    frames = t.good("dap_stack")["stack_frames"]
    for _ in range(2):
        for index, local in ((1, "result"), (0, "amount"), (2, "label")):
            scopes = t.good("dap_variables", frame_id=frames[index]["id"])["scopes"]
            names = [row["name"] for scope in scopes for row in scope.get("variables", [])]
            check(local in names, "frame %d has %s" % (index, local), names)
    check("amount" not in names, "the caller shows no local of the top frame", names)


@each_adapter
def test_evaluate(t, target):
    # In the top frame by default, in a caller's when asked, and a refusal keeps the session usable.
    target.launch("cart", "cost-return")
    contains(t.good("dap_evaluate", expression="amount * 7")["evaluation"]["result"], "42")
    frames = t.good("dap_stack")["stack_frames"]
    caller = t.good("dap_evaluate", expression="label", frame_id=frames[2]["id"])
    contains(caller["evaluation"]["result"], "cart")
    text = t.bad("dap_evaluate", expression="no_such_name_anywhere + 1")
    contains(text, "Dapple: ")
    contains(text, "no_such_name_anywhere", "the adapter's own reason is passed on")
    contains(t.good("dap_evaluate", expression="amount")["evaluation"]["result"], "6")


@each_adapter
def test_steps(t, target):
    # Over, in and out, each answered with the place where the program stands now.
    result = state(target.launch("cart", "call"), "stopped")
    result = state(t.good("dap_step_in"), "stopped")
    contains(result["top_frame"]["name"], "total", "stepped into")
    equal(result["stop_reason"], "step", "reason", result)
    for _ in range(6):
        if frame_line(result) == target.line("cart", "loop"):
            break
        result = state(t.good("dap_next"), "stopped")
    equal(frame_line(result), target.line("cart", "loop"), "stepped over to the loop", result)
    result = state(t.good("dap_step_in"), "stopped")
    contains(result["top_frame"]["name"], "cost", "stepped in again")
    result = state(t.good("dap_step_out"), "stopped")
    contains(result["top_frame"]["name"], "total", "stepped out")
    result = state(t.good("dap_step_out"), "stopped")
    contains(result["top_frame"]["name"], "main", "stepped out of total")


@each_adapter
def test_pause_a_busy_loop(t, target):
    # A wait that runs out is no failure: the program runs on, and pause shows where.
    target.launch_running("busy", "busy")
    result = state(t.good("dap_pause"), "stopped")
    contains(result["top_frame"]["source_path"], "busy")
    check(t.good("dap_stack")["stack_frames"], "the paused thread has frames")
    result = state(t.good("dap_continue", timeout_ms=100), "running")
    equal(result.head, "running (wait timed out)")
    state(t.good("dap_pause"), "stopped")


def test_uncaught_exception_python(t):
    # The type and the message of what was raised, at the line that raised it; the one that is caught does not stop the program.
    target = t.target("debugpy")
    result = state(target.launch("crash"), "stopped")
    equal(result["stop_reason"], "exception", "reason", result)
    equal(frame_line(result), target.line("crash", "raise"), "line", result)
    equal(result["exception"]["message"] if "message" in result["exception"] else result["exception"].get("description"),
          "bad quantity: -3")
    contains(str(result["exception"]), "ValueError")
    contains(result.text, "ValueError")
    contains(result.text, "bad quantity: -3")
    contains(result.text, "caught one")
    result = state(t.good("dap_continue"), "terminated")
    equal(result["exit_code"], 1, "exit code", result)


def test_exceptions_can_be_all_or_none(t):
    # With "all" the caught one stops too, with "none" the program just dies.
    target = t.target("debugpy")
    result = state(target.launch("crash", stop_on_exceptions="all"), "stopped")
    contains(result.text, "bad quantity: -1")
    t.good("dap_stop")
    result = state(target.launch("crash", stop_on_exceptions="none"), "terminated")
    equal(result["exit_code"], 1, "exit code", result)
    contains(result["output"], "ValueError: bad quantity: -3")


@native
def test_segmentation_fault(t, target):
    # A crash is a stop at the line that did it, and it says which signal it was.
    result = state(target.launch("crash"), "stopped")
    equal(frame_line(result), target.line("crash", "segv"), "line", result)
    check("SIGSEGV" in result.text or "EXC_BAD_ACCESS" in result.text, "the signal is named", result)
    until(lambda: "about to crash" in t.good("dap_output").text, "its last words")
    contains(t.good("dap_evaluate", expression="pointer")["evaluation"]["result"], "0x0")


@native
def test_abort(t, target):
    # The frames of the C library are on top; the program's own line is among the callers.
    result = state(target.launch("crash", args=["abort"]), "stopped")
    check("SIGABRT" in result.text, "the signal is named", result)
    lines = [frame["line"] for frame in t.good("dap_stack")["stack_frames"] if frame.get("source_path", "").endswith("crash.c")]
    check(target.line("crash", "abort") in lines, "the line that aborts is on the stack", lines)
    # abort stands in the C library: what is shown is the program's own frame, and expressions mean that one.
    equal(result["shown_frame"]["line"], target.line("crash", "abort"), "the frame that is shown", result)
    contains(result.text, "shown: frame ")
    equal(t.good("dap_evaluate", expression="argc")["evaluation"]["result"], "2", "argc")


@native
def test_cpp_uncaught_exception(t, target):
    # std::terminate ends in SIGABRT; what the exception said is in the output or on the stack, and locals of classes open.
    result = good(t.call("dap_launch", program=t.built("shapes"), adapter=target.adapter, limit=40))
    state(result, "stopped")
    check("SIGABRT" in result.text or "exception" in result["stop_reason"], "the reason is an exception or its signal", result)
    names = " ".join(frame["name"] for frame in t.good("dap_stack")["stack_frames"])
    contains(names, "area")


@each_adapter
def test_exit_codes(t, target):
    # Ran to its end: the code that the program returned, 0 or not, and its output.
    result = state(target.launch("cart"), "terminated")
    equal((result["exit_code"], result["termination_reason"]), (0, "Debuggee exited"), "exit", result)
    contains(result["output"], "cart 35")
    contains(result.head, "terminated (exit code 0; Debuggee exited)")
    result = target.launch("cart", args=["3"])
    if target.python:
        # debugpy counts sys.exit(3) as an exception that nobody catches.
        contains(state(result, "stopped").text, "SystemExit: 3")
        result = t.good("dap_continue")
    state(result, "terminated")
    equal(result["exit_code"], 3, "exit code", result)
    contains(result.head, "exit code 3")
    status = state(t.good("dap_status"), "terminated")
    equal((status["exit_code"], status["output"]), (3, ""), "the last result stays readable, its output was drained")


@each_adapter
def test_program_that_ends_at_once(t, target):
    # The end may come before the answer to launch; it is a result, not an error and not a wait until the time-out.
    result = state(target.launch("quick"), "terminated")
    contains(result["output"], "quick")
    equal(result["exit_code"], 0, "exit code", result)
    within(result.seconds, 10, "no time-out was waited for")


@each_adapter
def test_relaunch_under_the_same_session(t, target):
    # After an end or a stop the next launch starts afresh with the same breakpoints; while one runs it is refused.
    first = state(target.launch("cart", "print"), "stopped")
    text = t.bad("dap_launch", program=target.program("cart"), adapter=target.adapter)
    contains(text, "launch requires no active Debug Session")
    contains(text, "\nDebug Session: {")
    equal(frame_line(t.good("dap_status")), target.line("cart", "print"), "the refused launch changed nothing")
    state(t.good("dap_continue"), "terminated")
    second = state(target.launch("cart"), "stopped")
    equal(frame_line(second), target.line("cart", "print"), "the breakpoint was kept")
    check(second["stop_number"] > first["stop_number"], "stops are counted on", second)
    t.good("dap_stop")
    third = state(target.launch("cart"), "stopped")
    equal(frame_line(third), target.line("cart", "print"), "and after a stop")


@each_adapter
def test_stop_while_running(t, target):
    # Stop ends the program whatever it does, says so, and may be repeated.
    state(target.launch("busy", timeout_ms=0), "running")
    result = state(t.good("dap_stop"), "terminated")
    equal(result["termination_reason"], "stopped by request", "reason", result)
    check("exit_code" not in result.data, "no exit code is invented", result)
    equal(t.left_beside_dapple(), [], "nothing is left after the stop")
    state(t.good("dap_stop"), "terminated")


@each_adapter
def test_breakpoints_set_while_running(t, target):
    # A breakpoint that is set into a running program stops it.
    target.launch_running("busy", "busy")
    t.good("dap_set_breakpoints", file_path=target.source("busy"), breakpoints=[{"line": target.line("busy", "spin")}])

    def stopped():
        status = t.good("dap_status")
        return status if status["state"] == "stopped" else None
    result = until(stopped, "the stop")
    equal(frame_line(result), target.line("busy", "spin"), "line", result)
    t.good("dap_set_breakpoints", file_path=target.source("busy"), breakpoints=[])
    state(t.good("dap_continue", timeout_ms=200), "running")


@each_adapter
def test_stale_handles_are_refused(t, target):
    # Adapters answer an old frame id with another frame's data. A handle carries its stop: it is refused, with the next step named.
    target.launch("cart", "cost-return")
    frame = t.good("dap_stack")["stack_frames"][0]["id"]
    scopes = t.good("dap_variables", frame_id=frame)["scopes"]
    reference = next(scope["variables_reference"] for scope in scopes)
    state(t.good("dap_next"), "stopped")
    for arguments in ({"frame_id": frame}, {"variables_reference": reference}):
        text = t.bad("dap_variables", **arguments)
        contains(text, "Dapple: ")
        contains(text, "dap_", "the call that gives a fresh one is named")
    text = t.bad("dap_evaluate", expression="1", frame_id=frame)
    contains(text, "dap_stack")
    t.bad("dap_variables", frame_id=7)
    check(t.good("dap_stack")["stack_frames"][0]["id"] != frame, "handles are new")


@each_adapter
def test_two_sessions_at_once(t, target):
    # Two names, two programs: what one does is nothing to the other.
    state(target.launch("cart", "cost", session="left"), "stopped")
    right = state(target.launch("cart", session="right", breakpoints=target.breakpoints("cart", "print")), "stopped")
    equal(frame_line(right), target.line("cart", "print"), "right")
    equal(right["session"], "right", "the result names its session")
    left = t.good("dap_status", session="left")
    equal(frame_line(left), target.line("cart", "cost"), "left")
    state(t.good("dap_continue", session="right"), "terminated")
    contains(t.good("dap_evaluate", session="left", expression="1 + 1")["evaluation"]["result"], "2")
    state(t.good("dap_status", session="left"), "stopped")
    text = t.bad("dap_next")
    contains(text, "next requires a stopped Debuggee")


@each_adapter
def test_small_time_outs(t, target):
    # 0 returns at once; a small one after about that time. The program does not care.
    target.launch_running("busy", "busy")
    state(t.good("dap_pause"), "stopped")
    result = state(t.good("dap_continue", timeout_ms=0), "running")
    within(result.seconds, 5, "returned at once")
    state(t.good("dap_pause"), "stopped")
    result = state(t.good("dap_continue", timeout_ms=150), "running")
    check(0.1 < result.seconds < 10, "after about 150 ms", result.seconds)
    equal(result.head, "running (wait timed out)")


@each_adapter
def test_cancelled_wait_leaves_the_program_running(t, target):
    # The host gives up on the call, not on the program; nothing is sent for a call that was cancelled.
    target.launch_running("busy", "busy")
    state(t.good("dap_pause"), "stopped")
    waiting = t.dapple.start("dap_continue")
    until(lambda: t.good("dap_status")["state"] == "running", "the program runs")
    t.dapple.cancel(waiting)
    state(t.good("dap_status"), "running")
    state(t.good("dap_pause"), "stopped")
    check(not waiting.done(), "the cancelled call got an answer", waiting.message)


@each_adapter
def test_status_and_pause_work_while_another_call_waits(t, target):
    # Pause, status and stop are served at once: the call that waits ends with the stop that pause caused.
    target.launch_running("busy", "busy")
    state(t.good("dap_pause"), "stopped")
    waiting = t.dapple.start("dap_continue")
    until(lambda: t.good("dap_status")["state"] == "running", "the program runs")
    paused = t.dapple.start("dap_pause")
    state(paused.result(), "stopped")
    state(waiting.result(), "stopped")


@each_adapter
def test_output_is_drained_once_and_in_order(t, target):
    # Adapters cut output where they like; the pieces come out in order, once, with nothing added.
    first = state(target.launch("prompt", "middle", "end"), "stopped")
    second = state(t.good("dap_continue"), "stopped")
    third = state(t.good("dap_continue"), "terminated")
    late = t.good("dap_status")
    text = (first["output"] + second["output"] + third["output"]).replace("\r\n", "\n")
    # What has no line end comes from gdb only when the program is over.
    contains(text, "one two three\nname? ", [first.text, second.text, third.text])
    equal(text.count("three"), 1, "nothing comes twice")
    equal(late["output"], "", "and nothing is left")


@each_adapter
def test_much_output(t, target):
    # More than is kept: the newest survives, the loss is counted, the text stays short and says where all of it is.
    result = state(target.launch("flood", args=["20000"]), "terminated")
    check(result["output_discarded_bytes"] + len(result["output"].encode()) >= 20000 * 100 + 14, "kept and lost", result.text)
    check(result["output_discarded_bytes"] > 0, "the loss is counted", result.text)
    check(len(result["output"].encode()) <= 1024 * 1024, "at most 1 MiB is kept")
    contains(result["output"], "00019999", "the newest is kept")
    check(len(result.text.encode()) < 16 * 1024 + 500, "the text is short", len(result.text))
    contains(result.text, "00019999", "the text shows the newest too")
    contains(result.text, "the last word", "up to the end")
    contains(result.text, "older bytes discarded")


@each_adapter
def test_ugly_output(t, target):
    # ANSI, NUL and bad UTF-8 must neither break the JSON nor look like lines of ours. gdb 16 stops reading at a bad byte, and what it
    # read together with it is lost, all of it if gdb was slow.
    result = state(target.launch("ugly", "end"), "stopped")
    if target.adapter != "gdb":
        contains(result["output"], "smile \U0001f600 ok")
    lines = result.text.split("\n")
    check(not any(line.startswith(("stopped (breakpoint) at fake.c", "Debuggee output:\nstopped")) for line in lines[1:]),
          "program output imitates our lines", result.text)
    check("\x1b" not in result.text and "\x00" not in result.text, "control characters reach the text", repr(result.text))
    headings = sum(line.startswith("Debuggee output") for line in lines)
    check(headings == 1 or (headings == 0 and target.adapter == "gdb"), "one heading", result.text)


@native
def test_structures_have_a_text(t, target):
    # The same with the real ones: evaluated, in the stop packet, and among the members of another.
    packet = state(target.launch("data", "end"), "stopped").text
    check("first: " in packet and "2" in packet, "in the packet", packet)
    value = t.good("dap_evaluate", expression="last")["evaluation"]
    for member in ("value", "2", "next") if target.adapter == "lldb-dap" else ("value", "2", "next", "flag", "5"):  # lldb cuts
        contains(value["result"], member)
    numbers = t.good("dap_evaluate", expression="numbers")["evaluation"]["result"]
    contains(numbers, "0, 1, 2, 3")
    check(len(numbers) < 4096, "cut", len(numbers))


@each_adapter
def test_deep_recursion(t, target):
    # 2000 frames: the first page is short, the total is told, the last page is reachable.
    result = state(target.launch("deep", "bottom"), "stopped")
    within(result.seconds, 20, "it took long")
    check(len(result.text) < 4096, "the stop is short", len(result.text))
    page = t.good("dap_stack")
    equal(len(page["stack_frames"]), 20, "the first page")
    far = t.good("dap_stack", start=1500, count=5)
    equal(len(far["stack_frames"]), 5, "a far page")
    contains(far["stack_frames"][0]["name"], "down")
    beyond = t.good("dap_stack", start=5000)
    equal(beyond["stack_frames"], [], "beyond the end")


@each_adapter
def test_worker_threads(t, target):
    # A stop in a worker is reported with the worker's thread and frame.
    result = state(target.launch("threads", "worker"), "stopped")
    contains(result["top_frame"]["name"], "work")
    check(result["thread_id"] > 0, "thread", result)
    contains(result.head, "thread %d" % result["thread_id"])
    number = t.good("dap_evaluate", expression="number")["evaluation"]["result"]
    check(number in ("3", "4"), "the worker's own argument", number)
    for _ in range(4):
        result = t.good("dap_continue")
        if result["state"] == "terminated":
            break
    state(result, "terminated")
    equal(result["exit_code"], 0)


@each_adapter
def test_arguments_folder_and_environment(t, target):
    # Arguments with blanks and quotes arrive as they are; cwd and env too, null removes.
    t.environment["DAPPLE_REMOVED"] = "still here"
    folder = t.make("work with blanks")
    result = state(target.launch("env", args=["a b", "", "$HOME", "it's", "\u00fc"], cwd=folder,
                                 env={"DAPPLE_ADDED": "x=y z", "DAPPLE_REMOVED": None}),
                   "terminated")
    wanted = str(["a b", "", "$HOME", "it's", "\u00fc"]) if target.python else "[a b][][$HOME][it's][\u00fc]"
    lines = result["output"].replace("\r\n", "\n").split("\n")
    contains(result["output"], wanted)
    check(folder in lines, "the program's folder", lines)
    contains(result["output"], "x=y z None")


@each_adapter
def test_stop_on_entry(t, target):
    # Asked to stop first: the program stands before anything of it ran.
    result = state(target.launch("quick", stop_on_entry=True), "stopped")
    lacks(result["output"], "quick", "nothing was printed yet")
    equal(result["stop_reason"], "entry", "not a breakpoint that nobody set, nor a signal", result)
    lacks(result.text, "hit breakpoint")
    result = state(t.good("dap_continue"), "terminated")
    contains(result["output"], "quick")


@each_adapter
def test_breakpoint_rows_tell_the_truth(t, target):
    # A line without code is moved or stays unbound; either way the row says it.
    target.launch("cart", "call")
    wanted = target.line("cart", "cost")
    result = t.good("dap_set_breakpoints", file_path=target.source("cart"), breakpoints=[{"line": wanted}, {"line": 2}])
    rows = result["breakpoints"]
    equal(len(rows), 2, "a row for each")
    check(rows[0]["verified"] and rows[0]["line"] == wanted, "bound where it was asked for", rows)
    if rows[1]["verified"]:
        if rows[1]["line"] != 2:
            contains(result.text, "requested line 2, bound to line %d" % rows[1]["line"])
    else:
        check("1 of 2" in result.text, "told in the text", result.text)
    result = state(t.good("dap_continue"), "stopped")
    equal(frame_line(result), wanted, "it hits")


@each_adapter
def test_standard_input_at_its_end_or_silent(t, target):
    # A debuggee must never read Dapple's own input: the protocol would lose bytes. It sees the end of input, or waits.
    target.launch("input", timeout_ms=1500)
    result = until(lambda: (lambda status: status["state"] != "launching" and status)(t.good("dap_status")), "the launch is over")
    check(result["state"] in ("running", "terminated"), "state", result)
    if result["state"] == "terminated":
        check("a line" not in result["output"] and "jsonrpc" not in result["output"], "it read something", result)
    state(t.good("dap_stop"), "terminated")


@each_adapter
def test_context_of_a_stop(t, target):
    # none is one line or few, brief the packet, full every local with its value.
    target.launch("cart", "call")
    short = state(t.good("dap_next", context="none"), "stopped")
    check("locals" not in short.data, "no locals were asked for", short.data)
    check(len(short.text.strip().split("\n")) <= 3, "short", short.text)
    t.good("dap_stop")
    full = state(target.launch("cart", "call", context="full"), "stopped")
    for name in ("items", "label"):
        check(any(name in line and "=" in line for line in full.text.split("\n")), "%s with its value" % name, full.text)
