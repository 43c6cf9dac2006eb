"""Programs that run before Dapple comes: attached to by number, name and port, looked at, let go of. They are not ours, and live on."""

import os
import signal
import subprocess

from support import adapters, attaching, leaks
from support.fake import OK, stopped
from support.matrix import Cells, every_adapter
from support.scenario import check, contains, each_adapter, equal, lacks, state, until

WAIT = 20000
BY_PID = ("gdb", "lldb-dap", "codelldb", "debugpy", "dlv", "js-debug")


def each_by_pid(function):
    function.parameters = BY_PID
    return function


def attach(t, target, counting, **arguments):
    """By number."""
    if target.adapter == "js-debug":
        arguments["open_inspector"] = True
    return t.good("dap_attach", pid=counting.pid, adapter=target.adapter, timeout_ms=WAIT, limit=40, **arguments)


def stand(t, target):
    """Stopped on the counting line."""
    if t.good("dap_status")["state"] == "running":
        state(t.good("dap_pause", limit=30), "stopped")
    t.good("dap_set_breakpoints", file_path=target.source("count"), breakpoints=[{"line": target.line("count", "count")}])
    result = state(t.good("dap_continue", timeout_ms=WAIT, limit=30), "stopped")
    equal(result["top_frame"]["line"], target.line("count", "count"), "the line", result)
    contains(result["top_frame"]["name"], "count")
    return result


def recorders(t):
    """What stands between Dapple and the real adapters."""
    return [pid for pid in leaks.descendants(t.dapple.process.pid) if b"/record-" in leaks.read("/proc/%d/cmdline" % pid)]


@every_adapter
def test_by_number(t, target):
    # A program that somebody else has started is looked at in the middle of its work, and goes on as if nothing had been: also when it
    # stood at a breakpoint when the debugger left.
    with Cells(target.adapter) as cells:
        if target.adapter not in BY_PID:
            with cells.cell("attach by pid"):
                result = t.call("dap_attach", pid=os.getpid(), adapter=target.adapter)
                check(not result.is_error, "attached", result)
            if target.adapter == "perl":
                with cells.cell("detach"):
                    check(False, "nothing to detach from")
            contains(result.text, "perl cannot attach" if target.adapter == "perl" else "rdbg --open")
            return
        with attaching.running(t, target) as counting:
            with cells.cell("attach by pid"):
                result = attach(t, target, counting)
                check(result["state"] in ("running", "stopped"), "attached", result)
                contains(result.text, "attached to pid %d (" % counting.pid)
                equal(result["process_id"], counting.pid, "the process", result)
                stand(t, target)
            with cells.cell("detach"):
                result = state(t.good("dap_stop"), "terminated")
                contains(result.text, "goes on without the debugger")
                counting.lives_on("after dap_stop")


@every_adapter
def test_by_port(t, target):
    # codelldb connects to a stub by a command, and failed one time in ten ("Process is not valid"): it looked before the process had stopped.
    # The program listens for a debugger, or a server beside it does. What listens is found out from the process that has the port.
    with Cells(target.adapter) as cells:
        if target.adapter == "perl":
            with cells.cell("attach by port"):
                result = t.call("dap_attach", port=1, adapter="perl")
                check(not result.is_error, "attached", result)
            contains(result.text, "perl cannot attach by a port")
            return
        with attaching.listening(t, target) as (counting, port):
            with cells.cell("attach by port"):
                more = {}
                if target.adapter in ("rdbg", "lldb-dap", "codelldb"):  # a Ruby of its own loader; two that serve the same stub
                    more["adapter"] = target.adapter
                if target.language.compiled and target.adapter != "dlv":
                    more["program"] = target.program("count")
                result = t.good("dap_attach", port=port, timeout_ms=WAIT, limit=40, **more)
                equal(result["adapter_id"], target.adapter, "the adapter", result)
                contains(result["attached_to"], "127.0.0.1:%d" % port)
                stand(t, target)
            if target.adapter == "rdbg":
                with cells.cell("detach"):
                    state(t.good("dap_stop"), "terminated")
                    counting.counts()
                # It goes on, too, when it is told to end a program that runs: Dapple does it.
                t.good("dap_remove_breakpoint", all=True)
                state(t.good("dap_attach", port=port, adapter="rdbg", limit=40), "running")
                name = name_of(counting.pid)
                contains(t.good("dap_stop", kill=True).text, "pid %d (%s) has ended" % (counting.pid, name))
                until(lambda: counting.process.poll() is not None, "the end of the process")
                return
            state(t.good("dap_stop"), "terminated")
            counting.counts()


@each_by_pid
def test_killed_dapple_lets_go(t, target):
    # kill -9 of Dapple while the program stands at a breakpoint: the adapter is given the time to take its breakpoints out of the program and
    # to leave; killed at once, it would leave them behind, and the program would die of the first one that it meets.
    with attaching.running(t, target) as counting:
        attach(t, target, counting)
        stand(t, target)
        below = leaks.descendants(t.dapple.process.pid)
        t.exit_checked = False
        t.dapple.process.kill()
        t.dapple.process.wait()
        counting.counts()
        equal(leaks.wait_dead(below, 8.0), [], "the debugger has left")
        counting.lives_on("after kill -9")


@each_by_pid
def test_end_of_dapple_lets_go(t, target):
    # The host closes stdin: Dapple leaves at once, whatever the adapter still has to do, and the program goes on.
    with attaching.running(t, target) as counting:
        attach(t, target, counting)
        stand(t, target)
        below = leaks.descendants(t.dapple.process.pid)
        t.dapple.close(leaks.SOON)
        equal(leaks.wait_dead(below, 8.0), [], "the debugger has left")
        counting.lives_on("after the end of Dapple")


@each_by_pid
def test_killed_adapter(t, target):
    # Somebody kills the adapter while the program runs: the session ends, says why, and that the program goes on.
    with attaching.running(t, target) as counting:
        if attach(t, target, counting)["state"] == "stopped":
            state(t.good("dap_continue", timeout_ms=0), "running")
        for pid in recorders(t):
            os.kill(pid, signal.SIGKILL)
        result = until(lambda: (lambda status: status if status["state"] == "terminated" else None)(t.good("dap_status")), "the end")
        contains(result["termination_reason"], "Debug Adapter")
        counting.lives_on("after the adapter's death")
        contains(t.good("dap_status").text, "pid %d (%s) goes on" % (counting.pid, name_of(counting.pid)))


def name_of(pid):
    with open("/proc/%d/comm" % pid) as file:
        return file.read().strip()


@each_by_pid
def test_kill(t, target):
    # The process is ended only when that is asked for, and does not run on before: js-debug lets go of it at its end.
    with attaching.running(t, target) as counting:
        attach(t, target, counting)
        stand(t, target)
        before = counting.number()
        result = state(t.good("dap_stop", kill=True), "terminated")
        contains(result.text, "has ended")
        until(lambda: counting.process.poll() is not None, "the end of the process")
        equal(counting.number(), before, "what it had counted when it was ended")


def test_kill_behind_a_port(t):
    # js-debug and gdb with a gdbserver let go of a program that runs, though they were told to end it, and Dapple told of an end. Where this
    # machine shows who is behind the port (the program itself, or what a server there traces), Dapple ends it; else it says that it cannot see.
    for name in ("js-debug", "gdb"):
        target = t.target(name)
        with attaching.listening(t, target) as (counting, port):
            more = {"program": target.program("count")} if name == "gdb" else {}
            if t.good("dap_attach", port=port, adapter=name, timeout_ms=WAIT, limit=40, **more)["state"] == "stopped":
                state(t.good("dap_continue", timeout_ms=0), "running")
            result = state(t.good("dap_stop", kill=True), "terminated")
            contains(result.text, "127.0.0.1:%d, pid %d (" % (port, counting.pid))
            contains(result.text, ") has ended\n")
            until(lambda: counting.process.poll() is not None, "the end of the process")
    port = attaching.free_port()
    program = t.file("opens.js", "require('inspector').open(%d, '127.0.0.1');\nsetInterval(() => {}, 1000);\n" % port)
    with attaching.started(t, os.path.realpath("/usr/bin/node"), program, ready=lambda: attaching.listens(port)):
        t.good("dap_attach", port=port, adapter="js-debug", limit=40)
        contains(state(t.good("dap_stop", kill=True), "terminated").text,
                 "Warning: whether the program behind 127.0.0.1:%d has ended cannot be seen" % port)


@each_adapter
def test_a_launched_program_cannot_be_left(t, target):
    # Its output goes through its debugger: left alone, it would end with the first line that it prints.
    target.launch_running("busy", "busy")
    text = t.bad("dap_stop", kill=False)
    contains(text, "/kill")
    contains(text, "dap_attach")
    state(t.good("dap_status"), "running")
    state(t.good("dap_stop", kill=True), "terminated")


def test_the_adapter_is_chosen_by_the_process(t):
    # Python is debugged with debugpy, an executable with the debugger that a launch would take, Node.js not without its inspector.
    python, native = t.target("debugpy"), t.target("gdb")
    with attaching.running(t, python) as counting:
        equal(t.good("dap_attach", pid=counting.pid, limit=40)["adapter_id"], "debugpy")
        equal(t.good("dap_status")["process_id"], counting.pid, "process_id")
        t.good("dap_stop")
    with attaching.running(t, native) as counting:
        result = t.good("dap_attach", pid=counting.pid, limit=40)
        equal((result["adapter_id"], result["state"], result["stop_reason"]), ("gdb", "stopped", "attach"), "gdb", result)
        t.good("dap_stop")
        counting.lives_on("after it")


def test_node_without_an_inspector(t):
    # A signal is sent to nobody who was not told of it.
    target = t.target("js-debug")
    with attaching.running(t, target) as counting:
        text = t.bad("dap_attach", pid=counting.pid)
        contains(text, "open_inspector=true")
        contains(text, "--inspect")
        counting.lives_on("after the refusal")
        # js-debug tells no place of a breakpoint in code that was there before it came: "has not found this code yet" was said of what stopped
        # the program a moment later, and "never bound" after it was let go of.
        unknown = t.file("unknown.js", "console.log(1);\n")
        wanted = [{"file": target.source("count"), "line": target.line("count", "count")}, {"file": unknown, "line": 1}]
        result = state(attach(t, target, counting, breakpoints=wanted), "stopped")
        contains(result.text, "unknown.js:1 · pending: of code that was loaded before it attached, the debugger tells no place; it may stop here all the same")
        t.good("dap_stop")
        lacks(t.good("dap_status").text, "never bound")
        counting.lives_on("after it")


def test_by_name(t):
    # The process is found by the name of its executable, or of the script that its interpreter runs; several are listed, none is guessed.
    target = t.target("gdb")
    path = attaching.own_copy(t, target)
    with attaching.started(t, path) as first:
        result = t.good("dap_attach", process=path, limit=40)
        equal(result["process_id"], first.pid, "by path", result)
        t.good("dap_stop")
        with attaching.started(t, path) as second:
            text = t.bad("dap_attach", process=path)
            contains(text, "2 processes")
            for counting in (first, second):
                contains(text, "pid %d" % counting.pid)
            contains(text, path)
            lacks(t.good("dap_status").text, "attached")
            contains(t.bad("dap_attach", wait_for=path), "2 processes")
    contains(t.bad("dap_attach", process="no-such-program-anywhere"), "wait_for")


def test_wait_for_a_name(t):
    # The program is started after the call, and attached to as soon as it is there.
    target = t.target("gdb")
    path = attaching.own_copy(t, target)
    waiting = t.dapple.start("dap_attach", wait_for=path, breakpoints=[{"file": target.source("count"), "line": target.line("count", "count")}])
    state(t.good("dap_status"), "idle")
    check(not waiting.done(), "it waits")
    with attaching.started(t, path) as counting:
        result = waiting.result(30)
        equal(state(result, "stopped")["process_id"], counting.pid, "the process", result)
        state(t.good("dap_stop"), "terminated")
        counting.lives_on("after it")


def test_wait_for_a_name_that_never_comes(t):
    # The wait is bounded, can be cancelled, and ends with dap_stop.
    text = t.bad("dap_attach", wait_for="no-such-program-anywhere", timeout_ms=200)
    contains(text, "within 200 ms")
    waiting = t.dapple.start("dap_attach", wait_for="no-such-program-anywhere", timeout_ms=20000)
    state(t.good("dap_status"), "idle")
    t.dapple.cancel(waiting)
    other = t.dapple.start("dap_attach", wait_for="no-such-program-anywhere", timeout_ms=20000)
    state(t.good("dap_stop"), "idle")
    contains(other.result().text, "cancelled")


def test_no_such_process(t):
    # Before any debugger is started: what is wrong with the number.
    ended = subprocess.Popen(["/bin/true"])
    ended.wait()
    contains(t.bad("dap_attach", pid=ended.pid), "there is no process %d" % ended.pid)
    zombie = subprocess.Popen(["/bin/true"])
    until(lambda: leaks.state_and_parent(zombie.pid)[0] == "Z", "a zombie")
    contains(t.bad("dap_attach", pid=zombie.pid, adapter="gdb"), "zombie")
    zombie.wait()
    contains(t.bad("dap_attach"), "give one of pid, process, wait_for, port and core")
    contains(t.bad("dap_attach", pid=1, port=2), "not several")
    contains(t.bad("dap_attach", port=1), "pass adapter, one of")
    equal(t.left_beside_dapple(0), [], "no debugger was started")


def test_traced_already(t):
    # Only one debugger can have a process: the other one is named.
    target = t.target("gdb")
    with attaching.running(t, target) as counting:
        attach(t, target, counting)
        text = t.bad("dap_attach", pid=counting.pid, adapter="gdb", session="second")
        contains(text, "traced already, by process")
        contains(text, "gdb")
        t.good("dap_stop")


def test_sessions(t):
    # Who works under several names sees all of them at once.
    target, python = t.target("gdb"), t.target("debugpy")
    with attaching.running(t, target) as counting:
        attach(t, target, counting)
        python.launch("cart", "cost", session="worker")
        result = t.good("dap_sessions")
        contains(result.text, "Sessions: 2\n")
        contains(result.text, "main: stopped (attach)")
        contains(result.text, "gdb, attached to pid %d" % counting.pid)
        contains(result.text, "\n    debugpy, %s, pid " % os.path.relpath(python.program("cart"), t.project))
        contains(result.text, "worker: stopped (breakpoint) at cart.py:%d" % python.line("cart", "cost"))
        rows = {row["name"]: row for row in result["sessions"]}
        equal((rows["main"]["process_id"], rows["worker"]["adapter_id"]), (counting.pid, "debugpy"), "rows", result)
        t.good("dap_stop", session="worker")
        t.good("dap_stop")
        contains(t.good("dap_sessions").text, "main: terminated")


def test_profile_that_attaches(t):
    # A launch.json's way: request attach, a number as a string, a port inside of connect.
    target = t.target("gdb")
    with attaching.running(t, target) as counting:
        t.settings(profiles={"by-number": {"adapter": "gdb", "arguments": {"request": "attach", "processId": str(counting.pid)}},
                                   "picked": {"adapter": "gdb", "arguments": {"request": "attach", "processId": "${command:pickProcess}"}}})
        result = t.good("dap_attach", profile="by-number", limit=40)
        equal((result["process_id"], result["profile_id"]), (counting.pid, "by-number"), "the profile", result)
        t.good("dap_stop")
        contains(t.bad("dap_attach", profile="picked"), "pass pid")
        contains(t.bad("dap_launch", profile="by-number"), "dap_attach")
        counting.lives_on("after it")


def make_core(t, core, *how):
    subprocess.run([adapters.gdb(), "-q", "-nx", "-batch", *how[:2], "-ex", "generate-core-file " + core, *how[2:]], stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, env=dict(os.environ, TMPDIR=t.tmp))


@every_adapter
def test_core_file(t, target):
    # What is left of a program: where it was, and with which values. The core is made with gdb, since a test has none made by the system; of a
    # crash, where a crash is a signal (Go ends with a message), else of a program in the middle of its work.
    with Cells(target.adapter) as cells, cells.cell("core file"):
        core = os.path.join(t.make("work"), "core")
        check(adapters.gdb(), "there is a gdb to make a core file with")
        program = target.program("count") if target.adapter == "dlv" else t.built("crash")
        if target.adapter == "dlv":
            with attaching.running(t, target) as counting:
                make_core(t, core, "-p", str(counting.pid))
        else:
            make_core(t, core, "-ex", "run", program)
        result = t.good("dap_attach", core=core, program=program, adapter=target.adapter, timeout_ms=WAIT, limit=40)
        contains(state(result, "stopped").text, "attached to core file")
        contains(result.text + t.good("dap_stack").text, "count.go" if target.adapter == "dlv" else "crash")
        state(t.good("dap_stop"), "terminated")
        check(os.path.exists(core), "the core file stays")


def test_core_file_that_is_none(t):
    path = t.file("core", "not a core")
    contains(t.bad("dap_attach", core=path, program=t.built("quick")), "is no core file")
    contains(t.bad("dap_attach", core=path + "-missing"), "there is no file")


# ---- again ----

@every_adapter
def test_restart(t, target):
    # The same program with the same arguments and breakpoints: while it stands, and after its end; then with other arguments.
    with Cells(target.adapter) as cells, cells.cell("restart"):
        first = state(target.launch("cart", "print", args=["3"], timeout_ms=WAIT), "stopped")
        result = state(t.good("dap_restart", timeout_ms=WAIT, limit=40), "stopped")
        equal(result["top_frame"]["line"], first["top_frame"]["line"], "the same place", result)
        check(result["stop_number"] > first["stop_number"], "a new stop", result)
        end(t, target, 3)
        state(t.good("dap_restart", timeout_ms=WAIT, limit=40), "stopped")
        end(t, target, 3)
        state(t.good("dap_restart", args=[], timeout_ms=WAIT, limit=40), "stopped")
        end(t, target, 0)


def end(t, target, code):
    result = t.good("dap_continue", timeout_ms=WAIT)
    if target.adapter == "debugpy" and code != 0:
        contains(state(result, "stopped").text, "SystemExit: %d" % code)
        result = t.good("dap_continue", timeout_ms=WAIT)
    equal(state(result, "terminated")["exit_code"], code, "exit code", result)


@each_adapter
def test_restart_while_it_runs(t, target):
    target.launch_running("busy", "busy")
    result = state(t.good("dap_restart", timeout_ms=0, limit=40), "running")
    output = result["output"]

    def printed():
        nonlocal output
        output += t.good("dap_status")["output"]
        return "busy" in output
    until(printed, "the second run's output")


def test_restart_of_an_attached_process(t):
    # Detached from and attached to again, as long as it lives.
    target = t.target("gdb")
    with attaching.running(t, target) as counting:
        attach(t, target, counting)
        result = state(t.good("dap_restart", limit=40), "stopped")
        equal(result["process_id"], counting.pid, "the process", result)
        contains(t.bad("dap_restart", args=["x"]), "/args")
        t.good("dap_stop", kill=True)
        until(lambda: counting.process.poll() is not None, "its end")
        contains(t.bad("dap_restart"), "has ended")


def test_restart_of_nothing(t):
    contains(t.bad("dap_restart"), "dap_launch starts a program")


def test_own_restart_stops_before_its_answer(t):
    # lldb-dap tells the first stop of the new run before it answers: that stop is the restart's, and the adapter stays.
    first = t.fake_stopped(capabilities={"supportsRestartRequest": True}, on={"restart": [[stopped(), OK]]})
    result = state(t.good("dap_restart"), "stopped")
    equal(result["stop_number"], first["stop_number"] + 1, "one stop more", result)
    equal(t.fake.starts(), 1, "adapters that were started")
    contains(str(t.fake.received("restart")[0]["arguments"]["arguments"]), t.built("quick"))


def test_own_restart_that_fails(t):
    # The program may be gone by then: it is stopped and launched again, and the user is told why.
    t.fake_stopped(capabilities={"supportsRestartRequest": True}, on={"restart": [[{"fail": "no more"}]]})
    result = state(t.good("dap_restart"), "stopped")
    contains(result.text, "own restart failed (restart request failed: no more): stopped and launched again")
    equal(t.fake.starts(), 2, "adapters that were started")
