"""What a test left behind: processes, and files in its temporary folder.

The test's process makes itself a child sub-reaper, so whatever loses its parent comes up below it, whatever it did to its
environment, its group or its session. The variable DAPPLE_TEST_ID finds what was started by somebody else on our behalf.
"""

import ctypes
import os
import time

PR_SET_CHILD_SUBREAPER = 36

# Seconds until what is to go at once is gone. It takes a fraction of one, and on a machine with much to do longer. What waits for adapters in
# good order, as it must not, needs their shutdown time, which is longer than this.
SOON = 4


def become_subreaper():
    if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_CHILD_SUBREAPER)")


def read(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


def state_and_parent(pid):
    """("S", 123); (None, 0) when the process is gone."""
    stat = read("/proc/%d/stat" % pid)
    if not stat:
        return None, 0
    fields = stat[stat.rindex(b")") + 2:].split()
    return fields[0].decode(), int(fields[1])


def alive(pid):
    """A zombie is gone."""
    return state_and_parent(pid)[0] not in (None, "Z", "X")


def pids():
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def descendants(root):
    children = {}
    for pid in pids():
        children.setdefault(state_and_parent(pid)[1], []).append(pid)
    found, queue = [], [root]
    while queue:
        for child in children.get(queue.pop(), []):
            found.append(child)
            queue.append(child)
    return found


def marked(test_id):
    mark = b"DAPPLE_TEST_ID=" + test_id.encode() + b"\0"
    return [pid for pid in pids() if mark in read("/proc/%d/environ" % pid) + b"\0"]


def reap_orphans(own):
    """Zombies that came up to us: theirs is the sub-reaper's duty. `own` are waited for by whoever started them, and may live."""
    for pid in descendants(os.getpid()):
        state, parent = state_and_parent(pid)
        if state == "Z" and parent == os.getpid() and pid not in own:
            try:
                os.waitpid(pid, os.WNOHANG)
            except ChildProcessError:
                pass


def describe(pid):
    command = read("/proc/%d/cmdline" % pid).replace(b"\0", b" ").decode("utf-8", "replace").strip()
    state, parent = state_and_parent(pid)
    return "pid %d (parent %d, state %s): %s" % (pid, parent, state, command[:200] or read("/proc/%d/comm" % pid).decode().strip())


def survivors(test_id, own=()):
    reap_orphans(own)
    found = set(descendants(os.getpid())) | set(marked(test_id))
    return sorted(pid for pid in found if pid != os.getpid() and pid not in own and alive(pid))


def wait_none(test_id, own=(), timeout=SOON):
    """The survivors after at most `timeout` seconds; empty is good."""
    limit = time.monotonic() + timeout
    while True:
        left = survivors(test_id, own)
        if not left or time.monotonic() > limit:
            return [describe(pid) for pid in left]
        time.sleep(0.01)


def wait_dead(wanted, timeout):
    """Which of these pids are still alive after at most `timeout` seconds."""
    limit = time.monotonic() + timeout
    while True:
        left = [pid for pid in wanted if alive(pid)]
        if not left or time.monotonic() > limit:
            return [describe(pid) for pid in left]
        time.sleep(0.005)


def kill_all(test_id):
    """After a failure: nothing may disturb the next test."""
    for _ in range(50):
        left = survivors(test_id)
        if not left:
            return
        for pid in left:
            try:
                os.kill(pid, 9)
            except OSError:
                pass
        time.sleep(0.02)


def files_below(folder):
    return [os.path.relpath(os.path.join(base, name), folder) for base, folders,
            files in os.walk(folder) for name in files + folders]
