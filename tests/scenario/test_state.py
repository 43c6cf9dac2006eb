"""Looking at the state of a stopped program, and changing it: values by path, trees, several evaluations, threads, exceptions in full."""

import glob
import json
import re

from support import matrix
from support.matrix import Cells, every_adapter
from support.scenario import all_native, check, contains, each_adapter, equal, good, lacks, state, until

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
        contains(t.bad("dap_variables", path="items", frame_id=frame), "belongs to stop ")


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


def asked_for(t):
    """How often each reference's members were asked for."""
    references = [message["arguments"]["variablesReference"] for message in t.fake.received("variables")]
    return {reference: references.count(reference) for reference in references}


def row(name, reference=0, value="", **more):
    return dict({"name": name, "value": value, "variablesReference": reference}, **more)


def test_lazy_values(t):
    # To read a lazy value runs code of the program: a tree leaves it alone, and asking for it by its path is asking.
    lazy = row("size", 9, "(…)", presentationHint={"lazy": True})
    t.fake_stopped(variables=[row("cart", 7, "Cart")], members={"7": [lazy, row("qty", value="3")], "9": [row("", value="42", type="int")]})
    before = asked_for(t).get(9, 0)
    contains(t.good("dap_variables", path="cart", depth=3).text, "size = (not read yet; dap_variables reads it)")
    equal(asked_for(t).get(9, 0), before, "not read for the tree")
    result = t.good("dap_variables", path="cart.size")
    equal((root(result)["name"], root(result)["value"]), ("size", "42"), "read by its path", result)


def test_budget_of_a_tree(t):
    # A tree of a thousand lists has no place in a result: what is cut says so, and how it goes on; the levels are read breadth first.
    inner = [row("e%d" % number, 1000 + number, "list") for number in range(40)]
    members = {str(1000 + number): [row("x%d" % part, 5000 + number, "list") for part in range(40)] for number in range(40)}
    t.fake_stopped(variables=[row("all", 7, "list")], members=dict({"7": inner}, **members))
    result = t.good("dap_variables", path="all", depth=5)
    check(len(result["tree"]) <= 300, "within the budget", len(result["tree"]))
    check(sum(asked_for(t).values()) <= 210, "within the requests", asked_for(t))
    equal(len([part for part in result["tree"] if part["depth"] == 1]), 40, "the first level is whole", result)
    contains(result.text, "more of 40: dap_variables variables_reference=")
    contains(result.text, "not opened: one call shows at most 300 values")
    again = [part for part in result["tree"] if part.get("not_opened") == "cut"][0]["path"]
    t.good("dap_variables", path=again)


def test_filter(t):
    # Sent only where the adapter told how many there are of each kind; else names tell which member is an element.
    mixed = [row("0", value="a"), row("[1]", value="b"), row("length", value="2")]
    told = row("told", 8, "list", indexedVariables=2, namedVariables=1)
    t.fake_stopped(variables=[row("mixed", 7, "list"), told], members={"7": mixed, "8": mixed})
    frame = t.good("dap_stack")["stack_frames"][0]["id"]
    first, second = t.good("dap_variables", frame_id=frame)["scopes"][0]["variables"]
    result = t.good("dap_variables", variables_reference=first["variables_reference"], filter="named")
    equal([part["name"] for part in result["tree"][1:]], ["length"], "by their names", result)
    result = t.good("dap_variables", variables_reference=first["variables_reference"], filter="indexed")
    equal([part["name"] for part in result["tree"][1:]], ["0", "[1]"], "by their names", result)
    check(all("filter" not in message["arguments"] for message in t.fake.received("variables")), "not sent")
    t.good("dap_variables", variables_reference=second["variables_reference"], filter="named")
    equal(t.fake.received("variables")[-1]["arguments"], {"variablesReference": 8, "filter": "named"}, "sent where counts were told")
    contains(t.bad("dap_variables", frame_id=frame, filter="named"), "/filter goes with variables_reference or path")


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
        stop = state(target.launch("calls", "here", timeout_ms=WAIT), "stopped")["stop_number"]
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
            equal(result["stop_number"], stop, "the same stop", result)
        equal(t.good("dap_evaluate", expressions=["2"])["evaluations"][0]["result"], "2", "a list alone")
        contains(t.bad("dap_evaluate", expressions=[]), "/expressions must have one at least")
        contains(t.bad("dap_evaluate"), "/expression is required, or expressions")
        singular = t.good("dap_evaluate", expression=["2"])
        equal(singular["evaluations"][0]["result"], "2", "a list in the singular's place", singular)
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
        stop = state(target.launch("calls", "here", timeout_ms=WAIT), "stopped")["stop_number"]
        result = t.good("dap_evaluate", expression=call_of(target, "talk"))
        equal(result["evaluation"]["result"], "5", "what it returns", result)
        equal((result["state"], result["stop_number"]), ("stopped", stop), "where it stands", result)
        printed = result["output"]

        def said():
            nonlocal printed
            printed += t.good("dap_status")["output"]
            return "hello from here" in printed
        until(said, "what the expression printed")
        t.good("dap_set_breakpoints", file_path=target.source("calls"), breakpoints=[{"line": target.line("calls", "inner")}])
        result = t.good("dap_evaluate", expression=call_of(target, "inner", "21"))
        equal(result["state"], "stopped", "however it goes, the program stands", result)
        if result["stop_number"] == stop:
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
    equal(t.left_beside_dapple(), [], "left after the stop")


@every_adapter
def test_an_expression_that_ends_the_program(t, target):
    # The answer to it comes before what tells of the end, or not at all: the result says that the program is over, with its exit code.
    state(target.launch("calls", "here", timeout_ms=WAIT), "stopped")
    result = t.call("dap_evaluate", expression=call_of(target, "leave"))
    if target.adapter == "lldb-dap" and result.is_error:
        # lldb-dap 19 dies with the program now and then, of a pipe that is closed: then that is what is said.
        contains(result.text, "the adapter has ended")
        contains(result["termination_reason"], "Debug Adapter exited unexpectedly")
        return
    good(result)
    contains(result.text, "leave")
    contains(result.text, "not evaluated: ")
    equal((state(result, "terminated").data.get("exit_code"), result["termination_reason"]), (3, "Debuggee exited"), "the end", result)


# ---- setting ----

def shown_as(target, name):
    return target.language.local % name


@every_adapter
def test_set_variable(t, target):
    # A fix is tried by changing a value where the program stands. What is shown is read back, and the program goes on with it.
    with Cells(target.adapter) as cells:
        state(target.launch("calls", "here", timeout_ms=WAIT), "stopped")
        number, value = shown_as(target, "number"), shown_as(target, "value")
        with cells.cell("set variable"):
            result = t.good("dap_set_variable", path="number", value="41")
            equal((result["variable"]["value"], result["was"]), ("41", "4"), "read back", result)
            contains(result.text, "number")
            contains(result.text, "(was 4)")
            equal(t.good("dap_evaluate", expression=number)["evaluation"]["result"], "41", "as an expression says, too")
            frame = t.good("dap_stack")["stack_frames"][0]["id"]
            scope = [part for part in t.good("dap_variables", frame_id=frame)["scopes"]
                     if any(row["name"] == value for row in part.get("variables", []))][0]
            if target.adapter == "rdbg":  # it can assign to expressions alone, and tells none of its variables
                contains(t.bad("dap_set_variable", variables_reference=scope["variables_reference"], name=value, value="77"), "supportsSetVariable")
                t.good("dap_set_variable", path=value, value="77")
            else:
                result = t.good("dap_set_variable", variables_reference=scope["variables_reference"], name=value, value="77")
                equal(result["variable"]["value"], "77", "by reference and name", result)
            equal(t.good("dap_set_variable", name="number", value="40")["variable"]["value"], "40", "a name alone is one of the frame")
            result = t.good("dap_set_variable", expression=number, value="42")
            equal(result["variable"]["value"], "42", "as an expression", result)
        t.bad("dap_set_variable", path="number", value="no_such_name_x +")
        equal(t.good("dap_evaluate", expression=number)["evaluation"]["result"], "42", "what was refused was not set")
        contains(t.bad("dap_set_variable", path="numbr", value="1"), "near it: ")
        contains(t.bad("dap_set_variable", value="1"), "must have one of path, expression")
        contains(t.bad("dap_set_variable", path="number", expression="number", value="1"), "must have one of path, expression")
        contains(t.bad("dap_set_variable", name="two words", value="1"), "for a member give variables_reference too")
        contains(t.bad("dap_set_variable", variables_reference=scope["variables_reference"], name="nobody", value="1"), "no member \"nobody\"")
        result = state(t.good("dap_continue", timeout_ms=WAIT), "terminated")
        # Go keeps `value` in a register as well, and prints it from there.
        contains(result["output"], "7 42" if target.language is matrix.GO else "calls 77 7 42", "the program went on with the new values")


def test_set_a_constant(t):
    # JavaScript's constants, and Go's, cannot be set: the reason is the debugger's, and the value stays.
    target = t.target("js-debug")
    state(target.launch("calls", "here", timeout_ms=WAIT), "stopped")
    result = t.call("dap_set_variable", path="fixed", value="8")
    check(result.is_error or "unchanged" in result.text or result["variable"]["value"] == "8", "refused, unchanged or set: as it is", result)
    equal(t.good("dap_variables", path="fixed")["tree"][0]["value"], t.good("dap_evaluate", expression="fixed")["evaluation"]["result"], "what is shown is what is")
    contains(t.good("dap_variables", frame_id=t.good("dap_stack")["stack_frames"][0]["id"]).text, "as they were when the program stopped")


def test_what_python_sets(t):
    # Python: an assignment made a local variable where a global one was meant, and was told as done; a value that fails was said to be set, with a
    # traceback of the debugger's as the program's stderr; and with `expression` it was never answered.
    target = t.target("debugpy")
    program = t.file("rate.py", "rate = 5\n\n\ndef pay(pair):\n    total = sum(pair)\n    print(rate, total, fee, low)\n\n\n"
                     "fee = low = 1\npay((1, 2))\n")
    state(t.good("dap_launch", program=program, breakpoints=[{"file": program, "line": 6}], timeout_ms=WAIT), "stopped")
    contains(t.bad("dap_set_variable", path="total", value="5x"), "SyntaxError: ")
    contains(t.bad("dap_set_variable", expression="total", value="nosuch"), "NameError: name 'nosuch' is not defined")
    contains(t.bad("dap_set_variable", path="pair[0]", value="5"), "TypeError: 'tuple' object does not support item assignment")
    # So does a statement that is evaluated, also one of several targets, and one that fails after it has assigned.
    result = t.good("dap_evaluate", expressions=["rate = total", "fee, own = 2, 3", "low = 0; low += 4; raise ValueError('late')",
                                                 "(rate, fee, low, own)",
                                                 "[globals()[n] for n in ('rate', 'fee', 'low')]"])
    equal([row.get("result") for row in result["evaluations"]], ["", "", None, "(3, 2, 4, 3)", "[3, 2, 4]"], "what the module has", result)
    contains(result["evaluations"][2]["error"], "ValueError: late")
    equal(t.good("dap_set_variable", path="rate", value="6")["was"], "3")
    t.good("dap_set_variable", name="total", value="7")
    result = state(t.good("dap_continue", timeout_ms=WAIT), "terminated")
    equal(result["output"], "6 7 2 4\n", "what the program saw, and nothing of the debugger's")


def test_references_of_a_value_that_was_replaced(t):
    # The specification: where setVariable answers with a reference, those of the former value are void. The stop's variables are read again.
    rows = [{"name": "items", "value": "list of 2", "variablesReference": 7}]
    t.fake_stopped(capabilities={"supportsSetVariable": True}, variables=rows,
                   on={"evaluate": [[{"fail": "no assignments"}], [{"fail": "none at all"}]],
                       "setVariable": [[{"respond": {"value": "list of 3", "variablesReference": 8}}]]})
    frame = t.good("dap_stack")["stack_frames"][0]["id"]
    old = t.good("dap_variables", frame_id=frame)["scopes"][0]["variables"][0]["variables_reference"]
    t.good("dap_variables", variables_reference=old)
    t.good("dap_set_variable", path="items", value="[1, 2, 3]")
    contains(t.bad("dap_variables", variables_reference=old), "of a value that is replaced")
    equal(t.fake.received("setVariable")[-1]["arguments"], {"variablesReference": 5, "name": "items", "value": "[1, 2, 3]"}, "what was sent")


def test_what_perl_does_not_tell(t):
    # Perl's adapter answered 1/0 with nothing, which reads as "there is nothing", and $1 with '$', the capture of a match of its own.
    target = t.target("perl")
    state(target.launch("calls", "here", timeout_ms=WAIT), "stopped")
    contains(t.good("dap_evaluate", expression="1/0").text, "eval { EXPRESSION } // $@ shows the reason")
    contains(t.good("dap_evaluate", expression="eval { 1/0 } // $@").text, "division by zero")
    contains(t.good("dap_evaluate", expression="$1").text, "those of a match of the debugger's own")
    lacks(t.good("dap_evaluate", expression="1 + 1").text, "Warning")


# ---- completions ----

@every_adapter
def test_completions(t, target):
    # What an editor offers while one types: names and members. It is refused by the capability's name where the adapter has none.
    with Cells(target.adapter) as cells:
        state(target.launch("cart", "cost-return", timeout_ms=WAIT), "stopped")
        with cells.cell("completions"):
            result = t.call("dap_completions", text="amo")
            if result.is_error:
                contains(result.text, "supportsCompletionsRequest")
                equal(recorded(t, target, "completions"), [], "not sent")
            check(not result.is_error, "completions", result)
            check(any("amount" in row["label"] or "amount" in row.get("text", "") for row in result["completions"]), "amount", result)
            contains(result.text, "Completions: ")
            contains(t.bad("dap_completions", text="amo", column=9), "/column: the text ends at column 4")


# ---- exceptions ----

@every_adapter
def test_exception_in_full(t, target):
    # What stopped the program, with all that the debugger knows of it.
    with Cells(target.adapter) as cells:
        result = target.launch("crash", timeout_ms=WAIT)
        with cells.cell("exception in full"):
            state(result, "stopped")
            result = t.good("dap_exception")
            contains(result.text, "exception: ")
            check(result["exception_id"], "its id", result)
            contains(result.text, {matrix.C: "SIGSEGV"}.get(target.language, "bad quantity: -3"))


def test_chained_exceptions(t):
    # raise ... from ...: the cause is where the fault is.
    target = t.target("debugpy")
    state(target.launch("chain", timeout_ms=WAIT), "stopped")
    result = t.good("dap_exception")
    for part in ("RuntimeError", "cannot start", "ValueError", "cannot parse", "KeyError", "no such key"):
        contains(result.text, part)
    contains(result.text, "| ", "the trace stands behind marks")


def test_no_exception(t):
    # A step is no exception, whatever was thrown before. At a breakpoint, and of another thread, debugpy tells one of unknown type.
    target = t.target("debugpy")
    stop = state(target.launch("cart", "call", timeout_ms=WAIT), "stopped")
    contains(t.bad("dap_exception"), "there is no exception here: the program stopped for the reason \"breakpoint\"")
    contains(t.bad("dap_exception", thread_id=stop["thread_id"]), "there is no exception here: the thread has thrown none")
    state(t.good("dap_next"), "stopped")
    contains(t.bad("dap_exception"), "there is no exception here: the program stopped for the reason \"step\"")


def test_exception_in_a_thread(t):
    # Python ends the thread of an exception, and goes on: it was said to end the program. What was thrown is at hand as a value, with its
    # own members, of which the debugger tells none.
    target = t.target("debugpy")
    state(target.launch("fails", timeout_ms=WAIT), "stopped")
    contains(t.good("dap_status").text, "in work")
    result = t.good("dap_exception")
    equal((result["exception_id"], result["exceptions"][0]["evaluate_name"]), ("Refused", "__exception__[1]"), "how to have it", result)
    equal(t.good("dap_evaluate", expression="__exception__[1].code")["evaluation"]["result"], "42")
    text = state(t.good("dap_continue"), "stopped").text
    contains(text, "uncaught: the next dap_continue ends the program\n")
    # Where a group is thrown tells nothing of what is in it.
    contains(text, "what it holds: dap_evaluate __exception__[1].exceptions\n")
    contains(t.good("dap_evaluate", expression="__exception__[1].exceptions").text, "(ValueError('first'), KeyError('second'))")
    # Some twenty lines of each traceback were frames of debugpy's.
    text = state(t.good("dap_continue"), "terminated").text
    contains(text, "Traceback (most recent call last):\n|#   … ")
    contains(text, "frames of the debugger's own\n|!   |   File ")
    lacks(text, "runpy")
    contains(t.good("dap_output").text, "runpy")


def test_python_statements(t):
    # An assignment is no expression: debugpy answered it, and every import and loop, with a SyntaxError, though evaluating is said to run code.
    target = t.target("debugpy")
    state(target.launch("cart", "cost-return", timeout_ms=WAIT), "stopped")
    result = t.good("dap_evaluate", expressions=["amount = 41", "amount + 1", "import json; text = json.dumps([amount])", "text",
                                                 "for n in range(2):\n    amount += n", "amount", "amount = 1 / 0", "def broken(:"])
    rows = result["evaluations"]
    equal([row.get("result") for row in rows], ["", "42", "", "'[41]'", "", "42", None, None], "the values", result)
    contains(result.text, "amount = 41: done (a statement, it has no value)")
    contains(rows[6]["error"], "failed: ZeroDivisionError: division by zero")
    contains(rows[7]["error"], "failed: SyntaxError: invalid syntax")
    lacks(result.text, "Traceback")
    equal(t.good("dap_evaluate", expression="result = amount").text.splitlines()[0], "done (a statement, it has no value)")


# ---- threads and scopes ----

@every_adapter
def test_threads(t, target):
    # Each thread with its place; the one that stopped is marked.
    with Cells(target.adapter) as cells, cells.cell("threads"):
        state(target.launch("cart", "cost-return", timeout_ms=WAIT), "stopped")
        result = t.good("dap_threads")
        focused = [row for row in result["threads"] if row["focused"]]
        equal(len(focused), 1, "one is focused", result)
        equal((focused[0]["state"], focused[0]["top_frame"]["line"]), ("stopped", target.line("cart", "cost-return")), "its place", result)
        equal(focused[0]["thread_id"], t.good("dap_status")["thread_id"], "its number")
        contains(result.text, "-> thread ")
        t.good("dap_variables", frame_id=focused[0]["top_frame"]["id"])


@each_adapter
def test_a_crowd(t, target):
    # Thirteen rows of the same say less than one: threads at the same place are put together. All of them stand in the library, in a deadlock as
    # well as here: what tells them apart is the line of the program's own that waits there.
    state(target.launch("crowd", "here", timeout_ms=WAIT), "stopped")
    result = t.good("dap_threads")
    equal(result["total_threads"], 13, "all of them", result)
    contains(result.text, "Threads: 13, standing at ")
    rows = [line for line in result.text.splitlines() if "12 threads (" in line]
    equal(len(rows), 1, "the crowd is one row: %s" % result.text)
    contains(rows[0], " at crowd%s:%d" % (target.extension, target.line("crowd", "wait")))
    equal([row["thread_id"] for row in result["threads"]], sorted(row["thread_id"] for row in result["threads"]), "by number", result)
    waits = [row.get("own_frame", row["top_frame"]) for row in result["threads"] if not row["focused"]]
    equal([frame["line"] for frame in waits], 12 * [target.line("crowd", "wait")], "each has its own", result)
    t.good("dap_variables", frame_id=waits[0]["id"])
    equal(len([line for line in result.text.splitlines() if line.startswith("->")]), 1, "the focused one has its own")


def test_threads_while_running(t):
    # gdb answers nothing more after `threads` of a running program: it is not asked, and the result says what it is.
    target = t.target("gdb")
    target.launch_running("busy", "busy")
    result = t.good("dap_threads")
    contains(result.text, "lists threads only while the program is stopped")
    contains(result.text, "the program runs")
    equal(recorded(t, target, "threads"), [], "not asked")
    state(t.good("dap_pause"), "stopped")
    target = t.target("debugpy")
    t.good("dap_stop")
    target.launch_running("busy", "busy")
    result = t.good("dap_threads")
    equal([row["state"] for row in result["threads"]], ["running"], "debugpy can", result)
    contains(result.text, "running at busy.py:")
    t.good("dap_stop")
    contains(t.bad("dap_threads"), "requires an active Debug Session")


def test_where_a_deadlock_is(t):
    # A thread that waits for a lock runs no code, so that no pause stops it: nothing told where it was. debugpy knows.
    target = t.target("debugpy")
    target.launch_running("stuck", "stuck")
    text = until(lambda: (lambda text: text if text.count(" in second") == 2 else None)(t.good("dap_threads").text), "both wait", WAIT / 1000)
    contains(text, "thread 1 MainThread: running at stuck.py:%d:1 in second · called from <module>\n" % target.line("stuck", "second"))
    contains(text, "dap_pause stops what runs code")
    result = t.good("dap_pause", timeout_ms=50)
    equal(result["state"], "running", "nothing runs code", result)
    contains(result.text, "waits for input, a lock, a timer or the network")
    contains(result.text, "dap_threads shows the line that each thread is in")


@all_native
def test_call_with_a_text(t, target):
    # gdb calls the program's malloc for the text, inside of the call that was asked for, and then forgot that the program stands still: all that
    # came behind, also to go on, was refused with "notStopped".
    state(target.launch("cart", "cost", timeout_ms=WAIT), "stopped")
    equal(t.good("dap_evaluate", expression='(int)strcmp(item->name, "apple")')["evaluation"]["result"], "0")
    equal(t.good("dap_evaluate", expression="item->qty")["evaluation"]["result"], "3", "what comes behind it")
    equal(state(t.good("dap_next", timeout_ms=WAIT), "stopped")["top_frame"]["line"], target.line("cart", "cost-return"), "a step")


@every_adapter
def test_scopes(t, target):
    # What there is, without reading it.
    state(target.launch("cart", "cost-return", timeout_ms=WAIT), "stopped")
    result = t.good("dap_scopes")
    names = [row["name"] for row in result["scopes"]]
    check(any("ocal" in name for name in names), "locals are among them", result)
    contains(result.text, "Scopes: %d" % len(names))
    check(all("variables" not in row for row in result["scopes"]), "none was read", result)
    first = [row for row in result["scopes"] if row["variables_reference"]][0]
    t.good("dap_variables", variables_reference=first["variables_reference"])
    contains(t.bad("dap_scopes", frame_id=19999), "never given out")
