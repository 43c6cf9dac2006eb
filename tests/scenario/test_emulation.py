"""Breakpoints that Dapple decides about itself, beside the same ones that the adapter does: same stops, same counts, same messages."""

import glob
import json
import os
import re

from support import matrix, programs
from support.fake import OK, stopped
from support.matrix import Cells, every_adapter
from support.scenario import check, contains, equal, good, lacks, state, takes_long, until

WAIT = 20000
CAPABILITIES = {"condition": "supportsConditionalBreakpoints", "hit_condition": "supportsHitConditionalBreakpoints",
                "log_message": "supportsLogPoints", "function": "supportsFunctionBreakpoints"}
MEMBERS = {"condition": "condition", "hit_condition": "hitCondition", "log_message": "logMessage"}


def do_not_believe(t, adapter, *parts):
    """The user's settings: what the adapter claims of these counts as not claimed."""
    t.file("../home/.config/dapple/settings.json",
           json.dumps({"adapters": {adapter: {"claimsWrongly": [CAPABILITIES[part] for part in parts]}}}))


def run_with(t, target, **options):
    """The quantity of the item at each stop, and the lines that the debugger printed."""
    breakpoints = target.breakpoints("cart", "cost")
    breakpoints[0].update(options)
    result = target.launch("cart", breakpoints=breakpoints, timeout_ms=WAIT)
    stops, output = [], result["output"]
    while result["state"] == "stopped":
        equal(result["stop_reason"], "breakpoint", "reason", result)
        equal(result["top_frame"]["line"], target.line("cart", "cost"), "line", result)
        stops.append(t.good("dap_evaluate", expression=target.language.quantity)["evaluation"]["result"])
        result = t.good("dap_continue", timeout_ms=WAIT)
        output += result["output"]
    state(result, "terminated")
    contains(output, "35")  # debugpy's messages may come in the middle of the program's line
    return stops, re.findall("ordered [0-9]+ of it(?=\n)", output)


def sent_members(t, adapter):
    """The members of all breakpoints that were sent to it."""
    members = set()
    for path in glob.glob(os.path.join(t.records, adapter + "-*.client")):
        with open(path, "rb") as file:
            for part in file.read().split(b"\r\n\r\n")[1:]:
                message, _ = json.JSONDecoder().raw_decode(part.decode("utf-8", "replace"))
                if message.get("command") == "setBreakpoints":
                    members.update(*message["arguments"]["breakpoints"])
    check(members, "breakpoints were recorded")
    return members


def emulated(t, target, part, **options):
    do_not_believe(t, target.adapter, part)
    outcome = run_with(t, target, **options)
    lacks(sent_members(t, target.adapter), MEMBERS[part], "it was not asked of the adapter")
    return outcome


@every_adapter
def test_conditions(t, target):
    # An adapter without conditions stops at each pass; the emulation may not be seen, but for the one stop.
    with Cells(target.adapter) as cells:
        with cells.cell("emulated condition"):
            equal(emulated(t, target, "condition", condition=target.language.condition)[0], ["10"], "one item has ten")


@every_adapter
def test_hit_conditions(t, target):
    # Adapters read "3" in three ways, and some not at all: it is the third hit, everywhere.
    with Cells(target.adapter) as cells:
        with cells.cell("emulated hit condition"):
            for wanted, stops in (("3", ["10"]), (">= 3", ["10", "2"]), ("% 2", ["1", "2"])):
                equal(emulated(t, target, "hit_condition", hit_condition=wanted)[0], stops, wanted)


@every_adapter
def test_log_messages(t, target):
    # The program never stops, and what is printed is in the order of the program.
    with Cells(target.adapter) as cells:
        with cells.cell("emulated log message"):
            message = "ordered {%s} of it" % target.language.quantity
            stops, lines = emulated(t, target, "log_message", log_message=message)
            equal((stops, lines), ([], ["ordered %d of it" % quantity for quantity in (3, 1, 10, 2)]), "logged")


@every_adapter
def test_native(t, target):
    # The same where the adapter does it, as far as it claims to: what differs must not be left to it.
    with Cells(target.adapter) as cells:
        message = "ordered {%s} of it" % target.language.quantity
        for step, options, expected in (
                ("hit condition", {"hit_condition": "3"}, (["10"], [])),
                ("log message", {"log_message": message}, ([], ["ordered %d of it" % quantity for quantity in (3, 1, 10, 2)])),
                ("condition and log message", {"condition": target.language.condition, "log_message": message}, ([], ["ordered 10 of it"])),
                ("hit condition and log message", {"hit_condition": ">= 3", "log_message": message},
                 ([], ["ordered 10 of it", "ordered 2 of it"])),
                ("condition and hit condition", {"condition": target.language.condition, "hit_condition": "1"}, (["10"], []))):
            with cells.cell(step):
                equal(run_with(t, target, **options), expected, step)


@every_adapter
def test_functions(t, target):
    # Adapters that take no names get the line of the function's first statement; the stop names the function's breakpoint.
    with Cells(target.adapter) as cells:
        with cells.cell("function breakpoint"):
            name = "main.cost" if target.adapter == "dlv" else "cost"
            t.good("dap_add_breakpoint", function=name)
            result = state(target.launch("cart", timeout_ms=WAIT), "stopped")
            line = result["top_frame"]["line"]
            check(abs(line - target.line("cart", "cost")) <= 1, "at the function's beginning", result)
            contains(result.text, "function %s" % name)
            for _ in range(3):
                state(t.good("dap_continue", timeout_ms=WAIT), "stopped")
            row = t.good("dap_breakpoints", kind="function")["breakpoints"][0]
            equal((row["state"], row["stops"]), ("bound", 4), "the list", row)
            t.good("dap_remove_breakpoint", number=row["number"])
            state(t.good("dap_continue", timeout_ms=WAIT), "terminated")
            if target.adapter in ("js-debug", "rdbg", "perl"):
                equal(row["emulated"], ["function"], "how", row)


@every_adapter
def test_emulated_functions(t, target):
    # The same where the adapter could do it, but is not believed; one of them with a condition.
    with Cells(target.adapter) as cells:
        with cells.cell("emulated function"):
            if target.language in (matrix.C, matrix.GO):
                # The sources of compiled programs are no part of the program: the place must be given.
                do_not_believe(t, target.adapter, "function")
                t.good("dap_add_breakpoint", function="cost")
                result = state(target.launch("cart", timeout_ms=WAIT), "terminated")
                contains(result.text, "give the file and the line of it instead")
                raise AssertionError("its sources are not known")
            do_not_believe(t, target.adapter, "function")
            t.good("dap_add_breakpoint", function="cost", hit_condition=">= 3")
            result = state(target.launch("cart", timeout_ms=WAIT), "stopped")
            contains(result.text, "emulated, since the adapter cannot do it")
            state(t.good("dap_continue", timeout_ms=WAIT), "stopped")
            row = t.good("dap_breakpoints", kind="function")["breakpoints"][0]
            check("function" in row["emulated"], "how", row)
            equal(row["stops"], 2, "from the third on", row)
            state(t.good("dap_continue", timeout_ms=WAIT), "terminated")


@every_adapter
def test_pause_in_the_middle(t, target):
    # The program stops and goes on all the time, and the pause comes whenever it comes: it must end in a stop, and a stop must be one.
    with Cells(target.adapter) as cells:
        with cells.cell("pause under an emulated hit condition"):
            do_not_believe(t, target.adapter, "hit_condition")
            breakpoints = target.breakpoints("busy", "spin")
            breakpoints[0]["hit_condition"] = "1000000000"
            state(target.launch("busy", breakpoints=breakpoints, timeout_ms=0), "running")

            def is_hit():
                rows = t.good("dap_breakpoints")["breakpoints"]
                return rows[0].get("arrivals", 0) > 20
            until(is_hit, "twenty passes")
            for _ in range(3):
                result = state(t.good("dap_pause", timeout_ms=WAIT), "stopped")
                lacks([row["number"] for row in result.data.get("hit_breakpoints", [])], 1, "it was no hit that stopped it")
                state(t.good("dap_evaluate", expression=target.language.local % "counter"), "stopped")
                state(t.good("dap_continue", timeout_ms=100), "running")
            row = t.good("dap_breakpoints")["breakpoints"][0]
            equal(row["stops"], 0, "it never stopped the program", row)
            state(t.good("dap_stop"), "terminated")


@every_adapter
def test_steps(t, target):
    # A step over a call in which such a breakpoint is hit ends behind the call; one that ends on such a line is a step.
    with Cells(target.adapter) as cells:
        with cells.cell("step over an emulated breakpoint"):
            do_not_believe(t, target.adapter, "hit_condition")
            breakpoints = target.breakpoints("cart", "call", "cost", "print")
            breakpoints[1]["hit_condition"] = breakpoints[2]["hit_condition"] = "100"
            result = state(target.launch("cart", breakpoints=breakpoints, timeout_ms=WAIT), "stopped")
            equal(result["top_frame"]["line"], target.line("cart", "call"), "at the call", result)
            result = state(t.good("dap_next", timeout_ms=WAIT), "stopped")
            equal(result["top_frame"]["line"], target.line("cart", "print"), "behind the call", result)
            equal(result["stop_reason"], "step", "reason", result)
            rows = {row["line"]: row for row in t.good("dap_breakpoints", kind="source")["breakpoints"]}
            row = rows[target.line("cart", "cost")]
            equal((row["arrivals"], row["stops"]), (4, 0), "the four items", row)
            state(t.good("dap_continue", timeout_ms=WAIT), "terminated")


# ---- what can go wrong: the fake adapter ----

PATH = programs.source("lines.c")
TRUE, FALSE = {"respond": {"result": "1", "variablesReference": 0}}, {"respond": {"result": "0", "variablesReference": 0}}
HIT = stopped("breakpoint", hitBreakpointIds=[1])


def launch(t, on, **arguments):
    """The fake stops at a breakpoint whose condition it cannot do."""
    t.fake.script(path=PATH, capabilities={"supportsConditionalBreakpoints": None}, on=on)
    return t.fake_launch(breakpoints=[{"file": PATH, "line": 3, "condition": "qty > 1"}], **arguments)


def test_hits_that_do_not_stop(t):
    # The launch waits for the stop that is one, and its number is the first; the list has counted them all.
    result = state(launch(t, {"evaluate": [[FALSE], [FALSE], [TRUE], None], "continue": [[OK, HIT], [OK, HIT], None]}), "stopped")
    equal((result["stop_number"], result["stop_reason"]), (1, "breakpoint"), "the stop", result)
    contains(result.text, "emulated, since the adapter cannot do it: breakpoint 1 (condition)")
    row = t.good("dap_breakpoints")["breakpoints"][0]
    equal((row["arrivals"], row["stops"], row["emulated"]), (3, 1, ["condition"]), "counts", row)
    equal([message["arguments"]["levels"] for message in t.fake.received("stackTrace")][:3], [1, 1, 1], "only the top frame is read")


def test_condition_that_cannot_be_evaluated(t):
    # A misspelt condition would let the program run to its end, and nobody would know why.
    result = state(launch(t, {"evaluate": [[{"fail": "no symbol qyt in context"}], None]}), "stopped")
    contains(result.text, "its condition qty > 1 could not be evaluated: no symbol qyt in context")


def test_condition_that_never_ends(t):
    # Bounded by the time-out of requests: then it is a stop, and what happened is said.
    t.file("../home/.config/dapple/settings.json", json.dumps({"timeouts": {"requestMs": 1200}}))
    result = state(launch(t, {"evaluate": [[]]}), "stopped")
    contains(result.text, "its condition qty > 1 could not be evaluated")


def test_pause_while_the_condition_is_evaluated(t):
    state(launch(t, {"evaluate": [[{"gate": "decided"}, FALSE], None]}, timeout_ms=0), "running")
    t.fake.wait_command("evaluate")
    state(t.good("dap_status"), "running")
    pausing = t.dapple.start("dap_pause")
    t.fake.open_gate("decided")
    result = state(pausing.result(), "stopped")
    equal(result["stop_reason"], "pause", "reason", result)
    equal(t.fake.received("pause"), [], "it stood still already")
    equal(t.fake.received("continue"), [], "and was not let go")


def test_stop_while_the_condition_is_evaluated(t):
    state(launch(t, {"evaluate": [[]]}, timeout_ms=0), "running")
    t.fake.wait_command("evaluate")
    equal(state(t.good("dap_stop"), "terminated")["termination_reason"], "stopped by request")


def test_crash_while_the_condition_is_evaluated(t):
    result = state(launch(t, {"evaluate": [[{"exit": 3}]]}), "terminated")
    lacks(result.text, "could not be evaluated")


def test_resume_that_is_refused(t):
    # The program stands still: that is a stop, whatever the condition says.
    result = state(launch(t, {"evaluate": [[FALSE], None], "continue": [[{"fail": "not now"}], None]}), "stopped")
    contains(result.text, "could not go on from a breakpoint that was not to stop it", "not now")


def test_breakpoint_removed_while_its_condition_is_evaluated(t):
    state(launch(t, {"evaluate": [[{"gate": "decided"}, TRUE], None], "continue": [[OK]]}, timeout_ms=0), "running")
    t.fake.wait_command("evaluate")
    t.good("dap_set_breakpoints", file_path=PATH, breakpoints=[])
    t.fake.open_gate("decided")
    t.fake.wait_command("continue")
    state(t.good("dap_status"), "running")


def test_message_with_a_value_that_there_is_not(t):
    # One bad expression is no reason to lose the message; the program does not stop for it.
    t.fake.script(path=PATH, capabilities={"supportsLogPoints": None},
                  on={"evaluate": [[{"respond": {"result": "7", "variablesReference": 0}}], [{"fail": "no such thing"}]]})
    result = state(t.fake_launch(breakpoints=[{"file": PATH, "line": 3, "log_message": "qty {qty} of {all}"}]), "terminated")
    contains(result.text, "|# qty 7 of {no such thing}")


# ---- a million ----

def resident_kib(pid):
    with open("/proc/%d/status" % pid) as file:
        return int(re.search(r"VmRSS:\s+(\d+)", file.read()).group(1))


def check_growth(t, before, most_kib):
    """A sanitizer keeps what was freed, so that it finds later uses of it: there the growth says nothing."""
    grown = resident_kib(t.dapple.process.pid) - before
    check(grown < most_kib or "DAPPLE_TEST_SANITIZED" in os.environ, "the memory has grown by %d KiB" % grown)


def launch_fast(t, passes, **options):
    """An adapter that costs nothing: `dap_continue` runs a loop of so many passes with the breakpoint in it."""
    fast = os.path.join(os.path.dirname(t.dapple_path), "tests", "fast-adapter")
    source = t.file("loop.fast", "\n" * 30)
    t.file("../home/.config/dapple/settings.json", json.dumps({"adapters": {"fast": {
        "command": fast, "args": ["--passes", str(passes), "--source", source], "extensions": [".fast"]}}}))
    result = t.good("dap_launch", program=source, breakpoints=[dict(file=source, line=3, **options)])
    equal(result["stop_reason"], "entry", "it has not begun", result)


@takes_long
def test_a_million_hits(t):
    # Each hit is a stop, a decision and a resume: none may leave anything behind.
    launch_fast(t, 1000001, hit_condition="1000000")
    before = resident_kib(t.dapple.process.pid)
    result = state(good(t.dapple.start("dap_continue", timeout_ms=280000).result(280)), "stopped")
    equal(result["stop_number"], 2, "one stop", result)
    row = t.good("dap_breakpoints")["breakpoints"][0]
    equal((row["arrivals"], row["stops"]), (1000000, 1), "counted", row)
    check_growth(t, before, 8 * 1024)
    state(t.good("dap_continue"), "terminated")


@takes_long
def test_more_messages_than_are_kept(t):
    # Output that nobody reads is bounded, and what is lost is said.
    launch_fast(t, 50000, log_message="this is pass {pass} of many")
    before = resident_kib(t.dapple.process.pid)
    result = state(good(t.dapple.start("dap_continue", timeout_ms=280000).result(280)), "terminated")
    contains(result["output"], "this is pass 50000 of many")
    check(result["output_discarded_bytes"] > 0, "older messages were let go", result["output_discarded_bytes"])
    check_growth(t, before, 16 * 1024)


def test_pause_in_a_million_hits(t):
    # It comes between any two hits, at once, and the count goes on after it.
    launch_fast(t, 100000000, hit_condition="100000000")
    for _ in range(20):
        state(t.good("dap_continue", timeout_ms=0), "running")
        result = state(t.good("dap_pause", timeout_ms=WAIT, limit=30), "stopped")
        equal(result["stop_reason"], "pause", "reason", result)
    row = t.good("dap_breakpoints")["breakpoints"][0]
    equal(row["stops"], 0, "no hit stopped it", row)
    state(t.good("dap_stop"), "terminated")
