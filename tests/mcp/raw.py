"""The server in raw lines: every revision, every way to write and to cut a line, and every way to end."""

import json
import os
import pty
import select
import signal
import socket
import subprocess
import threading
import time

from server import LEGACY, MODERN_META, leaks, programs

TOOLS = ["dap_launch", "dap_attach", "dap_set_breakpoints", "dap_add_breakpoint", "dap_remove_breakpoint", "dap_continue",
         "dap_next", "dap_step_in", "dap_step_out", "dap_pause", "dap_threads", "dap_stack", "dap_variables", "dap_evaluate",
         "dap_send_input", "dap_status", "dap_stop"]


def equal(got, wanted):
    assert got == wanted, "got %r, wanted %r" % (got, wanted)


# ---- revisions

def test_every_legacy_revision(context):
    for version in LEGACY:
        server = context.server()
        equal(server.initialize(version)["protocolVersion"], version)
        equal([tool["name"] for tool in server.call_method("tools/list")["result"]["tools"]], TOOLS)
        assert server.text("dap_status").startswith("idle")
        server.close()


def test_unknown_revision_is_answered_with_the_newest(context):
    server = context.server()
    equal(server.initialize("2031-01-01")["protocolVersion"], LEGACY[-1])


def test_modern_revision(context):
    server = context.server()
    server.call_method("server/discover", id="server-discover-probe-1", modern=True)
    tools = server.call_method("tools/list", modern=True)["result"]["tools"]
    equal([tool["name"] for tool in tools], TOOLS)
    assert server.call("dap_status", modern=True)["content"][0]["text"].startswith("idle")
    equal(server.call_method("ping", modern=True)["error"]["code"], -32601)


def test_modern_revision_that_is_not_served(context):
    server = context.server()
    answer = server.call_method("server/discover", {"_meta": {**MODERN_META, "io.modelcontextprotocol/protocolVersion": "2027-01-01"}})
    equal(answer["error"]["code"], -32022)
    equal(answer["error"]["data"], {"supported": ["2026-07-28"], "requested": "2027-01-01"})


def test_both_eras_in_one_process(context):
    # A client that probes with the modern discovery and then falls back, and the state that both see.
    server = context.server()
    server.call_method("server/discover", modern=True)
    server.initialize()
    server.call("dap_set_breakpoints", file_path="cart.py", breakpoints=[{"line": 3}])
    assert "cart.py:3" in server.call("dap_status", modern=True)["content"][0]["text"]
    assert "cart.py:3" in server.text("dap_status")


def test_subscription_is_acknowledged(context):
    server = context.server()
    server.ask("subscriptions/listen", {"notifications": {"toolsListChanged": True}}, id="s", modern=True)
    message = server.wait(lambda: server.messages and server.messages[0], "an acknowledgement")
    equal(message["params"], {"_meta": {"io.modelcontextprotocol/subscriptionId": "s"}, "notifications": {}})


# ---- batches

def test_batch(context):
    for version in LEGACY[:2]:
        server = context.ready(version=version)
        server.send([server.request("ping", id="a"), {"jsonrpc": "2.0", "method": "notifications/none"},
                     server.request("tools/call", {"name": "dap_status"}, id="b")])
        server.answer("b")
        equal(sorted(message["id"] for message in server.lines[-1]), ["a", "b"])


def test_batch_where_it_was_removed(context):
    for version in LEGACY[2:]:
        server = context.ready(version=version)
        server.send([server.request("ping")])
        equal(server.error(), -32600)
        server.sync()


# ---- lines

def test_ids_come_back_exactly(context):
    server = context.server()
    for id in (0, -1, 2 ** 53 + 1, 2 ** 64 - 1, 10 ** 40, "", "0", "\u00e4\u2028\n\"\\", "x" * 5000):
        equal(server.call_method("ping", id=id)["id"], id)


def test_line_ends_and_blank_lines(context):
    server = context.server()
    one, two = (json.dumps(server.request("ping", id=id)).encode() for id in ("one", "two"))
    server.write(b"\r\n\n  \n" + one + b"\r\n\r\n" + two + b" \t\r\n")
    server.answer("one")
    server.answer("two")
    equal(len(server.lines), 2)


def test_message_cut_into_bytes(context):
    server = context.server()
    message = json.dumps(server.request("ping", id="\u00e4\U0001f600"), ensure_ascii=False).encode() + b"\n"
    for byte in message:
        server.write(bytes([byte]))
    server.answer("\u00e4\U0001f600")


def test_many_messages_in_one_write(context):
    # A server that mixed getline and poll hung here.
    server = context.server()
    requests = [server.request("initialize", {"protocolVersion": "2025-11-25"}, id="i"), server.request("tools/list", id="l")]
    requests += [server.request("ping", id=number) for number in range(1000)]
    server.write(b"".join(json.dumps(request).encode() + b"\n" for request in requests))
    server.answer(999)
    equal([message["id"] for message in server.messages], ["i", "l", *range(1000)])


def test_last_line_without_an_end(context):
    # As in: printf '{…}' | dapple mcp
    server = context.server()
    server.write(json.dumps(server.request("ping", id="last")).encode())
    server.close()
    server.answer("last")


def test_junk_is_answered_and_survived(context):
    server = context.server()
    for line, code in ((b"hello", -32700), (b"{", -32700), (b'{"jsonrpc":"2.0","id":1,"method":"ping"}}', -32700),
                       (b"\xff\xfe", -32700), (b"\x00", -32700), (b"[" * 100000, -32700), (b"7", -32600), (b"null", -32600),
                       (b'"x"', -32600), (b"{}", -32600), (b"[]", -32600),
                       (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600), (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600)):
        server.write(line + b"\n")
        equal((line[:50], server.error()), (line[:50], code))
        server.sync()


def test_invalid_utf8_in_a_string(context):
    server = context.server()
    server.asked[json.dumps("a\ufffdb")] = ("ping", "legacy")
    server.write(b'{"jsonrpc":"2.0","id":"a\xc3b","method":"ping"}\n')
    server.answer("a\ufffdb")


def test_lone_surrogate_in_an_argument(context):
    server = context.ready()
    server.asked["5"] = ("tools/call", "legacy")
    server.write(b'{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"dap_set_breakpoints",'
                 b'"arguments":{"file_path":"a\\ud800.py","breakpoints":[{"line":1}]}}}\n')
    assert "a\ufffd.py:1" in server.answer(5)["result"]["content"][0]["text"]


def test_huge_lines(context):
    # One that fits is served, one that does not is reported once, and the next is served again.
    server = context.server()
    padding = "x" * (15 * 1024 * 1024)
    server.call_method("ping", {"padding": padding})
    server.write(b"y" * (40 * 1024 * 1024))
    equal(server.error(), -32600)
    server.write(b"\n")
    count = len(server.messages)
    server.sync()
    equal(len(server.messages), count + 1)


def test_answers_and_unknown_notifications_are_ignored(context):
    server = context.ready()
    count = len(server.messages)
    server.send({"jsonrpc": "2.0", "id": 77, "result": {}})
    server.send({"jsonrpc": "2.0", "id": 78, "error": {"code": -32601, "message": "no"}})
    server.notify("notifications/roots/list_changed")
    server.sync()
    equal(len(server.messages), count + 1)


# ---- calls

def test_every_set_lists_its_tools(context):
    sizes = {}
    for tools, most in (("core", 12000), ("full", None), ("single", 4800)):
        server = context.ready("--tools", tools, "--structured", "off")
        listed = server.call_method("tools/list")["result"]["tools"]
        sizes[tools] = len(json.dumps(listed, ensure_ascii=False, separators=(",", ":")).encode())
        assert most is None or sizes[tools] <= most, sizes
        names = [tool["name"] for tool in listed]
        equal(names if tools == "core" else TOOLS, TOOLS)
        assert set(names) >= set(TOOLS) if tools == "full" else True, names
        equal(names if tools == "single" else ["debug"], ["debug"])
        said = server.initialize()["instructions"]
        assert ("stack_trace" if tools == "single" else "dap_stack") in said, said
        server.close()
    print("     bytes of the tools: %s" % sizes)


def test_one_tool_for_everything(context):
    server = context.ready("--tools=single")
    breakpoints = [{"file": "cart.py", "line": programs.line("cart.py", "cost")}]
    launched = server.start("debug", action="launch", program="cart.py", timeout="20", breakpoints=breakpoints)
    text = server.answer(launched)["result"]["content"][0]["text"]
    assert "stopped (breakpoint) at cart.py" in text, text
    assert "6" in server.text("debug", action="evaluate", expression="item.price * item.qty")
    assert server.text("debug", action="step_over").startswith("stopped (step)")
    assert server.text("debug", action="stack_trace", levels=1).startswith("Stack: ")
    assert server.text("debug", action="dap_set_breakpoints", file_path="cart.py", breakpoints=[])
    assert "cart 35" in server.text("debug", action="continue")
    assert server.text("debug", action="terminate").startswith("terminated")


def test_one_tool_says_what_is_wrong(context):
    server = context.ready("--tools", "single")
    for arguments, part in (({}, "/action is required"), ({"action": "step_ovr"}, "did you mean step_over?"),
                            ({"action": "launch"}, "/program is required"), ({"action": "step_over"}, "requires a stopped"),
                            ({"action": "pause", "levels": 3}, "it goes with stack_trace")):
        result = server.call("debug", **arguments)
        assert result.get("isError") and part in result["content"][0]["text"], (arguments, result)
    equal(server.call_method("tools/call", {"name": "debugger"})["error"]["code"], -32602)


def test_one_tool_reports_progress_and_is_cancelled(context):
    server = context.ready("--tools", "single")
    server.text("debug", action="launch", program="busy.py", breakpoints=[{"file": "busy.py", "line": programs.line("busy.py", "spin")}])
    server.text("debug", action="set_breakpoints", file_path="busy.py", breakpoints=[])
    id = server.start("debug", token="t", action="continue", timeout=60)
    server.wait(lambda: notes(server, "t"), "progress")
    server.notify("notifications/cancelled", {"requestId": id})
    assert server.text("debug", action="status").startswith("running")
    assert server.text("debug", action="pause").startswith("stopped")
    assert not [message for message in server.messages if message.get("id") == id]


def test_malformed_calls_are_protocol_errors(context):
    server = context.ready()
    equal(server.call_method("tools/call", {"name": "dap_fly"})["error"]["code"], -32602)
    for arguments in ([1], "dap_next", "[]", 5, True):
        equal(server.call_method("tools/call", {"name": "dap_next", "arguments": arguments})["error"]["code"], -32602)
    equal(server.call_method("tools/call", {})["error"]["code"], -32602)
    equal(server.call_method("resources/list")["error"]["code"], -32601)
    equal(server.call_method("tools/list", {"cursor": "x"})["error"]["code"], -32602)


def test_empty_things_in_other_forms(context):
    # PHP writes an empty object as an array, some clients begin with an empty cursor, and hosts that stream pass the arguments' text on.
    server = context.ready()
    equal([tool["name"] for tool in server.call_method("tools/list", {"cursor": ""})["result"]["tools"]], TOOLS)
    for params in ([], None, {}):
        equal(server.call_method("ping", params)["result"], {})
    for arguments in ([], None, "", "{}", '{"session": "main"}'):
        result = server.call_method("tools/call", {"name": "dap_status", "arguments": arguments})["result"]
        assert result["content"][0]["text"].startswith("idle"), result
    result = server.call_method("tools/call", {"name": "dap_status", "arguments": '{"sesion": "x"}'})["result"]
    assert "did you mean session?" in result["content"][0]["text"], result


def test_bad_values_are_results_that_the_model_reads(context):
    server = context.ready()
    for tool, arguments, part in (("dap_launch", {}, "/program is required"),
                                  ("dap_stack", {"count": 0}, "/count must be >= 1"),
                                  ("dap_variables", {"frame_id": -1}, "/frame_id must be >= 0"),
                                  ("dap_status", {"sessionn": "x"}, "did you mean session?"),
                                  ("dap_next", {}, "requires a stopped")):
        result = server.call(tool, **arguments)
        assert result.get("isError") and part in result["content"][0]["text"], (tool, result)


def test_a_whole_debugging_session(context):
    server = context.ready()
    text = server.launch("cart.py", "cost")
    assert "item" in text, text
    assert "6" in server.text("dap_evaluate", expression="item.price * item.qty")
    assert server.text("dap_next").startswith("stopped (step)")
    assert "frame" in server.text("dap_stack")
    server.call("dap_set_breakpoints", file_path="cart.py", breakpoints=[])
    text = server.text("dap_continue")
    assert text.startswith("terminated (exit code 0") and "cart 35" in text, text
    server.call("dap_stop")
    server.close()


def test_what_the_program_prints_stays_out_of_the_protocol(context):
    # Every line was validated; and none of what we started holds the descriptors of the protocol.
    server = context.ready()
    ours = {os.readlink("/proc/%d/fd/%d" % (os.getpid(), stream.fileno())) for stream in (server.process.stdin, server.process.stdout)}
    server.launch("cart.py", "print")
    for pid in leaks.descendants(server.process.pid):
        links = set()
        for fd in os.listdir("/proc/%d/fd" % pid):
            try:
                links.add(os.readlink("/proc/%d/fd/%s" % (pid, fd)))
            except OSError:
                pass
        assert not links & ours, leaks.describe(pid)
    assert "cart 35" in server.text("dap_next")


# ---- progress and cancelling

def stopped_in_busy(context):
    """The program that never stops by itself, stopped, with no breakpoint left."""
    server = context.ready()
    server.launch("busy.py", "spin")
    server.call("dap_set_breakpoints", file_path="busy.py", breakpoints=[])
    return server


def notes(server, token):
    return [message["params"] for message in server.messages
            if message.get("method") == "notifications/progress" and message["params"]["progressToken"] == token]


def test_progress_once_a_second_until_the_answer(context):
    server = stopped_in_busy(context)
    for token in ("t", 0):
        answer = server.answer(server.start("dap_continue", token=token, timeout_ms=2500))
        found = notes(server, token)
        assert 2 <= len(found) <= 3, found
        assert all(later["progress"] > earlier["progress"] for earlier, later in zip(found, found[1:])), found
        server.call("dap_pause")
        after = server.messages[server.messages.index(answer):]
        assert not [message for message in after if message.get("method") == "notifications/progress"]


def test_no_progress_without_a_token(context):
    server = stopped_in_busy(context)
    server.call("dap_continue", timeout_ms=1500)
    assert not [message for message in server.messages if "method" in message]


def test_cancelling_ends_the_wait_and_nothing_else(context):
    server = stopped_in_busy(context)
    id = server.start("dap_continue", token="c", timeout_ms=60000)
    server.wait(lambda: notes(server, "c"), "progress")
    # The same id, of another type, and a call behind it that never began: each is another request.
    server.notify("notifications/cancelled", {"requestId": str(id)})
    queued = server.start("dap_next")
    server.notify("notifications/cancelled", {"requestId": queued})
    server.notify("notifications/cancelled", {"requestId": id, "reason": "user"})
    assert server.text("dap_status").startswith("running")
    assert server.text("dap_pause").startswith("stopped")
    assert not [message for message in server.messages if message.get("id") == id]


def test_cancelling_a_launch_cleans_up(context):
    server = context.ready()
    id = server.start("dap_launch", program="busy.py")
    server.notify("notifications/cancelled", {"requestId": id})
    server.call("dap_stop")
    equal(leaks.wait_dead(leaks.descendants(server.process.pid), 2), [])
    assert not [message for message in server.messages if message.get("id") == id]


def test_cancelling_what_is_not_there(context):
    server = context.ready()
    for id in (99, "x", None, [1]):
        server.notify("notifications/cancelled", {"requestId": id})
    server.notify("notifications/cancelled")
    server.sync()


def test_other_calls_are_served_while_one_waits(context):
    server = stopped_in_busy(context)
    waiting = server.start("dap_continue", timeout_ms=60000)
    assert server.text("dap_status").startswith("running")
    server.call("dap_set_breakpoints", file_path="cart.py", breakpoints=[{"line": 1}])
    # What hosts ask for whatever the capabilities say is refused at once, and a ping answered.
    for method in ("resources/list", "resources/templates/list", "prompts/list", "logging/setLevel", "completion/complete", "roots/list",
                   "elicitation/create", "tasks/list"):
        equal(server.call_method(method, {"level": "debug"})["error"]["code"], -32601)
    equal(server.call_method("ping")["result"], {})
    assert server.text("dap_pause").startswith("stopped")
    assert server.answer(waiting)["result"]["content"][0]["text"].startswith("stopped")


def test_many_calls_at_once(context):
    server = context.ready()
    ids = [server.start("dap_status", session="s%d" % (number % 16)) for number in range(200)]
    for id in ids:
        server.answer(id)


# ---- structured results

def structured(server):
    return "outputSchema" in json.dumps(server.call_method("tools/list")["result"]), "structuredContent" in server.call("dap_status")


def test_structured_results_only_where_they_do_no_harm(context):
    # Most hosts show a model the JSON instead of the text.
    equal(structured(context.ready()), (False, False))
    equal(structured(context.ready(client="claude-code")), (False, False))
    equal(structured(context.ready(client="pi")), (True, True))
    equal(structured(context.ready("--structured", "off", client="pi")), (False, False))
    equal(structured(context.ready("--structured=on")), (True, True))
    equal(structured(context.ready("--structured", "auto")), (False, False))


# ---- the ends

def running(context):
    """A server whose program runs, with a call waiting; and everything below it."""
    server = stopped_in_busy(context)
    server.start("dap_continue", token="w", timeout_ms=60000)
    server.wait(lambda: notes(server, "w"), "progress")
    return server, leaks.descendants(server.process.pid)


def check_left(context, server, below, started):
    equal(server.wait_exit(), 0)
    seconds = time.monotonic() - started
    print("     left after %.0f ms" % (seconds * 1000))
    equal(leaks.wait_dead(below, leaks.SOON), [])
    assert seconds < leaks.SOON, "it took %.3f s" % seconds


def test_end_of_stdin_when_idle(context):
    server = context.ready()
    seconds = server.close()
    assert seconds < 0.2 or context.sanitized, "it took %.3f s" % seconds
    equal(server.stderr(), "")


def test_end_of_stdin_while_a_call_waits(context):
    server, below = running(context)
    assert len(below) >= 2
    started = time.monotonic()
    server.process.stdin.close()
    check_left(context, server, below, started)


def test_end_of_stdin_while_launching(context):
    server = context.ready()
    server.start("dap_launch", program="busy.py")
    server.sync()
    started = time.monotonic()
    below = leaks.descendants(server.process.pid)
    server.process.stdin.close()
    check_left(context, server, below, started)


def test_signals_while_a_call_waits(context):
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        server, below = running(context)
        started = time.monotonic()
        server.process.send_signal(number)
        check_left(context, server, below, started)


def test_kill_while_a_call_waits(context):
    # Nothing of ours runs after SIGKILL: the supervisors have to notice.
    server, below = running(context)
    server.process.kill()
    server.process.wait()
    equal(leaks.wait_dead(below, leaks.SOON), [])


def test_host_that_closes_stdout(context):
    # The next thing that is written shows it, whatever stdin does.
    read, write = os.pipe()
    server = context.server(stdout=write)
    os.close(write)
    line = programs.line("busy.py", "spin")
    with os.fdopen(read, "rb") as answers:
        for method, params in (("initialize", {"protocolVersion": "2025-11-25"}),
                               ("tools/call", {"name": "dap_launch", "arguments": {
                                   "program": "busy.py", "breakpoints": [{"file": "busy.py", "line": line}]}})):
            server.ask(method, params)
            answer = json.loads(answers.readline())
    assert "stopped (breakpoint)" in answer["result"]["content"][0]["text"], answer
    below = leaks.descendants(server.process.pid)
    started = time.monotonic()
    server.ask("ping")
    check_left(context, server, below, started)


def resident(pid):
    with open("/proc/%d/status" % pid, encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS"))


def write_until_stuck(fd, data):
    """How much was taken before nothing more was for half a second."""
    os.set_blocking(fd, False)
    sent = 0
    while sent < len(data) and select.select([], [fd], [], 0.5)[1]:
        sent += os.write(fd, data[sent:sent + 65536])
    os.set_blocking(fd, True)
    return sent


def test_host_that_does_not_read(context):
    # Memory stays bounded, and when it reads again nothing is lost.
    read, write = os.pipe()
    server = context.server(stdout=write)
    os.close(write)
    data = json.dumps(server.request("initialize", {"protocolVersion": "2025-11-25"}, id=0)).encode() + b"\n"
    data += b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n' * 20000
    sent = write_until_stuck(server.process.stdin.fileno(), data)
    assert sent < len(data)
    assert resident(server.process.pid) < 64 * 1024 or context.sanitized

    def write_rest():
        server.write(data[sent:])
        server.process.stdin.close()
    writer = threading.Thread(target=write_rest)
    writer.start()
    with os.fdopen(read, "rb") as answers:
        equal(sum(1 for _ in answers), 20001)
    writer.join()
    equal(server.wait_exit(), 0)


# ---- what stdin and stdout may be

def ping(id):
    return json.dumps({"jsonrpc": "2.0", "id": id, "method": "ping"}).encode() + b"\n"


def test_files(context):
    given, got = (os.path.join(context.folder, name) for name in ("in", "out"))
    with open(given, "wb") as file:
        file.write(b"".join(ping(number) for number in range(10000)))
    with open(given, "rb") as stdin, open(got, "wb") as stdout:
        server = context.server(stdin=stdin, stdout=stdout)
    equal(server.wait_exit(), 0)
    with open(got, "rb") as file:
        equal([json.loads(line)["id"] for line in file], list(range(10000)))


def test_nothing(context):
    with open(os.devnull, "r+b") as nothing:
        equal(context.server(stdin=nothing, stdout=nothing).wait_exit(), 0)


def test_socket(context):
    # Node gives its children socket pairs; here one socket is both.
    ours, theirs = socket.socketpair()
    server = context.server(stdin=theirs, stdout=theirs)
    theirs.close()
    ours.settimeout(5)
    ours.sendall(ping("s"))
    equal(json.loads(ours.makefile("rb").readline())["id"], "s")
    ours.shutdown(socket.SHUT_WR)
    equal(server.wait_exit(), 0)


def test_terminal(context):
    ours, theirs = pty.openpty()
    server = context.server(stdin=theirs, stdout=theirs)
    os.close(theirs)
    os.write(ours, ping("t"))
    seen = b""
    while b'"result"' not in seen:
        seen += os.read(ours, 4096)
    os.write(ours, b"\x04")  # end of file
    equal(server.wait_exit(), 0)
    os.close(ours)


def test_closed_descriptors(context):
    # Whatever is opened next would land on descriptor 0 or 1.
    command = 'exec "$0" mcp <&- >&-'
    equal(subprocess.run(["sh", "-c", command, context.dapple], timeout=20, check=False, stderr=subprocess.PIPE).returncode, 0)


# ---- starting

def test_help_and_bad_options(context):
    def run(*options):
        done = subprocess.run([context.dapple, "mcp", *options], stdin=subprocess.DEVNULL, capture_output=True, timeout=20, check=False)
        return done.returncode, done.stdout.decode(), done.stderr.decode()
    status, out, err = run("--help")
    assert status == 0 and "--structured" in out and err == ""
    for options, part in ((("--wrong",), "--wrong"), (("x",), '"x"'), (("--structured", "maybe"), "auto, on or off"),
                          (("--structured",), "needs a value"), (("--tools=all",), "core, full or single"), (("--structuredness=on",), "unknown option")):
        status, out, err = run(*options)
        assert status == 2 and out == "" and part in err and err.count("\n") == 1, (options, status, out, err)


def test_start_is_free_of_side_effects(context):
    # Some hosts start us twice, or only to ask for the version.
    server = context.ready()
    server.call_method("tools/list")
    equal(leaks.descendants(server.process.pid), [])
    equal(os.listdir(context.folder), ["stderr"])  # which is also its folder for temporary files
    kinds = {os.readlink("/proc/%d/fd/%s" % (server.process.pid, fd)).split(":")[0]
             for fd in os.listdir("/proc/%d/fd" % server.process.pid)}
    assert kinds <= {"pipe", "/dev/null", "anon_inode", server.stderr_path}, kinds


def time_of_tools_list(context):
    """Seconds from before the execution to the end of the answer, read without looking at it, and the size then."""
    requests = b"".join(json.dumps({"jsonrpc": "2.0", "id": method, "method": method, "params": {"protocolVersion": "2025-11-25"}}).encode()
                        + b"\n" for method in ("initialize", "tools/list"))
    started = time.monotonic()
    with subprocess.Popen([context.dapple, "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as process:
        process.stdin.write(requests)
        answers = b""
        while answers.count(b"\n") < 2:
            answers += os.read(process.stdout.fileno(), 65536)
        seconds = time.monotonic() - started
        return seconds, resident(process.pid)


def test_start_is_fast_and_small(context):
    runs = [time_of_tools_list(context) for _ in range(20)]
    seconds = min(run[0] for run in runs)
    size = max(run[1] for run in runs)
    print("     tools/list %.1f ms (fastest of 20), %d KiB resident" % (seconds * 1000, size))
    assert seconds < 0.010 or context.sanitized, runs
    assert size < 6 * 1024 or context.sanitized, runs
