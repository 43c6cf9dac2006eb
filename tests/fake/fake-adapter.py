#!/usr/bin/env python3
"""A debug adapter that does what a script says, and a spy on what it was told.

The folder $DAPPLE_FAKE holds `script.json`; next to it the adapter writes `received-PID.jsonl` (every message, as it came) and
`raw-PID.client` and `raw-PID.adapter` (every byte, in and out). Without a script it plays a small debuggee: it stops at the
first breakpoint that was set, steps line by line, and ends with exit code 0 when it is continued.

The script:
    {"capabilities": {...},              merged over the defaults; a null removes
     "before": [action, ...],            done before the first message is read
     "on": {"continue": [[...], null]},  actions for the first, second, ... request of that command; the last entry stays.
                                         A list replaces the built-in behaviour; null keeps it.
     "path": "/x/y.c", "line": 3, "frames": 3, "variables": [...], "members": {"7": [...]}, "threads": [...], "ignore_sigterm": true, "ignore_end": true}

An action is an object with one of these members ("body" and "message" beside it where they apply):
    respond: {body}          success answer to the request that runs this list
    fail: "text"             its refusal
    respond_to: "launch"     success answer to the oldest unanswered request of that command
    fail_to: "launch"        the refusal of that one, with "message"
    default: true            the built-in behaviour of the request
    event: "stopped"         an event
    request: "runInTerminal" a reverse request with "arguments"
    send: {...}              a whole message, seq as given
    raw: "text"              bytes as they are;  hex: "00ff" too
    stderr: "text"
    exit: 3                  the end;  kill: 9 by a signal;  close: 1 closes that descriptor
    spawn: true              starts a process in a session of its own that waits a minute
    received: "pause"        the rest waits until that request has come ("count" times)
    gate: "name"             the rest waits until that file exists
    repeat: 1000             "do": [...] that often
"""

import json
import os
import select
import signal
import sys
import time

FOLDER = os.environ["DAPPLE_FAKE"]
CAPABILITIES = {
    "supportsConfigurationDoneRequest": True,
    "supportsConditionalBreakpoints": True,
    "supportsEvaluateForHovers": True,
    "exceptionBreakpointFilters": [{"filter": "uncaught", "label": "Uncaught", "default": True},
                                   {"filter": "raised", "label": "Raised"}],
}
VARIABLES = [
    {"name": "qty", "value": "3", "type": "int", "variablesReference": 0, "evaluateName": "qty"},
    {"name": "items", "value": "list of 2", "type": "list", "variablesReference": 7, "evaluateName": "items"},
]
CHILDREN = [{"name": str(index), "value": str(index * 10), "type": "int", "variablesReference": 0} for index in range(2)]


class Adapter:
    def __init__(self, script):
        self.script = script
        self.buffer = b""
        self.seq = 0
        self.counts = {}
        self.unanswered = {}
        self.parked = []       # (actions, index, request, condition)
        self.breakpoints = {}  # path -> rows
        self.next_breakpoint = 1
        self.line = script.get("line", 1)
        self.spy = open(os.path.join(FOLDER, "received-%d.jsonl" % os.getpid()), "a")
        self.raw = open(os.path.join(FOLDER, "raw-%d.client" % os.getpid()), "ab", buffering=0)
        self.said = open(os.path.join(FOLDER, "raw-%d.adapter" % os.getpid()), "ab", buffering=0)

    # ---- the wire

    def write(self, data):
        self.said.write(data)
        while data:
            data = data[os.write(1, data):]

    def send(self, message):
        body = json.dumps(message).encode()
        self.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def number(self):
        self.seq += 1
        return self.seq

    def event(self, name, body=None):
        message = {"seq": self.number(), "type": "event", "event": name}
        if body is not None:
            message["body"] = body
        self.send(message)

    def answer(self, request, success=True, body=None, message=None):
        if request is None:
            return
        waiting = self.unanswered.get(request["command"], [])
        if request in waiting:
            waiting.remove(request)
        answer = {"seq": self.number(), "type": "response", "request_seq": request["seq"], "command": request["command"],
                  "success": success}
        if message is not None:
            answer["message"] = message
        if body is not None:
            answer["body"] = body
        self.send(answer)

    def messages(self, data):
        self.raw.write(data)
        self.buffer += data
        while True:
            head, found, rest = self.buffer.partition(b"\r\n\r\n")
            if not found:
                return
            length = int(head.split(b":")[1])
            if len(rest) < length:
                return
            self.buffer = rest[length:]
            yield json.loads(rest[:length])

    # ---- scripts

    def ready(self, condition):
        if "gate" in condition:
            return os.path.exists(os.path.join(FOLDER, condition["gate"]))
        return self.counts.get(condition["received"], 0) >= condition.get("count", 1)

    def run(self, actions, request, index=0):
        while index < len(actions):
            action = actions[index]
            index += 1
            if "gate" in action or "received" in action:
                if not self.ready(action):
                    self.parked.append((actions, index, request, action))
                    return
            else:
                self.act(action, request)

    def wake(self):
        again = True
        while again:
            again = False
            for entry in list(self.parked):
                if self.ready(entry[3]):
                    self.parked.remove(entry)
                    self.run(entry[0], entry[2], entry[1])
                    again = True

    def act(self, action, request):
        body = action.get("body")
        if "respond" in action:
            self.answer(request, body=action["respond"])
        elif "fail" in action:
            self.answer(request, False, body, action["fail"])
        elif "respond_to" in action or "fail_to" in action:
            waiting = self.unanswered.get(action.get("respond_to") or action["fail_to"], [])
            if waiting:
                self.answer(waiting[0], "respond_to" in action, body, action.get("message"))
        elif "default" in action:
            self.default(request)
        elif "event" in action:
            self.event(action["event"], body)
        elif "raw" in action:
            self.write(action["raw"].encode())
        elif "hex" in action:
            self.write(bytes.fromhex(action["hex"]))
        elif "send" in action:
            self.send(dict(action["send"], **({"request_seq": request["seq"]} if action["send"].get("type") == "response" else {})))
        elif "request" in action:
            self.send({"seq": self.number(), "type": "request", "command": action["request"],
                       "arguments": action.get("arguments", {})})
        elif "stderr" in action:
            os.write(2, action["stderr"].encode())
        elif "close" in action:
            os.close(action["close"])
        elif "spawn" in action:
            if os.fork() == 0:
                os.setsid()
                time.sleep(60)
                os._exit(0)
        elif "exit" in action:
            os._exit(action["exit"])
        elif "kill" in action:
            os.kill(os.getpid(), action["kill"])
        elif "repeat" in action:
            for _ in range(action["repeat"]):
                self.run(action["do"], request)
        else:
            raise SystemExit("fake adapter: unknown action %r" % action)

    def receive(self, message):
        self.spy.write(json.dumps(message) + "\n")
        self.spy.flush()
        if message.get("type") != "request":
            return
        command = message["command"]
        count = self.counts.get(command, 0)
        self.counts[command] = count + 1
        self.unanswered.setdefault(command, []).append(message)
        lists = self.script.get("on", {}).get(command)
        actions = lists[min(count, len(lists) - 1)] if lists else None
        if actions is None:
            self.default(message)
        else:
            self.run(actions, message)

    # ---- the built-in debuggee

    def default(self, request):
        handler = getattr(self, "do_" + request["command"], None)
        if handler is None:
            self.answer(request, False, message="unknown command")
        else:
            handler(request, request.get("arguments") or {})

    def do_initialize(self, request, arguments):
        capabilities = dict(CAPABILITIES, **self.script.get("capabilities", {}))
        self.answer(request, body={key: value for key, value in capabilities.items() if value is not None})
        self.event("initialized")

    def do_launch(self, request, arguments):
        if arguments.get("stopOnEntry"):
            self.script["entry"] = True

    do_attach = do_launch

    def do_setBreakpoints(self, request, arguments):
        path = arguments["source"].get("path", "")
        rows = []
        for wanted in arguments.get("breakpoints") or []:
            if wanted.get("condition") == "fail":
                return self.answer(request, False, message="bad condition")
            rows.append({"id": self.next_breakpoint, "verified": True, "line": wanted["line"], "source": {"path": path}})
            self.next_breakpoint += 1
        self.breakpoints[path] = rows
        self.answer(request, body={"breakpoints": rows})

    def do_setExceptionBreakpoints(self, request, arguments):
        self.answer(request)

    do_setFunctionBreakpoints = do_setDataBreakpoints = do_setInstructionBreakpoints = do_setExceptionBreakpoints

    def do_configurationDone(self, request, arguments):
        self.answer(request)
        for command in ("launch", "attach"):
            for waiting in list(self.unanswered.get(command, [])):
                self.answer(waiting)
        rows = [row for rows in self.breakpoints.values() for row in rows]
        if self.script.get("entry"):
            self.stop("entry", description="Paused on entry")
        elif rows:
            self.line = rows[0]["line"]
            self.stop("breakpoint", hitBreakpointIds=[rows[0]["id"]])

    def stop(self, reason, **more):
        self.event("stopped", dict({"reason": reason, "threadId": 1, "allThreadsStopped": True}, **more))

    def finish(self, code=0):
        self.event("exited", {"exitCode": code})
        self.event("terminated")

    def do_continue(self, request, arguments):
        self.answer(request, body={"allThreadsContinued": True})
        self.event("output", {"category": "stdout", "output": "finished\n"})
        self.finish()

    def do_next(self, request, arguments):
        self.answer(request)
        self.line += 1
        self.stop("step")

    do_stepIn = do_stepOut = do_next

    def do_pause(self, request, arguments):
        self.answer(request)
        self.stop("pause")

    def do_threads(self, request, arguments):
        self.answer(request, body={"threads": self.script.get("threads", [{"id": 1, "name": "main"}])})

    def do_stackTrace(self, request, arguments):
        total = self.script.get("frames", 3)
        path = self.script.get("path", "/nowhere/fake.c")
        frames = [{"id": 1000 + index, "name": "work" if index == 0 else "caller%d" % index, "line": self.line + 10 * index,
                   "column": 1, "source": {"name": os.path.basename(path), "path": path}} for index in range(total)]
        start = arguments.get("startFrame") or 0
        levels = arguments.get("levels") or total
        self.answer(request, body={"stackFrames": frames[start:start + levels], "totalFrames": total})

    def do_scopes(self, request, arguments):
        self.answer(request, body={"scopes": [
            {"name": "Locals", "presentationHint": "locals", "variablesReference": 5, "expensive": False},
            {"name": "Globals", "variablesReference": 6, "expensive": True}]})

    def do_variables(self, request, arguments):
        reference = arguments["variablesReference"]
        rows = self.script.get("variables", VARIABLES) if reference == 5 else CHILDREN
        rows = self.script.get("members", {}).get(str(reference), rows)
        start = arguments.get("start") or 0
        count = arguments.get("count") or len(rows)
        self.answer(request, body={"variables": rows[start:start + count]})

    def do_evaluate(self, request, arguments):
        if arguments["expression"] == "fail":
            return self.answer(request, False,
                               {"error": {"id": 1, "format": "cannot evaluate {what}", "variables": {"what": "it"}}}, "failed")
        self.answer(request, body={"result": "<%s>" % arguments["expression"], "type": "text", "variablesReference": 0})

    def do_exceptionInfo(self, request, arguments):
        self.answer(request, body={"exceptionId": "ValueError", "description": "bad quantity", "breakMode": "unhandled"})

    def do_terminate(self, request, arguments):
        self.answer(request)
        if not self.script.get("ignore_end"):
            self.event("terminated")

    def do_disconnect(self, request, arguments):
        if self.script.get("ignore_end"):
            return
        self.answer(request)
        sys.exit(0)


def main():
    try:
        with open(os.path.join(FOLDER, "script.json")) as file:
            script = json.load(file)
    except FileNotFoundError:
        script = {}
    if script.get("ignore_sigterm"):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    adapter = Adapter(script)
    adapter.run(script.get("before", []), None)
    stdin_open = True
    while True:
        stdin_open = stdin_open and os.path.exists("/proc/self/fd/0")
        ready = select.select([0] if stdin_open else [], [], [], 0.01 if adapter.parked else None)[0]
        if ready:
            data = os.read(0, 65536)
            if not data:
                if not script.get("ignore_end"):
                    return
                stdin_open = False
                while not adapter.parked:
                    time.sleep(1)
            for message in adapter.messages(data):
                adapter.receive(message)
                adapter.wake()
        adapter.wake()


main()
