"""Completion in shells, and the manual: both are made from the operations' table, and know nothing that is not there."""

import os
import re
import shutil
import subprocess

from support.fake import output
from support.scenario import Skip, check, contains, equal, lacks, until
from support.terminal import Terminal

FILES = ":files"


def completed(commands, *words, **options):
    """{word: meaning} of what the last word can become."""
    outcome = commands.run("__complete", *words, **options)
    equal((outcome.status, outcome.err), (0, ""), "completion", outcome)
    return dict((line.split("\t") + [""])[:2] for line in outcome.out.splitlines())


# ---- what is offered

def test_commands_and_flags(t):
    # All commands with what they do, all flags of one; none that is not there.
    commands = t.use_commands()
    known = {declaration["cli"]["verb"]: declaration["cli"]["summary"] for declaration in commands.declarations.values()}
    offered = completed(commands, "")
    equal({name: offered.get(name) for name in known}, known, "operations")
    others = {"run", "break", "daemon", "log", "doctor", "trust", "mcp", "help", "completion", "man", "skill"}
    check(others <= set(offered), "the others", offered)
    equal(set(completed(commands, "help", "")), set(offered), "help knows all of them")
    equal(set(completed(commands, "stat")), {"status"}, "those that begin so")
    for declaration in commands.declarations.values():
        verb = declaration["cli"]["verb"]
        shown = set(re.findall("^  (--[a-z-]+)", commands.run("help", verb).out, re.M)) - {"--json"}
        flags = completed(commands, verb, "--")
        check(shown <= set(flags), "flags of %s" % verb, (shown, flags))
        lacks(" ".join(flags.values()), "dap_", "words of the command line")
    equal(completed(commands, "nonsense", ""), {}, "no such command")


def test_values(t):
    # What a flag or a word can be: choices, adapters, profiles, files.
    commands = t.use_commands()
    t.settings(profiles={"web": {"adapter": "debugpy", "arguments": {"module": "web"}}})
    equal(set(completed(commands, "launch", "--context", "")), {"none", "brief", "full"})
    equal(set(completed(commands, "launch", "--context", "fu")), {"full"})
    equal(set(completed(commands, "launch", "--context=f")), {"--context=full"}, "a value in the same word")
    equal(set(completed(commands, "launch", "--context", "=", "f")), {"full"}, "as bash takes words apart")
    check({"debugpy", "gdb", "js-debug"} <= set(completed(commands, "launch", "--adapter", "")), "adapters")
    equal(set(completed(commands, "doctor", "--adapter", "debug")), {"debugpy"})
    equal(completed(commands, "launch", "--profile", ""), {"web": "launch profile, debugpy"})
    equal(set(completed(commands, "launch", "a")), {FILES})
    equal(set(completed(commands, "run", "app.py", "--break", "a")), {FILES})
    equal(set(completed(commands, "launch", "app.py", "--", "--context", "b")), {FILES}, "the program's own words")
    equal(set(completed(commands, "vars", "a")), set(), "a path of a value is no file")
    equal(set(completed(commands, "enable-breakpoint", "3", "")), {"true", "false"})
    equal(set(completed(commands, "break", "re")), {"remove", FILES})
    equal(set(completed(commands, "mcp", "--tools", "")), {"core", "full", "single"})
    equal(commands.run("__complete").status, 2)


def test_sessions(t):
    # The daemon's sessions, with their state; a daemon that is not there is not started for them.
    commands = t.use_commands()
    equal(completed(commands, "next", "--session", ""), {}, "no daemon")
    contains(commands.run("daemon", "status").out, "no daemon")
    t.fake_stopped()
    t.good("dap_set_breakpoints", session="other", file_path=t.file("other.py", "pass\n"), breakpoints=[{"line": 1}])
    equal(completed(commands, "next", "--session", ""), {"main": "stopped", "other": "idle"})
    equal(completed(commands, "next", "--session=o"), {"--session=other": "idle"})
    equal(completed(commands, "--session", ""), {"main": "stopped", "other": "idle"}, "before the command")
    check("--session" in completed(commands, "--s"), "flags before the command")


def test_what_there_is(t):
    # Numbers of breakpoints, threads, frames and processes, of the session that is named; whoever completes uses up nothing that the next command shows.
    commands = t.use_commands()
    equal(completed(commands, "break", "remove", ""), {}, "no daemon")
    contains(commands.run("daemon", "status").out, "no daemon")
    t.fake_stopped(on={"evaluate": [[{"respond": {"result": "1", "variablesReference": 0}}, output("late\n")]]})
    commands.run("eval", "x")
    until(lambda: "late" in commands.run("output").out, "the program's output")
    numbers = completed(commands, "break", "remove", "")
    contains(numbers["1"], "lines.c:3, bound")
    for words in (["b", "delete", ""], ["break", "disable", "1", ""], ["remove-breakpoint", ""], ["break", "--session", "main", "enable", ""],
                  ["--session=main", "break", "remove", ""]):
        equal(completed(commands, *words), numbers, words)
    equal(completed(commands, "break", "remove", "--session", "other", ""), {}, "of another session")
    contains(completed(commands, "next", "--thread", "")["1"], "stopped")
    frames = completed(commands, "vars", "--frame", "")
    check(frames and all("lines.c" in meaning for meaning in frames.values()), "frames", frames)
    contains(completed(commands, "attach", str(os.getpid()))[str(os.getpid())], "python")
    equal(set(completed(commands, "until", "a")), {FILES}, "the place of an alias")
    contains(commands.run("status").out, "| late\n")


# ---- in real shells

class Shell(Terminal):
    """A shell on a terminal."""

    def __init__(self, t, commands, *words):
        path = "%s:%s" % (os.path.dirname(t.dapple_path), commands.env["PATH"])
        env = {**commands.env, "PATH": path, "TERM": "dumb", "PS1": "ready> ", "HOME": t.make("home")}
        super().__init__(lambda **options: subprocess.Popen(words, cwd=t.make("work"), env=env, **options),
                         size=(50, 200))  # so that no line is broken

    def type(self, text, wanted):
        before = len(self.shown)
        os.write(self.fd, text.encode())
        try:
            until(lambda: wanted in self.shown[before:], "%r" % wanted, timeout=20)
        except AssertionError as error:
            raise AssertionError("%s\nshown: %s" % (error, self.shown)) from None

    def close(self):
        os.write(self.fd, b"exit\n")
        try:
            self.process.wait(10)
        finally:
            self.process.kill()
            os.close(self.fd)


def complete_in(t, *words, before):
    """Typed with the key that completes: a command, its word, a flag's value, and the name of a file."""
    if not shutil.which(words[0]):
        raise Skip("no %s on this machine" % words[0])
    commands = t.use_commands()
    t.file("my program.py", "print('hello')\n")
    shell = Shell(t, commands, *words)
    try:
        for line in before:
            shell.type(line + "\n", "")
        shell.type("echo be''gin\n", "begin")
        shell.type("dapple daem\tstatu\t\n", "There is no daemon.")
        shell.type("dapple launch --contex\tfu\t--adapter debug\t--cwd nowhere my\t\n", "--cwd: ")
        shell.type("echo e''nd\n", "end")
    finally:
        shell.close()
    contains(shell.shown, "nowhere is not a folder")
    contains(shell.shown, "my\\ program.py")


def test_bash(t):
    complete_in(t, "bash", "--norc", "--noprofile", "-i", before=['eval "$(dapple completion bash)"'])


def test_zsh(t):
    complete_in(t, "zsh", "-f", "-i", before=["autoload -Uz compinit && compinit -u -D", 'eval "$(dapple completion zsh)"'])


def test_zsh_from_its_folder(t):
    # As it is installed: zsh finds the file by its name, and reads it when it is needed.
    commands = t.use_commands()
    t.file("functions/_dapple", commands.run("completion", "zsh").out)
    complete_in(t, "zsh", "-f", "-i", before=["fpath=($PWD/functions $fpath)", "autoload -Uz compinit && compinit -u -D"])


def test_fish(t):
    # fish draws its line anew with each key, so that it is asked for what it would offer.
    if not shutil.which("fish"):
        raise Skip("no fish on this machine")
    commands = t.use_commands()
    t.file("my program.py", "print('hello')\n")
    lines = ("dapple daem", "dapple launch my", "dapple launch --context fu", "dapple launch --context=fu", "dapple stac")
    script = t.file("try.fish", "dapple completion fish | source\n" + "".join("echo '>'; complete -C '%s'\n" % line for line in lines))
    path = "%s:%s" % (os.path.dirname(t.dapple_path), commands.env["PATH"])
    done = subprocess.run(["fish", "--no-config", script], cwd=t.make("work"), env={**commands.env, "PATH": path}, capture_output=True,
                          text=True, timeout=40)
    equal((done.returncode, done.stderr), (0, ""), "fish")
    equal([part.strip() for part in done.stdout.split(">")[1:]],
          ["daemon\tthe process that keeps the sessions: status, stop", "my program.py", "full", "--context=full",
           "stack\tlist the stack frames"])


# ---- the manual

def test_manual(t):
    # Each command is in it with all of its flags, and what prints it has nothing to complain of.
    commands = t.use_commands()
    outcome = commands.run("man")
    equal(outcome.status, 0, "status", outcome)
    check(outcome.out.isascii(), "characters beyond ASCII are named by their numbers")
    if not shutil.which("groff"):
        raise Skip("no groff on this machine")
    done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-P-c", "-rLL=130n"], input=outcome.out.encode(), capture_output=True,
                          check=True)
    equal(done.stderr, b"", "warnings")
    text = re.sub("\x1b\\[[0-9;]*m|.\x08", "", done.stdout.decode())
    for heading in ("NAME", "SYNOPSIS", "DESCRIPTION", "COMMANDS", "EXIT STATUS", "ENVIRONMENT", "FILES", "EXAMPLES"):
        check(re.search("^%s$" % heading, text, re.M), "the section %s" % heading, text[:2000])
    lacks(text, "dap_", "words of the command line")
    for declaration in commands.declarations.values():
        verb = declaration["cli"]["verb"]
        check(re.search("^ +dapple %s( |$)" % verb, text, re.M), "the command %s" % verb)
        part = re.split("^ +dapple %s [^\n]*\\[FLAG\\]...$" % verb, text, flags=re.M)[1]
        for flag in set(re.findall("^  (--[a-z-]+)", commands.run("help", verb).out, re.M)) - {"--json", "--session"}:
            contains(part, flag, "a flag of %s" % verb)
        for example in declaration["cli"]["examples"]:
            contains(part, example)
