"""A program's first line, its last, and files that it loads on its way: a breakpoint there stops it, or the row says why it does not."""

from support.matrix import Cells, every_adapter
from support.scenario import contains, equal, lacks, state

WAIT = 20000


def at(target, result, program, mark):
    state(result, "stopped")
    equal(result["top_frame"]["line"], target.line(program, mark), "line of the mark %r" % mark, result)
    return result


def hits(result):
    return [row["number"] for row in result.data.get("hit_breakpoints", [])]


@every_adapter
def test_first_and_last_line(t, target):
    # The first thing that one tries with a script. rdbg and Perl stood there already when the breakpoint was set, and went on: the program
    # ran to its end, "terminated (exit code 0)".
    # And several breakpoints in one line: most adapters keep one of them, so that a condition hid a message, or the other way round.
    source, last = target.source("first"), target.line("first", "last")
    wanted = [{"file": source, "line": target.line("first", "first")}]
    if not target.language.compiled:
        wanted.append({"file": target.source("later"), "line": target.line("later", "later")})
    wanted += [{"file": source, "line": last, "condition": "%s == 2" % target.language.local % "first"},
               {"file": source, "line": last, "log_message": "at last"}, {"file": source, "line": last}]
    with Cells(target.adapter) as cells:
        result = target.launch("first", timeout_ms=WAIT, breakpoints=wanted)
        with cells.cell("first and last line"):
            at(target, result, "first", "first")
            equal(result["stop_reason"], "breakpoint", "the reason", result)
            equal(len(hits(result)), 1, "it says which", result)
            lacks(result["output"], "first 1", "nothing of it ran")
            if not target.language.compiled:
                at(target, t.good("dap_continue", timeout_ms=WAIT), "later", "later")
            result = at(target, t.good("dap_continue", timeout_ms=WAIT), "first", "last")
        rows = [row for row in t.good("dap_breakpoints")["breakpoints"] if row["kind"] == "source"]
        with cells.cell("several in one line"):
            plain = [row["number"] for row in rows if row["line"] == last and "condition" not in row and "log_message" not in row]
            equal(hits(result), plain, "the one without a condition", result)
            equal(len(plain), 1, "there is one", rows)
            contains(result["output"], "at last")
            equal([row["state"] for row in rows], ["bound"] * len(wanted), "all of them are bound", rows)
        state(t.good("dap_continue", timeout_ms=WAIT), "terminated")


def decided_in_the_first_line(t, target):
    # What a breakpoint in the first line asks for holds there as anywhere: a condition, a count, a message.
    line = target.line("first", "first")
    source = target.source("first")
    at_last = {"file": source, "line": target.line("first", "last")}
    result = at(target, target.launch("first", timeout_ms=WAIT, breakpoints=[
        {"file": source, "line": line, "condition": "1 == 1", "hit_condition": "1", "log_message": "passed"}, at_last]), "first", "last")
    equal(len(hits(result)), 1, "only that one", result)
    contains(result["output"], "passed")
    t.good("dap_stop")
    result = at(target, target.launch("first", timeout_ms=WAIT, breakpoints=[{"file": source, "line": line, "hit_condition": "2"}, at_last]),
                "first", "last")
    t.good("dap_stop")
    for condition, count in (("1 == 2", 0), ("1 == 1", 1)):
        result = at(target, target.launch("first", timeout_ms=WAIT, stop_on_entry=True, breakpoints=[
            {"file": source, "line": line, "condition": condition}, at_last]), "first", "first")
        equal((result["stop_reason"], len(hits(result))), ("entry", count), "asked for, and whether the condition holds", result)
        lacks(result["output"], "first 1", "nothing of it ran")
        if count == 0:
            t.good("dap_stop")
    at(target, t.good("dap_continue", timeout_ms=WAIT), "first", "last")
    t.good("dap_stop")


def test_first_line_of_ruby(t):
    decided_in_the_first_line(t, t.target("rdbg"))


def test_first_line_of_perl(t):
    decided_in_the_first_line(t, t.target("perl"))
