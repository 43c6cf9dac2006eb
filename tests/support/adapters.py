"""The real adapters that scenarios run with, each behind the recorder, and what differs between them."""

import functools
import glob
import os
import re
import shutil
import subprocess
import sys

REPOSITORY = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
RECORDER = os.path.join(REPOSITORY, "tests", "fake", "record-adapter")
SERVER_RECORDER = os.path.join(REPOSITORY, "tests", "fake", "record-server")
NAMES = ("debugpy", "gdb", "lldb-dap")
# Where script/bootstrap puts what it fetches.
PREFIX = os.environ.get("DAPPLE_ADAPTERS") or os.path.join(REPOSITORY, ".adapters")


@functools.lru_cache
def gdb():
    """A gdb that speaks DAP (14 or newer), or None."""
    folders = [os.path.join(root, "bin") for root in (os.environ.get("DAPPLE_ADAPTERS"), os.path.join(REPOSITORY, ".adapters"))
               if root]
    for candidate in [os.path.join(folder, "gdb") for folder in folders] + [shutil.which("gdb")]:
        if candidate and os.access(candidate, os.X_OK):
            told = subprocess.run([candidate, "--version"], capture_output=True, text=True).stdout
            found = re.search(r"\) (\d+)\.", told)
            if found and int(found.group(1)) >= 14:
                return candidate
    return None


@functools.lru_cache
def lldb_dap():
    plain = shutil.which("lldb-dap")
    numbered = glob.glob("/usr/bin/lldb-dap-[0-9]*")
    return plain or (max(numbered, key=lambda path: int(path.rsplit("-", 1)[1])) if numbered else None)


@functools.lru_cache
def debugpy():
    """(interpreter, folder of the package), or None."""
    for python in [sys.executable, "/usr/bin/python3", shutil.which("python3")]:
        if python and os.path.exists(python):
            told = subprocess.run([python, "-c", "import debugpy; print(debugpy.__file__)"], capture_output=True, text=True)
            if told.returncode == 0:
                return python, os.path.dirname(told.stdout.strip())
    return None


def write_script(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write("#!/bin/sh\n" + text)
    os.chmod(path, 0o755)


def recorded(records, name, *command):
    parts = [sys.executable, "-IS", RECORDER, records, name, *command]
    return " ".join("'%s'" % part for part in parts)


def install_gdb(bin_folder, records):
    write_script(os.path.join(bin_folder, "gdb"), "case \"$1\" in --version) exec '%s' \"$@\";; esac\nexec %s \"$@\"\n" % (
        gdb(), recorded(records, "gdb", gdb())))


def install_lldb_dap(bin_folder, records):
    """lldb-dap 19 aborts at its end, and its crash reporter leaves files behind when it is killed: it is not let out."""
    write_script(os.path.join(bin_folder, "lldb-dap"), "export LLVM_DISABLE_SYMBOLIZATION=1\nexec %s \"$@\"\n" % recorded(records,
        "lldb-dap", lldb_dap()))


def install_debugpy(venv, records):
    """A virtual environment by looks: the way that a user's own interpreter is found."""
    python, package = debugpy()
    site = os.path.join(venv, "lib", "python%d.%d" % sys.version_info[:2], "site-packages")
    os.makedirs(site)
    os.symlink(package, os.path.join(site, "debugpy"))
    with open(os.path.join(venv, "pyvenv.cfg"), "w") as file:
        file.write("home = %s\n" % os.path.dirname(python))
    text = "case \" $* \" in *'/debugpy/adapter '*) exec %s \"$@\";; esac\nexec '%s' \"$@\"\n" % (
        recorded(records, "debugpy", python), python)
    for name in ("python", "python3"):
        write_script(os.path.join(venv, "bin", name), text)

# What they leave in the temporary folder: Ruby's the folder of its sockets, js-debug what it made for programs that it has ended.
# dlv: the pipes of a program that is killed before it has opened them, eight digits in hexadecimal
LEAVES = {"rdbg": ("rdbg-",), "js-debug": ("node-cdp.", "node-debug-callback-", "vscode-js-debug-"), "codelldb": ("lldb",),
          "dlv": ("[0-9a-f]{8}$",)}


@functools.lru_cache
def found(name):
    """The real one of those that are reached by a path, or None."""
    path = {"codelldb": os.path.join(PREFIX, "bin", "codelldb"), "dlv": os.path.join(PREFIX, "bin", "dlv"),
            "rdbg": os.path.join(PREFIX, "bin", "rdbg"), "js-debug": os.path.join(PREFIX, "js-debug")}.get(name)
    if path and os.path.exists(path):
        return os.path.realpath(path)
    if name in NAMES:
        return {"debugpy": debugpy, "gdb": gdb, "lldb-dap": lldb_dap}[name]()
    if name == "perl":
        told = subprocess.run(["perl", "-MPerl::LanguageServer", "-e", "1"], capture_output=True)
        return shutil.which("perl") if told.returncode == 0 else None
    return None if path is None else shutil.which(name)


def served(records, name, *command):
    parts = [sys.executable, "-IS", SERVER_RECORDER, records, name, *command]
    return " ".join("'%s'" % part for part in parts)


def install_found(name, bin_folder, records):
    """Under node and perl run programs, too: only the adapter goes through the recorder."""
    real = found(name)
    if name == "js-debug":
        os.symlink(real, os.path.join(os.path.dirname(bin_folder), "js-debug"))
        real = shutil.which("node")
        write_script(os.path.join(bin_folder, "node"), "case \"$1\" in */js-debug/*) exec %s \"$@\";; esac\nexec '%s' \"$@\"\n" % (
            served(records, name, real), real))
    elif name == "perl":
        write_script(os.path.join(bin_folder, name), "case \" $* \" in *' --port '*) exec %s \"$@\";; esac\nexec '%s' \"$@\"\n" % (
            served(records, name, real), real))
    else:
        command = recorded(records, name, real) if name == "codelldb" else served(records, name, real)
        write_script(os.path.join(bin_folder, name), "exec %s \"$@\"\n" % command)


@functools.lru_cache
def go():
    """The Go that belongs to dlv, or None."""
    beside = glob.glob(os.path.join(PREFIX, "delve", "usr", "lib", "go-*", "bin", "go"))
    return beside[0] if beside else shutil.which("go")
