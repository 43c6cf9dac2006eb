"""What adapters tell by themselves and what is done with it: progress, invalidated, memory, modules, sources, rich output; `cancel`."""

import glob
import os

from support import fake, programs
from support.fake import DEFAULT, OK, event, stopped
from support.scenario import check, contains, equal, good, lacks, state, until


def begin(t, **script):
    t._dapple = t.start("--tools", "full")
    return t.fake_stopped(**script)


def progress_messages(t):
    return [note["params"]["message"] for note in t.dapple.notifications if note["method"] == "notifications/progress"]


def test_progress(t):
    # A launch that loads symbols for a minute looked like one that hangs: the adapter said what it was doing, and nobody
    # passed it on.
    t._dapple = t.start("--tools", "full")
    start = event("progressStart", progressId="p", title="Loading symbols", message="libc.so\nforged", percentage=40)
    t.fake.script(path=programs.source("lines.c"), on={"configurationDone": [[start, {"gate": "more"},
        event("progressUpdate", progressId="p", percentage=80), {"gate": "go"}, event("progressEnd", progressId="p"), {"default": True}]]})
    t.fake.install(t.bin)
    call = t.dapple.start("dap_launch", progress="token", program=t.built("quick"), adapter="lldb-dap",
                          breakpoints=[{"file": programs.source("lines.c"), "line": 3}])
    t.dapple.wait(lambda: any("Loading symbols: libc.so\\nforged (40%)" in text for text in progress_messages(t)), what="the progress")
    t.fake.open_gate("more")
    t.dapple.wait(lambda: any("Loading symbols: libc.so\\nforged (80%)" in text for text in progress_messages(t)), what="its update")
    contains(progress_messages(t)[-1], "launching the program")
    t.fake.open_gate("go")
    state(call.result(), "stopped")


def test_cancel(t):
    # A host that cancels a call leaves the adapter at work, and every later request waits behind it: the adapter is told,
    # where it can be.
    start = event("progressStart", progressId="long", title="Evaluating", cancellable=True)
    other = event("progressStart", progressId="other", title="Indexing", cancellable=False)
    begin(t, capabilities={"supportsCancelRequest": True},
          on={"evaluate": [[start, other, {"gate": "late"}, {"fail": "cancelled"}], None],
              "cancel": [[{"respond": {}}], [{"fail": "cannot"}]]})
    call = t.dapple.start("dap_evaluate", expression="forever", progress="token")
    t.fake.wait_command("evaluate")
    t.dapple.wait(lambda: any("Evaluating" in text or "Indexing" in text for text in progress_messages(t)), what="the progress")
    t.dapple.cancel(call)
    t.fake.wait_command("cancel", 2)
    told = [message["arguments"] for message in t.fake.received("cancel")]
    sent = t.fake.received("evaluate")[0]["seq"]
    equal(sorted(told, key=str), sorted([{"progressId": "long"}, {"requestId": sent}], key=str), "what was cancelled")
    # The answer comes late, and is nobody's.
    t.fake.open_gate("late")
    equal(t.good("dap_evaluate", expression="next")["evaluation"]["result"], "<next>", "the next one")
    check(not call.done(), "a cancelled call is not answered")
    lacks(t.good("dap_status").text, "cannot")


def test_capabilities_that_change(t):
    # A refusal said that the adapter cannot; later it could, and nobody learned of it. What is told while launching is no change for anybody.
    def capabilities(**changed):
        return event("capabilities", capabilities=changed)
    begin(t, capabilities={"supportsGotoTargetsRequest": True},
          on={"configurationDone": [[capabilities(supportsCompletionsRequest=True), DEFAULT]],
              "next": [[capabilities(supportsStepBack=True, supportsGotoTargetsRequest=False, supportsEvaluateForHovers=True), DEFAULT], None],
              "stepBack": [[OK, stopped("step")]]})
    contains(t.bad("dap_step_back"), "it does not claim supportsStepBack")
    text = state(t.good("dap_next"), "stopped").text
    contains(text, "Warning: the debugger can do more now: it claims supportsStepBack\n")
    contains(text, "Warning: the debugger can do less now: it does not claim supportsGotoTargetsRequest any more\n")
    lacks(text, "supportsEvaluateForHovers")  # that was so before
    lacks(text, "supportsCompletionsRequest")
    contains(t.bad("dap_goto", line=2), "supportsGotoTargetsRequest")
    lacks(state(t.good("dap_step_back"), "stopped").text, "now")


def test_cancel_is_not_sent_unclaimed(t):
    # An adapter that does not know `cancel` answered it with an error that meant nothing to anybody.
    begin(t, on={"evaluate": [[event("progressStart", progressId="p", title="Long", cancellable=True), {"gate": "late"}, {"default": True}],
                              None]})
    call = t.dapple.start("dap_evaluate", expression="forever")
    t.fake.wait_command("evaluate")
    t.dapple.cancel(call)
    equal(t.good("dap_evaluate", expression="next")["evaluation"]["result"], "<next>", "the next one")
    lacks(t.fake.commands(), "cancel")
    t.fake.open_gate("late")


def sent_to_adapter(t):
    return b"".join(open(path, "rb").read() for path in glob.glob(os.path.join(t.records, "*.client"))).decode()


class Blocking:
    """An expression in C that is not over before it is told, and when it was begun."""

    def __init__(self, t):
        self.t, self.path = t, os.path.join(t.make("work"), "fifo")
        os.mkfifo(self.path)
        self.expression = '(int)open("%s", 0)' % self.path

    def begun(self):
        return os.path.basename(self.path) in sent_to_adapter(self.t)

    def finish(self):
        """Also when it has not come as far yet: the other end stays open."""
        self.fd = os.open(self.path, os.O_RDWR | os.O_NONBLOCK)


def test_cancel_with_gdb(t):
    # gdb 16 claims `cancel`. Told during an evaluation that calls a function, it wrote a traceback as the program's output,
    # and never told
    # that the program stood still again: the session ran for ever.
    target = t.target("gdb")
    t._dapple = t.start("--tools", "full")
    state(target.launch("cart", "cost", timeout_ms=20000), "stopped")
    blocking = Blocking(t)
    call = t.dapple.start("dap_evaluate", expression=blocking.expression)
    until(blocking.begun, "the evaluation")
    t.dapple.cancel(call)
    blocking.finish()

    def answered():
        result = t.call("dap_evaluate", expression="item->qty")
        return None if "notStopped" in result.text else result  # the program still runs for the expression
    equal(good(until(answered, "an answer"))["evaluation"]["result"], "3", "after")
    state(t.good("dap_status"), "stopped")
    check(not call.done(), "a cancelled call is not answered")
    lacks(sent_to_adapter(t), "\"cancel\"")
    lacks(t.good("dap_output").text, "Traceback")


def test_invalidated_frames(t):
    # An adapter that changes the frames of a stop says so: what was read with the stop was shown as long as the program
    # stood there.
    other = {"stackFrames": [{"id": 1000, "name": "work", "line": 9, "column": 1,
                              "source": {"path": programs.source("lines.c"), "name": "lines.c"}}], "totalFrames": 1}
    begin(t, on={"stackTrace": [None, [{"respond": other}]],
                 "evaluate": [[event("invalidated", areas=["variables"]), {"default": True}],
                              [event("invalidated", areas=["stacks"], threadId=77), {"default": True}],
                              [event("invalidated", areas=["stacks"]), {"default": True}],
                              [event("invalidated"), event("invalidated", areas=["new"]), event("memory", memoryReference="1", offset=0,
                                                                                                count=4), {"default": True}]]})
    for _ in range(2):
        t.good("dap_evaluate", expression="1")  # variables, and another thread: not the frames
    contains(t.good("dap_status").head, "lines.c:3")
    equal(t.fake.commands().count("stackTrace"), 1, "frames were read once")
    t.good("dap_evaluate", expression="1")
    contains(t.good("dap_status").head, "lines.c:9")
    t.good("dap_evaluate", expression="1")
    contains(t.good("dap_status").head, "lines.c:9")
    state(t.good("dap_next"), "stopped")


def test_invalidated_while_reading(t):
    # The variables changed while they were read for the stop: what was shown was neither before nor after. An adapter that
    # says so at
    # every look is believed once.
    def answer(value):
        return {"respond": {"variables": [{"name": "qty", "value": value, "variablesReference": 0}]}}
    t._dapple = t.start("--tools", "full")
    changed = event("invalidated", areas=["variables"])
    t.fake.script(path=programs.source("lines.c"),
                  on={"variables": [[changed, answer("3")], [changed, answer("4")], [changed, answer("5")]]})
    result = state(t.fake_launch(breakpoints=[{"file": programs.source("lines.c"), "line": 3}]), "stopped")
    equal([row["value"] for row in result["locals"]], ["4"], "the second look", result)


def test_told_lists(t):
    # Some adapters tell of modules and sources as they come and cannot be asked for a list of them.
    module = [event("module", reason="new", module={"id": number, "name": "m%d" % number}) for number in range(3)]
    module += [event("module", reason="changed", module={"id": 1, "name": "m1", "symbolStatus": "loaded"}),
               event("module", reason="removed", module={"id": 0, "name": "m0"}), event("module", reason="new"), event("module")]
    source = [event("loadedSource", reason="new", source={"name": "s", "path": "/s.c"}),
              event("loadedSource", reason="new", source={"name": "made", "sourceReference": 5}),
              event("loadedSource", reason="removed", source={"path": "/s.c"}), event("loadedSource", reason="new", source={})]
    flood = [{"repeat": 3, "do": [event("module", reason="new", module={"id": "x%d" % number, "name": "x", "path": "p" * 5000})
                                  for number in range(2)]}]
    begin(t, before=module + source + flood)
    result = t.good("dap_modules")
    equal([(row["name"], row.get("symbol_status")) for row in result["modules"]], [("m1", "loaded"), ("m2", None)], "modules", result)
    contains(result.text, "as its events told: the adapter cannot be asked for a list; 6 more were not kept")
    result = t.good("dap_loaded_sources")
    equal(result["sources"], [{"name": "made", "source_reference": 5}], "sources", result)


def test_rich_output(t):
    # Groups, data, and values that are printed without a text (specification, OutputEvent) were dropped or shown without
    # their form.
    def out(text, category="stdout", **more):
        return event("output", category=category, output=text, **more)
    begin(t, on={"continue": [[{"default": True}]],
                 "evaluate": [[out("group\n", group="start"), out("one\ntwo\n"), out("inner", group="startCollapsed"), out("deep\n"),
                               out("", group="end"), out("three\n"), out("end\n", group="end"), out("plain\n"),
                               out("sum", "console", data={"a": [1, 2]}), out("", variablesReference=7), out("\n", variablesReference=8),
                               {"received": "variables", "count": 3}, {"default": True}]]})
    result = t.good("dap_evaluate", expression="1")
    text = result.text + t.good("dap_status").text
    for line in ("| group", "|   one", "|   two", "|   inner", "|     deep", "|   three", "| end", "| plain", "|# sum {\"a\":[1,2]}",
                 "| {0: 0, 1: 10}"):
        contains(text, "\n%s\n" % line)


def test_output_again(t):
    # Output is told once; a host that lost a result had no way to see it again.
    t._dapple = t.start("--tools", "full")
    contains(t.good("dap_output").head, "Output: 0 lines")
    lines = [fake.output("line %d\n" % number) for number in range(100)] + [fake.output("warn\x1b[31m red\n", "stderr"),
                                                                          fake.output("note\n", "console"), fake.output("half")]
    t.fake.script(path=programs.source("lines.c"), on={"evaluate": [[{"stderr": "adapter's own\n"}, *lines, {"default": True}]]})
    state(t.fake_launch(breakpoints=[{"file": programs.source("lines.c"), "line": 3}]), "stopped")
    contains(t.good("dap_evaluate", expression="1").text + t.good("dap_status").text, "line 99")
    lacks(t.good("dap_status").text, "line 99")
    for _ in range(2):
        result = t.good("dap_output", lines=4)
        equal([(row["stream"], row["text"]) for row in result["lines"]],
              [("stdout", "line 99"), ("debugger", "warn red"), ("debugger", "note"), ("stdout", "half")], "the newest", result)
        contains(result.head, "Output: last 4 of 103 lines; |# is the debugger")
        contains(result.text, "| line 99\n|# warn red\n|# note\n| half\n")
    equal(len(t.good("dap_output")["lines"]), 60, "unless asked for")
    result = t.good("dap_output", stream="stdout", filter="line 9", lines=100)
    equal(len(result["lines"]), 11, "with a text", result)
    equal([row["text"] for row in t.good("dap_output", stream="debugger")["lines"]], ["warn red", "note"], "one stream")
    contains(t.good("dap_output", stream="adapter").text, "|# adapter's own")
    state(t.good("dap_continue"), "terminated")
    contains(t.good("dap_output", lines=1).text, "| halffinished")
    contains(t.bad("dap_output", lines=1001), "/lines")


def test_output_new_is_left(t):
    # Looking again takes nothing away from the next result.
    begin(t, on={"evaluate": [[fake.output("new\n"), {"default": True}]],
                 "source": [[fake.output("late\n"), {"gate": "go"}, {"respond": {"content": "x"}}]]})
    t.good("dap_evaluate", expression="1")
    call = t.dapple.start("dap_source", source_reference=1)
    until(lambda: "late" in t.good("dap_output").text, "the output")
    t.fake.open_gate("go")
    contains(call.result().text, "Debuggee output:\n| late")


def test_cancel_with_codelldb(t):
    # One that takes `cancel` (codelldb): it is sent while the program sleeps for the expression, and the session goes on.
    target = t.target("codelldb")
    t._dapple = t.start("--tools", "full")
    state(target.launch("cart", "cost", timeout_ms=20000), "stopped")
    blocking = Blocking(t)
    call = t.dapple.start("dap_evaluate", expression=blocking.expression)
    until(blocking.begun, "the evaluation")
    t.dapple.cancel(call)
    until(lambda: "\"cancel\"" in sent_to_adapter(t), "the cancellation")
    equal(t.good("dap_evaluate", expression="item->qty")["evaluation"]["result"], "3", "after")
    state(t.good("dap_status"), "stopped")
    check(not call.done(), "a cancelled call is not answered")
