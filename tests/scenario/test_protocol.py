"""Parts of the protocol that no real adapter here shows: the fake one does, so that every part has been tried (docs/protocol.md)."""

from support import programs
from support.scenario import contains, equal


def test_breakpoint_modes(t):
    # A mode that the adapter does not offer would be ignored or refused by it, with the whole list; one that it offers is passed on.
    t.fake_stopped(capabilities={"breakpointModes": [{"mode": "hardware", "label": "Hardware", "appliesTo": ["source"]}]})
    contains(t.good("dap_add_breakpoint", file="lines.c", line=4, mode="hardware").text, "lines.c:4")
    rows = t.fake.received("setBreakpoints")[-1]["arguments"]["breakpoints"]
    equal([row.get("mode") for row in rows], [None, "hardware"], "sent")
    contains(t.bad("dap_add_breakpoint", file=programs.source("lines.c"), line=5, mode="magic"), "no breakpoint mode \"magic\"")
    rows = t.fake.received("setBreakpoints")[-1]["arguments"]["breakpoints"]
    equal([row.get("mode") for row in rows], [None, "hardware"], "the unknown one is not sent")


def test_module_columns(t):
    # An adapter can tell more of a module than the protocol has names for, and says how it is called.
    t.fake_stopped(capabilities={"supportsModulesRequest": True,
                                 "additionalModuleColumns": [{"attributeName": "abi", "label": "ABI\nx"}]},
                   on={"modules": [[{"respond": {"modules": [{"id": 1, "name": "one", "abi": "lp64\nModules: 9"}]}}]]})
    text = t.good("dap_modules").text
    contains(text, "lp64\\nModules: 9")
    contains(text, "ABI")


def test_contexts_of_evaluations(t):
    # An expression in the context of a hover must have no side effects with an adapter that claims it; one that does not is not asked so.
    t.fake_stopped(capabilities={"supportsEvaluateForHovers": True, "supportsClipboardContext": True})
    for context in ("hover", "clipboard", "repl"):
        t.good("dap_evaluate", expression="qty", eval_context=context)
        equal(t.fake.received("evaluate")[-1]["arguments"]["context"], context, "sent")


def test_condition_of_a_filter(t):
    # It has a member of its own, for adapters that claim it only.
    t.fake_stopped(capabilities={"supportsExceptionFilterOptions": True,
                                 "exceptionBreakpointFilters": [{"filter": "raised", "label": "Raised", "supportsCondition": True}]})
    t.good("dap_add_breakpoint", exception="raised", condition="x > 1")
    sent = t.fake.received("setExceptionBreakpoints")[-1]["arguments"]
    equal(sent["filterOptions"], [{"filterId": "raised", "condition": "x > 1"}], "sent")


def test_bytes_to_watch(t):
    # A part of a big value is watched by its address and size.
    t.fake_stopped(capabilities={"supportsDataBreakpoints": True, "supportsDataBreakpointBytes": True},
                   on={"dataBreakpointInfo": [[{"respond": {"dataId": "0x1000/4", "description": "4 bytes", "accessTypes": ["write"]}}]],
                       "setDataBreakpoints": [[{"respond": {"breakpoints": [{"id": 70, "verified": True}]}}]]})
    contains(t.good("dap_add_breakpoint", data="0x1000", bytes=4).text, "0x1000")
    equal(t.fake.received("dataBreakpointInfo")[-1]["arguments"]["bytes"], 4, "asked")
    equal(t.fake.received("setDataBreakpoints")[-1]["arguments"]["breakpoints"][0]["dataId"], "0x1000/4", "set")
