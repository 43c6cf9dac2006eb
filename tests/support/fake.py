"""Scripts for the fake adapter, and what it has received."""

import glob
import json
import os
import shutil
import sys
import time

FAKE_ADAPTER = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "fake", "fake-adapter.py"))


def event(name, **body):
    return {"event": name, "body": body}


def stopped(reason="breakpoint", thread=1, **more):
    body = dict({"reason": reason, "allThreadsStopped": True}, **more)
    if thread is not None:
        body["threadId"] = thread
    return {"event": "stopped", "body": body}


def output(text, category="stdout"):
    return event("output", category=category, output=text)


def exited(code=0):
    return event("exited", exitCode=code)


TERMINATED = {"event": "terminated"}
INITIALIZED = {"event": "initialized"}
OK = {"respond": {}}
DEFAULT = {"default": True}


class Fake:
    """The folder that the fake adapter of one test works in."""

    def __init__(self, folder):
        self.folder = folder
        os.makedirs(folder)

    def script(self, **script):
        """For the adapters that start from now on."""
        with open(os.path.join(self.folder, "script.json.new"), "w") as file:
            json.dump(script, file)
        os.rename(os.path.join(self.folder, "script.json.new"), os.path.join(self.folder, "script.json"))

    def open_gate(self, name):
        open(os.path.join(self.folder, name), "w").close()

    def received(self, command=None):
        """Every message of every adapter of the test so far, the oldest adapter first."""
        messages = []
        for path in sorted(glob.glob(os.path.join(self.folder, "received-*.jsonl")), key=os.path.getctime):
            with open(path) as file:
                messages += [json.loads(line) for line in file if line.endswith("\n")]
        return [message for message in messages if command is None or message.get("command") == command]

    def commands(self):
        return [message["command"] for message in self.received() if message.get("type") == "request"]

    def starts(self):
        """How many adapters were started."""
        return len(glob.glob(os.path.join(self.folder, "received-*.jsonl")))

    def wait(self, condition, what, timeout=10):
        """Waits for a condition on the list of received messages; says what was seen instead."""
        limit = time.monotonic() + timeout
        while not condition(self.received()):
            if time.monotonic() > limit:
                seen = "\n".join(json.dumps(message)[:300] for message in self.received()[-12:])
                raise AssertionError("the fake adapter waited %.1f s for %s; it has received:\n%s" % (timeout, what,
                    seen or "nothing"))
            time.sleep(0.005)

    def wait_command(self, command, count=1, timeout=10):
        self.wait(lambda seen: sum(message.get("command") == command and message["type"] == "request" for message in seen) >= count,
                  "%s (%d)" % (command, count), timeout)
        return self.received(command)[-1]

    def install(self, bin_folder, name="lldb-dap"):
        """Puts the fake in a catalog adapter's place."""
        path = os.path.join(bin_folder, name)
        with open(path, "w") as file:
            file.write("#!/bin/sh\ncase \"$1\" in --version) echo 'GNU gdb (GDB) 16.3'; exit 0;; esac\n")
            file.write("exec '%s' -IS '%s'\n" % (sys.executable, FAKE_ADAPTER))
        os.chmod(path, 0o755)

    def remove(self):
        shutil.rmtree(self.folder, ignore_errors=True)
