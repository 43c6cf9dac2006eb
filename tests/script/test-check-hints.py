"""usage: test-check-hints.py script/check-hints"""

import json
import os
import runpy
import sys
import tempfile
import unittest

SCRIPT = sys.argv.pop(1)
offences = runpy.run_path(SCRIPT)["offences"]


class Hints(unittest.TestCase):
    def found(self, file, text):
        """What is said of a file, in a house where dap_stop is in core and dap_goto is not."""
        with tempfile.TemporaryDirectory() as root:
            for name, sets in (("stop", ["core", "full"]), ("goto", ["full"])):
                os.makedirs(os.path.join(root, "verbs"), exist_ok=True)
                with open(os.path.join(root, "verbs", name + ".json"), "w") as declared:
                    json.dump({"tool": "dap_" + name, "sets": sets}, declared)
            os.makedirs(os.path.dirname(os.path.join(root, "src", file)))
            with open(os.path.join(root, "src", file), "w") as source:
                source.write(text)
            return [line for line in offences(root) if line.startswith("src/")]

    def test_a_tool_of_all_sets_may_be_named(self):
        self.assertEqual(self.found("verb/stop.c", 'say("dap_stop ends it");'), [])

    def test_a_tool_that_core_lacks_is_named_with_its_line(self):
        self.assertEqual(len(self.found("verb/stop.c", 'say(\n"then dap_goto");')), 1)
        self.assertIn("src/verb/stop.c:2: dap_goto is not offered in core", self.found("verb/stop.c", 'say(\n"then dap_goto");')[0])
        self.assertEqual(len(self.found("session/goto.c", 'say("dap_goto");')), 1)

    def test_a_tool_that_does_not_exist_is_named(self):
        self.assertIn("dap_goo is no operation", self.found("verb/goto.c", 'say("dap_goo");')[0])

    def test_what_core_lacks_may_name_itself(self):
        self.assertEqual(self.found("verb/goto.c", 'say("dap_goto again");'), [])

    def test_who_asks_may_name_it(self):
        self.assertEqual(self.found("verb/stop.c", 'say(call_offers(call, "dap_goto") ? "dap_goto goes there" : "");'), [])

    def test_comments_and_code_are_no_texts(self):
        self.assertEqual(self.found("verb/stop.c", "/* \"dap_goto\" */ dap_goto(); /* it's */ char c = '\"'; dap_goo();"), [])


unittest.main()
