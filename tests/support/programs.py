"""The debuggees: where they are, how the C ones are built, and which line a mark stands on."""

import fcntl
import os
import re
import stat
import subprocess

from support import adapters

FOLDER = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "programs"))
MARK = re.compile(r"(?:#|/\*|//) mark: ([a-z-]+)")


def source(name):
    return os.path.join(FOLDER, name)


def line(name, mark):
    with open(source(name)) as file:
        for number, text in enumerate(file, 1):
            found = MARK.search(text)
            if found and found.group(1) == mark:
                return number
    raise AssertionError("no mark %r in %s" % (mark, name))


def last_line(name):
    with open(source(name)) as file:
        return len(file.readlines())


def compile_program(output, name, *flags):
    compiler = os.environ.get("CXX", "g++") if name.endswith(".cpp") else os.environ.get("CC", "gcc")
    subprocess.run([compiler, "-O0", *flags, "-o", output, source(name)], check=True)


def build(folder):
    """Everything that is compiled, into a folder; what is up to date stays."""
    os.makedirs(folder, exist_ok=True)
    jobs = {}
    for name in sorted(os.listdir(FOLDER)):
        base, extension = os.path.splitext(name)
        if extension in (".c", ".cpp") and base != "library":
            jobs[base] = (name, "-g", "-pthread", *(["-ldl"] if base == "loads" else []))
    jobs["quick-nodebug"] = ("quick.c",)
    jobs["library.o"] = ("library.c", "-g", "-c")
    jobs["liblibrary.so"] = ("library.c", "-g", "-shared", "-fPIC")
    for output, (name, *flags) in jobs.items():
        path = os.path.join(folder, output)
        if not os.path.exists(path) or os.path.getmtime(path) < os.path.getmtime(source(name)):
            compile_program(path, name, *flags)
    not_executable = os.path.join(folder, "quick-not-executable")
    with open(os.path.join(folder, "quick"), "rb") as quick, open(not_executable, "wb") as copy:
        copy.write(quick.read())
    os.chmod(not_executable, stat.S_IRUSR | stat.S_IWUSR)


def go_environment(folder):
    """One cache for all programs of a run; nothing is downloaded."""
    return {"GOCACHE": os.path.join(folder, "go-cache"), "GOTOOLCHAIN": "local", "GOFLAGS": "-mod=mod", "GOPROXY": "off"}


def build_go(folder, name):
    """A Go program without optimizations; built by the first who wants it, while others wait."""
    path = os.path.join(folder, "go", name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(os.path.join(folder, "go", "lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not os.path.exists(path):
            subprocess.run([adapters.go(), "build", "-gcflags=all=-N -l", "-o", path, source("matrix/%s.go" % name)], check=True,
                           env=dict(os.environ, **go_environment(folder)))
    return path
