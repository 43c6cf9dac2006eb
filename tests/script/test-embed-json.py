"""usage: test-embed-json.py script/embed-json"""

import copy
import glob
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

SCRIPT = os.path.abspath(sys.argv.pop())
DECLARATIONS = os.path.join(os.path.dirname(SCRIPT), "..", "adapters")

GOOD = {
    "id": "some-adapter",
    "type": "some",
    "status": "experimental",
    "debugs": "things",
    "handles": {"extensions": [".x"], "preference": 1},
    "find": {"executables": ["some", "some-*"]},
    "start": {"transport": "stdio", "command": ["${adapter}", "${args}"]},
    "launch": {"program": "${program}", "list": ["<${cwd}>"]},
    "exceptions": {"uncaught": [], "all": ["all"]},
    "install": {"any": "get some"},
}


class EmbedJson(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def write(self, text, name="some-adapter.json"):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def run_script(self, *files):
        output = os.path.join(self.folder, "table.c")
        done = subprocess.run([sys.executable, SCRIPT, output, *files], capture_output=True, text=True)
        return done.returncode, done.stderr, output

    def refused(self, message, path, value):
        """The good declaration with the member at `path` set to `value` (… leaves it out) is refused with that message."""
        declaration = copy.deepcopy(GOOD)
        target = declaration
        for name in path[:-1]:
            target = target[name]
        if value is ...:
            del target[path[-1]]
        else:
            target[path[-1]] = value
        status, errors, output = self.run_script(self.write(json.dumps(declaration)))
        self.assertEqual(status, 1, errors)
        self.assertEqual(errors, f"embed-json: some-adapter.json{message}\n")
        self.assertFalse(os.path.exists(output), "a table was written all the same")

    def accepted(self, **members):
        """The good declaration with these members is taken."""
        status, errors, output = self.run_script(self.write(json.dumps(dict(GOOD, **members))))
        self.assertEqual((status, errors), (0, ""))
        os.remove(output)

    def test_ours_are_good(self):
        status, errors, output = self.run_script(*glob.glob(os.path.join(DECLARATIONS, "*.json")))
        self.assertEqual((status, errors), (0, ""))
        with open(output, encoding="ascii") as file:
            self.assertIn('\\"id\\":\\"debugpy\\"', file.read())

    def test_good_one(self):
        status, errors, _ = self.run_script(self.write(json.dumps(GOOD)))
        self.assertEqual((status, errors), (0, ""))

    # A misspelt member would be ignored, and its adapter would work differently from what its author believes.
    def test_unknown_members(self):
        self.refused(".colour: unknown member", ["colour"], "red")
        self.refused(".handles.extension: unknown member", ["handles", "extension"], [".y"])
        self.refused(".find.python: unknown member", ["find", "python"], "x")
        self.refused(".start.args: unknown member", ["start", "args"], [])
        self.refused(".exceptions.caught: unknown member", ["exceptions", "caught"], [])

    def test_missing_members(self):
        self.refused(".install: missing", ["install"], ...)
        self.refused(".start.command: missing", ["start", "command"], ...)
        self.refused(".handles.preference: missing", ["handles", "preference"], ...)
        self.refused(".handles: handles nothing", ["handles", "extensions"], ...)
        self.refused('.install: must be an object with the member "any"', ["install", "any"], ...)

    def test_wrong_types(self):
        self.refused(".handles.preference: must be an integer of at least 0", ["handles", "preference"], True)
        self.refused(".handles.extensions[0]: must be a string like \\.[a-z0-9]+", ["handles", "extensions"], ["py"])
        self.refused(".launch: must be an object", ["launch"], [])
        self.refused(".launch.program: null is never sent", ["launch", "program"], None)

    def test_unknown_quirk(self):
        declaration = dict(GOOD, quirks=["slow"])
        status, errors, _ = self.run_script(self.write(json.dumps(declaration)))
        self.assertEqual(status, 1)
        self.assertIn("some-adapter.json.quirks[0]: must be a string like", errors)

    # Two quirks once had the same bit: each adapter with one of them had the other, too.
    def test_wrong_claims(self):
        self.refused(".claims_wrongly[0]: must be a string like supports?[A-Z][A-Za-z]+", ["claims_wrongly"], ["LogPoints"])

    # A placeholder that nobody fills in would reach the adapter as it is.
    def test_unknown_placeholders(self):
        self.refused(".launch.list[0]: unknown placeholder ${pwd}", ["launch", "list"], ["a ${pwd}"])
        self.refused(".start.command[1]: unknown placeholder ${env}", ["start", "command"], ["${adapter}", "${env}"])

    def test_ports(self):
        self.refused(".start: host, port and $PORT are for transport tcp and accept", ["start", "command"], ["${adapter}", "--port=$PORT"])
        tcp = {"transport": "tcp", "command": ["${adapter}"]}
        self.refused(".start.command: a port that is chosen freely must be told to the adapter as $PORT, or be in its "
                     "announcement", ["start"], tcp)
        self.refused(".start.port: must be at most 65535", ["start"], dict(tcp, port=65536))

    def test_ways_to_listen(self):
        announced = {"transport": "tcp", "command": ["${adapter}", "0"], "announcement": "listening at ${port}"}
        self.accepted(start=announced)
        self.refused(".start.command: a port that is chosen freely must be told to the adapter as $PORT, or be in its announcement",
                     ["start"], dict(announced, announcement="listening"))
        self.refused(".start.announcement: unknown placeholder ${where}", ["start"], dict(announced, announcement="at ${where} ${port}"))
        self.refused(".start.announcement: is for an adapter that listens", ["start", "announcement"], "ready")
        self.refused(".start.command: $SOCKET and transport unix belong together", ["start", "transport"], "unix")
        self.refused(".start.command: $SOCKET and transport unix belong together", ["start", "command"], ["${adapter}", "$SOCKET"])
        self.refused(".start.command: the port to connect to must be told to the adapter as $PORT", ["start", "transport"], "accept")
        self.refused(".start.command[0]: must begin with ${adapter} or ${interpreter}", ["start", "command"], ["node", "${adapter}"])

    # A script is told from others of its name only when somebody says how, and is run only when somebody says by what.
    def test_scripts(self):
        script = {"scripts": ["a.js"], "runs_with": ["node"], "places": ["${adapters}/a"]}
        self.accepted(find=script)
        self.refused(".find: names neither executables nor scripts", ["find"], {"places": ["/x"]})
        self.refused(".find: scripts and runs_with belong together", ["find"], {"scripts": ["a.js"], "places": ["/x"]})
        self.refused(".find.places: scripts are looked for in places only", ["find"], {"scripts": ["a.js"], "runs_with": ["node"]})
        self.refused(".find.contains: is for scripts", ["find", "contains"], {"text": "a", "else": "b"})
        self.refused(".find.contains.else: missing", ["find"], dict(script, contains={"text": "a"}))
        self.refused(".find.needs.places: missing", ["find", "needs"], {"file": "a/b"})

    # A version is told in one way; one that matters must be asked of the program before it is started.
    def test_versions(self):
        at = ["find", "version"]
        for version in ({"arguments": ["version"]}, {"answer": "$__v"}, {"files": ["../package.json"], "after": "\"version\":"},
                        {"arguments": ["--version"], "minimum": 14, "reason": "needs 14"}):
            self.accepted(find=dict(GOOD["find"], version=version))
        self.accepted(find={"python_package": "a", "version": {"files": ["_version.py"]}})
        self.refused(".find.version: must have one of arguments, files, answer", at, {"after": "x"})
        self.refused(".find.version: must have one of arguments, files, answer", at, {"answer": "x", "files": ["y"]})
        self.refused(".find.version.after: is for files", at, {"answer": "x", "after": "y"})
        self.refused(".find.version: minimum and reason belong together, and to arguments", at, {"arguments": ["x"], "minimum": 1})
        self.refused(".find.version: minimum and reason belong together, and to arguments", at,
                     {"files": ["x"], "minimum": 1, "reason": "y"})

    # A place that is looked for in the working folder would be another one for each program.
    def test_places(self):
        pattern = r"(/|~/).+|\$\{([A-Z][A-Z0-9_]*|adapters|project)\}(/.+)?"
        for place in ("bin", "./bin", "${cwd}/bin", "$HOME/bin", ""):
            self.refused(f".find.places[0]: must be a string like {pattern}", ["find", "places"], [place])
        for place in ("/a", "~/a/*", "${adapters}/a", "${project}/a/b", "${GOBIN}", "${PERL5LIB}/x"):
            self.accepted(find=dict(GOOD["find"], places=[place]))

    # What works was seen to work, with some version; nobody can tell later which one.
    def test_versions_of_tested_ones(self):
        self.refused(".tested_with: belongs to status tested", ["status"], "tested")
        self.refused(".tested_with: belongs to status tested", ["tested_with"], "1.0")

    def test_attach(self):
        self.refused(".attach.pid: does not use ${pid}", ["attach"], {"pid": {"id": 1}})
        self.refused(".attach.pid: must be an object with members", ["attach"], {"pid": {}})
        self.refused(".attach.port.x: unknown placeholder ${pid}", ["attach"], {"port": {"x": "${pid}"}})
        self.refused(".attach.connect: must be true or false, and beside a port", ["attach"], {"connect": True})

    def test_placeholders_of_the_adapters_own(self):
        self.accepted(launch={"x": "$${port}"})

    def test_the_page_shows_the_list_of_quirks(self):
        # Three lists of them had to be kept alike by hand, and two quirks had got the same number.
        with open(os.path.join(DECLARATIONS, "..", "src", "session", "quirks.h"), encoding="utf-8") as file:
            header = re.sub(r"\\\n", "", file.read())
        listed = re.findall(r'\bX\([A-Z_]+, "(\w+)", +((?:"(?:[^"\\]|\\.)*"\s*)+)\)', header)
        self.assertGreater(len(listed), 30)
        rows = ["| `%s` | %s |" % (name, "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', texts))) for name, texts in listed]
        with open(os.path.join(DECLARATIONS, "..", "docs", "adapters.md"), encoding="utf-8") as file:
            page = file.read()
        shown = page[page.index("### `quirks`"):page.index("`claims_wrongly` lists")].strip().splitlines()[4:]
        self.assertEqual(shown, rows)

    def test_name_of_the_file(self):
        self.refused(".id: must be the name of the file", ["id"], "other")

    def test_not_json(self):
        for text in ("{", '{"id": "a", "id": "b"}'):
            status, errors, _ = self.run_script(self.write(text))
            self.assertEqual(status, 1)
            self.assertIn("embed-json: some-adapter.json: ", errors)

    def test_name_taken_twice(self):
        one = self.write(json.dumps(dict(GOOD, aliases=["short"])))
        two = self.write(json.dumps(dict(GOOD, id="two", aliases=["short"])), "two.json")
        status, errors, _ = self.run_script(one, two)
        self.assertEqual(status, 1)
        self.assertEqual(errors, "embed-json: two.json: the name short belongs to some-adapter already\n")


if __name__ == "__main__":
    unittest.main()
