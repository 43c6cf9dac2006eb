"""Launching: every order and failure in which adapters answer."""

import os

from support import adapters, programs
from support.fake import INITIALIZED, OK, TERMINATED, event, exited, output, stopped
from support.scenario import check, contains, equal, good, lacks, state, until, within

CAPABILITIES = {"respond": {"supportsConfigurationDoneRequest": True, "supportsConditionalBreakpoints": True,
                            "exceptionBreakpointFilters": [{"filter": "uncaught", "label": "Uncaught", "default": True}]}}
PATH = programs.source("lines.c")
BREAKPOINT = [{"file": PATH, "line": 3}]


def order(t):
    """The requests of the launch in the order in which the adapter got them."""
    return [command for command in t.fake.commands() if command in (
        "initialize", "launch", "setBreakpoints", "setExceptionBreakpoints", "setFunctionBreakpoints", "configurationDone")]


def test_usual_order(t):
    # launch is sent without waiting for its answer, which comes only after configurationDone: waiting for it would be a deadlock.
    result = t.fake_stopped()
    equal((result["stop_reason"], result["adapter_id"]), ("breakpoint", "lldb-dap"), "reason", result)
    seen = order(t)
    equal(seen[:2], ["initialize", "launch"], "first", seen)
    equal(seen[-1], "configurationDone", "last", seen)
    check("setBreakpoints" in seen and seen.count("launch") == 1, "configured once", seen)


def test_initialized_after_the_launch_answer(t):
    # lldb-dap 19, bash-debug, php-debug: configuration starts with the event, never with the answer.
    t.fake.script(path=PATH, on={"initialize": [[CAPABILITIES]], "launch": [[OK, INITIALIZED]]})
    result = state(t.fake_launch(breakpoints=BREAKPOINT), "stopped")
    equal(result["top_frame"]["line"], 3, "line", result)
    equal(order(t).count("setBreakpoints"), 1, "configured once", order(t))


def test_initialized_before_the_initialize_answer(t):
    # Forbidden and seen: the early event is kept and acted upon when the answer is in.
    t.fake.script(path=PATH, on={"initialize": [[output("telemetry", "telemetry"), INITIALIZED, CAPABILITIES]]})
    result = state(t.fake_launch(breakpoints=BREAKPOINT), "stopped")
    seen = order(t)
    equal(seen[0], "initialize", "first", seen)
    check(seen.index("launch") < seen.index("configurationDone"), "launch before the end of configuration", seen)
    lacks(result["output"], "telemetry", "telemetry is dropped")


def test_events_before_anything_was_asked(t):
    # netcoredbg sends capabilities first and an almost empty answer: what was told once stays told.
    t.fake.script(path=PATH, before=[event("capabilities", capabilities={"supportsConfigurationDoneRequest": True}),
                                     event("unknownToUs", x=1)],
                  on={"initialize": [[{"respond": {}}, INITIALIZED]]})
    state(t.fake_launch(breakpoints=BREAKPOINT), "stopped")
    check("configurationDone" in order(t), "the capability was kept", order(t))


def test_initialized_twice(t):
    # php-debug raises it per connection: each gets the whole configuration, the launch happens once.
    t.fake.script(path=PATH, on={"initialize": [[CAPABILITIES, INITIALIZED]], "launch": [[INITIALIZED]]})
    state(t.fake_launch(breakpoints=BREAKPOINT), "stopped")
    seen = order(t)
    equal(seen.count("launch"), 1, "one launch", seen)
    t.fake.wait_command("setBreakpoints", 2)
    t.fake.wait_command("configurationDone", 2)


def test_no_configuration_done(t):
    # Without the capability the request is not sent; setExceptionBreakpoints goes last, it is the old mark for the end.
    t.fake.script(path=PATH, on={
        "initialize": [[{"respond": {"exceptionBreakpointFilters": [{"filter": "uncaught", "label": "U"}]}}, INITIALIZED]],
        "setExceptionBreakpoints": [[OK, {"respond_to": "launch"}, stopped("breakpoint", hitBreakpointIds=[1])]]})
    state(t.fake_launch(breakpoints=BREAKPOINT), "stopped")
    seen = order(t)
    check("configurationDone" not in seen, "not sent without the capability", seen)
    equal(seen[-1], "setExceptionBreakpoints", "last", seen)


def test_no_filters_no_request(t):
    # Small adapters do not implement setExceptionBreakpoints: without filters it is not sent.
    t.fake.script(path=PATH, capabilities={"exceptionBreakpointFilters": None})
    state(t.fake_launch(breakpoints=BREAKPOINT), "stopped")
    check("setExceptionBreakpoints" not in order(t), "sent without filters", order(t))


def test_launch_refused(t):
    # No `initialized` will come any more: the reason is told at once, and the adapter is gone.
    t.fake.script(on={"initialize": [[CAPABILITIES]],
                      "launch": [[{"fail": "failed",
                                   "body": {"error": {"id": 3, "format": "no such file: {path}",
                                                      "variables": {"path": "/x/y"}}}}]]})
    result = t.fake_launch()
    check(result.is_error, "an error", result)
    contains(result.text, "Dapple: launch failed: ")
    contains(result.text, "no such file: /x/y")
    within(result.seconds, 5, "at once")
    equal(t.left_beside_dapple(), [], "the adapter is gone")
    equal(t.good("dap_status")["state"], "terminated")


def test_launch_refused_after_configuration(t):
    # gdb and debugpy do the work after configurationDone, so their refusal comes late, when everybody waits for a stop.
    t.fake.script(on={"configurationDone": [[OK, output("the reason in the output\n", "stderr"),
                                             {"stderr": "the reason on stderr\n"},
                                            {"fail_to": "launch", "message": "could not start"}]]})
    result = t.fake_launch(breakpoints=BREAKPOINT)
    check(result.is_error, "an error", result)
    contains(result.text, "could not start")
    contains(result.text, "the reason in the output", "what the adapter printed before is part of the reason")
    contains(result.text, "the reason on stderr", "and its stderr")
    within(result.seconds, 5, "at once")


def test_launch_that_takes_long(t):
    # A compiler may run inside launch: the call comes back with "launching", the session lives and becomes what it becomes.
    t.fake.script(path=PATH, on={"launch": [[{"gate": "built"}, {"event": "initialized"}]], "initialize": [[CAPABILITIES]]})
    result = state(t.fake_launch(breakpoints=BREAKPOINT, timeout_ms=300), "launching")
    contains(result.head, "launching")
    state(t.good("dap_status"), "launching")
    contains(t.bad("dap_stack"), "stack requires a stopped Debuggee")
    t.fake.open_gate("built")
    until(lambda: t.good("dap_status")["state"] == "stopped", "the stop")


def test_stop_during_a_launch(t):
    # The launch that is under way ends with the stop; its call is answered, nothing stays.
    t.fake.script(on={"initialize": [[CAPABILITIES]], "launch": [[]]})
    waiting = t.fake_start()
    t.fake.wait_command("launch")
    state(t.good("dap_stop"), "terminated")
    result = waiting.result()
    check(result.is_error or result["state"] == "terminated", "the launch was answered", result)
    equal(t.left_beside_dapple(), [], "the adapter is gone")


def test_cancelled_launch(t):
    # The host gives up before the program runs: full clean-up, and the next launch works.
    t.fake.script(on={"initialize": [[CAPABILITIES]], "launch": [[]]})
    waiting = t.fake_start()
    t.fake.wait_command("launch")
    t.dapple.cancel(waiting)
    until(lambda: t.good("dap_status")["state"] in ("terminated", "idle"), "the end")
    equal(t.left_beside_dapple(), [], "the adapter is gone")
    check(not waiting.done(), "the cancelled call got an answer", waiting.message)
    t.fake.script()
    state(t.fake_launch(timeout_ms=0), "running")


def test_second_launch_while_one_is_under_way(t):
    # Two launches race: the second is refused, or waits its turn and is refused then; one adapter only.
    t.fake.script(path=PATH, on={"launch": [[{"gate": "go"}]], "initialize": [[CAPABILITIES, INITIALIZED]]})
    first = t.fake_start(breakpoints=BREAKPOINT)
    t.fake.wait_command("launch")
    second = t.dapple.start("dap_launch", program=t.built("quick"), adapter="lldb-dap")
    t.fake.open_gate("go")
    state(first.result(), "stopped")
    result = second.result()
    check(result.is_error, "refused", result)
    contains(result.text, "launch requires no active Debug Session")
    equal(t.fake.starts(), 1, "adapters started")


def test_end_during_launch(t):
    # The program was over before the launch was answered, and the answer never comes.
    t.fake.script(on={"configurationDone": [[OK, output("all of it\n"), exited(4), TERMINATED]]})
    result = state(t.fake_launch(), "terminated")
    equal((result["exit_code"], result["output"]), (4, "all of it\n"), "the end", result)
    within(result.seconds, 5, "no time-out was waited for")


def test_end_of_stream_during_launch(t):
    # The adapter goes away in the middle without a word: its stderr and its status are the reason.
    t.fake.script(on={"launch": [[{"stderr": "panic: no memory\n"}, {"exit": 3}]], "initialize": [[CAPABILITIES]]})
    result = t.fake_launch()
    check(result.is_error, "an error", result)
    contains(result.text, "launch failed")
    contains(result.text, "panic: no memory")
    contains(result.text, "3")


def test_initialize_refused(t):
    t.fake.script(on={"initialize": [[{"fail": "wrong protocol"}]]})
    result = t.fake_launch()
    check(result.is_error, "an error", result)
    contains(result.text, "wrong protocol")
    equal(t.left_beside_dapple(), [], "the adapter is gone")


def test_initialize_never_answered(t):
    # A program that is no adapter: the wait ends with the startup time-out and says what it waited for.
    t.settings(timeouts={"startupMs": 1500})
    adapters.write_script(os.path.join(t.bin, "lldb-dap"), "echo 'usage: something else' >&2\nexec /bin/sleep 1000\n")
    result = t.fake_launch(install=False)
    check(result.is_error, "an error", result)
    contains(result.text, "initialize")
    contains(result.text, "usage: something else")
    equal(t.left_beside_dapple(), [], "the adapter is gone")


def test_rejected_breakpoint_at_launch(t):
    # One refused file must not end the launch: the program runs, the refusal is in the answer.
    t.fake.script(path=PATH, on={"setBreakpoints": [[{"fail": "cannot set that"}]],
                                 "configurationDone": [[OK, {"respond_to": "launch"}, stopped("pause")]]})
    result = state(t.fake_launch(breakpoints=BREAKPOINT), "stopped")
    contains(result.text, "cannot set that")


def test_launch_arguments(t):
    # Adapter's own keys come from launch_arguments; the call's program, args, cwd and env win over them.
    t.fake.script(path=PATH)
    t.fake_launch(launch_arguments={"program": "/elsewhere", "sourceMap": [["a", "b"]], "nothing": None}, args=["x"],
                  breakpoints=BREAKPOINT)
    arguments = t.fake.received("launch")[0]["arguments"]
    equal(arguments["program"], t.built("quick"), "program")
    equal(arguments["args"], ["x"], "args")
    equal(arguments["sourceMap"], [["a", "b"]], "the adapter's own key, verbatim")
    check("nothing" in arguments and arguments["nothing"] is None, "values in a free object are not touched", arguments)
    check(isinstance(arguments["cwd"], str) and arguments["cwd"].startswith("/"), "an absolute folder", arguments)


def test_initialize_arguments(t):
    # What is advertised must be true: lines and columns from 1, paths as paths.
    t.fake_stopped()
    arguments = t.fake.received("initialize")[0]["arguments"]
    equal((arguments["linesStartAt1"], arguments["columnsStartAt1"], arguments["pathFormat"]), (True, True, "path"), "the base",
          arguments)
    check(arguments.get("adapterID"), "an adapter id", arguments)
    check(not arguments.get("supportsANSIStyling"), "no ANSI was asked for", arguments)
    check(not arguments.get("supportsArgsCanBeInterpretedByShell"), "no shell", arguments)


def test_unknown_reverse_requests_are_answered(t):
    # Silence would hang the adapter: what is not known is refused, also with seq 0, also during the launch.
    t.fake.script(path=PATH, on={"launch": [[{"request": "handshake", "arguments": {"value": "x"}},
                                             {"send": {"seq": 0, "type": "request", "command": "anotherOne"}}]]})
    state(t.fake_launch(breakpoints=BREAKPOINT), "stopped")
    t.fake.wait(lambda seen: sum(message["type"] == "response" for message in seen) >= 2, "two answers")
    answers = [message for message in t.fake.received() if message["type"] == "response"]
    equal([(answer["command"], answer["success"]) for answer in answers], [("handshake", False), ("anotherOne", False)], "answers")
    equal(answers[1]["request_seq"], 0, "the other's own number")


def child_request(name):
    return {"request": "startDebugging",
            "arguments": {"request": "launch", "configuration": {"type": "other", "name": name, "__pendingTargetId": "id-" + name}}}


def test_terminal_request_is_answered(t):
    # Whatever this version can do with it, the adapter gets an answer and the session goes on.
    t.fake.script(path=PATH, on={"launch": [[{"request": "runInTerminal",
                                              "arguments": {"args": ["/bin/true"], "cwd": "", "title": "x"}}]]})
    state(t.fake_launch(breakpoints=BREAKPOINT), "stopped")
    t.fake.wait(lambda seen: any(message["type"] == "response" for message in seen), "the answer")


def test_refused_child_session(t):
    # The adapter gets an answer at once, the user is told once which code is not debugged, and the session goes on.
    t.fake.script(path=PATH, on={"launch": [[child_request("worker")]]})
    result = state(t.fake_launch(breakpoints=BREAKPOINT), "stopped")
    t.fake.wait(lambda seen: any(message["type"] == "response" for message in seen), "the answer")
    contains(result.text, "worker")
    equal([(row.get("name"), row.get("type")) for row in result["rejected_child_sessions"]], [("worker", "other")], "structured",
          result)
    later = t.good("dap_status")
    check("rejected_child_sessions" not in later.data, "told once", later)
    state(t.good("dap_next"), "stopped")


def test_many_refused_child_sessions(t):
    # Five by name, the others counted; the structured result has all of them.
    t.fake.script(path=PATH, on={"launch": [[child_request("child%d" % number) for number in range(7)]]})
    result = state(t.fake_launch(breakpoints=BREAKPOINT), "stopped")
    equal(len(result["rejected_child_sessions"]), 7, "all of them", result)
    contains(result.text, "child4")
    lacks(result.text, "child5")
    contains(result.text, "2 more child sessions not debugged")


def test_relative_paths(t):
    # Adapters resolve relative paths against their own folder: everything is sent absolute.
    t.fake.script(path=PATH)
    t.fake.install(t.bin)
    program = t.file("bin/prog", "", 0o755)
    with open(program, "wb") as file, open(t.built("quick"), "rb") as quick:
        file.write(quick.read())
    dapple = t.start(cwd=t.make("work"))
    good(dapple.call("dap_launch", program="bin/prog", adapter="lldb-dap", breakpoints=[{"file": "src/x.c", "line": 1}],
                     timeout_ms=2000))
    equal(t.fake.received("launch")[0]["arguments"]["program"], program, "program")
    equal(t.fake.received("setBreakpoints")[0]["arguments"]["source"]["path"], t.make("work") + "/src/x.c", "source")


def test_launch_with_a_stop_before_its_answer(t):
    # The first stop may overtake the answers of both launch and configurationDone.
    t.fake.script(path=PATH, on={"configurationDone": [[stopped("entry", threadId=1), OK, {"respond_to": "launch"}]]})
    result = state(t.fake_launch(), "stopped")
    equal(result["stop_reason"], "entry", "reason", result)
    state(t.good("dap_status"), "stopped")
