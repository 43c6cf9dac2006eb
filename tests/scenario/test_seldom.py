"""Arguments that are given seldom: each does what its description says (script/protocol-coverage counts the arguments that no test gives)."""

from support import attaching, programs
from support.fake import OK, stopped
from support.scenario import check, contains, equal, lacks, state


def test_another_frame_of_a_native_program(t):
    # What is asked of a frame is asked of that one, not of the innermost.
    target = t.target("gdb")
    state(target.launch("cart", "cost"), "stopped")
    frame = t.good("dap_stack")["stack_frames"][1]["id"]
    contains(t.good("dap_scopes", frame_id=frame).text, "Locals")
    contains(t.good("dap_evaluate", expression="count", frame_id=frame, timeout_ms=5000).text, "4")
    contains(t.good("dap_set_variable", path="result", value="7", frame_id=frame).text, "7")
    contains(t.good("dap_evaluate", expression="result", frame_id=frame).text, "7")
    equal(t.good("dap_read_memory", memory_reference="&count", count=4, frame_id=frame)["memory"]["data"], "BAAAAA==", "4")
    t.good("dap_write_memory", memory_reference="&count", hex="02000000", frame_id=frame)
    contains(t.good("dap_evaluate", expression="count", frame_id=frame).text, "2")
    contains(t.good("dap_registers", frame_id=frame, group="all").text, "rip")
    contains(t.good("dap_disassemble", memory_reference="&cost", offset=0, count=2, resolve_symbols=False).text, "0x")


def test_breakpoints_that_are_kept_switched_off(t):
    # They stop nothing until they are switched on, however they came.
    target = t.target("gdb")
    source, cost, call = target.source("cart"), target.line("cart", "cost"), target.line("cart", "call")
    result = target.launch("cart", breakpoints=[{"file": source, "line": call, "enabled": False}, {"file": source, "line": cost}])
    equal(state(result, "stopped")["top_frame"]["line"], cost, "the one that is on", result)
    t.good("dap_set_breakpoints", file_path=source, breakpoints=[{"line": cost, "enabled": False}])
    t.good("dap_add_breakpoint", file=source, line=target.line("cart", "total-return"), enabled=False)
    t.good("dap_add_breakpoint", function="cost")
    state(t.good("dap_continue"), "stopped")
    t.good("dap_remove_breakpoint", function="cost")
    equal(state(t.good("dap_continue"), "terminated")["exit_code"], 0, "nothing else stopped it")


def test_part_of_a_value_that_is_watched(t):
    # A member is watched by the value that holds it and its name; the kind of access is passed on.
    t.fake_stopped(capabilities={"supportsDataBreakpoints": True},
                   on={"dataBreakpointInfo": [[{"respond": {"dataId": "d1", "description": "qty", "accessTypes": ["read", "readWrite"]}}]],
                       "setDataBreakpoints": [[{"respond": {"breakpoints": [{"id": 70, "verified": True}]}}]]})
    holder = t.good("dap_scopes")["scopes"][0]["variables_reference"]
    t.good("dap_add_breakpoint", data="qty", variables_reference=holder, access_type="readWrite")
    asked = t.fake.received("dataBreakpointInfo")[-1]["arguments"]
    equal(asked["name"], "qty", "asked")
    check(asked["variablesReference"] > 0, "of the value that holds it", asked)
    equal(t.fake.received("setDataBreakpoints")[-1]["arguments"]["breakpoints"], [{"dataId": "d1", "accessType": "readWrite"}], "set")


def test_exceptions_by_name_in_a_list(t):
    target = t.target("debugpy")
    state(target.launch("crash", "raise", timeout_ms=20000), "stopped")
    rows = t.good("dap_set_exception_breakpoints", filters=[{"exception": "Python Exceptions/KeyError", "break_mode": "always"}])["breakpoints"]
    equal([row["exception"] for row in rows], ["Python Exceptions/KeyError"], "the list")
    equal(t.good("dap_remove_breakpoint", exception="Python Exceptions/KeyError")["left"], 1, "the breakpoint of the line is left")
    t.good("dap_set_exception_breakpoints", filters=[{"filter": "raised"}])
    stop = state(t.good("dap_continue", timeout_ms=20000), "stopped")
    contains(t.good("dap_exception", thread_id=stop["thread_id"]).text, "bad quantity")


def test_completions_in_a_frame(t):
    # For text up to a column, as an editor asks; a list that is longer than wanted says so.
    target = t.target("debugpy")
    state(target.launch("cart", "cost", timeout_ms=20000), "stopped")
    frame = t.good("dap_stack")["stack_frames"][0]["id"]
    contains(t.good("dap_completions", text="item.pr + 1", column=8, frame_id=frame).text, "price")
    result = t.good("dap_completions", text="item.", count=1, frame_id=frame)
    equal(len(result["completions"]), 1, "one", result)


def test_targets_of_a_frame(t):
    # The adapter's ids go out for ours; a column is passed on.
    t.fake_stopped(capabilities={"supportsStepInTargetsRequest": True, "supportsGotoTargetsRequest": True},
                   on={"stepInTargets": [[{"respond": {"targets": [{"id": 5, "label": "total"}]}}]], "stepIn": [[OK, stopped("step")]],
                       "gotoTargets": [[{"respond": {"targets": [{"id": 7, "label": "line 9", "line": 9}]}}]],
                       "goto": [[OK, stopped("goto")]], "locations": [[{"respond": {"source": {"path": "/x.c"}, "line": 2}}]],
                       "evaluate": [[{"respond": {"result": "f", "variablesReference": 0, "valueLocationReference": 4}}]]})
    frame = t.good("dap_stack")["stack_frames"][0]["id"]
    contains(t.good("dap_locations", expression="f", frame_id=frame).text, "x.c:2")
    targets = t.good("dap_step_in_targets", frame_id=frame)["targets"]
    state(t.good("dap_step_in", target_id=targets[0]["target_id"]), "stopped")
    equal(t.fake.received("stepIn")[-1]["arguments"]["targetId"], 5, "the adapter's own")
    state(t.good("dap_goto", line=9, column=3), "stopped")
    equal(t.fake.received("gotoTargets")[-1]["arguments"]["column"], 3, "asked")


def test_everything_about_an_attached_program(t):
    # Where it listens, where relative names start, what stops it: all in the call that attaches.
    target = t.target("debugpy")
    with attaching.listening(t, target) as (counting, port):
        source, line = target.source("count"), target.line("count", "count")
        result = t.good("dap_attach", port=port, host="127.0.0.1", cwd=programs.FOLDER, stop_on_exceptions="none", timeout_ms=20000, limit=40,
                        launch_arguments={"justMyCode": False}, breakpoints=[{"file": source, "line": line, "condition": "number > 3"},
                                                                             {"file": source, "line": line + 1, "enabled": False}])
        equal(state(result, "stopped")["top_frame"]["line"], line, "the line", result)
        lacks(result.text, "cannot")
        t.good("dap_stop")
        counting.counts()
