"""Breakpoints of every kind with every real adapter, and their numbers, places and states."""

from support.matrix import C, GO, Cells, every_adapter
from support.scenario import check, contains, equal, good, lacks, state

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
