"""Adapters that cannot be had here: what was recorded from them, or what they are documented to do, played by the fake one.

A replay (fake/replays/ID.json) says where the adapter is looked for, what it must be told, what it does, and what must come of it. It
shows that the declaration and the session go together; it does not make an adapter tested.
"""

import json
import os
import sys

from support.fake import FAKE_ADAPTER
from support.scenario import check, contains, equal, good, state

REPLAYS = os.path.join(os.path.dirname(FAKE_ADAPTER), "replays")


class Replay:
    def __init__(self, t, name):
        self.t, self.name = t, name
        with open(os.path.join(REPLAYS, name + ".json")) as file:
            text = file.read()
        plain = json.loads(text)
        for path, content in plain.get("beside", {}).items():
            t.file(path, content)
        program = t.file(*plain["program"])
        folder = t.make("work")
        breakpoint_at = t.file(plain["breakpoint_file"], "\n\nx\n") if "breakpoint_file" in plain else program
        for word, value in (("$PROGRAM", program), ("$ADAPTERS", t.adapters), ("$FOLDER", folder), ("$BREAKPOINT", breakpoint_at)):
            text = text.replace(word, value)
        self.facts = json.loads(text)
        self.program, self.folder, self.breakpoint_at = program, folder, breakpoint_at
        self.install()

    def install(self):
        for path in self.facts["files"]:
            path = os.path.join(self.t.adapters, path)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            open(path, "w").close()
        path = os.path.join(self.t.adapters, self.facts["fake"])
        with open(path, "w") as file:
            file.write("#!/bin/sh\nprintf '%%s\\n' \"$@\" >'%s/command'\nexec '%s' -IS '%s'\n" % (self.t.fake.folder, sys.executable,
                                                                                          FAKE_ADAPTER))
        os.chmod(path, 0o755)
        self.t.fake.script(**self.facts["script"])

    def launch(self, **arguments):
        """Stops at the breakpoint in line 3; what the adapter was told until then is what it wants to be told."""
        if not self.facts.get("no_args"):
            arguments["args"] = ["one"]
        pending = self.t.dapple.start("dap_launch", program=self.program, adapter=self.name, cwd=self.folder, timeout_ms=10000,
                                      breakpoints=[{"file": self.breakpoint_at, "line": 3}], **arguments)
        result = state(good(self.wait(pending)), "stopped")
        equal(result["top_frame"]["line"], 3, "line", result)
        equal({name: result[name] for name in self.facts["stop"]}, self.facts["stop"], "the stop", result)
        values = {row["name"]: row["value"] for row in result["locals"]}
        for name, wanted in self.facts["locals"].items():
            equal(values.get(name), wanted, "local %s" % name, result)
        self.check_told()
        return result

    def wait(self, pending):
        if "gate" in json.dumps(self.facts["script"]):
            self.t.fake.wait_command("configurationDone")
            self.t.fake.open_gate("isolate-runs")
        return pending.result()

    def check_told(self):
        with open(os.path.join(self.t.fake.folder, "command")) as file:
            equal([line for line in file.read().split("\n") if line], self.facts["command"], "the command line")
        equal(self.t.fake.received("launch")[0]["arguments"], self.facts["launch"], "the arguments of launch")
        wanted = self.facts["requests"]
        told = [command for command in self.t.fake.commands() if command in wanted or command == "configurationDone"]
        equal(told[:len(wanted)], wanted, "the order of what it was told")
        asked = self.t.fake.received("initialize")[0]["arguments"]
        equal(asked["linesStartAt1"], True, "lines count from 1")

    def finish(self, printed=""):
        result = state(self.t.good("dap_continue"), "terminated")
        for line in self.facts["output"]:
            contains(printed + result["output"], line)
        equal((result.get("exit_code"), result["termination_reason"]), (self.facts.get("exit_code"), self.facts["reason"]), "the end", result)
        return result


def test_php_debug(t):
    # The answer to launch comes before `initialized`. Output arrives after the stop that it belongs before; the exit code before the end.
    # Xdebug cannot pause: that is said, and the program runs on.
    replay = Replay(t, "php-debug")
    printed = replay.launch()["output"]
    state(t.good("dap_continue", timeout_ms=50), "running")
    contains(t.bad("dap_pause"), replay.facts["pause_refused"])
    equal(t.good("dap_status")["state"], "running", "after the refusal")


def test_php_debug_to_its_end(t):
    replay = Replay(t, "php-debug")
    on = replay.facts["script"]["on"]
    on["continue"] = on["continue"][1:]
    t.fake.script(**replay.facts["script"])
    replay.finish(replay.launch()["output"])


def test_bash_debug(t):
    # It stops before the first line, before it answers launch and before it says that it can be configured: nobody asked for that, so it
    # is passed, once the breakpoints are set. It knows no configurationDone, and never tells an exit code: none is invented.
    replay = Replay(t, "bash-debug")
    replay.finish(replay.launch()["output"])
    check("configurationDone" not in t.fake.commands(), "it does not know configurationDone", t.fake.commands())


def test_bash_debug_stop_on_entry(t):
    # The same stop, asked for, is the one that is shown.
    replay = Replay(t, "bash-debug")
    result = state(t.good("dap_launch", program=replay.program, adapter="bash-debug", stop_on_entry=True), "stopped")
    equal(result["top_frame"]["line"], 2, "line", result)


def test_netcoredbg(t):
    # Capabilities come by event, and `initialized` before the answer to `initialize`, which is empty: replaced instead of merged, the
    # client would never have sent configurationDone, and the program would not have started. The breakpoint binds later and counts.
    replay = Replay(t, "netcoredbg")
    replay.launch()
    contains(json.dumps(t.fake.received("setExceptionBreakpoints")[0]), "user-unhandled")
    rows = t.good("dap_status").text
    check("pending" not in rows, "the breakpoint has been bound", rows)
    replay.finish("total 1")


def test_kotlin_debug_adapter(t):
    # `initialized` only after the answer to launch, which is when the JVM is up; an answer without a body.
    replay = Replay(t, "kotlin-debug-adapter")
    replay.launch()
    replay.finish()


def test_dart(t):
    # The adapter stops the isolate at its start and resumes it itself: that stop is not the user's. Thread ids of 16 digits come back as
    # they are. The exit code stands in its output only, in words: it is left out of the result.
    replay = Replay(t, "dart")
    replay.launch()
    thread = t.fake.received("stackTrace")[-1]["arguments"]["threadId"]
    equal(thread, 7068873969372000, "the thread's id on the wire")
    check("continue" not in t.fake.commands(), "nothing was resumed by us", t.fake.commands())
    replay.finish()


def test_flutter(t):
    # The launch takes as long as the app is being built, with events that no protocol knows; the breakpoint binds when the app is there.
    replay = Replay(t, "flutter")
    replay.finish(replay.launch()["output"])


def test_flutter_is_chosen_for_its_projects(t):
    # Both dart and flutter serve .dart files; the project's .metadata tells a Flutter app.
    replay = Replay(t, "flutter")
    with open(os.path.join(t.bin, "dart"), "w") as file:
        file.write("#!/bin/sh\nexit 1\n")
    os.chmod(os.path.join(t.bin, "dart"), 0o755)
    result = t.good("dap_launch", program=replay.program, breakpoints=[{"file": replay.program, "line": 3}])
    equal(state(result, "stopped")["adapter_id"], "flutter")


def test_elixir_ls(t):
    # A Mix task with the program as its argument; threads are processes of Erlang, of which the one that stopped is not the first.
    replay = Replay(t, "elixir-ls")
    replay.launch()
    replay.finish()
