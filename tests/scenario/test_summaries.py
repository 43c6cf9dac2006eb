"""What a value that says nothing of itself is shown as."""

from support.scenario import contains, equal, lacks


def rows(result):
    return {row["name"]: row["value"] for row in result["locals"]}


def test_python_objects_show_their_attributes(t):
    # A stop in a method of any class without a repr showed "<__main__.Item object at 0x7f…>", and each object cost a call more. Its
    # attributes are shown instead, without running the code of a property, and what a class says of itself stays.
    target = t.target("debugpy")
    result = target.launch("objects", "look")
    seen = rows(result)
    equal(seen["item"], "<__main__.Item> {'name': 'plum', 'qty': 3}", "the attributes", result)
    contains(seen["slotted"], "Slotted object at 0x", "no __dict__")
    equal(seen["spoken"], "<Spoken object at 0x12 of mine>", "its own repr")
    contains(seen["empty"], "Empty object at 0x", "nothing to show")
    contains(result.text, "item: Item = <__main__.Item> {'name': 'plum', 'qty': 3}")
    lacks(result["output"], "label was read", "the property was not read")
    # debugpy lists the first hundred of a long list: a thousand were said to be 102.
    reference = t.good("dap_evaluate", expression="list(range(1000))")["evaluation"]["variables_reference"]
    more = "the debugger lists no more of 1,000: dap_evaluate with an index or a slice shows the others)"
    contains(t.good("dap_variables", variables_reference=reference, count=1).text, " (" + more)
    contains(t.good("dap_variables", variables_reference=reference, count=1, start=900, depth=1).text, " are listed; " + more)
    reference = t.good("dap_evaluate", expression="list(range(9))")["evaluation"]["variables_reference"]
    lacks(t.good("dap_variables", variables_reference=reference, count=1).text, "the debugger lists")


def test_pointers_show_what_they_point_to(t):
    # gdb shows a pointer as its address, and what most functions in C get is a pointer.
    target = t.target("gdb")
    result = target.launch("pointers", "look")
    seen = rows(result)
    for name, shown in (("to_place", " → {x = 3, y = 4}"), ("to_number", " → 5")):
        equal(seen[name][:2] + seen[name][seen[name].index(" "):], "0x" + shown, name, result)
    equal(seen["to_nothing"], "0x0", "nothing there")
    equal(seen["astray"], "0x8", "nothing there any more")
    lacks(seen["untold"], "→", "nobody knows what is there")
    # Data cannot be watched with gdb, and who can was not said.
    contains(t.bad("dap_add_breakpoint", data="to_number"), "supportsDataBreakpoints; dap_launch with adapter=lldb-dap or adapter=codelldb can")
