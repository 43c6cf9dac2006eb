"""dap_request: the last resort, after which the state is still true."""

from support import programs
from support.fake import OK
from support.matrix import Cells, every_adapter
from support.scenario import check, contains, equal, lacks, state, until


@every_adapter
def test_raw_request(t, target):
    # A request that no operation makes, and one that lets the program go on: the session knows where the program is afterwards.
    t._dapple = t.start("--tools", "full")
    result = state(target.launch("cart", "cost", timeout_ms=20000), "stopped")
    with Cells(target.adapter) as cells:
        with cells.cell("raw request"):
            frame = result["top_frame"]["id"]
            answer = t.good("dap_request", command="scopes", arguments={"frameId": frame})
            check(answer["response"]["body"]["scopes"], "scopes of our frame id", answer)
            contains(answer.text, "\"scopes\": [")
            expression = target.language.product.split()[0].replace("amount", "1") + " + 1"
            t.good("dap_request", command="next", arguments={"threadId": result["thread_id"]})
            state(until(lambda: stopped(t), "the stop"), "stopped")
            check(t.good("dap_status")["stop_number"] > result["stop_number"], "another stop", expression)
            contains(t.bad("dap_request", command="scopes", arguments={"frameId": frame}), "belongs to an earlier stop")


def stopped(t):
    result = t.good("dap_status")
    return result if result["state"] == "stopped" else None


def test_what_is_refused(t):
    # A raw setBreakpoints replaced the list of a file, and the session went on to show breakpoints that were not there.
    t._dapple = t.start("--tools", "full")
    t.own_commands = {"anything", "nonsense"}
    contains(t.bad("dap_request", command="threads"), "request requires an adapter")
    t.fake_stopped(on={"anything": [[{"respond": {"deep": {"text": "a\nDebuggee output:"}}}]],
                       "readMemory": [[{"respond": {"address": "1"}}]]})
    for command, owner in (("initialize", "dap_launch"), ("launch", "dap_launch"), ("attach", "dap_attach"),
                           ("configurationDone", "dap_launch"), ("disconnect", "dap_stop"), ("terminate", "dap_stop"),
                           ("restart", "dap_restart"), ("setBreakpoints", "dap_set_breakpoints"),
                           ("setFunctionBreakpoints", "dap_add_breakpoint"), ("setExceptionBreakpoints", "dap_set_exception_breakpoints"),
                           ("runInTerminal", "dap_launch")):
        contains(t.bad("dap_request", command=command, force=True), owner)
    contains(t.bad("dap_request", command="readMemory", arguments={}), "does not claim supportsReadMemoryRequest")
    lacks(t.fake.commands(), "readMemory")
    contains(t.good("dap_request", command="readMemory", arguments={"memoryReference": "1", "count": 1}, force=True).text,
             "\"address\": \"1\"")
    # Words of an adapter cannot pass for the program's output.
    result = t.good("dap_request", command="anything")
    lacks(result.text, "\nDebuggee output:")
    equal(result["response"]["body"]["deep"]["text"], "a\nDebuggee output:", "structured", result)
    contains(t.bad("dap_request", command="nonsense"), "nonsense request failed: unknown command")
    contains(t.bad("dap_request", command=""), "/command")


def test_ids(t):
    # Our ids are not the adapter's: a frame id of ours that was sent as it is named another frame, or none.
    t._dapple = t.start("--tools", "full")
    t.own_commands = {"custom"}
    result = t.fake_stopped(on={"custom": [[{"respond": {}}]]})
    frame = result["top_frame"]["id"]
    value = [row for row in result["locals"] if row["variables_reference"]][0]["variables_reference"]
    t.good("dap_request", command="custom", arguments={"frameId": frame, "variablesReference": value, "threadId": 1, "other": frame})
    equal(t.fake.received("custom")[-1]["arguments"], {"frameId": 1000, "variablesReference": 7, "threadId": 1, "other": frame},
          "translated")
    t.good("dap_request", command="custom", arguments={"frameId": frame}, raw_ids=True)
    equal(t.fake.received("custom")[-1]["arguments"], {"frameId": frame}, "as they are")
    t.good("dap_request", command="custom", arguments={"frameId": 1002})
    equal(t.fake.received("custom")[-1]["arguments"], {"frameId": 1002}, "the adapter's own")
    t.good("dap_next")
    contains(t.bad("dap_request", command="custom", arguments={"frameId": frame}), "pass raw_ids=true")
    contains(t.good("dap_request", command="custom").text, "custom answered: done")


def test_raw_resume(t):
    # The state is running from the sending on, and a refused resume puts the stop back.
    t._dapple = t.start("--tools", "full")
    t.fake_stopped(on={"continue": [[{"fail": "not now"}], [{"respond": {}}], None]})
    contains(t.bad("dap_request", command="continue", arguments={"threadId": 1}), "continue request failed: not now")
    state(t.good("dap_status"), "stopped")
    contains(t.good("dap_request", command="continue", arguments={"threadId": 1, "singleThread": False}).text, "it was not waited for a stop")
    equal(t.fake.received("continue")[-1]["arguments"], {"threadId": 1, "singleThread": False}, "as they are")
    state(t.good("dap_status"), "running")
    contains(t.bad("dap_request", command="next", arguments={"threadId": 1}), "next requires a stopped Debuggee")
    t.good("dap_request", command="pause", arguments={"threadId": 1})
    until(lambda: stopped(t), "the stop")
    contains(t.bad("dap_request", command="stepBack", arguments={"threadId": 1}), "does not claim supportsStepBack")


def test_long_answer(t):
    # What is too long to show is kept in a file.
    t._dapple = t.start("--tools", "full")
    t.own_commands = {"big"}
    t.fake_stopped(on={"big": [[{"respond": {"rows": ["row %d" % number for number in range(5000)]}}]]})
    result = t.good("dap_request", command="big")
    contains(result.text, "[cut here: ")
    equal(len(result["response"]["body"]["rows"]), 5000, "structured is whole")


def test_time_of_a_request(t):
    # A request that is never answered held the call for the usual 10 s, whatever the caller wanted; the session goes on behind it.
    t._dapple = t.start("--tools", "full")
    t.own_commands = {"vendorLong"}
    t.fake_stopped(on={"vendorLong": [[], [OK]]})
    text = t.bad("dap_request", command="vendorLong", timeout_ms=50)
    contains(text, "no answer to \"vendorLong\" within 50 ms")
    contains(text, "give timeout_ms")
    contains(t.good("dap_request", command="vendorLong", timeout_ms=20000).text, "vendorLong answered: done")
    state(t.good("dap_next"), "stopped")
