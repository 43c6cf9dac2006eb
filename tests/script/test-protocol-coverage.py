"""usage: test-protocol-coverage.py script/protocol-coverage

The table of the protocol is worth something only if it cannot lie: a copy of the project, each time with one untruth in it.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

SCRIPT = os.path.abspath(sys.argv.pop())
ROOT = os.path.join(os.path.dirname(SCRIPT), "..")
WALK = "test_matrix::test_walk[gdb]"


class ProtocolCoverage(unittest.TestCase):
    before = None  # what it says of the project as it is

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = folder.name
        for name in ("src/dap", "src/session", "src/verb", "verbs", "tests/scenario", "tests/schema"):
            shutil.copytree(os.path.join(ROOT, name), self.path(name), ignore=shutil.ignore_patterns("__pycache__"))
        for name in ("script", "docs", "tests/support"):
            os.makedirs(self.path(name))
        shutil.copy(SCRIPT, self.path("script/protocol-coverage"))
        shutil.copy(os.path.join(ROOT, "tests/support/coverage.json"), self.path("tests/support/coverage.json"))
        if ProtocolCoverage.before is None:
            ProtocolCoverage.before = self.run_script()
            ProtocolCoverage.page = self.read("docs/protocol.md")
        with open(self.path("docs/protocol.md"), "w", encoding="utf-8") as file:
            file.write(self.page)

    def path(self, name):
        return os.path.join(self.root, name)

    def read(self, path):
        with open(self.path(path), encoding="utf-8") as file:
            return file.read()

    def run_script(self, *arguments):
        done = subprocess.run([sys.executable, self.path("script/protocol-coverage"), *arguments], capture_output=True, text=True)
        self.assertNotIn("Traceback", done.stderr)
        return done.stdout

    def declare(self, kind, name, entry):
        declared = json.loads(self.read("tests/support/coverage.json"))
        declared[kind][name] = entry
        with open(self.path("tests/support/coverage.json"), "w", encoding="utf-8") as file:
            json.dump(declared, file)

    def change(self, path, old, new):
        text = self.read(path)
        self.assertIn(old, text)
        with open(self.path(path), "w", encoding="utf-8") as file:
            file.write(text.replace(old, new))

    def found(self, words):
        """The fault is told now and was not before."""
        self.assertNotIn(words, self.before)
        self.assertIn(words, self.run_script("--check"))

    def test_a_request_that_is_not_sent_any_more(self):
        self.change("src/session/execution.c", '"stepOut"', '"stepOver"')
        self.found("requests stepOut: used nowhere")

    def test_a_name_that_is_no_request(self):
        # A member of JSON, a word in a comment and a reason of a stop are no use of a request.
        self.change("src/session/execution.c", '"stepOut"', '"stepOver"')
        self.change("src/session/ending.c", "#include <string.h>", '#include <string.h>\n/* "stepOut" */\nint x(void);\n'
                    'int x(void) { return json_int_or(a, "stepOut", 0) + strcmp("stepOut", b); }\n')
        self.found("requests stepOut: used nowhere")

    def test_an_event_that_is_not_handled_any_more(self):
        self.change("src/session/events.c", '"terminated"', '"ended"')
        self.found("events terminated: used nowhere")

    def test_a_capability_that_is_not_asked_for_any_more(self):
        self.change("src/session/launch.c", '"supportsConfigurationDoneRequest"', '"supportsNothing"')
        self.found("capabilities supportsConfigurationDoneRequest: used nowhere")

    def test_what_is_used_is_not_unused(self):
        self.declare("requests", "stepOut", {"unused": "nobody steps out"})
        self.found("requests stepOut: said to be unused (nobody steps out), but it stands in src/session/execution.c")

    def test_tests_that_are_not_there(self):
        self.declare("requests", "stepOut", {"test": "test_matrix::test_flight[gdb]"})
        self.found("requests stepOut: there is no test test_matrix::test_flight[gdb]")
        self.declare("requests", "stepOut", {})
        self.found("requests stepOut: no test")

    def test_names_that_are_not_there(self):
        self.declare("events", "exploded", {"test": WALK})
        self.found("events exploded: the protocol has none of that name")
        self.declare("requests", "next", {"by": ["dap_fly"], "test": WALK})
        self.found("requests next: by: there is no operation dap_fly")

    def test_a_page_that_is_older_than_the_code(self):
        self.change("docs/protocol.md", "session/execution.c", "session/elsewhere.c")
        self.found("docs/protocol.md is not what")

    def seen(self, **facts):
        one = {"test": WALK, "requests": [], "members": [], "events": [], "capabilities": [], "tools": {}, **facts}
        with open(self.path("seen"), "w", encoding="utf-8") as file:
            file.write(json.dumps(one) + "\n")
        return self.run_script("--seen", self.path("seen"))

    def test_a_run_that_did_not_show_it(self):
        self.declare("requests", "next", {"by": ["dap_next"], "test": WALK})
        self.declare("events", "stopped", {"test": WALK})
        self.declare("capabilities", "supportsConfigurationDoneRequest", {"requests": ["configurationDone"], "test": WALK})
        text = self.seen()
        for words in ("requests next: its test %s did not show it", "requests next: its test %s does not call dap_next",
                      "events stopped: its test %s did not show it",
                      "capabilities supportsConfigurationDoneRequest: its test %s did not show configurationDone"):
            self.assertIn(words % WALK, text)
        self.declare("capabilities", "supportsLogPoints", {"members": ["setBreakpoints.breakpoints[].logMessage"], "test": WALK})
        self.assertIn("capabilities supportsLogPoints: its test %s did not show setBreakpoints.breakpoints[].logMessage" % WALK, self.seen())
        text = self.seen(requests=["next"], tools={"dap_next": []}, events=["stopped"])
        self.assertNotIn("requests next", text)
        self.assertNotIn("events stopped", text)

    def test_operations_and_arguments_that_no_test_gives(self):
        self.seen(tools={"dap_next": [], "dap_launch": ["program", "breakpoints", "breakpoints[].line"]})
        text = self.run_script("--seen", self.path("seen"), "--all")
        self.assertIn("dap_stop: no scenario calls it with success", text)
        self.assertIn("dap_next: no scenario gives /timeout_ms with success", text)
        self.assertIn("dap_launch: no scenario gives /breakpoints[].condition with success", text)
        self.assertNotIn("/breakpoints[].line with", text)


unittest.main()
