"""usage: test-generate-verbs.py script/generate-verbs

The real declarations, each time with one fault: what is declared must be what is enforced, so nothing unknown may pass.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

SCRIPT = os.path.abspath(sys.argv.pop())
VERBS = os.path.join(os.path.dirname(SCRIPT), "..", "verbs")


class GenerateVerbs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.verbs = os.path.join(folder.name, "verbs")
        self.output = os.path.join(folder.name, "table.c")
        shutil.copytree(VERBS, self.verbs)

    def path(self, name):
        return os.path.join(self.verbs, name)

    def change(self, name, change):
        with open(self.path(name), encoding="utf-8") as file:
            content = json.load(file)
        change(content)
        with open(self.path(name), "w", encoding="utf-8") as file:
            json.dump(content, file)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def generate(self):
        done = subprocess.run([sys.executable, SCRIPT, self.verbs, self.output], capture_output=True, text=True)
        return done.returncode, done.stderr

    def refused(self, *words):
        status, output = self.generate()
        self.assertEqual(status, 1, output)
        self.assertFalse(os.path.exists(self.output))
        self.assertNotIn("Traceback", output)
        for word in words:
            self.assertIn(word, output)

    def refused_change(self, name, change, *words):
        self.change(name, change)
        self.refused(name, *words)

    def test_the_declarations_as_they_are(self):
        self.assertEqual(self.generate(), (0, ""))
        with open(self.output, encoding="ascii") as file:  # bytes of other characters are written as octal
            self.assertIn('.tool = "dap_launch"', file.read())

    def test_members(self):
        self.refused_change("next.json", lambda verb: verb.pop("cli"), "cli must be given")

    def test_unknown_members(self):
        self.refused_change("next.json", lambda verb: verb.update(extra=1), "extra")

    def test_wrong_kinds(self):
        self.refused_change("next.json", lambda verb: verb.update(in_order="yes"), "in_order")

    def test_name_of_another_file(self):
        self.refused_change("next.json", lambda verb: verb.update(name="step"), "name")

    def test_state(self):
        self.refused_change("next.json", lambda verb: verb.update(needs="sleeping"), "needs")

    def test_two_hints_that_exclude_each_other(self):
        self.refused_change("next.json", lambda verb: verb["annotations"].update(readOnlyHint=True), "read-only")

    def test_missing_hint(self):
        self.refused_change("next.json", lambda verb: verb["annotations"].pop("openWorldHint"), "annotations")

    def test_keyword_that_nothing_enforces(self):
        self.refused_change("evaluate.json", lambda verb: verb["arguments"]["properties"]["expression"].update(pattern="x"), "pattern")

    def test_open_object(self):
        self.refused_change("next.json", lambda verb: verb["arguments"].update(additionalProperties=True), "closed")

    def test_requiring_what_is_not_there(self):
        self.refused_change("next.json", lambda verb: verb["arguments"].update(required=["speed"]), "speed")

    def test_unknown_shared_argument(self):
        self.refused_change("next.json", lambda verb: verb["arguments"]["properties"].update(context={"shared": "nothing"}), "nothing")

    def test_session_is_for_all(self):
        self.refused_change("stack.json", lambda verb: verb["arguments"]["properties"].pop("session"), "session")

    def test_running_goes_with_waiting(self):
        self.refused_change("next.json", lambda verb: verb["arguments"]["properties"].pop("timeout_ms"), "timeout_ms")

    def test_at_least_one_of_what_is_required(self):
        self.refused_change("set_breakpoints.json", lambda verb: verb.update(at_least_one=["file_path", "breakpoints"]), "at_least_one")

    def test_other_names(self):
        self.refused_change("stack.json", lambda verb: verb["arguments"]["properties"]["count"].update(also="levels"), "count: also")
        self.change("stack.json", lambda verb: verb["arguments"]["properties"]["count"].update(also=["start", "levels", "from"]))
        self.change("stack.json", lambda verb: verb["arguments"]["properties"]["start"].update(also=["from", "first"]))
        self.assertEqual(self.generate(), (0, ""))
        with open(self.output, encoding="ascii") as file:
            rows = file.read().replace('"\n            "', "")
        # Neither what is an argument itself nor what two could be called.
        self.assertIn('\\"also\\":[\\"levels\\"]', rows)
        self.assertIn('\\"also\\":[\\"first\\"]', rows)
        self.assertNotIn('\\"from\\"', rows)

    def test_result_fields_twice(self):
        self.refused_change("stack.json", lambda verb: verb["result"]["properties"].update(state={"type": "string"}), "state")

    def test_unknown_group(self):
        self.refused_change("stack.json", lambda verb: verb["result"]["groups"].append("nothing"), "group")

    def test_shape_that_contains_itself(self):
        self.change("common.json", lambda common: common["shapes"]["scope"]["properties"].update(inner={"shape": "scope"}))
        self.refused("contains itself")

    def test_summary_that_leads_nowhere(self):
        self.refused_change("stop.json", lambda verb: verb.update(summary="Ends the program."), "comes next")

    def test_summary_that_names_a_tool_that_is_not_there(self):
        self.refused_change("stop.json", lambda verb: verb.update(summary="Ends it. Then dap_restart."), "dap_restart")

    def test_summary_that_hides_refusals(self):
        self.refused_change("next.json", lambda verb: verb.update(summary="Steps. Then dap_next or dap_stop."), "refusals")

    def test_too_many_bytes_in_all(self):
        for name in os.listdir(VERBS):
            if name.endswith(".json") and name not in ("common.json", "single.json"):
                self.change(name, lambda verb: verb.update(summary=(verb["summary"] + " more" * 200)[:600].strip()))
        self.refused("the limit is")

    def test_core_text_that_names_a_tool_of_another_set(self):
        self.change("pause.json", lambda verb: verb.update(sets=["full"]))
        self.refused("attach.json", "dap_pause", "not in its set core")

    def test_shorter_texts_of_the_core_set(self):
        self.change("stop.json", lambda verb: verb.update(core="Ends it, then dap_launch."))
        self.change("common.json", lambda common: common["arguments"]["session"].update(core="main"))
        self.assertEqual(self.generate(), (0, ""))
        with open(self.output, encoding="ascii") as file:
            code = file.read().replace('"\n    "', "")
        core, full = (code[code.index("verb_tools_%s_text[]" % tools):].split("\n\n")[0] for tools in ("core", "full"))
        self.assertIn("Ends it, then dap_launch.", core)
        self.assertNotIn("Ends it, then dap_launch.", full)
        self.assertNotIn("minLength", core)
        self.assertIn("minLength", full)

    def test_single_action_without_an_operation(self):
        self.refused_change("single.json", lambda single: single["actions"].update(fly={"operation": "flight"}), "fly", "flight")

    def test_single_action_that_hides_an_operation(self):
        self.refused_change("single.json", lambda single: single["actions"].update(next={"operation": "step_in"}), "next")

    def test_single_name_for_no_argument(self):
        self.refused_change("single.json", lambda single: single["actions"]["stack_trace"]["names"].update(depth="deepness"), "deepness")

    def test_single_name_that_is_an_argument_itself(self):
        self.refused_change("single.json", lambda single: single["actions"]["stack_trace"]["names"].update(start="count"), "start")

    def test_single_parameter_that_no_action_takes(self):
        self.refused_change("single.json", lambda single: single["parameters"].update(speed={"type": "integer"}), "speed")

    def test_single_parameter_of_another_type(self):
        self.refused_change("single.json", lambda single: single["parameters"].update(levels={"type": "string"}), "levels")

    def test_single_tool_that_takes_too_many_bytes(self):
        self.change("single.json", lambda single: single.update(summary="more " * 1000))
        self.refused("the tools of single", "the limit is")

    def test_file_that_the_order_does_not_name(self):
        shutil.copy(self.path("next.json"), self.path("jump.json"))
        self.refused("order")

    def test_file_that_is_missing(self):
        os.remove(self.path("next.json"))
        self.refused("order")

    def test_member_twice(self):
        with open(self.path("stop.json"), "a+", encoding="utf-8") as file:
            file.seek(0)
            text = file.read()
            file.truncate(0)
            file.write(text.replace('"name": "stop",', '"name": "stop", "name": "stop",'))
        self.refused("stop.json", "twice")

    def test_no_json(self):
        with open(self.path("stop.json"), "w", encoding="utf-8") as file:
            file.write("{")
        self.refused("stop.json")

    def test_instructions_that_some_hosts_would_cut(self):
        for tools in ("core", "full", "single"):
            with open(self.path("instructions-%s.txt" % tools), "r+", encoding="utf-8") as file:
                good = file.read()
            for text, words in (("x" * 513, "first paragraph"), ("x\n\n" + "y" * 1600, "instructions-%s.txt" % tools),
                                ("x\n\nThen dap_fly.", "dap_fly")):
                self.write("instructions-%s.txt" % tools, text)
                self.refused(words)
            self.write("instructions-%s.txt" % tools, good)

    def test_a_skill_that_is_too_long_or_names_tools(self):
        for text, words in (("{{commands}}" + "x" * 6000, "the limit is"), ("no list", "{{commands}}"), ("{{commands}} dap_next", "dap_next")):
            self.write("skill.md", text)
            self.refused(words)

    def test_characters_that_c_would_read_otherwise(self):
        # Trigraphs, quotes, octal escapes followed by digits, line ends.
        text = 'What??/ "é7\\n" end\n\nsecond'
        self.write("instructions-core.txt", text)
        self.assertEqual(self.generate(), (0, ""))
        compiler = shutil.which("cc") or self.skipTest("no cc")
        folder = os.path.dirname(self.output)
        with open(os.path.join(folder, "main.c"), "w", encoding="utf-8") as file:
            file.write('#include "verb/verb.h"\n#include <stdio.h>\nint main(void) { return fputs(verb_instructions_core, stdout) < 0; }\n')
            for name in sorted(os.listdir(VERBS)):  # the table names the handlers
                if name.endswith(".json") and name not in ("common.json", "single.json"):
                    file.write("void verb_%s(void) {}\n" % name.removesuffix(".json"))
        include = os.path.join(os.path.dirname(SCRIPT), "..", "src")
        program = os.path.join(folder, "main")
        subprocess.run([compiler, "-std=c11", "-Werror", "-Wall", "-I", include, "-o", program, os.path.join(folder, "main.c"),
                        self.output], check=True)
        self.assertEqual(subprocess.run([program], capture_output=True, check=True).stdout.decode(), text)


unittest.main()
