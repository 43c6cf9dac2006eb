"""What the program consists of: modules, sources, the text of those without a file, and where a value was defined."""

import os

from support.matrix import Cells, every_adapter
from support.scenario import check, contains, equal, lacks, state


def at_cost(t, target):
    t._dapple = t.start("--tools", "full")
    state(target.launch("cart", "cost", timeout_ms=20000), "stopped")


@every_adapter
def test_lists(t, target):
    # codelldb took a moduleCount of 0, which means all, for none.
    at_cost(t, target)
    name = os.path.basename(target.source("cart"))
    with Cells(target.adapter) as cells:
        with cells.cell("modules"):
            result = t.good("dap_modules")
            paths = [row.get("path") or row["name"] for row in result["modules"]]
            equal(result["total_modules"], len(paths), "how many", result)
            program = os.path.basename(target.program("cart"))
            check(any(os.path.basename(path) == program for path in paths), "the program is among them", result)
            one = t.good("dap_modules", filter=program)
            equal(one["total_modules"], 1, "by name", one)
            contains(one.head, "Modules: 1, with \"%s\" in the name or path (of %d)" % (program, len(paths)))
            second = t.good("dap_modules", start=1, count=1)
            equal([row["id"] for row in second["modules"]], [result["modules"][1]["id"]], "a page", second)
            contains(second.head, "Modules: 1 of %d, from number 1" % len(paths))
        with cells.cell("loaded sources"):
            result = t.good("dap_loaded_sources", filter=name)
            check(any(os.path.realpath(row["path"]) == os.path.realpath(target.source("cart")) for row in result["sources"]),
                  "the program's source", result)
            check(len(t.good("dap_loaded_sources", count=5).text.split("\n")) <= 8, "never more than asked for")
        with cells.cell("source by reference"):
            frames = t.good("dap_stack")["stack_frames"]
            own = {os.path.realpath(target.source("cart"))}
            other = [frame for frame in frames if os.path.realpath(frame.get("source_path", "")) not in own]
            check(other, "all frames are the program's", frames)
            result = t.good("dap_source", frame_id=other[-1]["id"])
            check(result["source"].get("source_reference"), "by reference", result)
            contains(result.text, "-> %d | " % other[-1]["line"])
            again = t.good("dap_source", source_reference=result["source"]["source_reference"], first_line=1, last_line=2)
            equal(len(again["source"]["lines"]), 2, "some lines", again)
        with cells.cell("locations"):
            result = t.good("dap_locations", expression="total")
            place = result["location"]
            equal(os.path.realpath(place["source_path"]), os.path.realpath(target.source("cart")), "the file", result)
            contains(t.good("dap_source", path=place["source_path"], line=place["line"], around=0).text, "total(items)")
            reference = t.good("dap_evaluate", expression="total")["evaluation"]["location_reference"]
            equal(t.good("dap_locations", location_reference=reference)["location"], place, "by reference")
            t.good("dap_next")
            contains(t.bad("dap_locations", location_reference=reference), "belongs to stop 1")


def test_source_without_file(t):
    # Code that a program makes while it runs has no file, and a stop in it showed nothing of it.
    t._dapple = t.start("--tools", "full")
    t.target("debugpy")
    path = t.file("made.py", "code = 'def double(x):\\n    y = x + x\\n    return y\\n'\nmade = {}\n"
                             "exec(compile(code, '<made>', 'exec'), made)\nprint(made['double'](3))\n")
    t.good("dap_launch", program=path, adapter="debugpy", breakpoints=[{"file": path, "line": 4}],
           launch_arguments={"justMyCode": False})
    result = state(t.good("dap_step_in"), "stopped")
    contains(result.head, "<made>:2")
    contains(result.text, "   3 | return y")  # debugpy makes the text from the byte code
    source = t.good("dap_source")["source"]
    check(source["source_reference"] > 0, "by reference", source)
    contains("\n".join(source["lines"]), "return y")


def test_source_of_files(t):
    # The text of a file can be had in every state; bad places are answered with what there is.
    t._dapple = t.start("--tools", "full")
    path = t.file("a.txt", "".join("line %d\r\n" % number for number in range(1, 101)))
    result = t.good("dap_source", path=path, line=50, around=2)
    equal(result["source"]["lines"], ["line %d" % number for number in range(48, 53)], "around a line", result)
    contains(result.text, "-> 50 | line 50\n")
    equal(result["source"]["total_lines"], 100, "how many")
    equal(len(t.good("dap_source", path=path)["source"]["lines"]), 60, "the beginning")
    equal(t.good("dap_source", path=path, last_line=2)["source"]["lines"], ["line 1", "line 2"], "up to a line")
    equal(t.good("dap_source", path=path, first_line=99)["source"]["lines"], ["line 99", "line 100"], "from a line")
    contains(t.bad("dap_source", path=path, line=500), "the source has 100 lines")
    contains(t.bad("dap_source", path=path, first_line=5, last_line=4), "no such lines")
    contains(t.bad("dap_source", path=path + ".no"), "is not on this machine")
    contains(t.bad("dap_source"), "pass path or source_reference")
    contains(t.bad("dap_source", path=path, frame_id=10001), "one of path, source_reference and frame_id")


def test_lists_from_the_fake(t):
    # gdb's 7,395 sources were one answer: what is shown of a list stays within its page. Names cannot break the lines.
    t._dapple = t.start("--tools", "full")
    sources = [{"name": "n%d" % number, "path": "/s/part%d.c" % number} for number in range(7395)]
    sources[3] = {"name": "a\nb", "sourceReference": 7}
    modules = [{"id": 5, "name": "five", "license": "free"}, {"id": "x", "name": "evil\nModules: 9", "symbolStatus": "Symbols\n loaded"}]
    t.fake_stopped(capabilities={"supportsLoadedSourcesRequest": True, "supportsModulesRequest": True,
                                 "additionalModuleColumns": [{"attributeName": "license", "label": "License"}]},
                   on={"loadedSources": [[{"respond": {"sources": sources}}]], "modules": [[{"respond": {"modules": modules}}]],
                       "source": [[{"respond": {"content": "one\ntwo"}}], [{"fail": "no such source"}], [{"respond": {"content": ""}}]],
                       "evaluate": [[{"respond": {"result": "f", "variablesReference": 0, "valueLocationReference": 4}}],
                                    [{"respond": {"result": "1", "variablesReference": 0}}]],
                       "locations": [[{"respond": {"source": {"name": "gen", "sourceReference": 7}, "line": 12, "endLine": 14}}],
                                     [{"fail": "unknown"}]]})
    result = t.good("dap_loaded_sources")
    contains(result.head, "Sources: 100 of 7,395")
    contains(result.text, "… more: dap_loaded_sources start=100")
    contains(result.text, "  a\\nb [source_reference 7]\n")
    equal(len(result["sources"]), 100, "rows")
    result = t.good("dap_loaded_sources", filter="PART739", start=5)
    contains(result.head, "Sources: 1 of 6, from number 5, with \"PART739\" in the name or path (of 7,395)")
    lacks(result.text, "more:")
    result = t.good("dap_modules")
    equal([row["id"] for row in result["modules"]], ["5", "x"], "ids of both kinds")
    contains(result.text, "  five · License: free\n")
    contains(result.text, "  evil\\nModules: 9 · Symbols\\n loaded\n")
    contains(t.good("dap_source", source_reference=7).text, "Source: source_reference 7, lines 1 to 2 of 2\n   1 | one\n")
    contains(t.bad("dap_source", source_reference=8), "no such source")
    contains(t.bad("dap_source", source_reference=8), "empty")
    result = t.good("dap_locations", expression="f")
    equal(result["location"], {"source_name": "gen", "source_reference": 7, "line": 12, "end_line": 14}, "the place", result)
    contains(result.head, "Location: gen:12 [source_reference 7]")
    contains(t.bad("dap_locations", expression="1"), "tells no place for 1")
    contains(t.bad("dap_locations", location_reference=99), "was never given out")
    contains(t.bad("dap_locations"), "location_reference")


def test_in_another_session(t):
    # The lists and places of a session that is not the main one, and of a frame that is not the innermost.
    target = t.target("js-debug")
    t._dapple = t.start("--tools", "full")
    state(target.launch("cart", "cost", timeout_ms=20000, session="other"), "stopped")
    check(t.good("dap_loaded_sources", session="other", filter="cart")["sources"], "its sources")
    caller = t.good("dap_stack", session="other")["stack_frames"][1]["id"]
    place = t.good("dap_locations", session="other", frame_id=caller, expression="cost")["location"]
    equal(place["line"], target.line("cart", "cost") - 1, "where it was defined", place)


def test_a_file_that_is_not_there(t):
    # lldb-dap answers an empty text for it ("the source is empty"), codelldb speaks of an internal error: it is the path that is wrong.
    t._dapple = t.start("--tools", "full")
    t.fake_stopped(on={"source": [[{"respond": {"content": ""}}], [{"fail": "Internal debugger error"}]]})
    for _ in range(2):
        text = t.bad("dap_source", path="no_such.c")
        contains(text, "/path: there is no file ")
        lacks(text, "nternal")
