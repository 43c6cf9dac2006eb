"""Looking at the state of a stopped program, and changing it: values by path, trees, several evaluations, threads, exceptions in full."""

import glob
import json
import re

from support import matrix
from support.matrix import Cells, every_adapter
from support.scenario import check, contains, equal, lacks, state, until

WAIT = 20000


def main_frame(t, target):
    """The frame of the cart's main: who calls total."""
    line = target.line("cart", "call")
    frames = t.good("dap_stack")["stack_frames"]
    found = [frame for frame in frames if frame.get("source_path") == target.source("cart") and frame["line"] == line]
    check(found, "main is in the stack", frames)
    return found[0]["id"]


def root(result):
    equal(result["tree"][0]["depth"], 0, "the first is what was asked for", result)
    return result["tree"][0]


def below(result, name):
    """The value of a member in a tree, whatever the language puts around its name."""
    found = [row for row in result["tree"] if row["name"].strip("[]'\"@$:") == name]
    check(found, "no %r in the tree" % name, result)
    return found[0]


@every_adapter
def test_paths_and_trees(t, target):
    # Nested data took a call for each level: by path it is one, and a tree shows what is in it.
    with Cells(target.adapter) as cells:
        state(target.launch("cart", "cost-return", timeout_ms=WAIT), "stopped")
        frame = main_frame(t, target)
        last, inner = ("flags.fresh", "1") if target.language is matrix.C else ("tags[1]", "plum")
        with cells.cell("value by path"):
            contains(root(t.good("dap_variables", path="item.name"))["value"], "apple", "in the frame that is shown")
            contains(root(t.good("dap_variables", path="items[2].name", frame_id=frame))["value"], "plum", "in the caller's frame")
            value = root(t.good("dap_variables", path="items[%s].%s" % ("1" if target.language is matrix.C else "2", last), frame_id=frame))
            contains(value["value"], inner, "three segments")
            listed = root(t.good("dap_variables", path="items", frame_id=frame))
            value = t.good("dap_variables", path="[2].name", variables_reference=listed["variables_reference"])
            contains(root(value)["value"], "plum", "among the members of a value")
        with cells.cell("depth"):
            result = t.good("dap_variables", path="items", frame_id=frame, depth=3)
            names = [row["value"] for row in result["tree"] if row["name"].strip("[]'\"@$:") == "name"]
            equal([any(fruit in name for name in names) for fruit in ("apple", "pear", "plum", "fig")], [True] * 4, "all four", result)
            deepest = [row for row in result["tree"] if row["depth"] == 3]
            check(deepest and all("path" in row for row in deepest), "values of the third level, with their paths", result)
            again = t.good("dap_variables", path=deepest[0]["path"], frame_id=frame)
            equal((root(again)["name"], root(again)["value"]), (deepest[0]["name"], deepest[0]["value"]), "its path leads there again")
            lacks(result.text, "#class", "what the debugger adds to every value is left out")
            lacks(result.text, "[[Prototype]]")
        text = t.bad("dap_variables", path="items[2].nam", frame_id=frame)
        contains(text, "no \"nam\" in items[2]")
        contains(text, "near it: ")
        contains(text.replace("@", ""), "name")
        contains(t.bad("dap_variables", path="itms", frame_id=frame), "items")
        contains(t.bad("dap_variables", path="items[99]", frame_id=frame), "\"99\" in items")
        contains(t.bad("dap_variables", path="item.qty.deeper"), "item.qty")
        for expression in ("cost(item)", "item.qty = 4", "1 + 1", "item..name", "item[", "items[0", "item['x"):
            contains(t.bad("dap_variables", path=expression), "dap_evaluate", expression)
        contains(t.bad("dap_variables", path="item", frame_id=10000 + 9999), "never given out")
        t.good("dap_next")
        contains(t.bad("dap_variables", path="items", frame_id=frame), "belongs to stop 1")


def test_python_data(t):
    # A list that holds itself has no end, and one of a hundred thousand has no place in a result; a dict's keys have their quotes.
    target = t.target("debugpy")
    state(target.launch("data", "end", timeout_ms=WAIT), "stopped")
    result = t.good("dap_variables", path="loop", depth=5)
    contains(result.text, "(cycle: the same as loop)")
    equal([row.get("not_opened") for row in result["tree"] if row["depth"] == 1][0], "cycle", "told in data, too", result)
    equal(root(t.good("dap_variables", path='table["key 12"][0]'))["value"], "12")
    equal(root(t.good("dap_variables", path="numbers[54321]"))["value"], "54321", "behind what the adapter shows of a list")
    equal(root(t.good("dap_variables", path="numbers[-1]"))["value"], "99999", "from the end")
    contains(t.bad("dap_variables", path="numbers[100000]"), "IndexError")
    result = t.good("dap_variables", path="table", depth=3)
    check(len(result["tree"]) <= 300, "within the budget", len(result["tree"]))
    contains(result.text, "more of ")
    contains(t.good("dap_variables", path="angry.explosive").text, "ValueError: looked at", "a property that fails, in full")


@every_adapter
def test_hexadecimal(t, target):
    # The format is the adapter's to claim: where it is not claimed, it is refused by the capability's name, and never sent in vain.
    with Cells(target.adapter) as cells:
        state(target.launch("cart", "cost-return", timeout_ms=WAIT), "stopped")
        frame = t.good("dap_stack")["stack_frames"][0]["id"]
        with cells.cell("hex"):
            for arguments in ({"path": "item"}, {"frame_id": frame}):
                result = t.call("dap_variables", hex=True, **arguments)
                if result.is_error:
                    contains(result.text, "supportsValueFormattingOptions")
                    contains(result.text, "dap_evaluate")
                check(not result.is_error, "hex is possible", result)
                contains(result.text.lower(), "0x", "a number in hexadecimal")


# ---- evaluation ----

def call_of(target, function, argument=""):
    """A call of one of the functions of the program `calls`, in its language."""
    if target.language is matrix.GO:
        return "call %s(%s)" % (function, argument)
    if target.language is matrix.RUBY and not argument:
        return function
    return "%s(%s)" % (function, argument)


HIDES = ("rdbg", "perl")  # they answer a failed evaluation with success, and the failure as its value


@every_adapter
def test_several_evaluations(t, target):
    # Each expression of a call has a value or a reason of its own: one that does not parse does not take the others with it.
    with Cells(target.adapter) as cells:
        state(target.launch("calls", "here", timeout_ms=WAIT), "stopped")
        number, value = target.language.local % "number", target.language.local % "value"
        with cells.cell("evaluate several"):
            result = t.good("dap_evaluate", expression=number, expressions=["1 +* 2", "%s * 100" % value, "no_such_name_x"])
            rows = result["evaluations"]
            equal([row["expression"] for row in rows], [number, "1 +* 2", "%s * 100" % value, "no_such_name_x"], "in order", result)
            equal((rows[0]["result"], rows[2]["result"]), ("4", "800"), "the values", result)
            if target.adapter not in HIDES:
                check(rows[1]["error"] and rows[3]["error"], "the reasons", result)
                contains(result.text, "no_such_name_x: not evaluated: evaluate request failed: ")
                failed = t.call("dap_evaluate", expression="no_such_name_x", expressions=["1 +* 2"])
                check(failed.is_error, "nothing was evaluated: an error", failed)
            contains(result.text, "%s = 4" % number)
            equal(result["stop_number"], 1, "the same stop", result)
        contains(t.bad("dap_evaluate", expressions=["2"]), "/expression is required")
        contains(t.bad("dap_evaluate", expression="1", expressions=["1"] * 50), "takes 50 expressions at most")
        contains(t.bad("dap_evaluate", expression=number, frame_id=99999), "never given out")
        for context, capability in (("hover", "supportsEvaluateForHovers"), ("clipboard", "supportsClipboardContext")):
            result = t.call("dap_evaluate", expression=number, eval_context=context)
            if result.is_error and "claim" in result.text:
                contains(result.text, capability)
                lacks_context = [message for message in recorded(t, target, "evaluate") if message.get("context") == context]
                equal(lacks_context, [], "what is not claimed is not sent")
            else:
                contains(result.text, "4", context)


def recorded(t, target, command):
    """The arguments of every request of this kind that was sent."""
    found = []
    for path in glob.glob("%s/%s-*.client" % (t.records, target.adapter)):
        with open(path, "rb") as file:
            for body in re.split(rb"Content-Length: \d+\r\n\r\n", file.read())[1:]:
                message = json.loads(body)
                if message.get("command") == command:
                    found.append(message.get("arguments", {}))
    return found


@every_adapter
def test_an_expression_that_calls(t, target):
    # It prints, it stops at a breakpoint inside, it changes variables. gdb tells each call as if the program had been resumed, and does not always
    # tell its end: Dapple said "running" of a program that stood still, and refused everything.
    with Cells(target.adapter) as cells, cells.cell("call in evaluate"):
        state(target.launch("calls", "here", timeout_ms=WAIT), "stopped")
        result = t.good("dap_evaluate", expression=call_of(target, "talk"))
        equal(result["evaluation"]["result"], "5", "what it returns", result)
        equal((result["state"], result["stop_number"]), ("stopped", 1), "where it stands", result)
        printed = result["output"]

        def said():
            nonlocal printed
            printed += t.good("dap_status")["output"]
            return "hello from here" in printed
        until(said, "what the expression printed")
        t.good("dap_set_breakpoints", file_path=target.source("calls"), breakpoints=[{"line": target.line("calls", "inner")}])
        result = t.good("dap_evaluate", expression=call_of(target, "inner", "21"))
        equal(result["state"], "stopped", "however it goes, the program stands", result)
        if result["stop_number"] == 1:
            equal(result["evaluation"]["result"], "42", "not stopped inside", result)
        else:
            contains(result.text, "not evaluated: ")
            contains(result.text, "stopped (breakpoint) at ")
            check("evaluation" not in result.data, "no value is invented", result)
            t.good("dap_set_breakpoints", file_path=target.source("calls"), breakpoints=[])
            result = t.good("dap_continue", timeout_ms=WAIT)
            equal(result["state"], "stopped", "back where the expression was evaluated", result)
        equal(t.good("dap_status")["state"], "stopped", "and dap_status says the same")
        t.good("dap_set_breakpoints", file_path=target.source("calls"), breakpoints=[])
        result = state(t.good("dap_continue", timeout_ms=WAIT), "terminated")
        contains(printed + result["output"], "calls 8 7 4", "the program went on as if nothing had been")


@every_adapter
def test_an_expression_that_never_ends(t, target):
    # It has a time-out of its own; afterwards the session can be looked at and ended, and nothing of it stays.
    state(target.launch("calls", "here", timeout_ms=WAIT), "stopped")
    text = t.bad("dap_evaluate", expression=call_of(target, "forever"), timeout_ms=1000)
    if target.adapter in ("lldb-dap", "codelldb") and "interrupted" in text:
        contains(text, "has been returned to the state before", "lldb has a time-out of its own, and takes the call back")
    else:
        contains(text, "no answer to \"evaluate\" within 1 s (timeout_ms); the expression may still be running")
        contains(text, "dap_stop ends the session")
    check(t.good("dap_status")["state"] in ("stopped", "running"), "it can be looked at")
    equal(state(t.good("dap_stop"), "terminated")["termination_reason"], "stopped by request")
    equal(t.left_beside_dapple(1.0), [], "left after the stop")


@every_adapter
def test_an_expression_that_ends_the_program(t, target):
    # The answer to it comes before what tells of the end, or not at all: the result says that the program is over, with its exit code.
    state(target.launch("calls", "here", timeout_ms=WAIT), "stopped")
    result = t.good("dap_evaluate", expression=call_of(target, "leave"))
    contains(result.text, "leave")
    contains(result.text, "not evaluated: ")
    equal((state(result, "terminated").data.get("exit_code"), result["termination_reason"]), (3, "Debuggee exited"), "the end", result)
