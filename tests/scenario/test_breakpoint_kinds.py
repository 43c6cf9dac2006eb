"""Breakpoints of every kind with every real adapter, and their numbers, places and states."""

from support import programs
from support.fake import OK, stopped
from support.matrix import C, GO, Cells, every_adapter
from support.scenario import check, contains, equal, good, lacks, native, state, until

WAIT = 20000
FUNCTIONS = {"debugpy": "total", "dlv": "main.total", "rdbg": "total"}
FILTERS = {"debugpy": "raised", "gdb": "throw", "lldb-dap": "cpp_throw", "codelldb": "cpp_throw", "js-debug": "all", "rdbg": "any"}


def add(t, **arguments):
    """Adds one, and returns its row."""
    return t.good("dap_add_breakpoint", **arguments)["breakpoints"][0]


def go_on(t, wanted="stopped"):
    return state(t.good("dap_continue", timeout_ms=WAIT), wanted)


def at(target, result, mark):
    equal(result["top_frame"]["line"], target.line("cart", mark), "line of the mark %r" % mark, result)
    return result


def hits(result):
    return [row["number"] for row in result.data.get("hit_breakpoints", [])]


def quantity(t, target):
    return t.good("dap_evaluate", expression=target.language.quantity)["evaluation"]["result"]


@every_adapter
def test_kinds(t, target):
    # One program, stopped and let go on by one kind after the other. The numbers say which breakpoint it was.
    source = target.source("cart")
    with Cells(target.adapter) as cells:
        state(target.launch("cart", "call", timeout_ms=WAIT), "stopped")
        with cells.cell("match"):
            row = add(t, file=source, match="result := total(" if target.language is GO else "result = total(")
            equal(row["line"], target.line("cart", "call"), "the line of the text", row)
            text = t.bad("dap_add_breakpoint", file=source, match="result")
            contains(text, "lines of")
            contains(text, "%d \"" % target.line("cart", "loop"), "a candidate with its text")
            contains(t.bad("dap_add_breakpoint", file=source, match="retrun total itms"), "most like it: ")
        with cells.cell("breakpoint locations"):
            first = target.line("cart", "cost") - 1
            lines = [row["line"] for row in t.good("dap_breakpoint_locations", file=source, line=first, end_line=first + 2)["locations"]]
            check(target.line("cart", "cost") in lines and lines == sorted(lines), "the line of the mark, in order", lines)
        with cells.cell("disable"):
            row = add(t, file=source, line=target.line("cart", "cost"))
            off = t.good("dap_enable_breakpoint", number=row["number"], enabled=False)["breakpoints"][0]
            equal((off["state"], off["enabled"]), ("disabled", False), "off", off)
            again = add(t, file=source, line=target.line("cart", "loop"))
            result = at(target, go_on(t), "loop")
            equal(hits(result), [again["number"]], "the one behind it", result)
            on = t.good("dap_enable_breakpoint", number=row["number"], enabled=True)["breakpoints"][0]
            check(on["state"] in ("bound", "pending") and "enabled" not in on, "on again", on)
            t.good("dap_remove_breakpoint", number=again["number"])
            equal(hits(at(target, go_on(t), "cost")), [row["number"]], "hit")
            t.good("dap_remove_breakpoint", file=source, line=target.line("cart", "cost"))
        with cells.cell("hit condition"):
            t.good("dap_stop")
            state(target.launch("cart", "call", timeout_ms=WAIT), "stopped")
            row = add(t, file=source, line=target.line("cart", "cost"), hit_condition="2")
            equal(row["hit_condition"], "2", "kept", row)
            result = at(target, go_on(t), "cost")
            equal(hits(result), [row["number"]], "the number", result)
            equal(quantity(t, target), "1", "the second time", result)
            t.good("dap_remove_breakpoint", number=row["number"])
        with cells.cell("instruction breakpoint"):
            instruction(t, target)
        with cells.cell("log message"):
            t.good("dap_stop")
            state(target.launch("cart", "call", timeout_ms=WAIT), "stopped")
            add(t, file=source, line=target.line("cart", "cost"), log_message="quantity {%s}!" % target.language.quantity)
            after = add(t, file=source, line=target.line("cart", "print"))
            result = at(target, go_on(t), "print")
            equal(hits(result), [after["number"]], "it stopped at none of the others", result)
            said = [line for line in result["output"].splitlines() if "quantity" in line]
            equal([line.rstrip().rsplit(" ", 1)[1].rstrip("!") for line in said], ["3", "1", "10", "2"], "one line for each time", said)
        with cells.cell("function breakpoint"):
            t.good("dap_stop")
            t.good("dap_remove_breakpoint", all=True)
            state(target.launch("cart", "call", timeout_ms=WAIT), "stopped")
            row = add(t, function=FUNCTIONS.get(target.adapter, "total"))
            result = go_on(t)
            contains(result["top_frame"]["name"], "total")
            equal(hits(result), [row["number"]], "the number", result)
            contains(result.text, "hit breakpoint %d, function " % row["number"])
            kept = t.good("dap_breakpoints", kind="function")["breakpoints"]
            equal([(one["number"], one["state"], one["hit"]) for one in kept], [(row["number"], "bound", True)], "as it is now", kept)
            t.good("dap_stop")
            state(target.launch("cart", timeout_ms=WAIT), "stopped")
        with cells.cell("data breakpoint"):
            t.good("dap_stop")
            t.good("dap_remove_breakpoint", all=True)
            state(target.launch("cart", "loop", timeout_ms=WAIT), "stopped")
            data(t, target)
    equal(state(t.good("dap_stop"), "terminated")["state"], "terminated")


def instruction(t, target):
    """At the address where the program stands, in a loop: it comes there again."""
    stop = t.good("dap_status")
    rows = t.good("dap_disassemble", instruction_offset=0, count=1)["instructions"]
    row = add(t, address=rows[0]["address"])
    result = go_on(t)
    equal(hits(result), [row["number"]], "the number", result)
    equal(result["top_frame"]["line"], stop["top_frame"]["line"], "the same place", result)
    t.good("dap_remove_breakpoint", number=row["number"])


def data(t, target):
    """The sum is changed in each turn of the loop."""
    t.good("dap_remove_breakpoint", all=True)
    contains(t.bad("dap_add_breakpoint", data="2 + 3"), "cannot be watched")
    row = add(t, data="result")
    equal((row["kind"], row["access_type"], row["state"]), ("data", "write", "bound"), "row", row)
    check(row["description"], "the adapter's words", row)
    result = go_on(t)
    equal(t.good("dap_evaluate", expression="result")["evaluation"]["result"], "6", "after the first change")
    equal(hits(result), [row["number"]], "the number", result)
    t.good("dap_stop")
    kept = t.good("dap_breakpoints")["breakpoints"]
    state(target.launch("cart", "print", timeout_ms=WAIT), "stopped")
    result = t.good("dap_breakpoints", kind="data")
    equal([row["state"] for row in result["breakpoints"]], ["expired"], "of the former program", kept)
    contains(result.text, "the program that it watched has ended")


@every_adapter
def test_exception_filter(t, target):
    # Chosen before the launch: kept, sent, and in place of stop_on_exceptions; what the adapter does not have is refused with what it has.
    with Cells(target.adapter) as cells:
        with cells.cell("exception filter"):
            contains(t.good("dap_set_exception_breakpoints", filters=[{"filter": FILTERS.get(target.adapter, "all")}]).text, "\u00b7 saved")
            if target.language is C:
                result = good(t.call("dap_launch", program=t.built("shapes"), adapter=target.adapter, timeout_ms=WAIT, limit=40))
            else:
                result = target.launch("crash", timeout_ms=WAIT)
            check("warnings" not in result.data, "taken", result)
            state(result, "stopped")
            lacks(result["output"], "caught one", "at the first one, which is caught")
            text = t.bad("dap_set_exception_breakpoints", filters=[{"filter": "nonsense"}])
            contains(text, 'offers no exception filter "nonsense" (it offers: ')
            contains(text, FILTERS[target.adapter])
            rows = t.good("dap_breakpoints", kind="exception")["breakpoints"]
            equal([row["exception"] for row in rows], [FILTERS[target.adapter]], "the old list")
            equal(t.good("dap_set_exception_breakpoints", filters=[])["breakpoints"], [], "none")
    t.good("dap_stop")


@every_adapter
def test_condition_that_fails(t, target):
    # A misspelled name was "never true" (gdb, rdbg, perl), a plain hit (gdb, lldb-dap, codelldb, debugpy, js-debug), an exception of the program's
    # (dlv), or output of the program (js-debug, rdbg). It stops the program, and the head of that stop says which breakpoint and why.
    with Cells(target.adapter) as cells:
        with cells.cell("condition that fails"):
            result = state(target.launch("cart", "cost", condition="nosuch > 1", timeout_ms=WAIT), "stopped")
            equal((result["stop_reason"], result["top_frame"]["line"]), ("breakpoint", target.line("cart", "cost")), "where", result)
            head = result.text.split("\n")
            contains(head[0], "Warning: stopped at breakpoint 1 (")
            contains(head[0], "since its condition nosuch > 1 could not be evaluated: ")
            contains(head[0].split("evaluated: ")[1], "nosuch")
            check(any(line.startswith("hit breakpoint 1, ") and line.endswith(" (its condition failed)") for line in head), "a plain hit", result)
            lacks(result.text, "| Breakpoint condition error")
            if target.adapter != "js-debug":  # it has the program print the reason: that is marked as the debugger's
                lacks(result["output"], "nosuch")
            contains(t.good("dap_breakpoints").text, "its condition failed 1 time: ")


def test_a_condition_with_quotes(t):
    # The guard around a condition in Ruby is a text in quotes: one with quotes of its own broke it, and was never true.
    for adapter, condition in (("rdbg", "%s.to_s == '10' && 'a\\\\b'.size == 3"), ("perl", "%s eq '10' && length('a\\\\b') == 3")):
        target = t.target(adapter)
        quantity = target.language.quantity
        state(target.launch("cart", "cost", condition=condition % quantity, timeout_ms=WAIT), "stopped")
        equal(t.good("dap_evaluate", expression=quantity)["evaluation"]["result"], "10", adapter)
        lacks(t.good("dap_breakpoints").text, "failed")
        state(t.good("dap_stop"), "terminated")


@every_adapter
def test_exception_condition(t, target):
    # Four adapters claim them: the first exception is passed over, the second stops, and a condition that never holds lets it run to its
    # end. (C++ throws once; where it stands then is the throwing function of the library, which has no `qty`.)
    native_one = target.language is C
    holds, never = ("1 == 1", "1 == 2") if native_one else ("qty == -3", "qty == -7")
    name = FILTERS.get(target.adapter, "all")
    if target.adapter == "js-debug":  # sees the exception alone, as `error`; `all` stops at what nobody catches whatever the condition is
        name = "uncaught"
        holds, never = "error.message.includes(-3)", "error.message.includes(-7)"
    with Cells(target.adapter) as cells:
        with cells.cell("exception condition"):
            filters = [{"filter": name, "condition": holds}]
            contains(t.good("dap_set_exception_breakpoints", filters=filters).text, " if %s \u00b7 saved" % holds)
            launch = (lambda: good(t.call("dap_launch", program=t.built("shapes"), adapter=target.adapter, timeout_ms=WAIT, limit=40))) \
                if native_one else (lambda: target.launch("crash", timeout_ms=WAIT))
            result = state(launch(), "stopped")
            check("warnings" not in result.data, "taken", result)
            if not native_one:
                equal(result["top_frame"]["line"], target.line("crash", "raise"), "line", result)
                contains(t.good("dap_evaluate", expression=target.language.local % "qty").text, "-3")
            t.good("dap_stop")
            t.good("dap_set_exception_breakpoints", filters=[dict(filters[0], condition=never)])
            result = launch()
            if native_one:  # what nobody catches ends it by a signal, which stops
                check(result["state"] == "terminated" or "SIGABRT" in result.text, "not at the throw", result)
            else:
                state(result, "terminated")
    t.good("dap_stop")


def test_exceptions_by_name(t):
    # debugpy takes names of exceptions, and passes over its filters then: what does not count does not look as if it did.
    target = t.target("debugpy")
    state(target.launch("crash", "raise", timeout_ms=WAIT), "stopped")
    t.good("dap_remove_breakpoint", all=True, kind="source")
    row = add(t, exception="Python Exceptions/ValueError", break_mode="always")
    equal((row["state"], row["break_mode"]), ("bound", "always"), "row", row)
    result = t.good("dap_breakpoints", kind="exception")
    equal([(one["exception"], one["state"]) for one in result["breakpoints"]],
          [("uncaught", "failed"), ("Python Exceptions/ValueError", "bound")], "what counts", result)
    contains(result.text, 'passes over filters such as "uncaught" while exceptions are chosen by name')
    result = go_on(t)
    contains(result.text, "ValueError: bad quantity: -1", "the one that is caught")
    t.good("dap_remove_breakpoint", number=row["number"])
    contains(go_on(t).text, "ValueError: bad quantity: -3", "the filter counts again")


@every_adapter
def test_set_while_running(t, target):
    # A breakpoint that is added while the program runs stops it, and one that is removed does not.
    target.launch_running("busy", "busy")
    row = add(t, file=target.source("busy"), line=target.line("busy", "spin"))
    result = wait_for_stop(t)
    equal(hits(result), [row["number"]], "the number", result)
    t.good("dap_remove_breakpoint", number=row["number"])
    state(t.good("dap_continue", timeout_ms=200), "running")
    equal(state(t.good("dap_stop"), "terminated")["termination_reason"], "stopped by request")


def wait_for_stop(t):
    result = None

    def stands():
        nonlocal result
        result = t.good("dap_status")
        return result["state"] == "stopped"
    until(stands, "the stop at the new breakpoint")
    return result


def test_a_part_of_memory(t):
    # So many bytes from an address or a variable on, where the adapter claims it.
    target = t.target("codelldb")
    state(target.launch("cart", "loop", timeout_ms=WAIT), "stopped")
    t.good("dap_remove_breakpoint", all=True)
    address = t.good("dap_evaluate", expression="(unsigned long)&result")["evaluation"]["result"]
    row = add(t, data=address, bytes=4)
    equal(row["state"], "bound", "row", row)
    result = go_on(t)
    equal((hits(result), t.good("dap_evaluate", expression="result")["evaluation"]["result"]), ([row["number"]], "6"), "", result)


# ---- orderings, refusals and texts, with the fake adapter ----

PATH = programs.source("lines.c")
ALL = {"supportsFunctionBreakpoints": True, "supportsDataBreakpoints": True, "supportsInstructionBreakpoints": True,
       "supportsHitConditionalBreakpoints": True, "supportsLogPoints": True, "supportsBreakpointLocationsRequest": True}


def rows(*items):
    return {"respond": {"breakpoints": list(items)}}


def lines_sent(t):
    return [row["line"] for row in t.fake.received("setBreakpoints")[-1]["arguments"]["breakpoints"]]


def test_added_at_once(t):
    # Hosts send several calls together: each begins with what the former left, so that none is lost.
    t.fake_stopped()
    calls = [t.dapple.start("dap_add_breakpoint", file=PATH, line=line) for line in (5, 6, 7)]
    equal([good(call.result())["breakpoints"][0]["number"] for call in calls], [2, 3, 4], "numbers in their order")
    equal(lines_sent(t), [3, 5, 6, 7], "all of them")
    calls = [t.dapple.start("dap_remove_breakpoint", number=number) for number in (1, 3)]
    calls.append(t.dapple.start("dap_enable_breakpoint", number=4, enabled=False))
    equal([call.result().is_error for call in calls], [False, False, False])
    equal(lines_sent(t), [5], "what is left and switched on")


def test_added_while_the_program_runs(t):
    # Not after the call that waits for the stop.
    t.fake_stopped(on={"continue": [[OK, {"received": "setBreakpoints", "count": 2}, stopped("breakpoint")]]})
    waiting = t.dapple.start("dap_continue")
    t.fake.wait_command("continue")
    equal(t.good("dap_add_breakpoint", file=PATH, line=8)["breakpoints"][0]["state"], "bound")
    state(waiting.result(), "stopped")


def test_refused_by_the_adapter(t):
    # The list stays as it was, here, in the adapter and for the next launch; the next change does not carry what was refused.
    t.fake_stopped()
    contains(t.bad("dap_add_breakpoint", file=PATH, line=9, condition="fail"), "bad condition")
    equal([row["line"] for row in t.good("dap_breakpoints")["breakpoints"]], [3])
    t.good("dap_add_breakpoint", file=PATH, line=8)
    equal(lines_sent(t), [3, 8])


def test_same_place_is_replaced(t):
    t.fake_stopped(capabilities=ALL)
    first = t.good("dap_add_breakpoint", file=PATH, line=8, condition="a")["breakpoints"][0]
    second = t.good("dap_add_breakpoint", file=PATH, line=8, hit_condition="2")["breakpoints"][0]
    equal((second["number"], "condition" in second, second["hit_condition"]), (first["number"], False, "2"), "one breakpoint", second)
    other = t.good("dap_add_breakpoint", file=PATH, line=8, column=5)["breakpoints"][0]
    check(other["number"] != first["number"], "another column is another place", other)
    t.good("dap_add_breakpoint", function="work")
    t.good("dap_add_breakpoint", function="work", condition="a")
    equal(t.fake.received("setFunctionBreakpoints")[-1]["arguments"]["breakpoints"], [{"name": "work", "condition": "a"}])


def test_everything_at_once(t):
    # Survives the stop, and is sent in the specification's order to the next adapter; all=true clears all lists, or those of a kind.
    t.fake_stopped(capabilities=ALL)
    t.good("dap_add_breakpoint", function="work")
    t.good("dap_add_breakpoint", address="0x4000", offset=4)
    t.good("dap_stop")
    saved = t.good("dap_breakpoints")
    equal([(row["kind"], row["state"]) for row in saved["breakpoints"]],
          [("source", "saved"), ("function", "saved"), ("instruction", "saved")], "kept", saved)
    contains(saved.text, "Breakpoints: 3 (3 saved)\nThey apply to the next launch (no active Debug Session).\n")
    t.fake_launch()
    commands = [command for command in t.fake.commands() if command.startswith("set") or command == "configurationDone"]
    equal(commands[-5:], ["setBreakpoints", "setFunctionBreakpoints", "setInstructionBreakpoints", "setExceptionBreakpoints",
                          "configurationDone"])
    equal(t.good("dap_remove_breakpoint", all=True, kind="function")["removed"], [2])
    equal(t.fake.received("setFunctionBreakpoints")[-1]["arguments"]["breakpoints"], [], "the adapter is told")
    off = t.good("dap_enable_breakpoint", all=True, enabled=False)
    equal([row["state"] for row in off["breakpoints"]], ["disabled", "disabled"], "all that are left", off)
    result = t.good("dap_remove_breakpoint", all=True)
    equal((result["removed"], result["left"]), ([1, 3], 0), "all", result)
    equal(t.good("dap_breakpoints").text.split("\n")[0], "Breakpoints: 0")


def test_list_says_all(t):
    t.fake_stopped(capabilities=ALL, on={"setBreakpoints": [
        None, [rows({"id": 1, "verified": True, "line": 4}, {"id": 2, "verified": False, "message": "not\nloaded"})]]})
    result = t.good("dap_add_breakpoint", file=PATH, line=8, condition="a == 1", log_message="at {a}")
    contains(result.text, "breakpoint 2, lines.c:8 if a == 1 logs at {a} \u00b7 pending: not\\nloaded\n")
    contains(t.good("dap_breakpoints").text,
             "Breakpoints: 2 (1 bound, 1 pending)\nbreakpoint 1, lines.c:3 \u00b7 bound to line 4, hit\nbreakpoint 2, lines.c:8 if a == 1")


def test_lines_by_their_text(t):
    # The trimmed line comes before a part of one; what is not clear is not guessed.
    path = t.file("app.py", "total = 1\n    total = 12  \nprint(total)\ntotal = 1\n")
    t.fake.script(path=path)
    equal(t.good("dap_add_breakpoint", file=path, match="total = 12")["breakpoints"][0]["line"], 2, "the whole line")
    equal(t.good("dap_add_breakpoint", file=path, match="print(")["breakpoints"][0]["line"], 3, "a part of one line only")
    text = t.bad("dap_add_breakpoint", file=path, match="total = 1")
    contains(text, '/match: 2 lines of %s have this text: 1 "total = 1", 4 "total = 1"' % path)
    text = t.bad("dap_set_breakpoints", file_path=path, breakpoints=[{"line": 1}, {"match": "print(totl)"}])
    contains(text, '/breakpoints/1/match: no line of %s has this text; most like it: 3 "print(total)"' % path)
    contains(t.bad("dap_add_breakpoint", file="lost.c", match="x"), "/match: the file lost.c is not on this machine")
    contains(t.bad("dap_add_breakpoint", file=path, match="a\nb"), "must be the text of one line")
    contains(t.bad("dap_add_breakpoint", file=path, match=" "), "more than blanks")
    equal([row["line"] for row in t.good("dap_breakpoints")["breakpoints"]], [2, 3], "nothing else was set")
    result = t.good("dap_set_breakpoints", file_path=path, breakpoints=[{"match": "print(", "condition": "total"}])
    equal(result["desired_breakpoints"][0]["breakpoints"], [{"line": 3, "condition": "total"}], "the line is told", result)


def test_launch_with_lines_by_their_text(t):
    # A launch that is refused for one of them changes nothing.
    path = t.file("app.py", "a = 1\nb = 2\n")
    text = t.call("dap_launch", program=path, breakpoints=[{"file": path, "line": 1}, {"file": path, "match": "c = 3"}]).text
    contains(text, "/breakpoints/1/match: no line of %s has this text" % path)
    contains(t.call("dap_launch", program=path, breakpoints=[{"file": path}]).text, "/breakpoints/0/line is required")
    contains(t.call("dap_launch", program=path, breakpoints=[{"file": path, "line": 1, "match": "a"}]).text, "give one of them")
    equal(t.good("dap_breakpoints")["breakpoints"], [])


def test_nearest_lines_with_code(t):
    # A line without code: where it could be instead, when the adapter knows.
    t.fake_stopped(capabilities=ALL, on={
        "setBreakpoints": [None, [rows({"id": 1, "verified": True, "line": 3}, {"id": 2, "verified": False})]],
        "breakpointLocations": [[rows({"line": 11}, {"line": 14}, {"line": 7})]]})
    result = t.good("dap_add_breakpoint", file=PATH, line=12)
    equal(result["warnings"], ["lines.c:12 has no code; nearest lines with code: 11, 14"], "", result)
    asked = t.fake.received("breakpointLocations")[0]["arguments"]
    equal((asked["line"], asked["endLine"], asked["source"]["path"]), (2, 22, PATH), "asked", asked)


def test_locations(t):
    # In order, each once, columns of a line together.
    t.fake_stopped(capabilities=ALL, on={"breakpointLocations": [
        [rows({"line": 3, "column": 9}, {"line": 2}, {"line": 3, "column": 1}, {"line": 3, "column": 9}, {"line": 0}, {}, "x")],
        [{"respond": {}}]]})
    result = t.good("dap_breakpoint_locations", file=PATH, line=1, end_line=5)
    equal(result["locations"], [{"line": 2}, {"line": 3, "column": 1}, {"line": 3, "column": 9}], "", result)
    contains(result.text, "Breakpoint locations in lines.c, lines 1 to 5: 3\n  2  qty += 2;\n  3  qty += 3;  (columns 1, 9)\n")
    contains(t.good("dap_breakpoint_locations", file=PATH, line=9000).text, "the file has only")
    contains(t.bad("dap_breakpoint_locations", file=PATH, line=5, end_line=4), "/end_line")
    t.good("dap_stop")
    contains(t.bad("dap_breakpoint_locations", file=PATH, line=5), "requires an active Debug Session")


def test_data(t):
    # The adapter's answer decides: whether, for which access, and in whose words.
    def info(**body):
        return [{"respond": body}]
    t.fake_stopped(capabilities=ALL, on={"dataBreakpointInfo": [
        info(dataId="d1", description="4 bytes", accessTypes=["read", "write"]), info(dataId=None, description="a constant\nvalue"),
        info(dataId="d2", description="", accessTypes=["read"]), info(dataId="d2", description="", accessTypes=["read"]),
        info(dataId="d3", description="x", canPersist=True), None]})
    result = t.good("dap_add_breakpoint", data="qty")
    contains(result.text, "breakpoint 2, data qty (write) [4 bytes] \u00b7 ")
    equal(t.fake.received("setDataBreakpoints")[-1]["arguments"]["breakpoints"], [{"dataId": "d1", "accessType": "write"}])
    contains(t.bad("dap_add_breakpoint", data="7"), "7 cannot be watched: a constant\\nvalue")
    contains(t.bad("dap_add_breakpoint", data="qty", access_type="write"), "/access_type: the adapter can watch this for read only")
    equal(t.good("dap_add_breakpoint", data="qty", frame_id=t.good("dap_status")["top_frame"]["id"])["breakpoints"][0]["access_type"], "read")
    contains(t.bad("dap_add_breakpoint", data="qty", bytes=4), "supportsDataBreakpointBytes")
    t.good("dap_add_breakpoint", data="all")
    t.good("dap_stop")
    contains(t.bad("dap_add_breakpoint", data="qty"), "requires a stopped Debuggee")
    t.fake_launch()
    equal([row["dataId"] for row in t.fake.received("setDataBreakpoints")[-1]["arguments"]["breakpoints"]], ["d3"], "what may persist")
    equal([row["state"] for row in t.good("dap_breakpoints", kind="data")["breakpoints"]][:2], ["expired", "expired"])


def test_bad_arguments_of_breakpoints(t):
    # Each names the argument, and changes nothing.
    t.fake_stopped()
    for arguments, words in (
            ({}, "must have file or function or data"), ({"file": PATH, "function": "f"}, "give exactly one"), ({"file": PATH}, "/line is required"),
            ({"function": "f", "line": 3}, "/line is only for a breakpoint by file"),
            ({"file": PATH, "line": 3, "offset": 1}, "/offset is only for a breakpoint by address"),
            ({"data": "x"}, "supportsDataBreakpoints"), ({"address": "0x401136"}, "supportsInstructionBreakpoints"),
            ({"exception": "all"}, "(it offers: uncaught, raised)"), ({"exception": "E", "break_mode": "always"}, "supportsExceptionOptions"),
            ({"file": PATH, "line": 3, "mode": "hardware"}, "(it has: none)")):
        contains(t.bad("dap_add_breakpoint", **arguments), words, str(arguments))
    for tool, arguments, words in (
            ("dap_remove_breakpoint", {"number": 9}, "there is no breakpoint 9"),
            ("dap_remove_breakpoint", {"file": PATH, "line": 99}, "there is no such breakpoint"),
            ("dap_remove_breakpoint", {"number": 1, "line": 3}, "/line is only together with file"),
            ("dap_remove_breakpoint", {"number": 1, "kind": "data"}, "/kind is only together with all"),
            ("dap_enable_breakpoint", {"number": 9, "enabled": True}, "there is no breakpoint 9"),
            ("dap_enable_breakpoint", {"enabled": True}, "must have number or all"),
            ("dap_set_exception_breakpoints", {"filters": [{}]}, "/filters/0 needs filter"),
            ("dap_set_exception_breakpoints", {"filters": [{"filter": "a", "break_mode": "always"}]}, "/filters/0/break_mode")):
        contains(t.bad(tool, **arguments), words, "%s %s" % (tool, arguments))
    equal([(row["number"], row["state"]) for row in t.good("dap_breakpoints")["breakpoints"]], [(1, "bound")], "nothing was changed")


def test_exceptions_of_launch_and_user(t):
    # stop_on_exceptions of dap_launch stands beside what was added, and gives way to a complete choice; the result says so.
    t.fake_stopped()
    t.good("dap_stop")
    t.good("dap_set_exception_breakpoints", filters=[])
    t.fake.script(path=PATH)
    result = t.fake_launch(install=False, stop_on_exceptions="all")
    contains(result.text, "stop_on_exceptions was not used: exceptions were chosen for all launches of this session (none); "
             "dap_set_exception_breakpoints chooses again")
    # Removing all takes the choice back: crashes were run over for the rest of the session, and no list showed why.
    t.good("dap_remove_breakpoint", all=True)
    t.good("dap_stop")
    t.fake.script(path=PATH)
    result = state(t.fake_launch(install=False, stop_on_exceptions="all", breakpoints=[{"file": PATH, "line": 3}]), "stopped")
    lacks(result.text, "was not used")


def test_all_is_what_was_set(t):
    # The list tells the exceptions of a launch apart from what somebody added; removing all leaves them, naming one removes it, and after
    # the program there are none.
    filters = [{"filter": "cpp_throw", "label": "thrown"}, {"filter": "cpp_catch", "label": "caught"}]
    t.fake.script(path=PATH, capabilities=dict(ALL, exceptionBreakpointFilters=filters))
    state(t.fake_launch(stop_on_exceptions="all", breakpoints=[{"file": PATH, "line": 3}]), "stopped")
    listed = t.good("dap_breakpoints")
    names = [row["exception"] for row in listed["breakpoints"] if row.get("of_launch")]
    check(names, "the launch has exceptions", listed)
    contains(listed.text, "Breakpoints: 1 (1 bound)\n")
    contains(listed.text, "\nExceptions of the launch: %s\n" % ", ".join(names))
    lacks(listed.text, ", exception ")
    removed = t.good("dap_remove_breakpoint", all=True)
    equal((removed["removed"], removed["left"]), ([1], 0), "removed", removed)
    lacks(removed.text, "exception")
    equal(t.fake.received("setExceptionBreakpoints")[-1]["arguments"]["filters"], names, "the adapter keeps them")
    contains(t.good("dap_breakpoints").text, "Breakpoints: 0\nExceptions of the launch: %s\n" % ", ".join(names))
    contains(t.good("dap_remove_breakpoint", exception=names[0]).text, "exception %s\nBreakpoints: 1 removed, 0 left" % names[0])
    lacks(t.good("dap_breakpoints").text, names[0] + "\n")
    t.good("dap_stop")
    saved = t.good("dap_breakpoints")
    equal((saved.text.strip(), saved["breakpoints"]), ("Breakpoints: 0", []), "after the program", saved)


def test_stop_names_several(t):
    # Two breakpoints of ours in one stop, and one of the adapter's own.
    t.fake_stopped(on={"setBreakpoints": [None, [rows({"id": 7, "verified": True}, {"id": 8, "verified": True})]],
                       "continue": [[OK, stopped("breakpoint", hitBreakpointIds=[8, 7, 99])]]})
    t.good("dap_add_breakpoint", file=PATH, line=4)
    result = t.good("dap_continue")
    contains(result.text, "hit breakpoint 2, lines.c:4\nhit breakpoint 1, lines.c:3\n")
    equal(([row["number"] for row in result["hit_breakpoints"]], result["hit_breakpoint_ids"]), ([2, 1], [8, 7, 99]), "", result)


def test_modes(t):
    # Hardware or software, where the adapter has such modes (cdt-gdb-adapter does): passed on, and another word is refused with those.
    modes = [{"mode": "hardware", "label": "Hardware Breakpoint", "appliesTo": ["source"]}]
    t.fake_stopped(capabilities=dict(ALL, breakpointModes=modes))
    row = t.good("dap_add_breakpoint", file=PATH, line=8, mode="hardware")["breakpoints"][0]
    equal((row["mode"], row["state"]), ("hardware", "bound"), "row", row)
    equal(t.fake.received("setBreakpoints")[-1]["arguments"]["breakpoints"][1], {"line": 8, "mode": "hardware"}, "sent")
    contains(t.bad("dap_add_breakpoint", file=PATH, line=9, mode="soft"), 'no breakpoint mode "soft" for source breakpoints (it has: hardware)')
    contains(t.bad("dap_add_breakpoint", function="work", mode="hardware"), "for function breakpoints")
    # For data it was sent to the adapter, which was asked whether it can watch in a mode that it does not have, and refused only then.
    contains(t.bad("dap_add_breakpoint", data="qty", mode="hardware"), "for data breakpoints")
    equal(t.fake.received("dataBreakpointInfo"), [], "what was asked")


@native
def test_the_same_line_twice(t, target):
    # gdb kept one of two equal breakpoints when both were taken away: "Breakpoints: none", and the program stopped at it.
    state(target.launch("cart", "cost", timeout_ms=WAIT), "stopped")
    line = {"line": target.line("cart", "cost")}
    rows_of = t.good("dap_set_breakpoints", file_path=target.source("cart"), breakpoints=[line, line])["breakpoints"]
    equal(len(rows_of), 1, "rows")
    t.good("dap_set_breakpoints", file_path=target.source("cart"), breakpoints=[])
    state(t.good("dap_continue", timeout_ms=WAIT), "terminated")


@native
def test_a_variable_that_was_assigned(t, target):
    # gdb shows the variables of a scope as they were at the stop: after an assignment dap_variables showed the former value.
    state(target.launch("cart", "cost-return", timeout_ms=WAIT), "stopped")
    t.good("dap_evaluate", expression="amount = 100")
    contains(t.good("dap_variables", path="amount").text, "= 100")
    listed = t.good("dap_variables").text
    check("= 100" in listed or "as they were when the program stopped" in listed, "it is said", listed)


def test_kinds_while_the_program_runs(t):
    # gdb takes new lines while the program runs, and nothing else ("notStopped"): what to do first is said, and it works then.
    target = t.target("gdb")
    target.launch_running("busy", "busy")
    contains(t.bad("dap_add_breakpoint", function="main"), "dap_pause first")
    state(t.good("dap_pause", timeout_ms=WAIT), "stopped")
    equal(add(t, function="main")["state"], "bound", "at the stop")


def test_an_address_without_memory(t):
    # gdb binds a breakpoint at any address, and then does not run any more: it says so to nobody, and every continue timed out.
    target = t.target("gdb")
    state(target.launch("cart", "cost", timeout_ms=WAIT), "stopped")
    contains(t.bad("dap_add_breakpoint", address="0x10"), "0x10 is no address of an instruction")
    contains(t.bad("dap_add_breakpoint", address="0x2000"), "no memory can be read at 0x2000")
    equal([row["kind"] for row in t.good("dap_breakpoints")["breakpoints"]], ["source"], "what there is")
    state(t.good("dap_continue", timeout_ms=WAIT), "stopped")


def test_condition_of_an_exception(t):
    # With a filter that takes one it goes into the filter's options; otherwise it is refused.
    filters = [{"filter": "all", "label": "All", "supportsCondition": True}, {"filter": "some", "label": "Some"}]
    t.fake_stopped(capabilities=dict(ALL, exceptionBreakpointFilters=filters, supportsExceptionFilterOptions=True))
    t.good("dap_set_exception_breakpoints", filters=[{"filter": "all", "condition": "a == 1"}, {"filter": "some"}])
    sent = t.fake.received("setExceptionBreakpoints")[-1]["arguments"]
    equal(sent, {"filters": ["some"], "filterOptions": [{"filterId": "all", "condition": "a == 1"}]})
    contains(t.bad("dap_set_exception_breakpoints", filters=[{"filter": "some", "condition": "a"}]), '"some" takes no condition')
