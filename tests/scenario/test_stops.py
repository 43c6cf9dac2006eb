"""Running and standing still: what `stopped` and `continued` may do, in every order."""

from support import programs
from support.fake import DEFAULT, OK, TERMINATED, event, exited, output, stopped
from support.scenario import check, contains, equal, good, lacks, state, until, within

PATH = programs.source("lines.c")
CONTINUED = event("continued", threadId=1, allThreadsContinued=True)


def test_answer_of_the_step_while_its_stop_is_read(t):
    # The step's answer came when its stop was being read already; it reported the same call twice, into freed memory.
    t.fake_stopped(on={"next": [[stopped("step"), {"received": "scopes"}, OK]]})
    for _ in range(3):
        equal(state(t.call("dap_next"), "stopped")["stop_reason"], "step", "reason")
        t.good("dap_stack")
    t.good("dap_stop")


def test_stop_before_the_answer_of_the_step(t):
    # The late answer must not turn "stopped" into "running".
    t.fake_stopped(on={"next": [[stopped("step"), OK]]})
    result = state(t.good("dap_next"), "stopped")
    equal(result["stop_reason"], "step", "reason", result)
    state(t.good("dap_status"), "stopped")
    state(t.good("dap_next"), "stopped")


def test_continued_everywhere(t):
    # lldb-dap and debugpy send `continued` before and after the answer; it never ends a wait.
    t.fake_stopped(on={"next": [[CONTINUED, OK, CONTINUED, CONTINUED, stopped("step")]]})
    result = state(t.good("dap_next"), "stopped")
    equal(result["stop_reason"], "step", "reason", result)


def test_continued_without_a_stop_after_it(t):
    # A conditional breakpoint's automatic resumes: the wait goes on until the real stop.
    t.fake_stopped(on={"continue": [[OK, CONTINUED, CONTINUED, CONTINUED, {"gate": "hit"}, stopped("breakpoint")]]})
    waiting = t.dapple.start("dap_continue")
    t.fake.wait_command("continue")
    state(t.good("dap_status"), "running")
    check(not waiting.done(), "continued ended the wait", waiting.message)
    t.fake.open_gate("hit")
    equal(state(waiting.result(), "stopped")["stop_reason"], "breakpoint")


def test_refused_resume(t):
    # The program still stands where it stood: the error says why, and everything works as before.
    before = t.fake_stopped(on={"next": [[{"fail": "cannot step: hardware busy"}], None]})
    text = t.bad("dap_next")
    contains(text, "cannot step: hardware busy")
    status = state(t.good("dap_status"), "stopped")
    equal((status["stop_number"], status["stop_reason"]), (before["stop_number"], "breakpoint"), "the old stop is back", status)
    equal(len(t.good("dap_stack")["stack_frames"]), 3, "frames are there")
    state(t.good("dap_next"), "stopped")


def test_refused_resume_after_a_stop(t):
    # The refusal comes after a new stop: the stop wins.
    t.fake_stopped(on={"continue": [[stopped("exception", text="boom"), {"fail": "too late"}]]})
    t.call("dap_continue")
    equal(state(t.good("dap_status"), "stopped")["stop_reason"], "exception")


def test_several_stopped_events_for_one_stop(t):
    # One per thread, as lldb-dap and dlv do: the stepped thread is shown, once.
    before = t.fake_stopped(on={"next": [[OK, stopped("step", 1, allThreadsStopped=False),
                                          stopped("none", 2, allThreadsStopped=False),
                                          stopped("none", 3, allThreadsStopped=True)]]},
                            threads=[{"id": n, "name": "t%d" % n} for n in (1, 2, 3)])
    result = state(t.good("dap_next"), "stopped")
    equal((result["stop_reason"], result["thread_id"]), ("step", 1), "the stepped thread", result)
    equal(result["stop_number"], before["stop_number"] + 1, "one stop", result)
    equal(t.good("dap_status")["thread_id"], 1, "and it stays")


def test_stopped_thread_with_the_hit_is_chosen(t):
    # Without a step the thread that hit something is the one to show, wherever it comes in the row.
    t.fake_stopped(on={"continue": [[OK, stopped("none", 2), stopped("breakpoint", 3, hitBreakpointIds=[1]), stopped("none", 1)]]},
                   threads=[{"id": n, "name": "t%d" % n} for n in (1, 2, 3)])
    result = state(t.good("dap_continue"), "stopped")
    equal((result["thread_id"], result["hit_breakpoint_ids"]), (3, [1]), "the hit", result)


def test_step_interrupted_by_another_thread(t):
    # The step did not finish: another thread's breakpoint came first, and that is said.
    t.fake_stopped(on={"next": [[OK, stopped("breakpoint", 2, hitBreakpointIds=[1])]]},
                   threads=[{"id": 1, "name": "a"}, {"id": 2, "name": "b"}])
    result = state(t.good("dap_next"), "stopped")
    equal(result["thread_id"], 2, "thread", result)
    contains(result.text, "step interrupted")


def test_spurious_stop_then_continued(t):
    # Flutter and attaching: a stop that the adapter takes back before its frames could be read is none.
    t.fake_stopped(on={"continue": [[OK, stopped("entry"), CONTINUED, {"gate": "real"},
                                     stopped("breakpoint", hitBreakpointIds=[1])]]})
    waiting = t.dapple.start("dap_continue")
    t.fake.wait_command("continue")
    t.fake.open_gate("real")
    equal(state(waiting.result(), "stopped")["stop_reason"], "breakpoint", "the real one")


def test_stop_without_a_thread(t):
    # codelldb leaves it out, dlv's pause too: the first thread that has frames is taken.
    t.fake_stopped(on={"continue": [[OK, stopped("unknown", None)]]}, threads=[{"id": 44, "name": "only"}])
    result = state(t.good("dap_continue"), "stopped")
    equal(result["thread_id"], 44, "thread", result)
    equal(len(t.good("dap_stack")["stack_frames"]), 3, "frames")


def test_stop_without_any_thread(t):
    # Nothing to show is said; it is neither an error nor a hang.
    t.fake_stopped(on={"continue": [[OK, stopped("unknown", None)]], "threads": [[{"respond": {"threads": []}}]]})
    result = state(t.good("dap_continue"), "stopped")
    check("top_frame" not in result.data, "no frame is invented", result)
    result = t.call("dap_stack")
    check("thread" in result.text.lower(), "told", result)
    state(t.good("dap_status"), "stopped")


def test_stop_without_reason_and_body(t):
    # A body may be missing altogether.
    t.fake_stopped(on={"continue": [[OK, {"event": "stopped"}]]})
    result = state(t.good("dap_continue"), "stopped")
    equal(result["stop_reason"], "unknown", "reason", result)


def test_stop_description_and_hit_ids(t):
    # Told by continue and again by status; gone with the next resume.
    t.fake_stopped(on={"continue": [[OK, stopped("exception", description="Paused by a guard", text="boom",
                                                 hitBreakpointIds=[1, 7])]],
                       "next": [[OK, {"gate": "never"}]]})
    first = state(t.good("dap_continue"), "stopped")
    second = t.good("dap_status")
    for result in (first, second):
        equal((result["stop_description"], result["hit_breakpoint_ids"]), ("Paused by a guard", [1, 7]), "stop", result)
        contains(result.text, "description: Paused by a guard")
        contains(result.text, "hit breakpoint 1, lines.c:3")
        contains(result.head, "stopped (exception) at lines.c:3:1 in work \u00b7 thread 1")
    running = state(t.good("dap_next", timeout_ms=50), "running")
    for key in ("stop_reason", "stop_description", "hit_breakpoint_ids", "top_frame", "thread_id", "locals"):
        check(key not in running.data, "%s of the old stop" % key, running)


def test_frames_that_cannot_be_read(t):
    # The stop is a stop all the same; it has no place, and the reason is not hidden.
    t.fake_stopped(on={"continue": [[OK, stopped("pause")]], "stackTrace": [None, [{"fail": "frames are gone"}]]})
    result = state(t.good("dap_continue"), "stopped")
    contains(result.head, "stopped (pause)")
    lacks(result.head, " at ")
    contains(t.bad("dap_stack"), "frames are gone")


def test_pause_when_already_stopped(t):
    # A stop that came first: pause is refused with the state, or answers with the stop; it never waits.
    t.fake_stopped()
    result = t.call("dap_pause")
    check("stopped" in result.text, "the state is told", result)
    equal(t.fake.received("pause"), [], "nothing was sent")


def test_pause_beats_its_answer(t):
    t.fake_stopped(on={"continue": [[OK]], "pause": [[stopped("pause"), OK]]})
    state(t.good("dap_continue", timeout_ms=50), "running")
    equal(state(t.good("dap_pause"), "stopped")["stop_reason"], "pause")


def test_pause_refused(t):
    # php: "not supported". The program runs on and the reason is passed on.
    t.fake_stopped(on={"continue": [[OK]], "pause": [[{"fail": "Pausing is not supported"}]]})
    state(t.good("dap_continue", timeout_ms=50), "running")
    contains(t.bad("dap_pause"), "Pausing is not supported")
    state(t.good("dap_status"), "running")


def test_pause_that_finds_nothing(t):
    # The answer came, the stop does not: running, after the time that was given.
    t.fake_stopped(on={"continue": [[OK]], "pause": [[OK]]})
    state(t.good("dap_continue", timeout_ms=50), "running")
    result = state(t.good("dap_pause", timeout_ms=200), "running")
    within(result.seconds, 8, "bounded")


def test_two_resumes_at_once(t):
    # Calls that run the program wait for each other: no double step, and each has its own stop.
    t.fake_stopped()
    calls = [t.dapple.start("dap_next") for _ in range(5)]
    results = [state(call.result(), "stopped") for call in calls]
    equal([result["top_frame"]["line"] for result in results], [4, 5, 6, 7, 8], "one after the other")
    numbers = [result["stop_number"] for result in results]
    equal(numbers, sorted(set(numbers)), "stops")


def test_stop_that_nobody_asked_for(t):
    # A debugger command typed into evaluate resumed the program: the new stop replaces the old one.
    before = t.fake_stopped(on={"evaluate": [[{"respond": {"result": "ok", "variablesReference": 0}},
                                              stopped("step", threadId=1)]]})
    t.good("dap_evaluate", expression="step")
    after = until(lambda: (lambda status: status if status["stop_number"] > before["stop_number"] else None)(t.good("dap_status")),
                  "the new stop")
    equal(after["stop_reason"], "step")
    state(t.good("dap_next"), "stopped")


def test_timed_out_wait_then_stop(t):
    # The stop that comes after the time-out is there for status, with its frames.
    t.fake_stopped(on={"continue": [[OK, {"gate": "hit"}, stopped("breakpoint")]]})
    result = state(t.good("dap_continue", timeout_ms=100), "running")
    equal(result.head, "running (wait timed out)")
    equal(t.good("dap_status").head, "running", "status waits for nothing, so nothing timed out")
    t.fake.open_gate("hit")
    status = until(lambda: (lambda s: s if s["state"] == "stopped" else None)(t.good("dap_status")), "the stop")
    equal(status["top_frame"]["line"], 3, "frames are there", status)


def test_resume_never_answered(t):
    # A step whose answer is lost but whose stop comes is a step.
    t.fake_stopped(on={"next": [[stopped("step")]]})
    state(t.good("dap_next"), "stopped")
    state(t.good("dap_status"), "stopped")


def test_inspection_never_answered(t):
    # One request that hangs: its call ends with the request's time-out, the session stays usable.
    t.settings(timeouts={"requestMs": 1000})
    t.fake_stopped(on={"evaluate": [[], None]})
    result = t.call("dap_evaluate", expression="hang()")
    check(result.is_error, "an error", result)
    contains(result.text, "no answer to \"evaluate\" within 1 s")
    contains(t.good("dap_evaluate", expression="x")["evaluation"]["result"], "<x>")


def test_cancelled_inspection(t):
    # The host gives up on an evaluation: the next call is served, the late answer goes nowhere.
    t.fake_stopped(on={"evaluate": [[{"gate": "late"}, {"respond": {"result": "old", "variablesReference": 0}}], None]})
    waiting = t.dapple.start("dap_evaluate", expression="slow()")
    t.fake.wait_command("evaluate")
    t.dapple.cancel(waiting)
    contains(t.good("dap_evaluate", expression="x")["evaluation"]["result"], "<x>")
    t.fake.open_gate("late")
    contains(t.good("dap_evaluate", expression="y")["evaluation"]["result"], "<y>")
    check(not waiting.done(), "the cancelled call got an answer", waiting.message)


def test_exit_before_terminated_and_after(t):
    # Both orders, each with output that comes late: code and output are kept.
    for ending in ([exited(7), output("late\n"), TERMINATED], [TERMINATED, output("late\n"), exited(7)],
                   [exited(7), TERMINATED, TERMINATED, output("late\n")]):
        t.fake_stopped(on={"continue": [[OK, *ending]]})
        result = state(t.good("dap_continue"), "terminated")
        equal(result["exit_code"], 7, "exit code after %s" % ending, result)
        contains(result["output"] + t.good("dap_status")["output"], "late\n", "output after %s" % ending)


def test_end_without_exit_code(t):
    # terminated alone, exited alone, or only the end of the stream: a code is known or left out, never invented.
    for ending, code in (([TERMINATED], None), ([exited(0), {"exit": 0}], 0), ([output("x"), {"exit": 0}], None)):
        t.fake_stopped(on={"continue": [[OK, *ending]]})
        result = state(t.good("dap_continue"), "terminated")
        equal(result.get("exit_code"), code, "exit code after %s" % ending, result)
        within(result.seconds, 7, "bounded")


def test_crash_of_the_adapter(t):
    # It dies while a wait is open: a result with the truth, stderr in it, at once; no error of the call.
    t.fake_stopped(on={"continue": [[OK, {"stderr": "Assertion failed: x != y\n"}, {"kill": 9}]]})
    result = state(t.good("dap_continue"), "terminated")
    contains(result.text, "Assertion failed: x != y")
    contains(result["termination_reason"], "Debug Adapter exited unexpectedly (signal 9)")
    check("exit_code" not in result.data, "the adapter's status is no exit code of the program", result)
    equal(t.left_beside_dapple(), [], "nothing is left")
    result = t.good("dap_status")
    equal(result["state"], "terminated")


def test_stop_that_takes_the_place_of_another(t):
    # rdbg's stop at the start was being read when the program went on, and stood at its breakpoint: the launch said "stopped (breakpoint)"
    # and not where, since the frames of that stop had not come yet.
    again = {"event": "stopped", "body": {"reason": "breakpoint", "threadId": 1, "allThreadsStopped": True}}
    result = t.fake_stopped(on={"scopes": [[again, {"default": True}], None]})
    equal((result["stop_number"], result["top_frame"]["line"]), (2, 3), "where it stands", result)
    contains(result.text, "lines.c:3")


def test_crash_of_the_adapter_during_inspection(t):
    # The pending request fails at once with the reason.
    t.fake_stopped(on={"evaluate": [[{"stderr": "oops\n"}, {"exit": 9}]]})
    result = t.call("dap_evaluate", expression="x")
    check(result.is_error, "an error", result)
    within(result.seconds, 5, "at once")
    equal(until(lambda: t.good("dap_status")["state"] == "terminated", "the end"), True)


def test_abort_and_exit_together(t):
    # Cancelled and ended at the same time: one clean end, and no flag about a wait.
    t.fake_stopped(on={"continue": [[OK, {"gate": "end"}, exited(0), TERMINATED]]})
    waiting = t.dapple.start("dap_continue")
    t.fake.wait_command("continue")
    t.fake.open_gate("end")
    t.dapple.cancel(waiting)
    result = until(lambda: (lambda s: s if s["state"] == "terminated" else None)(t.good("dap_status")), "the end")
    check("execution_wait_cancelled" not in result.data, "no flag", result)


def test_thread_ids_are_exact(t):
    # Ruby and Java have 64-bit thread ids: through a double they would lose digits.
    number = 9007199254740993
    t.fake_stopped(on={"continue": [[OK, stopped("pause", number)]], "next": [[DEFAULT]]}, threads=[{"id": number, "name": "big"}])
    result = state(t.good("dap_continue"), "stopped")
    equal(result["thread_id"], number, "thread", result)
    t.good("dap_next")
    equal(t.fake.received("next")[-1]["arguments"]["threadId"], number, "sent back")


def test_sessions_of_two_fakes_do_not_mix(t):
    # The end of one ends no wait of the other.
    t.fake.script(path=PATH, on={"continue": [[OK]]})
    for name in ("one", "two"):
        good(t.fake_launch(session=name, breakpoints=[{"file": PATH, "line": 3}]))
    waiting = t.dapple.start("dap_continue", session="one")
    t.fake.wait_command("continue")
    state(t.good("dap_stop", session="two"), "terminated")
    state(t.good("dap_status", session="one"), "running")
    check(not waiting.done(), "the other session's end ended this wait", waiting.message)
    state(t.good("dap_stop", session="one"), "terminated")
    state(waiting.result(), "terminated")


def test_end_has_no_stop_details(t):
    # What belonged to the stop is not in the result of the end.
    t.fake_stopped()
    result = state(t.good("dap_continue"), "terminated")
    for key in ("stop_reason", "thread_id", "top_frame", "locals", "source_excerpt", "stop_number"):
        check(key not in result.data, "%s after the end" % key, result)
    equal(result.head, "terminated (exit code 0; Debuggee exited)")


def test_adapter_leaves_a_process_behind(t):
    # The adapter ends by itself; what it had started in a session of its own does not stay.
    t.fake_stopped(on={"continue": [[OK, {"spawn": True}, exited(0), TERMINATED, {"exit": 0}]]})
    state(t.good("dap_continue"), "terminated")
    equal(t.left_beside_dapple(), [], "nothing is left")


def test_status_while_the_frames_are_read(t):
    # A caller that polls must not see a stop without its place only because the frames are still under way.
    t.fake_stopped(on={"continue": [[OK, {"gate": "hit"}, stopped("breakpoint")]],
                       "stackTrace": [None, [{"gate": "frames"}, DEFAULT]]})
    state(t.good("dap_continue", timeout_ms=50), "running")
    t.fake.open_gate("hit")
    t.fake.wait_command("stackTrace", 2)
    asked = t.dapple.start("dap_status")
    t.fake.open_gate("frames")
    equal(state(asked.result(), "stopped")["top_frame"]["line"], 3)
