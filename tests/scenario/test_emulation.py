"""Breakpoints that Dapple decides about itself, beside the same ones that the adapter does: same stops, same counts, same messages."""

import glob
import json
import os
import re

from support import matrix
from support.matrix import Cells, every_adapter
from support.scenario import check, contains, equal, lacks, state

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
