"""One test: folders of its own, Dapple under it, adapters real or fake, and the look behind every corner at the end."""

import glob
import json
import os
import re
import resource
import shutil
import subprocess
import time

from support import adapters, commands, leaks, matrix, mcp, programs, wire
from support.fake import Fake


# Sanitized builds are slower; what is measured in fractions of a second gets more of them there.
SLOWNESS = 5 if os.environ.get("DAPPLE_TEST_SANITIZED") else 1


class Skip(Exception):
    pass


def each_adapter(function):
    """The test runs once with each real adapter: function(t, target)."""
    function.parameters = adapters.NAMES
    return function


def takes_long(function):
    """The test has five times the usual time."""
    return function


def native(function):
    """The test runs with the adapters for compiled programs."""
    function.parameters = ("gdb", "lldb-dap")
    return function


def all_native(function):
    """The test runs with those two and codelldb."""
    function.parameters = ("gdb", "lldb-dap", "codelldb")
    return function


class Target:
    """A real adapter, and the debuggees in its language."""

    def __init__(self, t, adapter):
        self.t, self.adapter = t, adapter
        self.language = matrix.LANGUAGES[adapter]
        self.python = adapter == "debugpy"
        self.extension = self.language.extension
        self.folder = "" if self.extension in (".py", ".c") else "matrix/"

    def source(self, name):
        return programs.source(self.folder + name + self.extension)

    def program(self, name):
        if self.language is matrix.GO:
            return programs.build_go(self.t.built_folder, name)
        return self.t.built(name) if self.language.compiled else self.source(name)

    def line(self, name, mark):
        return programs.line(self.folder + name + self.extension, mark)

    def breakpoints(self, name, *marks, condition=None):
        rows = [{"file": self.source(name), "line": self.line(name, mark)} for mark in marks]
        if condition:
            rows[-1]["condition"] = condition
        return rows

    def launch(self, name, *marks, condition=None, dapple=None, **arguments):
        """Launches and expects no error."""
        if marks:
            arguments["breakpoints"] = self.breakpoints(name, *marks, condition=condition)
        arguments.setdefault("adapter", self.adapter)
        return good((dapple or self.t.dapple).call("dap_launch", program=self.program(name), limit=40, **arguments))


    def launch_running(self, name, first_output, **arguments):
        """Launches and leaves it running once it has printed its first line."""
        output = state(self.launch(name, timeout_ms=0, **arguments), "running")["output"]

        def printed():
            nonlocal output
            output += self.t.good("dap_status", **{key: arguments[key] for key in ("session",) if key in arguments})["output"]
            return first_output in output
        until(printed, "the program's first output")


class Scenario:
    def __init__(self, dapple_path, folder, built_folder, test_id):
        self.dapple_path, self.folder, self.built_folder, self.test_id = dapple_path, folder, built_folder, test_id
        self.clients = []
        self.adapters = self.make("adapters")
        self.bin = self.make("adapters/bin")
        self.home, self.tmp, self.records = self.make("home"), self.make("tmp"), self.make("records")
        self.project = programs.FOLDER
        self.venv = None
        self.environment = {}
        self.exit_checked = True
        self.own_commands = set()  # requests that no schema knows, and that the test sends on purpose
        self.adapters_files = set()  # what begins the names, as a pattern, of what a real adapter leaves in the temporary folder
        self.fake = Fake(os.path.join(folder, "fake"))
        self._dapple = None
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        leaks.become_subreaper()

    # ---- surroundings

    def make(self, name):
        path = os.path.join(self.folder, name)
        os.makedirs(path, exist_ok=True)
        return path

    def file(self, name, text="", mode=0o644):
        """A file in the test's own work folder."""
        path = os.path.join(self.make("work"), name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(text)
        os.chmod(path, mode)
        return path

    def settings(self, **members):
        """The user's settings, for servers that start from now on and for those that look again."""
        path = os.path.join(self.make("home/.config/dapple"), "settings.json")
        with open(path + ".new", "w") as file:
            json.dump({"dap": members}, file)
        os.rename(path + ".new", path)

    def built(self, name):
        return os.path.join(self.built_folder, name)

    def path(self, *more):
        return ":".join([self.bin, *more, "/usr/local/bin", "/usr/bin", "/bin"])

    def env(self):
        env = {"PATH": self.path(), "HOME": self.home, "TMPDIR": self.tmp, "LANG": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1",
               "DAPPLE_ADAPTERS": self.adapters, "DAPPLE_TEST_ID": self.test_id, "DAPPLE_FAKE": self.fake.folder}
        for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS", "LD_LIBRARY_PATH"):
            if name in os.environ:
                env[name] = os.environ[name]
        if self.venv:
            env["VIRTUAL_ENV"] = self.venv
        env.update(self.environment)
        return {name: value for name, value in env.items() if value is not None}

    def target(self, name):
        """Installs a real adapter behind the recorder, or skips."""
        if name == "debugpy":
            if not adapters.debugpy():
                raise Skip("no Python with debugpy on this machine")
            if not self.venv:
                self.venv = os.path.join(self.folder, "venv")
                adapters.install_debugpy(self.venv, self.records)
        elif name == "gdb":
            if not adapters.gdb():
                raise Skip("no gdb that speaks DAP (14 or newer) on this machine")
            adapters.install_gdb(self.bin, self.records)
        elif name != "lldb-dap":
            if not adapters.found(name):
                raise Skip("no %s on this machine" % name)
            adapters.install_found(name, self.bin, self.records)
            self.adapters_files.update(adapters.LEAVES.get(name, ()))
        else:
            if not adapters.lldb_dap():
                raise Skip("no lldb-dap on this machine")
            adapters.install_lldb_dap(self.bin, self.records)
            self.adapters_files.add("lldb")
        return Target(self, name)

    def move_dapple_away(self):
        """From now on a copy of Dapple runs, away from the work tree whose adapters it would find. Its libraries stay where they are."""
        copy = os.path.join(self.make("work/bin"), "dapple")
        shutil.copy(self.dapple_path, copy)
        libraries = subprocess.run(["ldd", self.dapple_path], capture_output=True, text=True, check=True).stdout
        folders = {os.path.dirname(word) for word in libraries.split() if word.startswith("/") and "yyjson" in word}
        if folders:
            self.environment["LD_LIBRARY_PATH"] = folders.pop()
        self.dapple_path = copy

    # ---- Dapple

    def start(self, *options, structured=True, initialize=True, cwd=None):
        # All tools, so that the results of all are held to their output schemas.
        command = [self.dapple_path, "mcp", "--tools", "full", "--structured", "on" if structured else "off", *options]
        client = mcp.Client(command, self.env(), cwd or self.project, os.path.join(self.folder,
                                                                                   "dapple-%d.stderr" % len(self.clients)))
        self.clients.append(client)
        if initialize:
            client.initialize()
        return client

    @property
    def dapple(self):
        """The test's one server, started when first asked for."""
        if self._dapple is None and os.environ.get("DAPPLE_TEST_COMMANDS"):
            self.use_commands()
        elif self._dapple is None:
            self._dapple = self.start()
        return self._dapple

    def use_commands(self):
        """From now on the test's calls go through the command line and a daemon of the test's own, which it returns."""
        self.environment["DAPPLE_RUNTIME_DIR"] = os.path.join(self.folder, "run")
        client = commands.Commands(self.dapple_path, self.env, self.project)
        self.clients.append(client)
        self._dapple = client
        return client

    def call(self, tool, **arguments):
        return self.dapple.call(tool, **arguments)

    def good(self, tool, **arguments):
        return good(self.dapple.call(tool, **arguments))

    def bad(self, tool, **arguments):
        """Expects an error result; its text."""
        result = self.dapple.call(tool, **arguments)
        if result.error or not result.is_error:
            raise AssertionError("an error result was expected: %s" % result)
        return result.text

    def fake_launch(self, dapple=None, install=True, **arguments):
        """Launches the fake adapter in lldb-dap's place."""
        if install:
            self.fake.install(self.bin)
        return (dapple or self.dapple).call("dap_launch", program=self.built("quick"), adapter="lldb-dap", **arguments)

    def fake_start(self, **arguments):
        """The same without waiting."""
        self.fake.install(self.bin)
        return self.dapple.start("dap_launch", program=self.built("quick"), adapter="lldb-dap", **arguments)

    def fake_stopped(self, line=3, **script):
        """A session of the fake that stands at a breakpoint in lines.c."""
        script.setdefault("path", programs.source("lines.c"))
        self.fake.script(**script)
        result = good(self.fake_launch(breakpoints=[{"file": script["path"], "line": line}]))
        check(result["state"] == "stopped", "the fake did not stop", result)
        return result

    # ---- the end

    def finish(self):
        """Everything that must hold after every test. Returns sentences."""
        faults = []
        for client in self.clients:
            faults += self.finish_client(client)
        own = [client.process.pid for client in self.clients]
        faults += ["left behind: " + line for line in leaks.wait_none(self.test_id, own)]
        if all(client.process.returncode == 0 for client in self.clients):
            faults += ["left in the temporary folder: " + name for name in leaks.files_below(self.tmp)
                       if not any(re.match(known, name) for known in self.adapters_files)]
        return faults + self.wire_faults()

    def finish_client(self, client):
        faults = []
        try:
            was_alive = client.process.poll() is None
            client.close()
            if was_alive and client.process.returncode != 0:
                faults.append("dapple ended with status %s; its stderr: %s" % (client.process.returncode, client.stderr()[-3000:]))
            elif not was_alive and self.exit_checked and not client.closed:
                faults.append("dapple had ended before its time with status %s: %s" % (client.process.returncode,
                                                                                       client.stderr()[-3000:]))
        except AssertionError as error:
            faults.append(str(error))
            client.process.kill()
            client.process.wait()
        return faults + ["from dapple: " + fault for fault in client.faults]

    def left_beside_dapple(self, timeout=leaks.SOON):
        """Processes other than the servers that are still there after at most `timeout` seconds."""
        return leaks.wait_none(self.test_id, [client.process.pid for client in self.clients], timeout)

    def wire_faults(self):
        paths = glob.glob(os.path.join(self.records, "*.client")) + glob.glob(os.path.join(self.fake.folder, "raw-*.client"))
        schema = wire.Schema() if paths else None
        own = tuple("unknown command %r" % command for command in self.own_commands)
        return ["sent to %s: %s" % (os.path.basename(path), fault) for path in sorted(paths)
                for fault in wire.check_recording(schema, path) if not fault.startswith(own)]

    def seen(self):
        """What the test showed of the protocol, and which operations were called with success, with which arguments."""
        facts = {"requests": set(), "members": set(), "events": set(), "capabilities": set()}
        for client in glob.glob(os.path.join(self.records, "*.client")) + glob.glob(os.path.join(self.fake.folder, "raw-*.client")):
            adapter = client[:-len("client")] + "adapter"
            if os.path.exists(adapter):
                for kind, names in wire.seen(client, adapter).items():
                    facts[kind] |= names
        tools = {}
        for client in self.clients:
            for tool, paths in client.exercised().items():
                tools.setdefault(tool, set()).update(paths)
        return {**{kind: sorted(names) for kind, names in facts.items()}, "tools": {tool: sorted(paths) for tool, paths in tools.items()}}

    def wire_tail(self):
        """The last bytes to and from real adapters, for a failing test."""
        text = []
        for path in sorted(glob.glob(os.path.join(self.records, "*"))):
            with open(path, "rb") as file:
                text.append("%s:\n%s" % (os.path.basename(path), file.read()[-2500:].decode("utf-8", "replace").replace("\r\n\r\n",
                    " ")))
        return "\n".join(text)


# ---- what tests say

def check(condition, what, seen=None):
    if not condition:
        raise AssertionError("%s%s" % (what, "" if seen is None else "\nseen: %s" % (seen,)))


def equal(seen, wanted, what="", whole=None):
    if seen != wanted:
        raise AssertionError("%s\nwanted: %r\nseen:   %r%s" % (what, wanted, seen, "" if whole is None else "\nin: %s" % whole))


def contains(text, part, what=""):
    if part not in text:
        raise AssertionError("%s\nwanted: %r\nin: %s" % (what, part, text))


def lacks(text, part, what=""):
    if part in text:
        raise AssertionError("%s\nunwanted: %r\nin: %s" % (what, part, text))


def good(result):
    if result.is_error or result.error:
        raise AssertionError("an error was not expected: %s" % result)
    return result


def state(result, wanted):
    good(result)
    if result["state"] != wanted:
        raise AssertionError("state %s was expected: %s" % (wanted, result))
    return result


def within(seconds, limit, what):
    if seconds > limit * SLOWNESS:
        raise AssertionError("%s: took %.2f s, may take %.2f s" % (what, seconds, limit * SLOWNESS))


def until(condition, what, timeout=10):
    """Waits until condition() is true and returns its value."""
    limit = time.monotonic() + timeout
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > limit:
            raise AssertionError("%s did not come within %.1f s" % (what, timeout))
        time.sleep(0.01)
