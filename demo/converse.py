#!/usr/bin/env python3
"""The smallest MCP client: drives `dapple mcp` through two bugs and prints the conversation. Standard library only."""

import json
import subprocess
import sys

PLAIN = not sys.stdout.isatty()


def paint(code, text):
    return text if PLAIN else f"\033[{code}m{text}\033[0m"


class Dapple:
    def __init__(self, binary):
        self.process = subprocess.Popen([binary, "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8")
        self.last_id = 0
        self.request("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "demo", "version": "1"}})
        self.send({"method": "notifications/initialized"})

    def send(self, message):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self.process.stdin.flush()

    def request(self, method, params):
        self.last_id += 1
        self.send({"id": self.last_id, "method": method, "params": params})
        while True:
            line = self.process.stdout.readline()
            if not line:
                sys.exit("demo: dapple ended unexpectedly")
            message = json.loads(line)
            if message.get("id") == self.last_id:
                return message["result"]

    def call(self, tool, why, **arguments):
        print(paint("2", f"# {why}"))
        shown = " ".join(f"{name}={json.dumps(value)}" for name, value in arguments.items())
        print(paint("1;36", f"> {tool} {shown}".rstrip()))
        result = self.request("tools/call", {"name": tool, "arguments": arguments})
        text = result["content"][0]["text"].rstrip("\n")
        print(text + "\n")
        if result.get("isError"):
            sys.exit(f"demo: {tool} failed")
        return text

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=5)


def must_say(text, *needles):
    for needle in needles:
        if needle not in text:
            sys.exit(f"demo: expected to read {needle!r} in the result above")


def python_bug(dapple, program):
    print(paint("1", "== 1. A Python program that crashes ==\n"))
    text = dapple.call("dap_launch", "Run it. An uncaught exception stops it where it happens.", program=program)
    must_say(text, "ZeroDivisionError", "marks")
    text = dapple.call("dap_evaluate", "No marks? Look at what the filter compares.",
                       expression="(course, [row['course'] for row in GRADES])")
    must_say(text, "101", "'101'")
    print(paint("1;32", "Found: courses are numbers in ENROLLED and texts in GRADES, so the filter keeps nothing.\n"))
    dapple.call("dap_stop", "Done with it.")


def c_bug(dapple, program, source):
    print(paint("1", "== 2. A C program that crashes ==\n"))
    text = dapple.call("dap_launch", "Run it. A signal stops it where it happens.", program=program)
    must_say(text, "SIGSEGV", "i")
    text = dapple.call("dap_evaluate", "i counts down to 0 … and then?", expression="i > readings->count")
    dapple.call("dap_stop", "Again, with a breakpoint just before the turn.")
    text = dapple.call("dap_launch", "Stop in the last good round.", program=program,
                       breakpoints=[{"file": source, "line": 25, "condition": "i == 0"}])
    must_say(text, "i")
    dapple.call("dap_next", "i is 0. One step on, the loop counts down once more …")
    text = dapple.call("dap_next", "… and comes back:")
    must_say(text, "18446744073709551615")
    print(paint("1;32", "Found: i is a size_t. It is never below zero, so `i >= 0` is always true.\n"))
    dapple.call("dap_stop", "Done.")


def main():
    binary, grades, readings, source = sys.argv[1:]
    dapple = Dapple(binary)
    python_bug(dapple, grades)
    c_bug(dapple, readings, source)
    dapple.close()


main()
