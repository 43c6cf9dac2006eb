"""Looking: frames, scopes, variables, evaluation; handles, paging, limits and texts."""

from support import programs
from support.fake import OK, stopped
from support.scenario import check, contains, equal, good, lacks, state

PATH = programs.source("lines.c")


def top(t):
    return t.good("dap_stack")["stack_frames"][0]["id"]


def variables(*rows):
    return [dict({"variablesReference": 0}, **row) for row in rows]


def test_handles_carry_the_stop(t):
    # stop number * 10000 + n: adapters reuse ids, we do not.
    stop = t.fake_stopped()["stop_number"]
    first = top(t)
    equal(first // 10000, stop, "the stop's number")
    t.good("dap_next")
    second = top(t)
    equal(second // 10000, stop + 1, "the next stop's")
    text = t.bad("dap_variables", frame_id=first)
    contains(text, str(first))
    contains(text, "dap_stack")
    equal(t.fake.received("scopes")[-1]["arguments"]["frameId"], 1000, "the adapter sees its own ids")
    check(len([message for message in t.fake.received("scopes")]) <= 2, "the stale handle did not reach the wire",
          t.fake.commands())


def test_handle_of_the_wrong_kind(t):
    # A frame is no value and a value no frame; small numbers are places on the stack, as far as it goes.
    t.fake_stopped()
    frame = top(t)
    value = t.good("dap_variables", frame_id=frame)["scopes"][0]["variables_reference"]
    t.bad("dap_variables", variables_reference=frame)
    t.bad("dap_variables", frame_id=value)
    t.bad("dap_evaluate", expression="x", frame_id=value)
    t.bad("dap_variables", frame_id=900)
    t.bad("dap_variables", frame_id=-1)
    t.bad("dap_variables", variables_reference=0)
    good(t.call("dap_variables", variables_reference=value))


def test_handles_after_a_refused_resume(t):
    # The stop was put back, and so are its handles.
    t.fake_stopped(on={"next": [[{"fail": "no"}]]})
    frame = top(t)
    t.bad("dap_next")
    good(t.call("dap_variables", frame_id=frame))


def test_handles_of_another_session(t):
    # Handles belong to their session.
    t.fake.script(path=PATH)
    for name in ("one", "two"):
        good(t.fake_launch(session=name, breakpoints=[{"file": PATH, "line": 3}]))
    t.good("dap_next", session="two")
    frame = t.good("dap_stack", session="two")["stack_frames"][0]["id"]
    check(t.call("dap_variables", session="one", frame_id=frame).is_error, "refused in the other session")


def test_scopes_and_variables(t):
    # Cheap scopes are opened, expensive ones named with the call that opens them.
    t.fake_stopped()
    result = t.good("dap_variables", frame_id=top(t))
    first, second = result["scopes"]
    equal((first["name"], first["expensive"], [row["name"] for row in first["variables"]]), ("Locals", False, ["qty", "items"]),
          "locals", result)
    equal((second["name"], second["expensive"], "variables" in second), ("Globals", True, False), "expensive", result)
    contains(result.text, "qty: int = 3")
    contains(result.text, "items: list = list of 2 [variables_reference ")
    contains(result.text, "Globals [variables_reference %d] (expensive, not expanded" % second["variables_reference"])
    opened = t.good("dap_variables", variables_reference=second["variables_reference"])
    equal([row["value"] for row in opened["variables"]], ["0", "10"], "opened", opened)
    children = t.good("dap_variables", variables_reference=first["variables"][1]["variables_reference"])
    equal([row["name"] for row in children["variables"]], ["0", "1"], "children", children)


def test_scopes_right_before_their_variables(t):
    # Some adapters reuse scope references for the frame that was asked for last: no other inspection may come between.
    t.fake_stopped()
    frames = t.good("dap_stack")["stack_frames"]
    calls = [t.dapple.start("dap_variables", frame_id=frame["id"]) for frame in frames for _ in range(3)]
    for call in calls:
        good(call.result())
    commands = [command for command in t.fake.commands() if command in ("scopes", "variables", "evaluate", "stackTrace")]
    for index, command in enumerate(commands):
        if command == "variables":
            check(commands[index - 1] in ("scopes", "variables"), "variables follow their scopes", commands)
        if command == "scopes" and index + 1 < len(commands):
            equal(commands[index + 1], "variables", "scopes are followed by variables: %s" % commands)


def test_paging(t):
    # The adapter ignores start and count: the cut is made here, and the whole number is told.
    rows = variables(*[{"name": "v%03d" % number, "value": str(number)} for number in range(250)])
    t.fake_stopped(on={"variables": [[{"respond": {"variables": rows}}]]})
    result = t.good("dap_variables", frame_id=top(t))
    equal(len(result["scopes"][0]["variables"]), 100, "a hundred by default")
    contains(result.text, "250")
    reference = result["scopes"][0]["variables_reference"]
    page = t.good("dap_variables", variables_reference=reference, start=240, count=100)
    equal([row["name"] for row in page["variables"]], ["v%03d" % number for number in range(240, 250)], "the last page")
    equal(t.good("dap_variables", variables_reference=reference, start=900)["variables"], [], "beyond the end")


def test_paging_by_the_adapter(t):
    # One that honours start and count must not be cut twice.
    rows = variables(*[{"name": "v%03d" % number, "value": str(number)} for number in range(250)])
    t.fake_stopped(variables=rows)
    reference = t.good("dap_variables", frame_id=top(t))["scopes"][0]["variables_reference"]
    page = t.good("dap_variables", variables_reference=reference, start=240, count=5)
    equal([row["name"] for row in page["variables"]], ["v%03d" % number for number in range(240, 245)], "page")


def test_stack_pages(t):
    # An adapter that ignores startFrame and levels does not repeat itself through us.
    frames = [{"id": number, "name": "f%d" % number, "line": number + 1, "column": 0} for number in range(50)]
    t.fake_stopped(on={"stackTrace": [[{"respond": {"stackFrames": frames}}]]})
    equal([frame["name"] for frame in t.good("dap_stack")["stack_frames"]], ["f%d" % number for number in range(20)],
          "the first page")
    equal([frame["name"] for frame in t.good("dap_stack", start=20, count=2)["stack_frames"]], ["f20", "f21"], "the second")
    equal(t.good("dap_stack", start=60)["stack_frames"], [], "beyond the end")


def test_frame_without_source_and_id_0(t):
    # gdb's first frame has id 0; a frame may have no source, a column of 0, a line of 0.
    t.fake_stopped(on={"stackTrace": [None, [{"respond": {"stackFrames": [
        {"id": 0, "name": "start", "line": 0, "column": 0},
        {"id": 5, "name": "lib", "line": 4, "column": 0, "source": {"name": "lib.c"}},
        {"id": 6, "name": "uri", "line": 4, "column": 2, "source": {"path": "file:///x/a%20b.c"}}], "totalFrames": 3}}]]})
    result = state(t.good("dap_next"), "stopped")
    frames = t.good("dap_stack")["stack_frames"]
    check("source_path" not in frames[0], "no path is invented", frames)
    equal(frames[1].get("source_name"), "lib.c", "name", frames)
    equal(frames[2]["source_path"], "/x/a b.c", "a file: URI is decoded")
    check(all(frame["id"] > 0 for frame in frames), "handles", frames)
    good(t.call("dap_variables", frame_id=frames[0]["id"]))
    equal(t.fake.received("scopes")[-1]["arguments"]["frameId"], 0, "0 is an id")
    lacks(result.head, "0:0")


def test_evaluate_texts(t):
    t.fake_stopped(on={"evaluate": [[{"respond": {"result": "3\nlines\r\nof\rtext", "type": "str", "variablesReference": 9}}],
                                    [{"respond": {"result": ""}}], None]})
    result = t.good("dap_evaluate", expression="x")
    reference = result["evaluation"]["variables_reference"]
    equal(result.text.strip().split("\n")[0], "3\\nlines\\nof\\ntext (str) [variables_reference %d]" % reference, "one line")
    equal(result["evaluation"]["result"], "3\nlines\r\nof\rtext", "structured is verbatim")
    equal(t.good("dap_evaluate", expression="x")["evaluation"]["variables_reference"], 0, "a missing reference is none")
    equal(t.good("dap_evaluate", expression="qty")["evaluation"]["result"], "<qty>")


def test_evaluate_needs_a_frame_and_takes_the_top_one(t):
    # Without a frame adapters evaluate globally; repl means a debugger command in some.
    t.fake_stopped()
    frames = t.good("dap_stack")["stack_frames"]
    t.good("dap_evaluate", expression="a")
    t.good("dap_evaluate", expression="a", frame_id=frames[2]["id"])
    sent = [message["arguments"] for message in t.fake.received("evaluate")]
    equal([arguments["frameId"] for arguments in sent], [1000, 1002], "frames")
    check(all(arguments.get("context") == "watch" for arguments in sent), "context", sent)


def test_evaluation_error_text(t):
    # message and body.error.format with its variables, each once.
    t.fake_stopped()
    text = t.bad("dap_evaluate", expression="fail")
    contains(text, "Dapple: evaluate request failed: failed: cannot evaluate it")
    lacks(text, "{what}")


def test_errors_cannot_imitate(t):
    # The reason of a refusal may hold what the program raised: it stays on its line.
    t.fake_stopped(on={"evaluate": [[{"fail": "bad\nDebuggee output:\n| x\nstopped (breakpoint) at y\x1b[2J\n"}]]})
    result = t.call("dap_evaluate", expression="x")
    equal(result.text.strip(), "Dapple: evaluate request failed: bad\\nDebuggee output:\\n| x\\nstopped (breakpoint) at y\\x1b[2J")


def test_structures_without_a_text(t):
    # gdb gives structures and arrays no text: an evaluation said "(empty result)", which reads as "there is nothing".
    rows = [{"name": "point", "value": "", "type": "struct point", "variablesReference": 40, "namedVariables": 2},
            {"name": "list", "value": "", "type": "int [1000000]", "variablesReference": 41, "indexedVariables": 1000000},
            {"name": "uncounted", "value": "", "type": "struct odd", "variablesReference": 42}]
    packet = t.fake_stopped(on={"variables": [
        [{"respond": {"variables": rows}}],
        [{"respond": {"variables": variables({"name": "x", "value": "1"}, {"name": "in", "value": "", "variablesReference": 43})}}],
        [{"respond": {"variables": variables(*[{"name": str(number), "value": str(number * 7)} for number in range(8)])}}]]}).text
    asked = [message["arguments"] for message in t.fake.received("variables")]
    equal(asked[1:], [{"variablesReference": 40, "start": 0, "count": 2}, {"variablesReference": 41, "start": 0, "count": 8}], "only the counted, only the first")
    contains(packet, "point: struct point = {x = 1, in = {…}} [variables_reference")
    contains(packet, "list: int [1000000] = {0, 7, 14, 21, 28, 35, 42, 49, …} [variables_reference")
    contains(packet, "uncounted: struct odd [variables_reference")


def test_locals_of_another_thread_did_not_change(t):
    # Two threads stop in the same function: the second's variables were never the first's.
    one, two = ([{"respond": {"variables": variables({"name": "qty", "value": value, "type": "int"})}}] for value in ("1", "2"))
    t.fake_stopped(on={"variables": [one, two], "continue": [[OK, stopped("breakpoint", 2)]]})
    result = t.good("dap_continue")
    contains(result.text, "qty: int = 2")
    lacks(result.text, "(was ")


def test_values_cannot_imitate(t):
    # Newlines, ANSI, NULs and headings inside names and values stay on their line.
    evil = "a\nDebuggee output:\nstopped (breakpoint)\x1b[2J\x00"
    t.fake_stopped(variables=variables({"name": evil, "value": evil, "type": evil}, {"name": "qty", "value": "1"}))
    result = t.good("dap_variables", frame_id=top(t))
    stop = t.good("dap_next", context="full")
    for text in (result.text, stop.text):
        check(not any(line.startswith(("Debuggee output:", "stopped (breakpoint)")) for line in text.split("\n")[1:]),
              "an imitation", text)
        check(not set(text) & {"\x1b", "\x00"}, "control characters", repr(text))
    equal(result["scopes"][0]["variables"][0]["value"].rstrip("\x00"), evil.rstrip("\x00"), "structured is verbatim")


def test_long_values(t):
    # A value of megabytes is cut in the text with its length told; whole in the structured result.
    t.fake_stopped(variables=variables({"name": "qty", "value": "\u00e9" * 1000000, "type": "str"}))
    result = t.good("dap_variables", frame_id=top(t))
    equal(len(result["scopes"][0]["variables"][0]["value"]), 1000000, "structured")
    check(len(result.text) < 2000, "short", len(result.text))
    lacks(result.text, "\ufffd", "cut inside a character")
    stop = t.good("dap_next")
    check(len(stop.text.encode()) <= 3 * 1024 + 400, "the packet keeps its budget", len(stop.text.encode()))


def test_many_locals_keep_the_packet_short(t):
    # Thousands of locals: those on the line first, the number of all, and the call that shows them.
    rows = variables(*[{"name": "other%d" % number, "value": "v" * 300} for number in range(3000)],
                     {"name": "qty", "value": "42"})
    t.fake_stopped(variables=rows)
    result = t.good("dap_next")
    check(len(result.text.encode()) <= 3 * 1024 + 400, "the packet keeps its budget", len(result.text.encode()))
    contains(result.text, "qty = 42", "the name on the line comes first")
    contains(result.text, "dap_variables")


def test_packet_survives_refusals(t):
    # Scopes that fail, variables that fail: the stop is told all the same, with the reason.
    t.fake_stopped(on={"scopes": [None, [{"fail": "no scopes today"}], None],
                       "variables": [None, [{"fail": "no variables today"}]]})
    state(t.good("dap_next"), "stopped")
    state(t.good("dap_next"), "stopped")


def test_variables_that_cannot_be_read(t):
    # gdb refuses all variables of a scope for one that was optimized out, and also for one that its printer cannot follow (std::map before it
    # is initialised, a RefCell of Rust): the others are read one by one, and it is said how many are missing.
    scopes = [{"name": "Locals", "presentationHint": "locals", "variablesReference": 5, "namedVariables": 3, "expensive": False}]
    gone = [{"fail": "Attempt to take contents of a non-pointer value."}]
    result = t.fake_stopped(variables=[{"name": name, "value": name.upper(), "variablesReference": 0} for name in ("first", "second", "third")],
                            on={"scopes": [[{"respond": {"scopes": scopes}}]] * 3, "variables": [gone, None, gone, None]})
    contains(result.text, "first = FIRST")
    contains(result.text, "third = THIRD")
    lacks(result.text, "second = SECOND")
    contains(result.text, "(others) = 1 that cannot be shown: variables request failed: Attempt to take contents of a non-pointer value.")


def test_packet_whose_variables_hang(t):
    # An adapter that does not answer scopes must not hold back the stop for long.
    t.settings(timeouts={"requestMs": 1000})
    t.fake_stopped(on={"scopes": [None, [], None]})
    result = state(t.good("dap_next", limit=20), "stopped")
    contains(result.head, "stopped (step)")
    state(t.good("dap_status"), "stopped")


def test_changed_locals_are_marked(t):
    # What a step changed is what the reader looks for.
    t.fake_stopped(on={"variables": [
        [{"respond": {"variables": variables({"name": "qty", "value": "1", "type": "int"},
                                             {"name": "same", "value": "5", "type": "int"})}}],
        [{"respond": {"variables": variables({"name": "qty", "value": "2", "type": "int"},
                                             {"name": "same", "value": "5", "type": "int"})}}]]})
    result = t.good("dap_next")
    line = next(line for line in result.text.split("\n") if line.startswith("  qty: "))
    contains(line, "2")
    check("changed" in line or "was" in line or "*" in line, "a mark", line)


def test_exception_details(t):
    # Type, message and whether anybody catches it, asked for only where supported.
    t.fake_stopped(capabilities={"supportsExceptionInfoRequest": True},
                   on={"continue": [[OK, stopped("exception", text="ValueError")]]})
    result = state(t.good("dap_continue"), "stopped")
    contains(result.text, "ValueError")
    contains(result.text, "bad quantity")
    equal(result["exception"]["id"], "ValueError", "id", result)
    equal(len(t.fake.received("exceptionInfo")), 1, "asked once")


def test_exception_without_the_capability(t):
    # Not asked for; description and text of the event are shown.
    t.fake_stopped(on={"continue": [[OK, stopped("exception", description="Exception raised", text="boom: 7")]]})
    result = state(t.good("dap_continue"), "stopped")
    contains(result.text, "Exception raised")
    contains(result.text, "boom: 7")
    equal(t.fake.received("exceptionInfo"), [], "not asked")


def test_stack_of_another_thread(t):
    # Any thread may be looked at while all stand.
    t.fake_stopped(threads=[{"id": 1, "name": "a"}, {"id": 9, "name": "b"}])
    good(t.call("dap_stack", thread_id=9))
    equal(t.fake.received("stackTrace")[-1]["arguments"]["threadId"], 9, "the thread that was asked for")


def test_text_budget_and_spill(t):
    # A text that is too long is cut at a line, says so, and the whole is in a file.
    rows = variables(*[{"name": "v%04d" % number, "value": "x" * 110} for number in range(1000)])
    t.fake_stopped(variables=rows)
    result = t.good("dap_variables", frame_id=top(t), count=1000)
    check(len(result.text.encode()) <= 16 * 1024 + 400, "within the limit", len(result.text.encode()))
    equal(len(result["scopes"][0]["variables"]), 1000, "structured is complete")
    path = next(word.strip("[]();:,") for word in result.text.split() if t.tmp in word)
    with open(path) as file:
        text = file.read()
    contains(text, "v0999")
    check(len(text) > 100000, "the whole is in the file", len(text))


def test_stop_packet_in_one_round(t):
    # After a stop: frames once, scopes and variables once, nothing else.
    t.fake_stopped()
    before = len(t.fake.commands())
    t.good("dap_next")
    equal(sorted(t.fake.commands()[before:]), sorted(["next", "stackTrace", "scopes", "variables"]), "requests of one step")
    t.good("dap_status")
    equal(len(t.fake.commands()) - before, 4, "status asks for nothing")


def test_only_known_fields(t):
    # The client checks each result against the tool's closed output schema; here every tool once with a rich session.
    t.fake_stopped(capabilities={"supportsExceptionInfoRequest": True},
                   on={"continue": [[OK, stopped("exception", description="d", text="t", hitBreakpointIds=[1])]],
                       "pause": [[OK, stopped("pause")]]})
    frame = top(t)
    for tool, arguments in (("dap_variables", {"frame_id": frame}), ("dap_evaluate", {"expression": "x"}), ("dap_status", {}),
                            ("dap_continue", {}),
                            ("dap_step_in", {}), ("dap_step_out", {}),
                            ("dap_set_breakpoints", {"file_path": PATH, "breakpoints": []}),
                            ("dap_stop", {}), ("dap_status", {})):
        good(t.call(tool, **arguments))


def test_without_structured_content(t):
    # With --structured off a result is its text, and no output schema is declared.
    dapple = t.start(structured=False)
    equal(dapple.schemas, {}, "schemas")
    t.fake.script(path=PATH)
    result = good(t.fake_launch(dapple, breakpoints=[{"file": PATH, "line": 3}]))
    equal(result.data, {}, "structured content")
    contains(result.head, "stopped (breakpoint) at lines.c:3:1 in work \u00b7 thread 1")


def test_progress(t):
    # While a call waits and a token came, once a second; never without.
    t.fake_stopped(on={"continue": [[OK, {"gate": "hit"}, stopped("breakpoint")]]})
    waiting = t.dapple.start("dap_continue", progress="token-1")
    t.dapple.wait(lambda: len(t.dapple.notifications) >= 2, 20, "two reports of progress")
    t.fake.open_gate("hit")
    state(waiting.result(), "stopped")
    reports = [note["params"] for note in t.dapple.notifications if note["method"] == "notifications/progress"]
    check(all(report["progressToken"] == "token-1" for report in reports), "token", reports)
    values = [report["progress"] for report in reports]
    equal(values, sorted(set(values)), "increasing")
    count = len(t.dapple.notifications)
    t.good("dap_next")
    equal(len(t.dapple.notifications), count, "none without a token")
