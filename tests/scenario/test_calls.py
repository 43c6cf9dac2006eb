"""Calls beside each other: what waits, what is served at once, what is given up, and how many there may be."""

from support import programs
from support.fake import DEFAULT, OK, output, stopped
from support.scenario import check, contains, equal, good, state, until

PATH = programs.source("lines.c")
BREAKPOINT = [{"file": PATH, "line": 3}]


def test_cancelled_while_it_queues(t):
    # A step that still waits for its turn and is given up must never be taken.
    t.fake_stopped(on={"continue": [[OK, {"gate": "hit"}, stopped("breakpoint")]]})
    first = t.dapple.start("dap_continue")
    t.fake.wait_command("continue")
    second = t.dapple.start("dap_next")
    third = t.dapple.start("dap_step_in")
    t.dapple.cancel(second)
    t.fake.open_gate("hit")
    state(first.result(), "stopped")
    state(third.result(), "stopped")
    check(not second.done(), "the cancelled call got an answer", second.message)
    equal(t.fake.received("next"), [], "the step that was given up")


def test_cancel_of_what_is_over_or_unknown(t):
    # Cancelling too late, twice, or something that never was: nothing happens.
    t.fake_stopped()
    done = t.dapple.start("dap_next")
    state(done.result(), "stopped")
    t.dapple.cancel(done)
    t.dapple.cancel(done)
    t.dapple.notify("notifications/cancelled", {"requestId": "never was"})
    t.dapple.notify("notifications/cancelled", {"requestId": None})
    t.dapple.notify("notifications/cancelled", {})
    t.dapple.notify("notifications/cancelled")
    state(t.good("dap_next"), "stopped")


def test_cancelled_reading_ends_at_once(t):
    # A tree of variables is many requests. Cancelling reached the one under way alone: the next one was sent after it, and calls behind
    # it waited for them all.
    t.fake_stopped(on={"variables": [None, [{"gate": "late"}, DEFAULT], None]})
    reading = t.dapple.start("dap_variables", depth=3)
    t.fake.wait_command("variables", 2)
    t.dapple.cancel(reading)
    contains(t.good("dap_variables").text, "Scope Locals")
    count = len(t.fake.received("variables"))
    t.fake.open_gate("late")
    state(t.good("dap_next"), "stopped")
    equal(count, 3, "one for the stop, the one that was cancelled, and one for the next call")
    check(not reading.done(), "the cancelled call got an answer", reading.message)


def test_cancelled_list_of_threads(t):
    # The list is a request, and each thread's frames another one. Cancelling reached none of them: the next call waited until they were
    # answered, or for their time-out.
    threads = [{"id": number, "name": "t%d" % number} for number in (1, 2, 3)]
    late = [{"gate": "late"}, DEFAULT]
    t.fake_stopped(threads=threads, on={"stackTrace": [None, late, late, late, None]})
    listing = t.dapple.start("dap_threads")
    t.fake.wait_command("stackTrace", 4)
    t.dapple.cancel(listing)
    contains(t.good("dap_variables").text, "Scope Locals")
    t.fake.open_gate("late")
    state(t.good("dap_next"), "stopped")
    contains(t.good("dap_threads").text, "t3")
    check(not listing.done(), "the cancelled call got an answer", listing.message)


def test_cancelled_while_the_stop_is_read(t):
    # The step was over, and its variables took long: cancelling had no effect, and everything waited for them. Now the next call is
    # served, and the stop is read again when it is shown.
    t.fake_stopped(on={"variables": [None, [{"gate": "late"}, DEFAULT], None]})
    step = t.dapple.start("dap_next")
    t.fake.wait_command("variables", 2)
    t.dapple.cancel(step)
    contains(t.good("dap_stack").text, "Stack: 3 frames")
    contains(t.good("dap_variables").text, "Scope Locals")
    t.fake.open_gate("late")
    state(t.good("dap_next"), "stopped")
    check(not step.done(), "the cancelled call got an answer", step.message)


def test_result_of_a_cancelled_wait_is_not_lost(t):
    # What the program printed while a wait was given up is in the next result.
    t.fake_stopped(on={"continue": [[OK, output("printed\n"), {"gate": "hit"}, output("later\n"), stopped("pause")]]})
    waiting = t.dapple.start("dap_continue")
    t.fake.wait_command("continue")
    t.dapple.cancel(waiting)
    t.fake.open_gate("hit")
    text = ""

    def printed():
        nonlocal text
        text += t.good("dap_status")["output"]
        return "later" in text
    until(printed, "the output")
    equal(text, "printed\nlater\n", "nothing is lost, nothing comes twice")


def test_calls_of_two_sessions_run_side_by_side(t):
    # One session's wait holds up nothing of the other.
    t.fake.script(path=PATH, on={"continue": [[OK, {"gate": "hit"}, stopped("breakpoint")]]})
    for name in ("one", "two"):
        good(t.fake_launch(session=name, breakpoints=BREAKPOINT))
    waiting = t.dapple.start("dap_continue", session="one")
    t.fake.wait_command("continue")
    for _ in range(3):
        state(t.good("dap_next", session="two"), "stopped")
    check(not waiting.done(), "the first still waits", waiting.message)
    t.fake.open_gate("hit")
    state(waiting.result(), "stopped")


def test_too_many_sessions(t):
    # A clear refusal at the limit; the names that exist go on working.
    for number in range(64):
        good(t.call("dap_status", session="s%d" % number))
    text = t.bad("dap_status", session="one too many")
    contains(text, "64")
    good(t.call("dap_status", session="s3"))
    # One that has ended makes room for a new name.
    t.fake.script()
    good(t.fake_launch(session="s7", timeout_ms=0))
    state(t.good("dap_stop", session="s7"), "terminated")
    good(t.call("dap_status", session="one more"))
    names = [row["name"] for row in t.good("dap_sessions", session="s3")["sessions"]]
    equal(("s7" in names, "one more" in names, len(names)), (False, True, 64), "the sessions", names)


def test_too_many_calls(t):
    # A host that never waits: what is beyond the limit is refused, what was accepted is answered.
    t.fake_stopped(on={"evaluate": [[{"gate": "go"}, DEFAULT], None]})
    calls = [t.dapple.start("dap_evaluate", expression="x%d" % number) for number in range(400)]
    t.fake.wait_command("evaluate")
    until(lambda: any(call.done() for call in calls), "a refusal")
    t.fake.open_gate("go")
    results = [call.result(30) for call in calls]
    answered = [result for result in results if not result.is_error and not result.error]
    refused = [result for result in results if result.is_error or result.error]
    check(len(answered) >= 200 and refused, "some answered, some refused", (len(answered), len(refused)))
    contains(str(refused[0]), "too many")
    equal(answered[7]["evaluation"]["result"], "<x7>", "in order")


def test_ids_of_every_kind(t):
    # Strings, 0, negative and big numbers come back as they were sent.
    for call_id in ("", "a \"b\" \u00e9", 0, -5, 9007199254740993):
        pending = t.dapple.request("tools/call", {"name": "dap_status", "arguments": {}}, tool="dap_status", call_id=call_id)
        good(pending.result())


def test_large_arguments(t):
    # A condition of a megabyte, an expression with every odd character: passed on, not cut, not executed by a shell.
    t.fake_stopped()
    odd = "x" * 100000 + "'\"\\ \t\u00e9\U0001f600 $HOME `id` %s {} \u2028"
    equal(t.good("dap_evaluate", expression=odd)["evaluation"]["result"], "<%s>" % odd)
    t.good("dap_set_breakpoints", file_path=PATH, breakpoints=[{"line": 8, "condition": odd}])
    equal(t.fake.received("setBreakpoints")[-1]["arguments"]["breakpoints"][0]["condition"], odd)


def test_many_breakpoints(t):
    # A thousand in a file are accepted, one more is refused, and what was set stays.
    t.fake_stopped()
    t.good("dap_set_breakpoints", file_path=PATH, breakpoints=[{"line": line} for line in range(1, 1001)])
    text = t.bad("dap_set_breakpoints", file_path=PATH, breakpoints=[{"line": line} for line in range(1, 1002)])
    contains(text, "1000")
    equal(len(t.good("dap_status")["desired_breakpoints"][0]["breakpoints"]), 1000, "the old list")


def test_handles_run_out(t):
    # More values than there are handles in one stop: told, not wrapped around into wrong data.
    rows = [{"name": "v%d" % number, "value": "x", "variablesReference": 100 + number} for number in range(9000)]
    t.fake_stopped(variables=rows)
    frame = t.good("dap_stack")["stack_frames"][0]["id"]
    for _ in range(3):
        result = t.good("dap_variables", frame_id=frame, count=9000)
    handles = [row["variables_reference"] for row in result["scopes"][0]["variables"] if row["variables_reference"]]
    equal(len(handles), len(set(handles)), "handles are different")
    check(all(handle // 10000 == frame // 10000 for handle in handles), "handles belong to this stop")
    state(t.good("dap_next"), "stopped")


def test_stack_of_no_thread(t):
    # "Wrong ID sent from the client" (debugpy), or an empty stack (perl): neither said that it was the thread.
    t.fake_stopped(on={"stackTrace": [None, [{"fail": "Wrong ID"}], [{"respond": {"stackFrames": [], "totalFrames": 0}}]]})
    contains(t.bad("dap_stack", thread_id=99), "Wrong ID; dap_threads lists the threads")
    contains(t.good("dap_stack", thread_id=99).text, "Stack: 0 frames\nThere is no such thread")
