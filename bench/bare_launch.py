"""A launch to its first stop without Dapple: the same requests to the same adapter over the same transport.

What is to be started and sent comes from `dapple doctor --json PROGRAM` and from the adapter's declaration. One loop over everything
that can be read; nothing is looked at that is not needed for the next request.
"""
import json
import os
import pathlib
import pty
import select
import signal
import socket
import subprocess
import tempfile
import time

LIMIT = 60
GLOBALS = {"registers", "globals", "global", "global variables", "statics", "static"}


class Connection:
    def __init__(self, bare, reader, writer, arguments, request="launch"):
        self.bare, self.reader, self.writer, self.arguments, self.launch_request = bare, reader, writer, arguments, request
        self.buffer = bytearray()
        self.seq = 0
        self.awaited = {}       # seq -> what is done with the answer
        self.capabilities = {}
        self.configured = False
        self.request("initialize", bare.hello, self.on_initialize)

    def send(self, message):
        self.seq += 1
        body = json.dumps({"seq": self.seq, **message}).encode()
        data = b"Content-Length: %d\r\n\r\n%s" % (len(body), body)
        while data:
            data = data[os.write(self.writer, data):]

    def request(self, command, arguments=None, then=None):
        self.send({"type": "request", "command": command, **({} if arguments is None else {"arguments": arguments})})
        self.awaited[self.seq] = then

    def read(self):
        piece = os.read(self.reader, 1 << 16)
        self.buffer += piece
        while (head := self.buffer.find(b"\r\n\r\n")) >= 0:
            length = int(self.buffer[self.buffer.rfind(b"Content-Length:", 0, head) + 15:head].split()[0])
            if len(self.buffer) < head + 4 + length:
                break
            message = json.loads(self.buffer[head + 4:head + 4 + length])
            del self.buffer[:head + 4 + length]
            self.take(message)
        return bool(piece)

    def take(self, message):
        if message["type"] == "response":
            then = self.awaited.pop(message["request_seq"], None)
            if then:
                then(message.get("body") or {})
        elif message["type"] == "event":
            body = message.get("body") or {}
            if message["event"] == "initialized" and not self.configured:
                self.configure()
            elif message["event"] == "stopped":
                self.request("stackTrace", {"threadId": body["threadId"], "startFrame": 0, "levels": 20}, self.on_frames)
        else:
            self.bare.serve(self, message)

    def on_initialize(self, body):
        self.capabilities = body
        self.request(self.launch_request, self.arguments)

    def configure(self):
        self.configured = True
        left = [1]

        def answered(_body=None):
            left[0] -= 1
            if left[0] == 0 and self.capabilities.get("supportsConfigurationDoneRequest"):
                self.request("configurationDone", {})
        left[0] += 1
        source = {"name": os.path.basename(self.bare.source), "path": self.bare.source}
        self.request("setBreakpoints", {"source": source, "breakpoints": [{"line": self.bare.line}]}, answered)
        offered = {row["filter"] for row in self.capabilities.get("exceptionBreakpointFilters") or []}
        if offered:
            left[0] += 1
            self.request("setExceptionBreakpoints", {"filters": [name for name in self.bare.filters if name in offered]}, answered)
        answered()

    def on_frames(self, body):
        self.request("scopes", {"frameId": body["stackFrames"][0]["id"]}, self.on_scopes)

    def on_scopes(self, body):
        wanted = [scope for scope in body["scopes"] if not scope.get("expensive") and scope["name"].lower() not in GLOBALS
                  and scope.get("presentationHint") != "registers"]
        left = [len(wanted)]

        def answered(_body):
            left[0] -= 1
            self.bare.done = left[0] == 0
        for scope in wanted:
            self.request("variables", {"variablesReference": scope["variablesReference"]}, answered)


class BareLaunch:
    def __init__(self, plan, declaration, source, line, folder):
        self.plan, self.start = plan, declaration["start"]
        self.filters = declaration["exceptions"]["uncaught"]
        self.source, self.line, self.folder = source, line, folder
        self.hello = {"clientID": "bare", "adapterID": declaration["type"], "linesStartAt1": True, "columnsStartAt1": True,
                      "pathFormat": "path", "supportsVariableType": True, "supportsVariablePaging": True,
                      "supportsRunInTerminalRequest": True, "supportsStartDebuggingRequest": True}
        self.connections, self.programs, self.sockets, self.heard = [], [], [], b""
        self.done = False
        self.address = None

    def seconds(self):
        began = time.perf_counter()
        try:
            self.begin()
            self.loop(lambda: self.done)
            return time.perf_counter() - began
        finally:
            self.end()

    # ---- the adapter ----

    def begin(self):
        argv, environment = self.plan["command"]["argv"], dict(os.environ)
        for word in self.plan["command"]["env"]:
            name, is_set, value = word.partition("=")
            environment.update({name: value} if is_set else {})
            if not is_set:
                environment.pop(name, None)
        transport = self.plan["command"]["transport"]
        if transport == "unix":
            self.address = os.path.join(tempfile.mkdtemp(dir=self.folder), "dap")
            argv = [word.replace("$SOCKET", self.address) for word in argv]
        elif transport == "tcp" and any("$PORT" in word for word in argv):
            with socket.socket() as free:
                free.bind(("127.0.0.1", 0))
                self.address = free.getsockname()
            argv = [word.replace("$PORT", str(self.address[1])) for word in argv]
        self.process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0,
                                        env=environment, cwd=self.plan["command"]["cwd"], start_new_session=True)
        self.streams = [self.process.stdout.fileno(), self.process.stderr.fileno()]
        if transport == "stdio":
            self.streams = [self.process.stderr.fileno()]
            self.connections.append(Connection(self, self.process.stdout.fileno(), self.process.stdin.fileno(), self.plan["arguments"]))
        else:
            self.wait_for_announcement()
            self.connect(self.plan["arguments"])

    def wait_for_announcement(self):
        words = self.start.get("announcement", "").encode()
        before, _, _ = words.partition(b"${port}")
        self.loop(lambda: before in self.heard and (before == words or b"\n" in self.heard[self.heard.index(before):]))
        if before != words:
            self.address = ("127.0.0.1", int(self.heard[self.heard.index(before) + len(before):].split()[0]))

    def connect(self, arguments, request="launch"):
        end = time.monotonic() + LIMIT
        while True:
            connection = socket.socket(socket.AF_UNIX if isinstance(self.address, str) else socket.AF_INET)
            try:
                connection.connect(self.address)
                break
            except OSError:
                connection.close()
                if time.monotonic() > end:
                    raise
                time.sleep(0.002)
        self.sockets.append(connection)
        self.connections.append(Connection(self, connection.fileno(), connection.fileno(), arguments, request))

    def loop(self, is_over):
        end = time.monotonic() + LIMIT
        while not is_over():
            readers = {connection.reader: connection for connection in self.connections}
            ready = select.select([*readers, *self.streams], [], [], max(0, end - time.monotonic()))[0]
            if not ready:
                raise TimeoutError(f"no stop within {LIMIT} s")
            for one in ready:
                if one in readers:
                    if not readers[one].read():
                        self.connections.remove(readers[one])
                        if not self.connections:
                            raise EOFError("the adapter closed its connection")
                else:
                    piece = os.read(one, 1 << 16)
                    self.heard = self.heard[-4096:] + piece
                    if not piece:
                        self.streams.remove(one)

    # ---- what adapters ask for ----

    def serve(self, connection, message):
        arguments, body = message.get("arguments") or {}, {}
        if message["command"] == "runInTerminal":
            body = {"processId": self.run_in_terminal(arguments)}
        connection.send({"type": "response", "request_seq": message["seq"], "command": message["command"], "success": True, "body": body})
        if message["command"] == "startDebugging":
            self.connect(arguments["configuration"], arguments["request"])

    def run_in_terminal(self, arguments):
        master, slave = pty.openpty()
        environment = {**os.environ, **{name: value for name, value in (arguments.get("env") or {}).items() if value is not None}}
        program = subprocess.Popen(arguments["args"], cwd=arguments.get("cwd") or None, env=environment, stdin=slave, stdout=slave,
                                   stderr=slave, start_new_session=True)
        os.close(slave)
        self.programs.append((program, master))
        self.streams.append(master)
        return program.pid

    def end(self):
        for connection in self.sockets:
            connection.close()
        for program, master in [*self.programs, (self.process, None)]:
            try:
                os.killpg(program.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            program.wait()
            if master is not None:
                os.close(master)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            stream.close()


def plan_of(dapple, environment, program, adapter, folder):
    """What Dapple would start and send."""
    told = subprocess.run([dapple, "doctor", "--json", "--adapter", adapter, program], capture_output=True, text=True, env=environment,
                          cwd=folder, check=True)
    return json.loads(told.stdout)


def declaration_of(adapter):
    return json.loads((pathlib.Path(__file__).parent.parent / "adapters" / f"{adapter}.json").read_text())
