"""One `dapple mcp` process, spoken to in raw lines. Every line that it writes is validated as it arrives (schema/messages.json)."""

import json
import os
import subprocess
import sys
import threading
import time

import jsonschema

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from support import leaks, programs  # noqa: E402

LEGACY = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
MODERN_META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}

with open(os.path.join(HERE, "schema", "messages.json"), encoding="utf-8") as file:
    SCHEMA = json.load(file)


def validator(definition):
    return jsonschema.Draft202012Validator({**SCHEMA, "$ref": "#/$defs/" + definition.replace("/", "~1")})


VALIDATORS = {name: validator(name) for name in SCHEMA["$defs"]}


def without_warnings(text):
    """From the head line on: what Python is used is said before it, and differs between systems."""
    while text.startswith("Warning: "):
        text = text.partition("\n")[2]
    return text


class Server:
    """`stdin` and `stdout` may be descriptors of the test's own; then there is no writing or reading here."""

    def __init__(self, context, *options, stdin=subprocess.PIPE, stdout=subprocess.PIPE):
        self.context = context
        self.stderr_path = os.path.join(context.folder, "stderr")
        with open(self.stderr_path, "ab") as stderr:
            self.process = subprocess.Popen([context.dapple, "mcp", *options], stdin=stdin, stdout=stdout, stderr=stderr, bufsize=0,
                                            cwd=programs.FOLDER,
                                            env={**os.environ, "DAPPLE_TEST_ID": context.test_id, "TMPDIR": context.folder})
        context.servers.append(self)
        self.changed = threading.Condition()
        self.messages = []   # every message, those of arrays one by one
        self.lines = []      # every line, parsed
        self.faults = []
        self.ended = False
        self.asked = {}      # method and era by id
        self.next_id = 1
        if self.process.stdout:
            self.reader = threading.Thread(target=self.read, daemon=True)
            self.reader.start()

    # ---- reading

    def read(self):
        for line in self.process.stdout:
            self.take(line)
        with self.changed:
            self.ended = True
            self.changed.notify_all()

    def take(self, line):
        with self.changed:
            try:
                message = json.loads(line.decode("utf-8"))
                if not line.endswith(b"\n") or line.endswith(b"\r\n"):
                    raise ValueError("the end of the line is wrong")
                self.lines.append(message)
                for part in message if isinstance(message, list) else [message]:
                    self.messages.append(part)
                    self.check(part)
            except (ValueError, jsonschema.ValidationError) as error:
                self.faults.append("%s in %r" % (str(error).split("\n")[0], line[:300]))
            self.changed.notify_all()

    def check(self, message):
        VALIDATORS["message"].validate(message)
        if "result" in message:
            method, era = self.asked[json.dumps(message["id"])]
            VALIDATORS["%s %s" % (era, method)].validate(message["result"])

    # ---- writing

    def write(self, data):
        view = memoryview(data)
        while view:
            view = view[self.process.stdin.write(view):]

    def send(self, message):
        self.write(json.dumps(message, ensure_ascii=False).encode() + b"\n")

    def request(self, method, params=None, id=None, modern=False):
        """The message, noted as asked."""
        if id is None:
            id = self.next_id
            self.next_id += 1
        self.asked[json.dumps(id)] = (method, "modern" if modern else "legacy")
        params = dict(params or {})
        if modern:
            params["_meta"] = {**MODERN_META, **params.get("_meta", {})}
        return {"jsonrpc": "2.0", "id": id, "method": method, "params": params}

    def ask(self, method, params=None, id=None, modern=False):
        message = self.request(method, params, id, modern)
        self.send(message)
        return message["id"]

    def notify(self, method, params=None):
        self.send({"jsonrpc": "2.0", "method": method, "params": params or {}})

    # ---- both

    def wait(self, condition, what, timeout=15):
        """`condition` gives something true when it has come."""
        with self.changed:
            self.changed.wait_for(lambda: condition() or self.ended, timeout)
            found = condition()
        if not found:
            raise AssertionError("%s did not come; last: %s; stderr: %s" % (what, json.dumps(self.lines[-3:])[:1500], self.stderr()[-800:]))
        return found

    def answer(self, id, timeout=15):
        def find():
            return next((message for message in self.messages if message.get("id", self) == id and type(message["id"]) is type(id)), None)
        return self.wait(find, "an answer to %r" % (id,), timeout)

    def error(self, timeout=15):
        """The newest message must be an error without an id; its code."""
        def find():
            return self.messages and "error" in self.messages[-1] and "id" not in self.messages[-1]
        self.wait(find, "an error without an id", timeout)
        return self.messages[-1]["error"]["code"]

    def call_method(self, method, params=None, id=None, modern=False):
        return self.answer(self.ask(method, params, id, modern))

    def initialize(self, version="2025-11-25", client="test"):
        result = self.call_method("initialize", {"protocolVersion": version, "capabilities": {},
                                                 "clientInfo": {"name": client, "version": "1"}}, id=0)
        self.notify("notifications/initialized")
        return result["result"]

    def start(self, tool, token=None, id=None, modern=False, **arguments):
        params = {"name": tool, "arguments": arguments}
        if token is not None:
            params["_meta"] = {"progressToken": token}
        return self.ask("tools/call", params, id, modern)

    def call(self, tool, timeout=20, modern=False, **arguments):
        return self.answer(self.start(tool, modern=modern, **arguments), timeout)["result"]

    def text(self, tool, **arguments):
        return self.call(tool, **arguments)["content"][0]["text"]

    def sync(self):
        """Everything sent before has been handled when this returns."""
        self.call_method("ping")

    def launch(self, program, mark, **arguments):
        """Launches a program of tests/programs up to a marked line."""
        breakpoints = [{"file": program, "line": programs.line(program, mark)}]
        text = without_warnings(self.text("dap_launch", program=program, breakpoints=breakpoints, **arguments))
        assert text.startswith("stopped (breakpoint) at %s:%d:" % (program, breakpoints[0]["line"])), text
        return text

    # ---- the end

    def wait_exit(self, timeout=20):
        try:
            return self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            raise AssertionError("dapple is still there after %.1f s; stderr: %s" % (timeout, self.stderr())) from None

    def close(self):
        """End of stdin; how long it took to leave."""
        started = time.monotonic()
        self.process.stdin.close()
        status = self.wait_exit()
        seconds = time.monotonic() - started
        assert status == 0, "exit status %s; stderr: %s" % (status, self.stderr())
        return seconds

    def stderr(self):
        with open(self.stderr_path, encoding="utf-8", errors="replace") as file:
            return file.read()


class Context:
    """What one test has: the binary, a folder, its mark, and the servers that it started."""

    def __init__(self, dapple, folder, test_id):
        self.dapple = dapple
        self.folder = folder
        self.test_id = test_id
        self.servers = []
        self.sanitized = bool(os.environ.get("DAPPLE_TEST_SANITIZED"))

    def server(self, *options, **descriptors):
        return Server(self, *options, **descriptors)

    def ready(self, *options, version="2025-11-25", client="test"):
        server = self.server(*options)
        server.initialize(version, client)
        return server

    def close(self):
        """Ends what is still there, and says what was wrong with any of it."""
        faults = []
        for server in self.servers:
            if server.process.poll() is None:
                if server.process.stdin:
                    server.process.stdin.close()
                try:
                    server.process.wait(20)
                except subprocess.TimeoutExpired:
                    faults.append("dapple did not leave at the end of the test")
                    server.process.kill()
                    server.process.wait()
            if server.process.stdout:
                server.reader.join(20)
            faults += server.faults
        left = leaks.wait_none(self.test_id)
        if left:
            faults.append("left behind: %s" % "; ".join(left))
            leaks.kill_all(self.test_id)
        return faults
