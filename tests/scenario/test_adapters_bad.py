"""Adapters that are not what they should be. Each has a message of its own that says what is wrong, what the adapter said last, and the
next step; and nothing of it is left."""

import os
import shutil
import socket
import sys

from support import programs
from support.fake import FAKE_ADAPTER
from support.scenario import check, contains, equal, lacks, state

NEXT_STEP = "dapple doctor"

# An adapter behind TCP: listens, accepts one client, and is the fake from then on.
SERVE = """
server = socket.create_server(("127.0.0.1", port))
client = server.accept()[0]
server.close()
os.dup2(client.fileno(), 0)
os.dup2(client.fileno(), 1)
os.execv(sys.executable, [sys.executable, "-IS", %r])
""" % FAKE_ADAPTER


def install(t, name, text, mode=0o755, folder="bin"):
    path = os.path.join(t.make("adapters/" + folder), name)
    with open(path, "w") as file:
        file.write(text)
    os.chmod(path, mode)
    return path


def python(body):
    return "#!%s -IS\nimport os, signal, socket, sys\n%s" % (sys.executable, body)


def only_here(t):
    """Nothing is installed but what the test puts into $DAPPLE_ADAPTERS."""
    t.environment["PATH"] = t.make("nothing")
    t.move_dapple_away()


def refused(t, adapter="codelldb", program=None, **arguments):
    """A launch that fails; nothing is left and nothing is active. Returns the text."""
    text = t.bad("dap_launch", program=program or t.built("quick"), adapter=adapter, **arguments)
    equal(t.left_beside_dapple(), [], "no process was left")
    check(t.good("dap_status")["state"] in ("idle", "terminated"), "not active")
    return text


def said(text, *lines):
    """The adapter's own last words are there, apart from ours."""
    for line in lines:
        contains(text, "| %s\n" % line)


def test_unknown(t):
    # A name that is nearly right: the names that exist are the way on.
    text = refused(t, adapter="lldbdap")
    contains(text, "there is no adapter lldbdap; there are ")
    contains(text, "lldb-dap")


def test_missing(t):
    # What was looked for, where, and the command that installs it here.
    only_here(t)
    text = refused(t)
    contains(text, "no usable codelldb: looked for codelldb on PATH")
    contains(text, t.adapters)
    contains(text, "To install it: ")


def test_not_executable(t):
    # Unpacked by a tool that forgets modes: it is not missing, and needs no installing.
    only_here(t)
    path = install(t, "codelldb", "#!/bin/sh\n", mode=0o644)
    contains(refused(t), "%s may not be executed (chmod +x %s)" % (path, path))


def test_wrong_script(t):
    # VS Code's js-debug has two servers side by side; the one for Visual Studio accepts a connection and never answers.
    only_here(t)
    node = install(t, "node", "#!/bin/sh\n")
    path = install(t, "vsDebugServer.cjs", "require('vs').listen()\n", folder="js-debug")
    text = refused(t, adapter="js-debug", program=t.file("a.js", "1\n"))
    contains(text, path + " is the server for Visual Studio, with a protocol of its own; the one for DAP is dapDebugServer.js")
    contains(text, "To install it: ")
    check(os.path.exists(node), "node was there")


def test_too_old(t):
    # gdb 13 knows no DAP and would wait for commands.
    only_here(t)
    path = install(t, "gdb", "#!/bin/sh\necho 'GNU gdb (Debian 13.1-3) 13.1'\n")
    text = refused(t, adapter="gdb")
    contains(text, path + " is 13.1, but DAP needs 14 or newer")
    contains(text, "To install it: ")


def test_junk_and_the_end(t):
    # Another program of that name: it prints its usage on stdout and leaves.
    install(t, "codelldb", "#!/bin/sh\necho 'usage: codelldb FILE'\necho 'no file' >&2\nexit 2\n")
    text = refused(t)
    contains(text, 'exited unexpectedly (code 2), before it answered "initialize"')
    contains(text, '"usage: codelldb FILE"', "what it printed in place of messages")
    said(text, "no file")
    contains(text, NEXT_STEP)


def test_junk_and_silence(t):
    # The same, and it waits for input of another kind: the launch ends in time.
    t.settings(timeouts={"startupMs": 1500})
    install(t, "codelldb", "#!/bin/sh\necho 'Welcome! (type help)'\necho 'loading' >&2\nexec /bin/sleep 1000\n")
    text = refused(t)
    contains(text, 'no answer to "initialize" within 1500 ms')
    contains(text, '"Welcome! (type help)"')
    said(text, "loading")
    contains(text, NEXT_STEP)


def test_junk_and_then_messages(t):
    # A wrapper that greets: what comes behind it is good, so the launch is too, with a warning.
    install(t, "codelldb", "#!/bin/sh\necho 'activating the environment'\nexec '%s' -IS '%s'\n" % (sys.executable, FAKE_ADAPTER))
    t.fake.script(path=programs.source("quick.c"))
    result = state(t.good("dap_launch", program=t.built("quick"), adapter="codelldb",
                          breakpoints=[{"file": "quick.c", "line": 3}]), "stopped")
    contains(result.text, '"activating the environment"')


def test_dies_before_initialize(t):
    # It connects, which over pipes means nothing, and dies of what it was asked: the reason is on its stderr.
    install(t, "codelldb", "#!/bin/sh\nhead -c 20 >/dev/null\necho 'liblldb.so: version mismatch' >&2\nexit 3\n")
    text = refused(t)
    contains(text, 'exited unexpectedly (code 3), before it answered "initialize"')
    said(text, "liblldb.so: version mismatch")
    contains(text, NEXT_STEP)


def test_killed_before_initialize(t):
    # Out of memory looks like this.
    install(t, "codelldb", "#!/bin/sh\nhead -c 20 >/dev/null\nkill -9 $$\n")
    contains(refused(t), 'exited unexpectedly (signal 9), before it answered "initialize"')


def test_dies_between_connect_and_initialize(t):
    # Over TCP: the connection is there, and then it is reset or closed.
    install(t, "dlv", python("""
server = socket.create_server(("127.0.0.1", 0))
print("DAP server listening at: 127.0.0.1:%d" % server.getsockname()[1], flush=True)
server.accept()
sys.exit("cannot trace")
"""))
    text = refused(t, adapter="dlv", program=t.file("a.go", "package main\n"))
    contains(text, 'before it answered "initialize"')
    said(text, "cannot trace")
    contains(text, NEXT_STEP)


def test_exits_before_it_listens(t):
    # What did not happen is named, with the exit code.
    install(t, "dlv", "#!/bin/sh\necho 'unknown command dap' >&2\nexit 1\n")
    text = refused(t, adapter="dlv", program=t.file("a.go", "package main\n"))
    contains(text, 'exited with code 1 before it said "DAP server listening at: 127.0.0.1:${port}"')
    said(text, "unknown command dap")
    contains(text, NEXT_STEP)


def listening_elsewhere(t):
    return t.file("elsewhere.py", python("""
server = socket.create_server(("127.0.0.1", 0))
print("ready", file=sys.stderr, flush=True)
signal.pause()
"""), 0o755)


def test_listens_on_another_port(t):
    # An option that is spelt differently in this version: it listens where it always does. Connecting was tried until the time was over, and
    # nothing told why.
    t.settings(timeouts={"startupMs": 1000}, adapters={
        "mine": {"command": listening_elsewhere(t), "args": ["--prot", "$PORT"], "transport": {"type": "tcp"}}})
    text = refused(t, adapter="mine")
    contains(text, "the adapter has not accepted a connection on port ")
    contains(text, ", but listens on port ")
    contains(text, "(waited 1000 ms)")
    said(text, "ready")
    contains(text, NEXT_STEP)


def test_announces_in_other_words(t):
    # A newer version words its announcement differently: it listens, and nobody knows.
    t.settings(timeouts={"startupMs": 1000})
    shutil.copy(listening_elsewhere(t), os.path.join(t.bin, "dlv"))
    text = refused(t, adapter="dlv", program=t.file("a.go", "package main\n"))
    contains(text, 'the adapter has not said "DAP server listening at: 127.0.0.1:${port}", but listens on port ')


def test_a_port_that_is_taken(t):
    # Between our looking for a free port and the adapter's listening somebody else took it: the adapter is started again with another.
    tries = os.path.join(t.make("work"), "tries")
    command = t.file("late.py", python("""
with open(%r, "a+") as tries:
    tries.write(sys.argv[1] + "\\n")
    tries.seek(0)
    if len(tries.readlines()) == 1:
        sys.exit("OSError: [Errno 98] Address already in use")
port = int(sys.argv[1])
%s""" % (tries, SERVE)), 0o755)
    t.settings(adapters={"mine": {"command": command, "args": ["$PORT"], "transport": {"type": "tcp"}}})
    t.fake.script(path=programs.source("quick.c"))
    result = state(t.good("dap_launch", program=t.built("quick"), adapter="mine", breakpoints=[{"file": "quick.c", "line": 3}]),
                   "stopped")
    lacks(result.text, "Address already in use", "of no interest any more")
    with open(tries) as file:
        ports = file.read().split()
    equal(len(set(ports)), 2, "two ports were tried", ports)


def test_ports_that_are_all_taken(t):
    # It is not tried for ever.
    tries = os.path.join(t.make("work"), "tries")
    command = t.file("never.py", python("""
open(%r, "a").write("x")
sys.exit("OSError: [Errno 98] Address already in use")
""" % tries), 0o755)
    t.settings(adapters={"mine": {"command": command, "args": ["$PORT"], "transport": {"type": "tcp"}}})
    text = refused(t, adapter="mine")
    contains(text, "exited with code 1 before it accepted a connection on port ")
    said(text, "OSError: [Errno 98] Address already in use")
    with open(tries) as file:
        equal(file.read(), "xxx", "three starts")


def test_a_given_port_that_is_taken(t):
    # A port of the settings is the user's word: it is not changed, and whoever listens there is not taken for the adapter.
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        t.settings(adapters={"mine": {"command": "/bin/false", "transport": {"type": "tcp", "port": port}}})
        text = refused(t, adapter="mine")
    contains(text, "another program listens on port %d of 127.0.0.1 already" % port)


def test_no_debug(t):
    # A launch configuration that was copied from "run without debugging": no breakpoint would stop the program.
    for value in (True, "true"):
        text = refused(t, launch_arguments={"noDebug": value})
        contains(text, "launch_arguments.noDebug: the program would run without the debugger")
    t.settings(profiles={"run": {"adapter": "codelldb", "arguments": {"program": t.built("quick"), "noDebug": True}}})
    contains(t.bad("dap_launch", profile="run"), "noDebug")
