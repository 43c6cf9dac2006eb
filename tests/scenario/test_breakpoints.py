"""Breakpoints: what was asked for, what the adapter made of it, and what it told later."""

from support import programs
from support.fake import OK, event, stopped
from support.scenario import check, contains, equal, good, lacks, native, state

PATH = programs.source("lines.c")
OTHER = programs.source("cart.c")


def rows(*items):
    return {"respond": {"breakpoints": list(items)}}


def changed(**breakpoint):
    return event("breakpoint", reason="changed", breakpoint=breakpoint)


def put(t, *lines, path=PATH):
    return t.good("dap_set_breakpoints", file_path=path, breakpoints=[{"line": line} for line in lines])


def test_event_before_the_answer(t):
    # The event names an id that nobody knows yet: it is kept until the answer is in.
    t.fake_stopped(on={"setBreakpoints": [None, [changed(id=9, verified=True, line=8),
                                                 rows({"id": 9, "verified": False, "reason": "pending"})]]})
    result = put(t, 8)
    check(result["breakpoints"][0]["verified"], "the earlier event counts", result)
    contains(result.text, "1 of 1 verified")


def test_new_event_is_no_second_breakpoint(t):
    # Some send `new` for what was just asked for.
    t.fake_stopped(on={"setBreakpoints": [None, [rows({"id": 9, "verified": True, "line": 8}),
                                                 event("breakpoint", reason="new",
                                                       breakpoint={"id": 9, "verified": True, "line": 8})]]})
    put(t, 8)
    result = put(t, 8)
    equal(len(result["breakpoints"]), 1, "one row", result)


def test_empty_answer_keeps_the_state(t):
    # js-debug answers an unchanged list with []: that is no reason to forget what is bound.
    t.fake_stopped(on={"setBreakpoints": [None, [rows({"id": 9, "verified": True, "line": 8})], [rows()]]})
    put(t, 8)
    result = put(t, 8)
    equal([(row["verified"], row.get("id")) for row in result["breakpoints"]], [(True, 9)], "the state was kept", result)


def test_short_answer(t):
    # Fewer rows than lines: the rest is not bound, and nothing is read beyond the end.
    t.fake_stopped(on={"setBreakpoints": [None, [rows({"id": 9, "verified": True, "line": 7})]]})
    result = put(t, 7, 8)
    equal([row["verified"] for row in result["breakpoints"]], [True, False], "rows", result)
    contains(result.text, "1 of 2 verified")


def test_answer_without_a_body(t):
    t.fake_stopped(on={"setBreakpoints": [None,
                                          [{"send": {"seq": 900, "type": "response", "command": "setBreakpoints",
                                                     "success": True}}]]})
    result = put(t, 8)
    equal([row["verified"] for row in result["breakpoints"]], [False], "rows", result)


def test_moved_line(t):
    # The row says both lines; the one that was asked for is sent again, or the breakpoint would creep away.
    t.fake_stopped(on={"setBreakpoints": [None, [rows({"id": 9, "verified": True, "line": 11})],
                                          [rows({"id": 9, "verified": True, "line": 11})]]})
    result = put(t, 9)
    contains(result.text, "requested line 9, bound to line 11")
    equal(result["desired_breakpoints"][0]["breakpoints"], [{"line": 9}], "what was asked for stays")
    put(t, 9)
    equal(t.fake.received("setBreakpoints")[-1]["arguments"]["breakpoints"], [{"line": 9}], "and is sent again")


def test_moved_by_an_event(t):
    # php moves lines when the file is compiled.
    t.fake_stopped(on={"setBreakpoints": [None, [rows({"id": 9, "verified": False, "reason": "pending"})], [rows()]],
                       "next": [[OK, changed(id=9, verified=True, line=11), stopped("step")]]})
    contains(put(t, 9).text, "pending")
    t.good("dap_next")
    contains(put(t, 9).text, "requested line 9, bound to line 11")


def test_pending_then_bound(t):
    # `verified: false` is not the last word: pending until an event says more.
    t.fake_stopped(on={"setBreakpoints": [None,
                                          [rows({"id": 9, "verified": False, "reason": "pending", "message": "not loaded yet"})],
                                          [rows()]],
                       "next": [[OK, changed(id=9, verified=True, line=8), stopped("step")]]})
    first = put(t, 8)
    contains(first.text, "pending")
    contains(first.text, "not loaded yet")
    t.good("dap_next")
    check(put(t, 8)["breakpoints"][0]["verified"], "bound by the event")


def test_hit_proves_that_it_is_bound(t):
    # js-debug stops at breakpoints that it never called verified.
    t.fake_stopped(on={"setBreakpoints": [None, [rows({"id": 9, "verified": False})], [rows()]],
                       "continue": [[OK, stopped("breakpoint", hitBreakpointIds=[9])]]})
    check(not put(t, 8)["breakpoints"][0]["verified"], "not yet")
    t.good("dap_continue")
    check(put(t, 8)["breakpoints"][0]["verified"], "a hit is the proof")


def test_failed_row(t):
    # The adapter's reason is in the row.
    t.fake_stopped(on={"setBreakpoints": [None, [rows({"verified": False, "reason": "failed", "message": "no code\nhere"})]]})
    result = put(t, 8)
    contains(result.text, "line 8 not verified: no code\\nhere")
    check("id" not in result["breakpoints"][0], "no id is invented", result)


def test_id_0(t):
    # debugpy counts from 0: an id of 0 is an id.
    t.fake_stopped(on={"setBreakpoints": [None, [rows({"id": 0, "verified": True, "line": 8})]],
                       "continue": [[OK, stopped("breakpoint", hitBreakpointIds=[0])]]})
    equal(put(t, 8)["breakpoints"][0]["id"], 0)
    result = t.good("dap_continue")
    equal(result["hit_breakpoint_ids"], [0], "hit", result)
    contains(result.text, "hit breakpoint 2, lines.c:8")


def test_rejected_list(t):
    # The adapter refuses the list: an error with its reason, and the old list stays, here and for the next launch.
    t.fake_stopped()
    put(t, 8)
    text = t.bad("dap_set_breakpoints", file_path=PATH, breakpoints=[{"line": 9, "condition": "fail"}])
    contains(text, "bad condition")
    equal(t.good("dap_status")["desired_breakpoints"], [{"file_path": PATH, "breakpoints": [{"line": 8}]}], "the old list")


def test_mode_without_the_capability(t):
    # Adapters ignore what they do not know: refused by name instead, with what there is. (Conditions and the like are emulated.)
    t.fake_stopped()
    text = t.bad("dap_set_breakpoints", file_path=PATH, breakpoints=[{"line": 9, "mode": "hardware"}])
    contains(text, 'no breakpoint mode "hardware" for source breakpoints (it has: none)')
    equal(len(t.fake.received("setBreakpoints")), 1, "nothing was sent")


def test_condition_is_left_out_when_absent(t):
    # An empty string for a field that is not wanted makes logpoints of breakpoints.
    t.fake_stopped()
    t.good("dap_set_breakpoints", file_path=PATH, breakpoints=[{"line": 8, "condition": None}, {"line": 9, "condition": "a == 1"}])
    equal(t.fake.received("setBreakpoints")[-1]["arguments"]["breakpoints"], [{"line": 8}, {"line": 9, "condition": "a == 1"}])


def test_clearing(t):
    # [] drops the file, idle and active, and the adapter is told.
    t.fake_stopped()
    put(t, 8)
    result = put(t)
    equal(result["desired_breakpoints"], [], "dropped", result)
    equal(t.fake.received("setBreakpoints")[-1]["arguments"]["breakpoints"], [], "told")
    t.good("dap_stop")
    put(t, 8)
    equal(put(t)["desired_breakpoints"], [], "dropped when idle too")


def test_all_files_are_sent_at_every_launch(t):
    # Each file once, the whole list; after a stop the next adapter gets them again.
    t.fake.script(path=PATH)
    put(t, 3, 8)
    put(t, 20, path=OTHER)
    for launch in (1, 2):
        result = state(t.fake_launch(), "stopped")
        sent = {message["arguments"]["source"]["path"]: [row["line"] for row in message["arguments"]["breakpoints"]]
                for message in t.fake.received("setBreakpoints")}
        equal(sent, {PATH: [3, 8], OTHER: [20]}, "launch %d" % launch)
        equal(len(t.fake.received("setBreakpoints")), 2 * launch, "once each")
        equal([entry["file_path"] for entry in result["desired_breakpoints"]], sorted([PATH, OTHER]), "sorted by path")
        t.good("dap_stop")


def test_breakpoints_of_the_launch_are_kept(t):
    # Given with dap_launch they are desired ones like the others.
    t.fake_stopped()
    t.good("dap_stop")
    equal(t.good("dap_status")["desired_breakpoints"], [{"file_path": PATH, "breakpoints": [{"line": 3}]}])


def test_duplicate_spellings_are_one_file(t):
    # Two spellings of a file fight over its list: one canonical path is sent.
    t.fake_stopped()
    put(t, 8, path="../programs/lines.c")
    put(t, 9, path="./lines.c")
    paths = {message["arguments"]["source"]["path"] for message in t.fake.received("setBreakpoints")}
    equal(paths, {PATH}, "one path")
    equal(len(t.good("dap_status")["desired_breakpoints"]), 1, "one file")


def test_set_while_another_call_waits(t):
    # Served at once, not after the wait.
    t.fake_stopped(on={"continue": [[OK, {"received": "setBreakpoints", "count": 2}, stopped("breakpoint")]]})
    waiting = t.dapple.start("dap_continue")
    t.fake.wait_command("continue")
    put(t, 8)
    state(waiting.result(), "stopped")


def test_set_that_is_never_answered(t):
    # bash-debug blocks while it runs: the call ends with a time-out, the session lives, and the old list stays.
    t.settings(timeouts={"requestMs": 1000})
    t.fake_stopped(on={"setBreakpoints": [None, [], None]})
    result = t.call("dap_set_breakpoints", file_path=PATH, breakpoints=[{"line": 8}])
    check(result.is_error, "an error", result)
    contains(result.text, "setBreakpoints")
    contains(result.text, "within 1 s")
    put(t, 9)


def test_set_while_launching(t):
    # Stored and sent with the configuration, or sent when that is over; not lost.
    t.fake.script(path=PATH, on={"initialize": [[{"gate": "go"}, {"default": True}]]})
    waiting = t.fake_start()
    t.fake.wait_command("initialize")
    setting = t.dapple.start("dap_set_breakpoints", file_path=PATH, breakpoints=[{"line": 3}])
    t.fake.open_gate("go")
    good(setting.result())
    state(waiting.result(), "stopped")
    equal([row["line"] for row in t.fake.received("setBreakpoints")[-1]["arguments"]["breakpoints"]], [3])


def test_source_of_the_request(t):
    # Absolute path and the plain name.
    t.fake_stopped()
    source = t.fake.received("setBreakpoints")[-1]["arguments"]["source"]
    equal((source["path"], source.get("name", "lines.c")), (PATH, "lines.c"))


def test_row_of_a_hit_in_the_stop(t):
    # hit ids that we never saw are reported and harmless.
    t.fake_stopped(on={"continue": [[OK, stopped("breakpoint", hitBreakpointIds=[4711])]]})
    equal(t.good("dap_continue")["hit_breakpoint_ids"], [4711])


def test_exact_texts(t):
    # The forms that models and scripts read.
    t.fake_stopped(on={"setBreakpoints": [None,
                                          [rows({"id": 3, "verified": True, "line": 7},
                                                {"id": 4, "verified": False, "reason": "failed", "message": "no code here"})]]})
    result = put(t, 7, 9)
    equal(result.text.strip().split("\n")[:3], ["Breakpoints: 1 of 2 verified", "  line 7 (id 3) verified",
                                                "  line 9 (id 4) not verified: no code here"])
    contains(result.text, "Desired Breakpoints:\n  lines.c:7\n  lines.c:9")
    lacks(result.text, "Saved;")


def test_column(t):
    # A column is passed on; one of a wrong kind is no reason to fail.
    t.fake_stopped(on={"setBreakpoints": [None, [rows({"id": 9, "verified": True, "line": 8, "column": 5})],
                                          [rows({"id": 9, "verified": True, "line": 8, "column": "five"})]]})
    equal(put(t, 8)["breakpoints"][0]["column"], 5)
    check("column" not in put(t, 8)["breakpoints"][0], "a column is invented")


@native
def test_conditions_that_are_read_late(t, target):
    # At its launch the debugger does not know the program's code yet, and that of a library only once it is loaded. gdb accepted every condition,
    # and when it could not read one later on (a misspelled name; or the code was still not there) it switched the breakpoint off without a word:
    # the program ran to its end.
    misspelled = {"file": programs.source("loads.c"), "line": programs.line("loads.c", "first"), "condition": "nosuch == 1"}
    loaded = {"file": programs.source("library.c"), "line": programs.line("library.c", "answer"), "condition": "question == 2"}
    result = state(t.good("dap_launch", program=t.built("loads"), args=[t.built("liblibrary.so")], adapter=target.adapter,
                          breakpoints=[misspelled, loaded]), "stopped")
    equal(result["top_frame"]["line"], misspelled["line"], "where a condition fails the program stops", result)
    contains(result.text, "since its condition nosuch == 1 could not be evaluated: ")
    result = state(t.good("dap_continue"), "stopped")
    equal({row["name"]: row["value"] for row in result["locals"]}, {"question": "2"}, "in the library, with its condition", result)
    result = state(t.good("dap_set_breakpoints", file_path=programs.source("loads.c"), breakpoints=[]), "stopped")
    state(t.good("dap_continue"), "terminated")
