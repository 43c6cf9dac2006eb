"""Breakpoints that Dapple decides about itself, beside the same ones that the adapter does: same stops, same counts, same messages."""

import json

from support import matrix
from support.matrix import Cells, every_adapter
from support.scenario import check, contains, equal, state

WAIT = 20000
CAPABILITIES = {"condition": "supportsConditionalBreakpoints", "hit": "supportsHitConditionalBreakpoints", "log": "supportsLogPoints",
                "function": "supportsFunctionBreakpoints"}


def do_not_believe(t, adapter, *parts):
    """The user's settings: what the adapter claims of these counts as not claimed."""
    t.file("../home/.config/dapple/settings.json",
           json.dumps({"adapters": {adapter: {"claimsWrongly": [CAPABILITIES[part] for part in parts]}}}))


def run_with(t, target, **options):
    """The product of the item at each stop, and what the debugger printed."""
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
    contains(output, "cart 35")
    return stops, [line for line in output.splitlines() if "quantity" in line]


@every_adapter
def test_conditions(t, target):
    do_not_believe(t, target.adapter, "condition")
    with Cells(target.adapter) as cells:
        with cells.cell("emulated condition"):
            stops, _ = run_with(t, target, condition=target.language.condition)
            equal(stops, ["10"], "one item has ten")
