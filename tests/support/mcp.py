"""A client of `dapple mcp` over stdio: calls with time limits, concurrent calls, cancellation, raw lines.

Every line that the server writes is checked as it arrives; what is wrong with it is kept in `faults` and fails the test at its end.
"""

import io
import json
import subprocess
import threading
import time

import jsonschema

LATEST_LEGACY = "2025-06-18"


class Result:
    """What a tool call came back with."""

    def __init__(self, tool, message, seconds):
        self.tool = tool
        self.seconds = seconds
        self.message = message
        self.error = message.get("error")
        body = message.get("result") or {}
        self.is_error = bool(body.get("isError"))
        self.data = body.get("structuredContent") or {}
        self.text = "".join(part.get("text", "") for part in body.get("content", []))

    @property
    def head(self):
        return self.text.split("\n", 1)[0]

    def __getitem__(self, key):
        if key not in self.data:
            raise AssertionError("no %r in the result of %s: %s" % (key, self.tool, self))
        return self.data[key]

    def get(self, key, default=None):
        return self.data.get(key, default)

    def __str__(self):
        if self.error:
            return "%s -> protocol error %s" % (self.tool, json.dumps(self.error))
        return "%s -> %s%s\n%s" % (self.tool, "ERROR " if self.is_error else "", self.text,
                                   json.dumps(self.data, ensure_ascii=False)[:4000])


class Pending:
    """A call without an answer yet."""

    def __init__(self, client, call_id, tool):
        self.client, self.id, self.tool = client, call_id, tool
        self.started = time.monotonic()
        self.message = None
        self.finished = None

    def done(self):
        return self.message is not None

    def result(self, timeout=20):
        with self.client.changed:
            if not self.client.changed.wait_for(lambda: self.done() or self.client.ended, timeout) or not self.done():
                raise AssertionError("no answer to %s (id %s) within %.1f s; the server %s\n%s" % (
                    self.tool, self.id, timeout, "has ended" if self.client.ended else "is alive", self.client.story()))
        return Result(self.tool, self.message, self.finished - self.started)


class Client:
    def __init__(self, command, env, cwd, stderr_path):
        self.stderr_path = stderr_path
        self.command = command
        with open(stderr_path, "ab") as stderr:
            self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr, env=env, cwd=cwd,
                                            bufsize=0)
        self.changed = threading.Condition()
        self.pending = {}
        self.lines = []          # every message of the server, in order
        self.notifications = []
        self.faults = []
        self.ended = False
        self.closed = False      # we ended it
        self.next_id = 1
        self.schemas = {}        # output schemas by tool
        self.tools = []
        self.sent = []
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    # ---- lines

    def send_bytes(self, data):
        view = memoryview(data)
        while view:
            view = view[self.process.stdin.write(view):]

    def send(self, message):
        self.sent.append(message)
        self.send_bytes(json.dumps(message, ensure_ascii=False).encode() + b"\n")

    def request(self, method, params=None, tool=None, call_id=None):
        """Sends a request and returns it as Pending; `call_id` may be any JSON id."""
        with self.changed:
            if call_id is None:
                call_id = self.next_id
                self.next_id += 1
            pending = Pending(self, call_id, tool or method)
            self.pending[json.dumps(call_id)] = pending
        message = {"jsonrpc": "2.0", "id": call_id, "method": method}
        if params is not None:
            message["params"] = params
        self.send(message)
        return pending

    def notify(self, method, params=None):
        message = {"jsonrpc": "2.0", "method": method}
        if params is not None:
            message["params"] = params
        self.send(message)

    def _read(self):
        for line in io.BufferedReader(self.process.stdout, 1 << 20):
            self._take(line)
        with self.changed:
            self.ended = True
            self.changed.notify_all()

    def _take(self, line):
        fault = None
        message = None
        try:
            message = json.loads(line.decode("utf-8"))
            fault = check_message(message)
            if not line.endswith(b"\n"):
                fault = fault or "a line without an end"
        except (UnicodeDecodeError, ValueError) as error:
            fault = "not JSON: %s" % error
        with self.changed:
            if fault:
                self.faults.append("%s: %r" % (fault, line[:300]))
            for part in message if isinstance(message, list) else [message] if isinstance(message, dict) else []:
                self._dispatch(part)
            self.changed.notify_all()

    def _dispatch(self, message):
        self.lines.append(message)
        if "method" in message:
            self.notifications.append(message)
            return
        pending = self.pending.get(json.dumps(message.get("id")))
        if pending is None:
            if message.get("id") is not None:
                self.faults.append("an answer that nobody asked for: %s" % json.dumps(message)[:300])
            return
        if pending.done():
            self.faults.append("a second answer to id %s" % pending.id)
            return
        pending.finished = time.monotonic()
        pending.message = message

    # ---- MCP

    def initialize(self, version=LATEST_LEGACY, name="scenario"):
        answer = self.request("initialize", {"protocolVersion": version, "capabilities": {},
                                             "clientInfo": {"name": name, "version": "1"}})
        answer.result()
        self.notify("notifications/initialized")
        tools = self.request("tools/list", {})
        tools.result()
        self.tools = tools.message["result"]["tools"]
        self.schemas = {tool["name"]: tool["outputSchema"] for tool in self.tools if "outputSchema" in tool}
        return answer.message["result"]

    def start(self, tool, progress=None, **arguments):
        """Begins a call; `result()` of what it returns waits for the answer."""
        params = {"name": tool, "arguments": arguments}
        if progress is not None:
            params["_meta"] = {"progressToken": progress}
        return self.request("tools/call", params, tool=tool)

    def call(self, tool, limit=None, **arguments):
        """Calls and waits, longer than the call itself does. The structured result must satisfy the declared output schema."""
        result = self.start(tool, **arguments).result(limit or longer_than(arguments))
        self.check_schema(result)
        return result

    def check_schema(self, result):
        schema = self.schemas.get(result.tool)
        if schema is None or result.error:
            return
        if not result.data:
            if not result.is_error:
                raise AssertionError("no structured content in %s" % result)
            return
        errors = sorted(jsonschema.Draft202012Validator(schema).iter_errors(result.data), key=lambda error: list(error.path))
        if errors:
            raise AssertionError("the result breaks its own output schema at /%s: %s\n%s" % (
                "/".join(map(str, errors[0].path)), errors[0].message[:300], result))

    def cancel(self, pending, reason="test"):
        self.notify("notifications/cancelled", {"requestId": pending.id, "reason": reason})

    def wait(self, condition, timeout=10, what="condition"):
        with self.changed:
            if not self.changed.wait_for(lambda: condition() or self.ended, timeout) or not condition():
                raise AssertionError("%s did not come within %.1f s\n%s" % (what, timeout, self.story()))

    # ---- the end

    def close_stdin(self):
        self.closed = True
        if not self.process.stdin.closed:
            self.process.stdin.close()

    def close(self, timeout=20):
        """End of stdin; returns how long the server took to leave."""
        started = time.monotonic()
        self.close_stdin()
        self.wait_exit(timeout)
        return time.monotonic() - started

    def wait_exit(self, timeout=20):
        try:
            self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            raise AssertionError("dapple (pid %d) is still there after %.1f s\n%s" % (self.process.pid, timeout,
                                                                                      self.story())) from None
        self.reader.join(timeout)
        return self.process.returncode

    def stderr(self):
        with open(self.stderr_path, "rb") as file:
            return file.read().decode("utf-8", "replace")

    def exercised(self):
        """{tool: argument paths} of the calls that succeeded; arguments of a list stand as "breakpoints[].line"."""
        good = {json.dumps(message.get("id")) for message in self.lines if isinstance(message, dict) and isinstance(message.get("result"), dict)
                and not message["result"].get("isError")}
        tools = {}
        for message in self.sent:
            params = message.get("params") if isinstance(message, dict) and message.get("method") == "tools/call" else None
            if isinstance(params, dict) and json.dumps(message.get("id")) in good:
                tools.setdefault(params.get("name"), set()).update(argument_paths(params.get("arguments") or {}))
        return tools

    def story(self):
        """The last messages both ways, for a failing test."""
        sent = [message for message in self.sent if message.get("method") not in ("initialize", "notifications/initialized",
                                                                                  "tools/list")]
        came = [message for message in self.lines if "instructions" not in (message.get("result") or {})
                and "tools" not in (message.get("result") or {})]
        lines = ["-> " + json.dumps(message)[:600] for message in sent[-4:]]
        lines += ["<- " + json.dumps(message, ensure_ascii=False)[:1200] for message in came[-4:]]
        tail = self.stderr()[-1500:]
        if tail:
            lines.append("stderr of dapple:\n" + tail)
        return "\n".join(lines)


def longer_than(arguments):
    """Seconds that a call with these may take, and more."""
    wait = arguments.get("timeout_ms")
    return max(20, wait / 1000 + 10) if type(wait) is int and wait < 10 ** 6 else 20


def argument_paths(arguments, before=""):
    paths = set()
    for name, value in arguments.items():
        paths.add(before + name)
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, dict):
                paths |= argument_paths(item, before + name + ("[]." if isinstance(value, list) else "."))
    return paths


def check_message(message):
    """Why this is no JSON-RPC message of a server; None when it is."""
    if isinstance(message, list):
        return next((fault for fault in map(check_message, message) if fault), None) or (None if message else "an empty batch")
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        return "no JSON-RPC 2.0 object"
    kinds = [kind for kind in ("result", "error", "method") if kind in message]
    if len(kinds) != 1:
        return "one of result, error and method expected, got %s" % kinds
    if kinds[0] == "method":
        return None if isinstance(message["method"], str) else "method is no string"
    if "id" not in message:
        return "an answer without id"
    if isinstance(message["id"], (list, dict, bool, float)):
        return "an id of a wrong kind"
    if kinds[0] == "result":
        return None if isinstance(message["result"], dict) else "result is no object"
    error = message["error"]
    good = isinstance(error, dict) and isinstance(error.get("code"), int) and isinstance(error.get("message"), str)
    return None if good else "error without code and message"
