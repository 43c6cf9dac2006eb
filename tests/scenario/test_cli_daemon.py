"""The daemon behind the command line: its start, its end, its guests, and everything that can be wrong with the place where it lives."""

import concurrent.futures
import fcntl
import json
import os
import shutil
import re
import signal
import socket
import stat
import subprocess
import threading

from support import leaks
from support.fake import OK, stopped
from support.scenario import Skip, check, contains, equal, state, until


def socket_path(commands):
    return os.path.join(commands.env["DAPPLE_RUNTIME_DIR"], "daemon.socket")


def connect(commands):
    link = socket.socket(socket.AF_UNIX)
    link.connect(socket_path(commands))
    link.settimeout(20)
    return link


def read_all(link):
    data = b""
    while True:
        part = link.recv(65536)
        if not part:
            return data.decode()
        data += part


def say(commands, data):
    """Sends bytes as they are, and returns all that comes until the daemon closes."""
    with connect(commands) as link:
        link.sendall(data)
        return read_all(link)


def message(**members):
    return (json.dumps({"protocol": 1, "version": "0.1.0", **members}) + "\n").encode()


def call(operation, **arguments):
    return message(do="call", operation=operation, arguments=arguments, who="dapple test", folder="/", environment=["HOME=/"],
                   structured=True)


def install_fake(t):
    """A program that stands at its breakpoint, under the fake adapter; after a continue it runs until the gate is opened."""
    commands = t.use_commands()
    t.fake_stopped(on={"continue": [[OK, {"gate": "go"}, stopped("breakpoint")]]})
    return commands


# ---- start and end

def test_start_and_stop(t):
    # The first command that needs the daemon starts it, "daemon stop" ends it, and nothing but its log and its locks stays.
    commands = t.use_commands()
    contains(commands.run("daemon", "status").out, "There is no daemon")
    contains(commands.run("daemon", "stop").out, "There is no daemon")
    contains(commands.run("status").out, "idle")
    contains(commands.run("daemon", "status").out, "no session")
    folder = commands.env["DAPPLE_RUNTIME_DIR"]
    equal(stat.S_IMODE(os.stat(folder).st_mode), 0o700, "the folder's mode")
    equal(stat.S_IMODE(os.stat(socket_path(commands)).st_mode) & 0o077, 0, "others at the socket")
    contains(commands.run("log").out, "begins")
    pid = commands.process.pid
    contains(commands.run("daemon", "stop").out, "has ended")
    equal(leaks.wait_dead([pid], leaks.SOON), [], "the daemon")
    equal(sorted(os.listdir(folder)), ["daemon.lock", "log", "start.lock"], "what stays")


def test_many_first_commands(t):
    # Twenty commands at once, and no daemon yet: one is started, and all are served by it.
    commands = t.use_commands()
    with concurrent.futures.ThreadPoolExecutor(20) as pool:
        outcomes = list(pool.map(lambda _: commands.run("status"), range(20)))
    equal([outcome.status for outcome in outcomes], [0] * 20, "all were served", list(map(str, outcomes)))
    equal(len(re.findall(r"begins", commands.run("log").out)), 1, "one daemon")


def test_detached(t):
    # It holds nothing of the command that started it: neither its pipes (whoever reads them would wait for ever), nor its folder, nor its
    # terminal's session.
    commands = t.use_commands()
    read, write = os.pipe()
    os.set_inheritable(write, True)
    equal(commands.run("status", pass_fds=[write]).status, 0)
    os.close(write)
    equal(os.read(read, 1), b"", "the inherited pipe was closed")
    os.close(read)
    pid = commands.process.pid
    equal(os.readlink("/proc/%d/cwd" % pid), "/", "its folder")
    equal(os.getsid(pid), pid, "a session of its own")


def test_idle_end(t):
    # It ends by itself when there was nothing to do for so long; the next command starts another.
    t.settings(daemonIdleMs=50)
    commands = t.use_commands()
    equal(commands.run("status").status, 0)
    pid = int(re.search(r"dapple\[(\d+)\]", commands.run("log").out).group(1))
    equal(leaks.wait_dead([pid], 10), [], "the idle daemon")
    contains(commands.run("log").out, "daemonIdleMs")
    equal(commands.run("status").status, 0)


def test_idle_and_slow_to_come(t):
    # The client that starts the daemon comes later than the idle time: on a machine with much to do it found nobody, and gave up.
    t.settings(daemonIdleMs=1)
    commands = t.use_commands()
    folder = commands.env["DAPPLE_RUNTIME_DIR"]
    os.mkdir(folder, 0o700)
    ready, say_ready = os.pipe()
    daemon = subprocess.Popen(["/bin/sh", "-c", 'exec "$0" __daemon "$1" 3>&%d' % say_ready, t.dapple_path, folder], env=commands.env,
                              pass_fds=[say_ready], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.close(say_ready)
    equal(os.read(ready, 100), b"ready\n", "it serves")
    os.close(ready)
    check(leaks.wait_dead([daemon.pid], 0.1), "it waits for somebody to come")
    contains(commands.run("status").out, "idle")
    equal(daemon.wait(20), 0, "its end, after that")


def test_idle_with_a_client_at_the_door(t):
    # The idle time is over and a client has connected, before the daemon had the time to look at either: the client is served.
    t.settings(daemonIdleMs=300)
    commands = t.use_commands()

    def held():
        """A daemon that is stopped in its idle time."""
        equal(commands.run("status").status, 0)
        pid = commands.process.pid
        if pid < 0 or leaks.wait_dead([pid], 0) == []:
            return None
        os.kill(pid, signal.SIGSTOP)  # if it has ended meanwhile, it is a zombie of ours
        if os.path.exists(socket_path(commands)):
            return pid
        os.kill(pid, signal.SIGCONT)
        return None
    pid = until(held, "an idle daemon")
    try:
        leaks.wait_dead([pid], 0.4)  # so long its idle time is, and more
        link = connect(commands)
        link.sendall(message(do="look"))
    finally:
        os.kill(pid, signal.SIGCONT)
    contains(read_all(link), "process %d" % pid, "the answer")
    link.close()
    contains(commands.run("status").out, "idle")


def test_not_idle_with_a_session(t):
    # A session that nobody calls is something to do.
    t.settings(daemonIdleMs=1)
    commands = install_fake(t)
    pid = commands.process.pid
    equal(state(t.good("dap_status"), "stopped")["state"], "stopped")
    equal(commands.process.pid, pid, "the same daemon")


def test_terminated(t):
    # SIGTERM is an orderly end: the session is ended, and nothing is said to be gone afterwards.
    commands = install_fake(t)
    pid = commands.process.pid
    os.kill(pid, signal.SIGTERM)
    equal(leaks.wait_dead([pid], leaks.SOON), [], "the daemon")
    equal(leaks.wait_none(t.test_id), [], "what it had started")
    outcome = commands.run("status")
    equal((outcome.status, outcome.err), (0, ""), "no word of lost sessions")


def test_killed(t):
    # kill -9 leaves neither adapter nor program; the next command starts another daemon, and says once what is gone.
    commands = t.use_commands()
    target = t.target("gdb")
    state(target.launch("cart", "call"), "stopped")
    pid = commands.process.pid
    os.kill(pid, signal.SIGKILL)
    equal(leaks.wait_none(t.test_id), [], "left after kill -9")
    outcome = commands.run("status")
    contains(outcome.err, "was killed, and its sessions are gone: main")
    contains(outcome.out, "idle")
    equal(commands.run("status").err, "", "it is said once")


def test_killed_in_a_call(t):
    # Whoever waits when the daemon is killed is told so, with the status of a broken daemon.
    commands = install_fake(t)
    waiting = commands.popen("continue")
    t.fake.wait_command("continue")
    os.kill(commands.process.pid, signal.SIGKILL)
    _, err = waiting.communicate(timeout=20)
    equal(waiting.returncode, 4)
    contains(err.decode(), "the daemon has ended before it answered")


def test_stale_socket(t):
    # A socket file whose daemon is dead is replaced.
    commands = t.use_commands()
    os.mkdir(commands.env["DAPPLE_RUNTIME_DIR"], 0o700)
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(socket_path(commands))
    equal(commands.run("status").status, 0)


def test_removed_socket(t):
    # What cleans /tmp takes the socket away: the daemon held its lock for nobody, and each command failed after five seconds.
    commands = install_fake(t)
    pid = commands.process.pid
    os.remove(socket_path(commands))
    until(lambda: os.path.exists(socket_path(commands)), "the socket again")
    contains(commands.run("status").out, "stopped")
    equal(commands.process.pid, pid, "the daemon")


def test_removed_folder(t):
    # Without its folder nobody can reach the daemon any more: it ends, with what it debugs, and leaves the one that came after it alone.
    commands = install_fake(t)
    pid, folder = commands.process.pid, commands.env["DAPPLE_RUNTIME_DIR"]
    shutil.rmtree(folder)
    contains(commands.run("status").out, "idle")
    equal(leaks.wait_dead([pid], 10), [], "the daemon without a folder")
    contains(commands.run("daemon", "status").out, "no session")
    check(commands.process.pid != pid, "another daemon")


# ---- guests

def test_garbage(t):
    # What is no message of ours gets plain words and is closed; the daemon goes on.
    commands = t.use_commands()
    commands.run("status")
    for data, words in ((b"hello\n", "one JSON object per line"), (b"{not json}\n", "dapple: "), (b"{}\n", "its own protocol"),
                        (b"[1]\n", "one JSON object per line"), (message(do="dance"), "not complete"), (message(do="call"), "not complete"),
                        (message(do="cancel"), "no call to cancel"), (call("no_such_operation"), "no such operation"),
                        (b"{\"protocol\": 1, \"a\": \"\xff\xfe\"}\n", "dapple")):
        contains(say(commands, data), words, "answer to %r" % data)
    equal(commands.run("status").status, 0)


def test_http(t):
    # A browser that was led to the socket learns nothing, not even that somebody is there.
    commands = t.use_commands()
    commands.run("status")
    for request in (b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", b"POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}\n" + call("status")):
        equal(say(commands, request), "", "the answer to HTTP")
    equal(commands.run("status").status, 0)


def test_another_version(t):
    # Both sides' versions are named, in plain words that any version can read; the end of the daemon can be asked for in all of them.
    commands = t.use_commands()
    commands.run("status")
    for members in ({"protocol": 2}, {"version": "9.9.9"}):
        words = say(commands, message(**{"do": "look", **members}))
        check(words.startswith("dapple: "), "plain words", words)
        for word in ("0.1.0", *map(str, members.values())):
            contains(words, word)
    pid = commands.process.pid
    contains(say(commands, message(do="stop", protocol=99, version="9.9.9")), "has ended")
    equal(leaks.wait_dead([pid], leaks.SOON), [], "the daemon")


def test_a_daemon_of_another_version(t):
    # The command says so, what to do, and that it is the daemon's fault.
    commands = t.use_commands()
    os.mkdir(commands.env["DAPPLE_RUNTIME_DIR"], 0o700)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(socket_path(commands))
        server.listen()

        def serve():
            link, _ = server.accept()
            with link:
                link.recv(1 << 20)
                link.sendall(b"dapple: the daemon that runs is dapple 9.9.9 (protocol 7), and this client is dapple 0.1.0 (protocol 1)\n")
        thread = threading.Thread(target=serve)
        thread.start()
        outcome = commands.run("status")
        thread.join()
    equal(outcome.status, 4)
    contains(outcome.err, "9.9.9")
    contains(outcome.err, "dapple daemon stop")
    os.unlink(socket_path(commands))


def test_vanishing_guests(t):
    # Clients that go away in the middle of whatever they were about to say, with or without a call under way: nobody else notices.
    commands = install_fake(t)
    whole = call("status", session="main")
    for length in (0, 1, 10, len(whole) // 2, len(whole) - 1, len(whole)):
        with connect(commands) as link:
            link.sendall(whole[:length])
    waiting = connect(commands)
    waiting.sendall(call("continue", timeout_ms=60000))
    t.fake.wait_command("continue")
    waiting.close()
    # Its wait is over, so that another may wait; the program runs.
    until(lambda: t.call("dap_continue", timeout_ms=0).text.startswith("Dapple: continue requires") or None, "the end of the wait")
    equal(t.good("dap_status")["state"], "running")


def test_slow_writers(t):
    # A request that comes byte by byte is a request.
    commands = t.use_commands()
    commands.run("status")
    with connect(commands) as link:
        for byte in call("status"):
            link.sendall(bytes([byte]))
        contains(read_all(link), "idle")


def test_silent_guests(t):
    # Three hundred that connect and say nothing keep nobody out for long: those over the limit are told, the others go on.
    commands = t.use_commands()
    commands.run("status")
    silent = [connect(commands) for _ in range(300)]
    contains(read_all(silent[-1]), "too many clients")
    for link in silent:
        link.close()
    until(lambda: commands.run("status").status == 0 or None, "service after they left")


def test_too_long_a_request(t):
    commands = t.use_commands()
    commands.run("status")
    with connect(commands) as link:
        try:
            for _ in range(20):
                link.sendall(b"{" + b"x" * (1 << 20))
        except OSError:
            pass  # it was closed before all was taken
    equal(commands.run("status").status, 0)


# ---- several clients

def test_busy(t):
    # While one command waits for the program, another that would have to wait is told who is busy; those that look, pause and stop work.
    commands = install_fake(t)
    waiting = commands.popen("continue")
    t.fake.wait_command("continue")
    outcome = commands.run("next")
    equal(outcome.status, 3)
    contains(outcome.err, "session main is busy: process %d (dapple continue)" % waiting.pid)
    contains(outcome.err, "dapple pause halts the program")
    equal(t.good("dap_status")["state"], "running")
    equal(commands.run("status", "--session", "other").status, 3, "another session is no business of this one")
    t.fake.open_gate("go")
    out, _ = waiting.communicate(timeout=20)
    equal(waiting.returncode, 0, "the one that waited", out)


def test_reads_are_served_in_order(t):
    # Commands that only read wait for each other, as over MCP: nobody is told of a moment's work.
    commands = install_fake(t)
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        outcomes = list(pool.map(lambda _: commands.run("stack"), range(16)))
    equal([outcome.status for outcome in outcomes], [0] * 16, "all were served", list(map(str, outcomes)))


def test_two_folders(t):
    # A session is the user's, not a folder's: paths begin at the folder of whoever names them, and the program runs where it was launched.
    commands = t.use_commands()
    target = t.target("debugpy")
    script = t.file("one/app.py", "import os\nprint(os.getcwd(), os.environ.get('MARK'))\nprint(2)\n")
    here, there = os.path.dirname(script), os.path.dirname(os.path.dirname(script))
    outcome = commands.run("launch", "app.py", "--break", "app.py:3", cwd=here, env={"MARK": "of the client"}, timeout=40)
    equal(outcome.status, 0, "launch", outcome)
    contains(outcome.out, "at app.py:3")
    printed = "| %s of the client" % here
    until(lambda: printed in outcome.out or printed in commands.run("output").out, "the program's folder and environment")
    contains(commands.run("stack", cwd=there).out, "one/app.py:3")
    equal(commands.run("set-breakpoints", "one/app.py", "2", cwd=there).status, 0)
    outcome = commands.run("status", "--json", cwd="/")
    equal([row["file_path"] for row in json.loads(outcome.out)["desired_breakpoints"]], [script], "one file, named from two places")


# ---- the place

def test_places_that_are_refused(t):
    # A folder that others can enter or own, a link, a file: each has its own message, and nothing is started there.
    commands = t.use_commands()
    folder = commands.env["DAPPLE_RUNTIME_DIR"]
    other = os.path.join(t.folder, "other")
    os.mkdir(other, 0o700)

    def refused(words):
        outcome = commands.run("status")
        equal(outcome.status, 4, words, outcome)
        contains(outcome.err, words)
    os.mkdir(folder, 0o755)
    refused("can be entered by others (mode 0755): chmod 700")
    os.rmdir(folder)
    os.symlink(other, folder)
    refused("is no folder (a link will not do)")
    os.unlink(folder)
    with open(folder, "w"):
        pass
    refused("is no folder")
    os.unlink(folder)
    commands.env = {**commands.env, "DAPPLE_RUNTIME_DIR": os.path.join(t.folder, "a" * 120)}
    refused("is too long a path for a socket")
    commands.env = {**commands.env, "DAPPLE_RUNTIME_DIR": os.path.join(t.folder, "missing", "run")}
    refused("No such file or directory")
    commands.env = {**commands.env, "DAPPLE_RUNTIME_DIR": "/proc/dapple"}
    refused("cannot make /proc/dapple")
    commands.env = {**commands.env, "DAPPLE_RUNTIME_DIR": folder}


def test_a_folder_of_another_user(t):
    if os.geteuid() != 0:
        raise Skip("only root can make a folder of another user's")
    commands = t.use_commands()
    folder = commands.env["DAPPLE_RUNTIME_DIR"]
    os.mkdir(folder, 0o700)
    os.chown(folder, 12345, 12345)
    outcome = commands.run("status")
    equal(outcome.status, 4)
    contains(outcome.err, "belongs to another user (12345)")
    os.rmdir(folder)


def test_places_that_serve(t):
    # The runtime folder that the system gives is the place; where it is too long, missing, not ours or cannot be written to, the private
    # folder in /tmp is. That one is the same for all tests of this machine: they take turns.
    commands = t.use_commands()
    fallback, usual = "/tmp/dapple-%d" % os.geteuid(), commands.env
    good, strange = os.path.join(t.folder, "good"), os.path.join(t.folder, "strange")
    os.mkdir(good, 0o700)
    os.mkdir(strange, 0o777)
    runtimes = [good, os.path.join(t.folder, "b" * 120), os.path.join(t.folder, "missing"), "/proc"]
    if os.geteuid() == 0:
        os.chown(strange, 12345, 12345)  # what sudo leaves in the environment
        runtimes.append(strange)
    with open("/tmp/dapple-tests.lock", "w") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        if os.path.exists(os.path.join(fallback, "daemon.socket")):
            raise Skip("a daemon of this user runs outside of the tests")
        for runtime in runtimes:
            commands.env = {**t.env(), "DAPPLE_RUNTIME_DIR": "", "XDG_RUNTIME_DIR": runtime}
            equal(commands.run("status").status, 0, runtime)
            contains(commands.run("daemon", "status").out, os.path.join(good, "dapple") if runtime == good else fallback)
            contains(commands.run("daemon", "stop").out, "has ended")
    commands.env = usual


def test_sessions(t):
    # The list names where a session was launched, when that is elsewhere; each goes on from any folder.
    commands = install_fake(t)
    here = commands.run("sessions")
    contains(here.out, "main: stopped")
    check("launched in" not in here.out, "nothing of the folder that one is in", here)
    contains(commands.run("sessions", cwd="/").out, "launched in %s" % commands.cwd)
    equal(json.loads(commands.run("sessions", "--json", cwd="/").out)["sessions"][0]["folder"], commands.cwd)
    equal(commands.run("next", cwd="/").status, 0, "from elsewhere")
