"""What the tool sets promise: one tool for everything, and operations that an adapter cannot do say so by the capability's name."""

import json
import os
import re

from support import attaching, programs
from support.scenario import check, contains, equal, lacks

ROOT = os.path.join(os.path.dirname(__file__), "..", "..")
NO_CAPABILITIES = {name: None for name in json.load(open(os.path.join(ROOT, "tests", "schema", "debugAdapterProtocol.json")))[
    "definitions"]["Capabilities"]["properties"]}

# What an adapter must claim for it: operation, arguments, capability.
GATED = (
    ("dap_goto", {"line": 2}, "supportsGotoTargetsRequest"),
    ("dap_restart_frame", {}, "supportsRestartFrame"),
    ("dap_step_back", {}, "supportsStepBack"),
    ("dap_reverse_continue", {}, "supportsStepBack"),
    ("dap_step_in_targets", {}, "supportsStepInTargetsRequest"),
    ("dap_terminate_threads", {"thread_ids": [1]}, "supportsTerminateThreadsRequest"),
    ("dap_next", {"granularity": "instruction"}, "supportsSteppingGranularity"),
    ("dap_continue", {"single_thread": True}, "supportsSingleThreadExecutionRequests"),
    ("dap_read_memory", {"memory_reference": "0x1000"}, "supportsReadMemoryRequest"),
    ("dap_write_memory", {"memory_reference": "0x1000", "hex": "00"}, "supportsWriteMemoryRequest"),
    ("dap_disassemble", {"memory_reference": "0x1000"}, "supportsDisassembleRequest"),
    ("dap_add_breakpoint", {"data": "qty"}, "supportsDataBreakpoints"),
    ("dap_breakpoint_locations", {"file": "lines.c", "line": 3}, "supportsBreakpointLocationsRequest"),
    ("dap_variables", {"path": "qty", "hex": True}, "supportsValueFormattingOptions"),
    ("dap_evaluate", {"expression": "qty", "eval_context": "hover"}, "supportsEvaluateForHovers"),
    ("dap_evaluate", {"expression": "qty", "eval_context": "clipboard"}, "supportsClipboardContext"),
    ("dap_evaluate", {"expression": "qty", "hex": True}, "supportsValueFormattingOptions"),
    ("dap_completions", {"text": "q"}, "supportsCompletionsRequest"),
    ("dap_request", {"command": "stepBack"}, "supportsStepBack"),
    ("dap_modules", {}, "supportsModulesRequest"),
    ("dap_loaded_sources", {}, "supportsLoadedSourcesRequest"),
)


def test_what_an_adapter_does_not_claim(t):
    # A request that an adapter does not know is answered with rubbish or never; so it is not sent, and the agent is told why and what else
    # there is. The program stands where it stood.
    t.fake_stopped(capabilities={**NO_CAPABILITIES, "supportsConfigurationDoneRequest": True})
    before = t.good("dap_status")["stop_number"]
    sent = len(t.fake.commands())
    for tool, arguments, capability in GATED:
        text = t.bad(tool, **arguments)
        check(re.search(capability + r"\b[^;]*; \S.{10,}", text), "%s names the capability, and what to do instead" % tool, text)
    equal(t.fake.commands()[sent:], [], "nothing was sent")
    equal(t.good("dap_status")["stop_number"], before, "it stands where it stood")


def test_core_names_its_own_tools(t):
    # A model follows the hints of a result: one that names a tool that it was not offered leads nowhere. What core may say in other words
    # is said so, and what only another tool can do is not named.
    t._dapple = t.start("--tools", "core")
    offered = {tool["name"] for tool in t.dapple.tools}
    frame = {"id": 1, "name": "made", "line": 3, "column": 1, "source": {"name": "made", "path": "/nowhere/made", "sourceReference": 7}}
    result = t.fake_stopped(capabilities={"supportsReadMemoryRequest": True, "supportsInstructionBreakpoints": True},
                            on={"stackTrace": [[{"respond": {"stackFrames": [frame], "totalFrames": 1}}]],
                                "readMemory": [[{"fail": "no memory"}]]})
    contains(result.text, "source: the file")
    texts = [result.text, t.bad("dap_remove_breakpoint", number=9), t.bad("dap_add_breakpoint", address="0x401000"),
             t.bad("dap_add_breakpoint", address="0x10"), t.good("dap_status").text, t.good("dap_step_in").text]
    contains(texts[1], "there is no breakpoint 9; there is 1")
    contains(texts[2], "no memory can be read at 0x401000, so that no instruction is there")
    contains(texts[3], "0x10 is no address of an instruction")
    for text in texts[2:4]:
        lacks(text, "; dap_")
    t.good("dap_stop")
    t.good("dap_remove_breakpoint", all=True)
    texts.append(t.bad("dap_remove_breakpoint", number=9))
    contains(texts[-1], "there are none")
    t.good("dap_set_exception_breakpoints", filters=[])  # taken, though not offered
    path = programs.source("lines.c")
    t.fake.script(path=path)
    texts.append(t.fake_launch(install=False, stop_on_exceptions="all", breakpoints=[{"file": path, "line": 3}]).text)
    contains(texts[-1], "stop_on_exceptions was not used")
    for text in texts:
        equal(set(re.findall(r"\bdap_[a-z_]+", text)) - offered, set(), "tools that are named and not offered", text)


class Debug:
    """A server with the one tool."""

    def __init__(self, t):
        self.t = t
        t._dapple = t.start("--tools", "single")

    def __call__(self, action, **arguments):
        return self.t.good("debug", action=action, **arguments)

    def bad(self, action, **arguments):
        return self.t.bad("debug", action=action, **arguments)


def test_actions_of_one_tool(t):
    # The actions and parameters that agents know from another debugger's single tool, on a program with memory and instructions.
    target = t.target("gdb")
    debug = Debug(t)
    stopped = debug("launch", program=target.program("cart"), adapter="gdb", timeout=40,
                    breakpoints=target.breakpoints("cart", "call"))
    contains(stopped.head, "stopped (breakpoint)")
    contains(debug("set_breakpoint", file=target.source("cart"), line=target.line("cart", "cost"), condition="item->qty == 10").text, "cart.c")
    contains(debug("set_breakpoint", function="total").text, "total")
    contains(debug("continue", timeout=40).head, "in total")
    contains(debug("step_in").head, "stopped (step)")
    contains(debug("remove_breakpoint", function="total").text, "emoved")
    contains(debug("continue").head, "in cost")
    contains(debug("evaluate", expression="item->qty").text, "10")
    stack = debug("stack_trace", levels=1)
    equal(len(stack["stack_frames"]), 1, "one frame", stack)
    frame = stack["stack_frames"][0]["id"]
    contains(debug("threads").text, "cost")
    contains(debug("scopes", frame_id=frame).text, "variables_reference")
    scopes = debug("variables", frame_id=frame)["scopes"]
    contains(debug("variables", scope_id=scopes[0]["variables_reference"]).text, "item")
    item = next(row for row in scopes[0]["variables"] if row["name"] == "item")
    contains(debug("variables", variable_ref=item["variables_reference"]).text, "qty")
    contains(debug("variables", path="item.qty").text, "10")
    contains(debug("read_memory", memory_reference="&item->qty", count=4)["memory"]["data"], "CgAAAA==")
    contains(debug("write_memory", memory_reference="&item->qty", data="CwAAAA==").text, "4")
    contains(debug("evaluate", expression="item->qty").text, "11")
    equal(debug("disassemble", instruction_count=3, resolve_symbols=True).text.count("0x") >= 3, True, "instructions")
    contains(debug("modules").text, "cart")
    contains(debug("loaded_sources").text, "cart.c")
    contains(debug("sessions").text, "cart")
    contains(debug("custom_request", command="threads").text, "threads")
    contains(debug("step_over").head, "stopped (step)")
    contains(debug("step_out").head, "stopped")
    contains(debug("remove_breakpoint", file=target.source("cart")).text, "emoved")
    contains(debug("continue").head, "terminated")
    contains(debug("output").text, "cart 36")
    contains(debug("terminate").head, "terminated")
    contains(debug.bad("step_in"), "requires a stopped")


def test_actions_that_attach_and_pause(t):
    # Seconds to wait, and an attached program that lives on when the session is terminated: the tool that agents know kills it.
    target = t.target("gdb")
    debug = Debug(t)
    with attaching.running(t, target) as counting:
        contains(debug("attach", pid=counting.pid, adapter="gdb", timeout=40).text, str(counting.pid))
        if debug("status")["state"] == "stopped":
            contains(debug("continue", timeout=0.2).head, "running")
        contains(debug("pause", timeout="20").head, "stopped")
        debug("terminate")
        counting.lives_on("after terminate")
