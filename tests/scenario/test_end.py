"""The end: of the host, of Dapple, of an adapter. Nothing may stay, nothing may hang."""

import os
import signal

from support import leaks
from support.leaks import SOON
from support.matrix import every_adapter
from support.scenario import check, contains, each_adapter, equal, good, state, until, within

def escaped(t, target):
    """Launches the program with the grandchild in a session of its own; the two pids."""
    path = os.path.join(t.make("work"), "pids")
    state(target.launch("escape", args=[path], timeout_ms=0), "running")
    until(lambda: os.path.exists(path), "the pids of program and grandchild")
    with open(path) as file:
        pids = [int(word) for word in file.read().split()]
    check(all(map(leaks.alive, pids)), "program and grandchild run", pids)
    return pids


def recorders(t):
    """The processes that stand before real adapters."""
    return [pid for pid in leaks.descendants(t.dapple.process.pid) if b"record-adapter" in leaks.read("/proc/%d/cmdline" % pid)]


@each_adapter
def test_kill_9_of_dapple_leaves_no_process(t, target):
    # kill -9 gives Dapple no chance to tidy up, and the grandchild has left group, session and environment.
    escaped(t, target)
    t.exit_checked = False
    below = leaks.descendants(t.dapple.process.pid)
    check(len(below) >= 3, "supervisor, adapter and program are there", below)
    t.dapple.process.kill()
    t.dapple.process.wait()
    equal(leaks.wait_dead(below, SOON), [], "gone after kill -9")
    equal(leaks.wait_none(t.test_id), [], "and nothing else of ours is left")


@each_adapter
def test_kill_9_while_the_program_stands(t, target):
    # A traced process that stands still does not read pipes; it must go all the same.
    target.launch("cart", "cost")
    t.exit_checked = False
    below = leaks.descendants(t.dapple.process.pid)
    t.dapple.process.kill()
    t.dapple.process.wait()
    equal(leaks.wait_dead(below, SOON), [], "gone after kill -9")


@each_adapter
def test_end_of_stdin_with_a_running_program(t, target):
    # Hosts close stdin and send SIGKILL soon after: everything has to be gone soon, without waiting for anybody.
    pids = escaped(t, target)
    below = leaks.descendants(t.dapple.process.pid)
    t.dapple.close(SOON)
    left = leaks.wait_dead(below + pids, SOON)
    equal(left, [], "nothing outlives the server")
    equal(t.dapple.process.returncode, 0, "status")


@each_adapter
def test_end_of_stdin_with_a_stopped_program(t, target):
    # The same while the program stands at a breakpoint; and it does not run on.
    path = os.path.join(t.make("work"), "mark")
    target.launch("mark", "stop", args=[path])
    below = leaks.descendants(t.dapple.process.pid)
    t.dapple.close(SOON)
    equal(leaks.wait_dead(below, SOON), [], "nothing outlives the server")
    equal(os.path.exists(path), False, "it ran on")


def test_a_stopped_program_does_not_run_on_at_the_end_of_dapple(t):
    # Node goes on when js-debug is gone, and they have a supervisor each: js-debug is held until Node is killed, also where nobody is there to say
    # so. A program under rdbg went on every other time when kill -9 ended Dapple, and its connection with it.
    path = os.path.join(t.make("work"), "mark")
    t.exit_checked = False
    node, ruby = t.target("js-debug"), t.target("rdbg")
    for target, killed in ((node, False), (node, True), (ruby, True), (ruby, True), (ruby, True)):
        dapple = t.start()
        state(target.launch("mark", "stop", dapple=dapple, args=[path]), "stopped")
        below = leaks.descendants(dapple.process.pid)
        if killed:
            dapple.process.kill()
            dapple.process.wait()
        else:
            dapple.close()
        equal(leaks.wait_dead(below, 10), [], "everything is gone")
        equal(os.path.exists(path), False, "%s: it ran on at the %s" % (target.adapter, "death of Dapple" if killed else "end of stdin"))


@each_adapter
def test_end_of_stdin_during_a_launch(t, target):
    # The launch has not been answered and the adapter may be half up: no reason to stay.
    t.dapple.start("dap_launch", program=target.program("busy"), adapter=target.adapter)
    until(lambda: recorders(t), "the adapter's process")
    below = leaks.descendants(t.dapple.process.pid)
    t.dapple.close(SOON)
    equal(leaks.wait_none(t.test_id), [], "nothing outlives the server")
    check(below, "there was something to end")


def test_signals_end_the_server_like_the_end_of_stdin(t):
    # A host that sends SIGTERM, a terminal that sends SIGINT or SIGHUP: the same orderly end, status 0.
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        dapple = t.start()
        t.fake.script()
        good(t.fake_launch(dapple, timeout_ms=0))
        below = leaks.descendants(dapple.process.pid)
        dapple.process.send_signal(number)
        dapple.wait_exit(SOON)
        equal(leaks.wait_dead(below, SOON), [], "signal %d: nothing outlives the server" % number)
        equal(dapple.process.returncode, 0, "signal %d: status" % number)
    t.exit_checked = False


def test_end_of_stdin_with_an_adapter_that_ignores_everything(t):
    # An adapter that answers no disconnect, ignores SIGTERM and the end of its input gets SIGKILL, and is not waited for.
    t.fake.script(ignore_end=True, ignore_sigterm=True)
    good(t.fake_launch(timeout_ms=0))
    below = leaks.descendants(t.dapple.process.pid)
    t.dapple.close(SOON)
    equal(leaks.wait_dead(below, SOON), [], "nothing outlives the server")


def test_stop_with_an_adapter_that_ignores_everything(t):
    # The same for dap_stop: bounded, and gone afterwards.
    t.fake.script(ignore_end=True, ignore_sigterm=True)
    good(t.fake_launch(timeout_ms=0))
    result = state(t.good("dap_stop", limit=15), "terminated")
    within(result.seconds, 8, "bounded by the shutdown time")
    equal(t.left_beside_dapple(), [], "nothing is left")
    state(t.good("dap_stop"), "terminated")


@each_adapter
def test_stop_takes_the_grandchild_too(t, target):
    # The adapter kills its debuggee, not what the debuggee started and sent away.
    pids = escaped(t, target)
    state(t.good("dap_stop"), "terminated")
    equal(leaks.wait_dead(pids, SOON), [], "gone after the stop")
    equal(t.left_beside_dapple(), [], "nothing is left")


@every_adapter
def test_a_stopped_program_does_not_run_on(t, target):
    # Whoever ends a program at a breakpoint must be sure that the next line is not done. js-debug let Node go on before it killed it: every
    # few times a file that the next line writes was there. The two lldb restart by themselves.
    path = os.path.join(t.make("work"), "mark")
    for _ in range(2 if target.adapter == "js-debug" else 1):
        state(target.launch("mark", "stop", args=[path]), "stopped")
        if target.adapter in ("js-debug", "lldb-dap", "codelldb"):
            state(t.good("dap_restart"), "stopped")
        equal(os.path.exists(path), False, "it ran on when it was restarted")
        result = state(t.good("dap_stop"), "terminated")
        equal(os.path.exists(path), False, "it ran on when it was stopped")
        equal(result.get("exit_code"), None, "an end of ours is no exit", result)


@each_adapter
def test_adapter_killed(t, target):
    # Somebody kills the adapter: the session ends with that as its reason, the debuggee does not live on, and a new launch works.
    target.launch_running("busy", "busy")
    for pid in recorders(t):
        os.kill(pid, signal.SIGKILL)
    result = until(lambda: (lambda status: status if status["state"] == "terminated" else None)(t.good("dap_status")), "the end")
    contains(result["termination_reason"].lower(), "adapter")
    equal(t.left_beside_dapple(), [], "the debuggee is gone too")
    state(target.launch("quick"), "terminated")


@each_adapter
def test_adapter_killed_while_a_call_waits(t, target):
    # The wait ends at once with the truth, not at its time-out.
    target.launch_running("busy", "busy")
    state(t.good("dap_pause"), "stopped")
    waiting = t.dapple.start("dap_continue")
    until(lambda: t.good("dap_status")["state"] == "running", "the program runs")
    for pid in recorders(t):
        os.kill(pid, signal.SIGKILL)
    result = waiting.result()
    check(result["state"] == "terminated", "state", result)


def test_nothing_runs_before_a_launch(t):
    # Starting the server starts nothing, writes nothing and finds out nothing.
    t.dapple.call("dap_status")
    equal(t.left_beside_dapple(0), [], "no process")
    equal(leaks.files_below(t.tmp), [], "no file")
    equal(leaks.files_below(t.home), [], "nothing in the home folder")


def test_a_long_result_leaves_no_file(t):
    # The file with the full text lives as long as Dapple does.
    target = t.target("debugpy")
    result = state(target.launch("flood", args=["3000"]), "terminated")
    path = next(word.rstrip(");:") for word in result.text.split() if word.startswith(t.tmp))
    with open(path) as file:
        text = file.read()
    contains(text, "00000000 xxx")
    contains(text, "the last word")
    equal(os.stat(path).st_mode & 0o777, 0o600, "mode of the file")
    equal(os.stat(os.path.dirname(path)).st_mode & 0o777, 0o700, "mode of the folder")
    t.dapple.close()
    equal(leaks.files_below(t.tmp), [], "gone with the server")
