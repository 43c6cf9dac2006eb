"""A client that runs `dapple COMMAND`, with the calls of the MCP client: what a test asks for by a tool's name goes through the command
line and the daemon, and comes back in the same form.

The words are made from the declarations in verbs/, the results are checked against the same schemas.
"""

import glob
import json
import os
import re
import subprocess
import threading
import time

from support import mcp

VERBS = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", "verbs"))


def read_declarations():
    declarations = {}
    for path in glob.glob(os.path.join(VERBS, "*.json")):
        with open(path) as file:
            declaration = json.load(file)
        if "cli" in declaration:
            declarations[declaration["tool"]] = declaration
    return declarations


def breakpoint_words(row):
    """"file:line if condition hit count log text"; JSON where it is something else."""
    if set(row) - {"file", "line", "column", "condition", "hit_condition", "log_message"} or "line" not in row:
        return json.dumps(row)
    words = ":".join(str(row[key]) for key in ("file", "line", "column") if key in row)
    for key, word in (("condition", "if"), ("hit_condition", "hit"), ("log_message", "log")):
        if row.get(key):
            words += " %s %s" % (word, row[key])
    return words


def item_word(item):
    if isinstance(item, bool):
        return str(item).lower()
    return item if isinstance(item, str) else breakpoint_words(item) if isinstance(item, dict) else str(item)


class Words:
    """The words of one call."""

    def __init__(self, declaration):
        self.cli = declaration["cli"]
        self.words = []

    def flag(self, name):
        return self.cli.get("flags", {}).get(name, "--" + name.replace("_", "-"))

    def add(self, name, value):
        if isinstance(value, bool):
            self.words.append(self.flag(name) if value else "--no-" + self.flag(name)[2:])
        elif isinstance(value, list):
            for item in value:
                self.words += [self.flag(name), item_word(item)]
        elif isinstance(value, dict):
            self.words += [self.flag(name), json.dumps(value)]
        else:
            self.words += [self.flag(name), str(value)]

    def of(self, arguments):
        rest = {name: value for name, value in arguments.items() if value is not None}
        positional = []
        for name in self.cli.get("positional", []):
            value = rest.get(name)
            if value is None or isinstance(value, dict) or (isinstance(value, list) and not value):
                break
            positional += [item_word(item) for item in value] if isinstance(value, list) else [item_word(value)]
            del rest[name]
        for name, value in rest.items():
            if value == []:
                self.words += [self.flag(name) + "=[]"] if name in ("breakpoints", "filters") else []
            elif name.endswith("_ms"):
                self.words += [self.flag(name).removesuffix("-ms"), "%dms" % value]
            else:
                self.add(name, value)
        return [self.cli["verb"], *self.words, *(["--", *positional] if positional else [])]


class Pending:
    def __init__(self, commands, tool, arguments):
        self.commands, self.tool, self.arguments = commands, tool, arguments
        verb, *words = Words(commands.declarations[tool]).of(arguments)
        self.words = [verb, "--json=both", *words]
        self.outcome = None
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.started = time.monotonic()
        self.thread.start()

    def _run(self):
        self.outcome = self.commands.run(*self.words, timeout=120)
        self.finished = time.monotonic()

    def done(self):
        return self.outcome is not None

    def result(self, timeout=20):
        self.thread.join(timeout)
        if self.outcome is None:
            raise AssertionError("no end of %s within %.1f s\n%s" % (self.words, timeout, self.commands.story()))
        result = self.commands.result_of(self.tool, self.words, self.outcome, self.finished - self.started)
        if not result.is_error:
            self.commands.done.setdefault(self.tool, set()).update(mcp.argument_paths(self.arguments))
        return result


class Outcome:
    def __init__(self, status, out, err):
        self.status, self.out, self.err = status, out, err

    def __str__(self):
        return "status %s\nstdout: %s\nstderr: %s" % (self.status, self.out, self.err)


class Daemon:
    """Stands where other clients have the process that they started."""
    returncode = 0

    def __init__(self, commands):
        self.commands = commands

    def poll(self):
        return self.returncode if self.commands.closed else None

    @property
    def pid(self):
        if self.commands.closed:
            return -1
        found = re.search(r"process (\d+)", self.commands.run("daemon", "status").out)
        return int(found.group(1)) if found else -1

    def kill(self):
        if self.pid > 0:
            os.kill(self.pid, 9)

    def wait(self):
        pass


class Commands:
    def __init__(self, path, env, cwd):
        """`env` is asked for each command: adapters are installed while the test runs."""
        self.path, self._env, self.cwd = path, env, cwd
        self.declarations = read_declarations()
        with open(os.path.join(VERBS, "common.json")) as file:
            self.common = json.load(file)
        self.faults, self.told = [], []
        self.tool_names = {declaration["cli"]["verb"]: tool for tool, declaration in self.declarations.items()}  # what tests look for
        self.done = {}
        self.closed = False
        self.process = Daemon(self)
        self.tools = []

    @property
    def env(self):
        return self._env() if callable(self._env) else self._env

    @env.setter
    def env(self, env):
        self._env = env

    # ---- words

    def popen(self, *words, cwd=None, env=None, **options):
        options.setdefault("stdin", subprocess.DEVNULL)
        return subprocess.Popen([self.path, *words], cwd=cwd or self.cwd, env={**self.env, **(env or {})},
                                stdout=options.pop("stdout", subprocess.PIPE), stderr=options.pop("stderr", subprocess.PIPE), **options)

    def run(self, *words, timeout=20, **options):
        process = self.popen(*words, **options)
        try:
            out, err = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise AssertionError("no end of dapple %s within %s s\n%s" % (words, timeout, self.story())) from None
        outcome = Outcome(process.returncode, (out or b"").decode("utf-8", "replace"), (err or b"").decode("utf-8", "replace"))
        if outcome.status < 0:
            self.faults.append("dapple %s died of signal %d" % (words, -outcome.status))
        self.told.append("dapple %s -> %s" % (" ".join(map(str, words)), outcome))
        return outcome

    # ---- the calls of the MCP client

    def start(self, tool, **arguments):
        return Pending(self, tool, arguments)

    def call(self, tool, limit=None, **arguments):
        return self.start(tool, **arguments).result(limit or mcp.longer_than(arguments))

    def result_of(self, tool, words, outcome, seconds):
        try:
            data = json.loads(outcome.out)
        except ValueError:
            raise AssertionError("no line of JSON from %s: %s" % (words, outcome)) from None
        text = re.sub(r"dapple ([a-z-]+)", lambda found: self.tool_names.get(found.group(1), found.group(0)), data.pop("text", ""))
        text = re.sub("^dapple: ", "Dapple: ", text, flags=re.M)
        for flag, argument in (("--frame ", "frame_id "), ("--reference ", "variables_reference "), ("--source-reference ", "source_reference "),
                               ("--location-reference ", "location_reference ")):
            text = re.sub("(?<=[\\[(,·] )%s(?=\\d)|(?<=[\\[(])%s(?=\\d)" % (flag, flag), argument, text)
        if "session" in data:
            self.check_schema(tool, data)
        failed = outcome.status != 0
        return mcp.Result(tool, {"result": {"isError": failed, "structuredContent": data, "content": [{"text": text}]}}, seconds)

    def check_schema(self, tool, data):
        result = self.declarations[tool]["result"]
        properties = {}
        for group in result["groups"]:
            properties.update(self.common["groups"][group])
        properties.update(result["properties"])
        unknown = set(data) - set(properties)
        if unknown:
            raise AssertionError("the result of %s has members that are not declared: %s" % (tool, unknown))

    def exercised(self):
        return self.done

    # ---- the end

    def close(self, timeout=20):
        outcome = self.run("daemon", "stop", timeout=timeout)
        self.closed = True
        if outcome.status != 0:
            raise AssertionError("dapple daemon stop: %s" % outcome)

    def stderr(self):
        return self.run("log").out

    def story(self):
        return "\n".join(self.told[-6:])[-6000:]

