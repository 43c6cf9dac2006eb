"""What the tool sets promise: one tool for everything, and operations that an adapter cannot do say so by the capability's name."""

import json
import os
import re

from support.scenario import check, contains, equal, good, native

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
