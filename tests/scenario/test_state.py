"""Looking at the state of a stopped program, and changing it: values by path, trees, several evaluations, threads, exceptions in full."""

from support import matrix, programs
from support.fake import stopped
from support.matrix import Cells, every_adapter
from support.scenario import check, contains, equal, good, lacks, state, until

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
