"""Programs that run before a debugger comes: they count into a file, so that others see that they go on."""

import contextlib
import glob
import os
import shutil
import signal
import socket
import subprocess

from support import adapters, leaks
from support.scenario import Skip, check, until


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def listens(port):
    for table in ("tcp", "tcp6"):
        with open("/proc/net/" + table) as file:
            for line in file.readlines()[1:]:
                words = line.split()
                if words[3] == "0A" and int(words[1].rsplit(":", 1)[1], 16) == port:
                    return True
    return False


def python():
    return adapters.debugpy()[0]


class Counting:
    """One such program; `pid` is its own, also where a server has started it."""

    def __init__(self, t, path, process):
        self.t, self.path, self.process = t, path, process

    @property
    def pid(self):
        return self.process.pid

    def number(self):
        try:
            with open(self.path) as file:
                return int(file.read() or -1)
        except (OSError, ValueError):
            return -1

    def counts(self):
        """It goes on: the number grows."""
        before = self.number()
        until(lambda: self.number() > before, "the program goes on counting from %d" % before)
        return True

    def lives_on(self, what):
        check(self.process.poll() is None, "%s: the process lives (status %s)" % (what, self.process.returncode))
        with open("/proc/%d/status" % self.pid) as file:
            tracer = file.read().split("TracerPid:")[1].split()[0]
        check(tracer == "0", "%s: nobody traces it any more" % what, leaks.describe(int(tracer)))
        self.counts()


@contextlib.contextmanager
def started(t, *command, path=None, ready=None, **options):
    """Runs a program beside Dapple, and ends it, with all that it started, at the end."""
    path = path or os.path.join(t.make("work"), "count-%d" % len(os.listdir(t.make("work"))))
    env = dict(t.env(), PATH="/usr/local/bin:/usr/bin:/bin", **options.pop("env", {}))
    process = subprocess.Popen([*command, path], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
                               **options)
    counting = Counting(t, path, process)
    try:
        until(ready or (lambda: counting.number() >= 0), "the program's start")
        yield counting
    finally:
        for pid in [process.pid, *leaks.descendants(process.pid)]:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        process.wait()


def command(t, target):
    """The command line of the counting program in the target's language, without the file."""
    program = target.program("count")
    if target.adapter == "debugpy":
        return [python(), program]
    if target.adapter == "js-debug":
        return [os.path.realpath("/usr/bin/node"), "--inspect-port=0", program]  # a port of its own, when it is asked to open one
    if target.adapter == "rdbg":
        return ["/usr/bin/ruby", program]
    return [program]


def running(t, target):
    if target.adapter == "debugpy":
        use_gdb(t)
    return started(t, *command(t, target))


def own_copy(t, target):
    """The program under a path that no other test has: for finding it by its name."""
    path = os.path.join(t.make("own"), "count-of-one-test")
    shutil.copy(target.program("count"), path)
    return path


def use_gdb(t):
    """debugpy gets into a process with gdb: the real one, without a recorder in between."""
    if adapters.gdb():
        adapters.write_script(os.path.join(t.bin, "gdb"), "exec '%s' \"$@\"\n" % adapters.gdb())


def remote_stub(adapter):
    """What serves a process to a native debugger: lldb-server, or gdbserver for gdb; None: it is not here."""
    if adapter == "gdb":
        return shutil.which("gdbserver")
    folder = os.path.dirname(os.path.realpath(adapters.lldb_dap() or "/"))
    found = [path for path in sorted(glob.glob(os.path.join(folder, "lldb-server*"))) if os.access(path, os.X_OK)]
    return found[0] if found else shutil.which("lldb-server")


@contextlib.contextmanager
def server(t, target, port, pid):
    """A process that runs already, behind a stub that listens."""
    stub = remote_stub(target.adapter)
    if stub is None:
        raise Skip("no %s on this machine" % ("gdbserver" if target.adapter == "gdb" else "lldb-server"))
    place = "127.0.0.1:%d" % port
    words = [stub, "--attach", place, str(pid)] if target.adapter == "gdb" else [stub, "gdbserver", place, "--attach", str(pid)]
    process = subprocess.Popen(words, env=dict(t.env(), PATH="/usr/bin:/bin"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               start_new_session=True)
    try:
        until(lambda: listens(port), "the stub listens")
        yield
    finally:
        with contextlib.suppress(OSError):
            os.kill(process.pid, signal.SIGKILL)
        process.wait()


@contextlib.contextmanager
def listening(t, target):
    """The counting program under a server of the target's kind: (counting, port, more arguments for dap_attach)."""
    port = free_port()
    program = target.program("count")
    real = adapters.found(target.adapter)
    if target.language.name == "C":
        with started(t, program) as counting, server(t, target, port, counting.pid):
            yield counting, port
        return
    commands = {
        "debugpy": lambda: [python(), "-m", "debugpy", "--listen", "127.0.0.1:%d" % port, program],
        "dlv": lambda: [real, "exec", "--headless", "--accept-multiclient", "--listen", "127.0.0.1:%d" % port, program, "--"],
        "rdbg": lambda: [real, "--open", "--port", str(port), "--nonstop", "--", program],
        "js-debug": lambda: [os.path.realpath("/usr/bin/node"), "--inspect=127.0.0.1:%d" % port, program],
    }
    with started(t, *commands[target.adapter](), ready=lambda: listens(port)) as counting:
        yield counting, port


