"""usage: test-count-tests.py script/count-tests"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

SCRIPT = os.path.abspath(sys.argv.pop())


class CountTests(unittest.TestCase):
    def counted(self, *programs):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            for result, stdout, stderr in programs:
                file.write(json.dumps({"name": "x", "result": result, "stdout": stdout, "stderr": stderr}) + "\n")
            file.flush()
            done = subprocess.run([sys.executable, SCRIPT, file.name], capture_output=True, text=True)
        self.story, _, sums = done.stdout.strip().rpartition("\n")
        return sums, done.returncode

    def test_cmocka_counts_wherever_they_are_printed(self):
        self.assertEqual(self.counted(("OK", "[  PASSED  ] 11 test(s).\n", ""), ("OK", "", "[==========] x\n[  PASSED  ] 2 test(s).\n")),
                         ("13 passed, 0 failed, 0 skipped", 0))

    def test_failures(self):
        text = "[  PASSED  ] 3 test(s).\n[  FAILED  ] 2 test(s), listed below:\n[  FAILED  ] one\n[  FAILED  ] two\n"
        self.assertEqual(self.counted(("FAIL", "", text)), ("3 passed, 2 failed, 0 skipped", 1))
        self.assertEqual(self.story.splitlines()[0], "FAIL x (FAIL)")
        self.assertIn("\n     [  FAILED  ] two", self.story)

    def test_a_program_that_hangs_is_named_with_its_last_test(self):
        """The log of a run that failed was cut, and nothing at its end told which of 60 programs had hung."""
        self.counted(("OK", "[  PASSED  ] 3 test(s).\n", ""), ("TIMEOUT", "", "[ RUN      ] one\n[       OK ] one\n[ RUN      ] two\n"))
        self.assertEqual(self.story, "FAIL x (TIMEOUT)\n     [ RUN      ] one\n     [       OK ] one\n     [ RUN      ] two")

    def test_skips(self):
        text = "[  PASSED  ] 3 test(s).\n[  SKIPPED ] 1 test(s), listed below:\n"
        self.assertEqual(self.counted(("OK", text, ""), ("SKIP", "", "")), ("3 passed, 0 failed, 2 skipped", 0))

    def test_crash_after_all_passed(self):
        """A program that crashed or leaked after its last test was counted as passed."""
        self.assertEqual(self.counted(("FAIL", "[  PASSED  ] 3 test(s).\n", "leak")), ("3 passed, 1 failed, 0 skipped", 1))
        self.assertEqual(self.counted(("TIMEOUT", "", "")), ("0 passed, 1 failed, 0 skipped", 1))

    def test_program_that_says_nothing(self):
        self.assertEqual(self.counted(("OK", "", "")), ("1 passed, 0 failed, 0 skipped", 0))

    def test_no_programs_at_all(self):
        self.assertEqual(self.counted(), ("0 passed, 1 failed, 0 skipped", 1))
        done = subprocess.run([sys.executable, SCRIPT, "/nowhere/testlog.json"], capture_output=True, text=True)
        self.assertEqual((done.stdout.strip(), done.returncode), ("0 passed, 1 failed, 0 skipped", 1))


unittest.main()
