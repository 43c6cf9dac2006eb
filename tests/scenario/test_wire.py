"""Adapters that break the protocol: one bad frame is reported and survived."""

import json

from support import programs
from support.fake import DEFAULT, OK, event, stopped
from support.scenario import check, contains, equal, good, lacks, state


def frame(message, header="Content-Length: %d\r\n\r\n"):
    body = json.dumps(message)
    return {"raw": header % len(body.encode()) + body}


STOP = {"seq": 9, "type": "event", "event": "stopped", "body": {"reason": "pause", "threadId": 1, "allThreadsStopped": True}}


def survives(t, *actions):
    """These bytes, then a stop: the session has to see the stop."""
    t.fake_stopped(on={"continue": [[OK, *actions]]})
    result = state(t.good("dap_continue", limit=8), "stopped")
    equal(result["stop_reason"], "pause", "reason", result)
    state(t.good("dap_next"), "stopped")
    return result


def test_junk_between_frames(t):
    # Banners and logs on stdout are skipped.
    survives(t, {"raw": "Listening on port 1234\nWARNING: something\n"}, stopped("pause"))


def test_junk_before_the_first_frame(t):
    t.fake.script(path=programs.source("lines.c"), before=[{"raw": "Welcome to the adapter 1.0\r\n\r\n"}])
    state(t.fake_launch(breakpoints=[{"file": programs.source("lines.c"), "line": 3}]), "stopped")


def test_header_variants(t):
    # Lower case, other headers, bare line feeds, blanks.
    survives(t, frame({"seq": 1, "type": "event", "event": "thread", "body": {"reason": "started", "threadId": 1}},
                      "content-length: %d\r\n\r\n"),
             frame(STOP, "Content-Type: application/json\nContent-Length:   %d\n\n"))


def test_bad_json(t):
    survives(t, {"raw": "Content-Length: 9\r\n\r\n{\"seq\": ]"}, stopped("pause"))


def test_zero_length_and_wrong_shapes(t):
    # An empty body, an array, a number, null, an object without a type.
    survives(t, {"raw": "Content-Length: 0\r\n\r\n"}, *[{"raw": "Content-Length: %d\r\n\r\n%s" % (len(text), text)} for text in (
        "[1,2]", "17", "null", "{}", '{"type":"event"}', '{"type":"response"}', '{"type":5,"seq":"x"}')], stopped("pause"))


def test_bad_lengths(t):
    # Not a number, negative, and beyond every limit: the frames after them count.
    survives(t, {"raw": "Content-Length: many\r\n\r\n"}, {"raw": "Content-Length: -5\r\n\r\n"},
             {"raw": "Content-Length: 99999999999999999999\r\n\r\n"}, stopped("pause"))


def test_answers_that_nobody_asked_for(t):
    # Unknown request_seq, a second answer, an answer for another command: ignored.
    survives(t, frame({"seq": 1, "type": "response", "request_seq": 4711, "command": "next", "success": True}),
             frame({"seq": 1, "type": "response", "request_seq": 1, "command": "initialize", "success": False, "message": "again"}),
             frame({"seq": 1, "type": "response", "request_seq": 2, "command": "launch", "success": False, "message": "again"}),
             stopped("pause"))


def test_seq_0_missing_and_as_text(t):
    # lldb-dap, dlv and php send 0 always; some leave it out.
    t.fake_stopped(on={"next": [[{"send": {"seq": 0, "type": "response", "command": "next", "success": True}},
                                 {"send": {"type": "event", "event": "stopped", "body": {"reason": "step", "threadId": 1}}}],
                                [{"send": {"seq": "5", "type": "response", "command": "", "success": True, "message": "Success",
                                           "body": None}},
                                 {"send": {"seq": -1, "type": "event", "event": "stopped", "extra": [1],
                                           "body": {"reason": "step", "threadId": 1}}}]]})
    state(t.good("dap_next"), "stopped")
    equal(state(t.good("dap_next"), "stopped")["stop_reason"], "step")


def test_type_at_the_end(t):
    # Members may come in any order.
    survives(t, {"raw": (lambda body: "Content-Length: %d\r\n\r\n%s" % (len(body), body))(
        '{"body":{"threadId":1,"reason":"pause"},"event":"stopped","seq":0,"type":"event"}')})


def test_broken_pieces_of_bodies(t):
    # Wrong kinds inside the answers: rows that are no objects, numbers as text, names that are missing.
    t.fake_stopped(on={
        "stackTrace": [None, [{"respond": {"stackFrames": [None, 5, {"id": 0},
                                                           {"id": "7", "name": None, "line": "12", "column": None,
                                                            "source": "x"}]}}]],
        "scopes": [[{"respond": {"scopes": [None, {"name": None, "variablesReference": "5"}, {"variablesReference": 5}]}}]],
        "variables": [[{"respond": {"variables": [None, {"name": 5, "value": None}, {"name": "a"},
                                                  {"value": "b", "variablesReference": "0"}]}}]],
        "evaluate": [[{"respond": {}}], [{"respond": None}], [{"respond": []}]],
        "threads": [[{"respond": {}}]]})
    state(t.good("dap_next"), "stopped")
    frames = good(t.call("dap_stack"))["stack_frames"]
    check(frames, "the frame that can be read is shown")
    good(t.call("dap_variables", frame_id=frames[0]["id"]))
    for _ in range(3):
        t.call("dap_evaluate", expression="x")
    state(t.good("dap_status"), "stopped")


def test_unknown_events(t):
    survives(t, *[event(name, x={"y": [1]}) for name in ("process", "module", "loadedSource", "progressStart", "invalidated",
                                                         "memory", "debugpySockets",
                                                         "vendor/own", "")], stopped("pause"))


def test_deep_nesting(t):
    # A body nested a hundred thousand deep must not overflow a stack.
    body = '{"seq":1,"type":"event","event":"x","body":' + "[" * 100000 + "]" * 100000 + "}"
    survives(t, {"raw": "Content-Length: %d\r\n\r\n%s" % (len(body), body)}, stopped("pause"))


def test_fault_is_reported_once(t):
    # The user can see that the adapter misbehaves; not at every call.
    result = survives(t, {"raw": "Listening on port 1234\n"}, stopped("pause"))
    later = t.good("dap_status").text
    lacks(later, "Listening on port 1234")
    contains(result.text, "stopped (pause)")


def test_stdout_closed_but_alive(t):
    # The stream ends, the process lives: that is an end, and the process goes.
    t.fake_stopped(on={"continue": [[OK, {"close": 1}]]})
    result = state(t.good("dap_continue", limit=12), "terminated")
    check("exit_code" not in result.data, "no code is invented", result)
    equal(t.left_beside_dapple(), [], "the adapter is gone")


def test_big_answer(t):
    # 20 MB of variables: read, cut to what was asked for, and quick.
    rows = [{"name": "v%d" % number, "value": "x" * 1000, "variablesReference": 0} for number in range(20000)]
    t.fake_stopped(variables=rows, on={"variables": [None, [{"respond": {"variables": rows}}], [DEFAULT]]})
    frame_id = t.good("dap_stack")["stack_frames"][0]["id"]
    result = t.good("dap_variables", frame_id=frame_id, count=10, limit=15)
    equal(len(result["scopes"][0]["variables"]), 10, "the adapter ignored the count, we do not")
    check(len(result.text) < 16 * 1024, "short", len(result.text))


def test_characters_cut_by_the_pipe(t):
    # A frame arrives byte by byte, with characters of several bytes and a header cut in two.
    body = json.dumps({"seq": 1, "type": "event", "event": "output", "body": {"output": "\u00e9\u20ac\U0001f600\n"}},
                      ensure_ascii=False).encode()
    data = b"Content-Length: %d\r\n\r\n" % len(body) + body
    result = survives(t, *[{"hex": data[index:index + 1].hex()} for index in range(len(data))], stopped("pause"))
    equal(result["output"], "\u00e9\u20ac\U0001f600\n", "output", result)


def test_adapter_that_closed_its_input(t):
    # Writing to it fails: that is the adapter's end, not ours.
    t.fake_stopped(on={"next": [[OK, {"close": 0}, stopped("step")]]})
    good(t.call("dap_next"))
    t.call("dap_evaluate", expression="x", limit=15)
    result = state(t.good("dap_status"), "terminated")
    contains(result["termination_reason"], "Debug Adapter transport failed")
    state(t.good("dap_stop", limit=15), "terminated")
    equal(t.left_beside_dapple(), [], "the adapter is gone")


def test_late_and_double_answers(t):
    # The first answer counts; what comes later for the same request, or for one that was given up, goes nowhere.
    t.fake_stopped(on={"evaluate": [[{"respond": {"result": "first"}}, {"respond": {"result": "second"}}], [{"default": True}]]})
    equal(t.good("dap_evaluate", expression="x")["evaluation"]["result"], "first")
    equal(t.good("dap_evaluate", expression="y")["evaluation"]["result"], "<y>")
