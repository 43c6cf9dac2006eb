"""Values of C by their kinds, with the adapters for compiled programs: set, read back, and shown in hexadecimal."""

from support import programs
from support.scenario import all_native, check, contains, equal, lacks, state

WAIT = 20000


def put(t, path, value, shown):
    result = t.good("dap_set_variable", path=path, value=value)
    contains(result["variable"]["value"], shown, "%s = %s" % (path, value))


@all_native
def test_values_of_each_kind(t, target):
    # By setVariable, gdb refused elements of arrays, LLDB enumerators, characters and addresses; and a bit-field that LLDB wrote took those
    # beside it along.
    state(target.launch("kinds", "look", timeout_ms=WAIT), "stopped")
    put(t, "numbers[2]", "42", "42")
    put(t, "item.flags.level", "2", "2")
    flags = [row["result"] for row in t.good("dap_evaluate", expressions=["item.flags.on", "item.flags.level", "item.flags.shift"])["evaluations"]]
    equal(flags, ["1", "2", "-3"], "those beside it stay")
    put(t, "item.color", "GREEN", "GREEN")
    put(t, "item.ok", "false", "false")
    put(t, "item.letter", "'q'", "'q'")
    put(t, "item.next->price", "9.75", "9.75")
    put(t, "item.grid[1][2]", "66", "66")
    t.good("dap_set_variable", path="where", value="&numbers[2]")
    equal(t.good("dap_evaluate", expression="*where")["evaluation"]["result"], "42", "an address")
    contains(t.bad("dap_set_variable", path="item.color", value="PINK"), "PINK")
    if target.adapter == "codelldb":  # it formats no values
        contains(t.bad("dap_evaluate", expression="huge", hex=True), "supportsValueFormattingOptions")
        return
    equal(t.good("dap_evaluate", expression="huge", hex=True)["evaluation"]["result"], "0xffffffffffffffff", "in hexadecimal")
    result = t.good("dap_evaluate", expression="numbers", hex=True)
    check("0x1, 0x2" in result.text or "formats no members here" in result.text, "in hexadecimal, or it is said that it is not", result)
    contains(t.good("dap_variables", path="numbers", hex=True).text, "= 0x")


@all_native
def test_values_of_the_library(t, target):
    # A stop shows what is in a container, and not only its size; nor gdb's words for its private members, wherever gdb is installed.
    t.good("dap_set_breakpoints", file_path=programs.source("library_kinds.cpp"), breakpoints=[{"line": programs.line("library_kinds.cpp", "look")}])
    result = state(t.good("dap_launch", program=t.built("library_kinds"), adapter=target.adapter, context="full", timeout_ms=WAIT), "stopped")
    shown = {row["name"]: row["value"] for row in result["locals"]}
    contains(shown["text"], '"plum"')
    contains(shown["numbers"], "{3, 1, 2}")
    contains(shown["prices"], "70")
    contains(shown["pair"], "5")
    contains(shown["first"], "3")
    # LLDB showed each unordered container of g++ as empty.
    contains(shown["names"], "two")
    lacks(shown["pairs"], "None")
    # An index of a map is a key, as in the language: gdb tells keys and values by turns, and names[2] was one of the keys. In a list it is a place.
    for path, value in (("names[2]", '"two"'), ("names[1]", '"one"'), ("prices[7]", "70"), ("pairs[1].second", "20")):
        contains(t.good("dap_variables", path=path).text.splitlines()[0], value)
    contains(t.good("dap_variables", path="pairs[1]").text, "second: int = 20")
