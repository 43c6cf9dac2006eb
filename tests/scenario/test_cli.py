"""The command line itself: words and flags, exit statuses, help, waiting on a terminal, and arguments that are odd."""

import json
import os
import re
import signal
import subprocess
import threading

from support.fake import OK, stopped
from support.scenario import check, contains, equal, lacks, state, until
from support.terminal import Terminal


def running(t):
    """After a continue the program runs until the gate is opened."""
    commands = t.use_commands()
    t.fake_stopped(on={"continue": [[OK, {"gate": "go"}, stopped("breakpoint")]]})
    return commands


class CommandOnTerminal(Terminal):
    """A command on a terminal of its own."""

    def __init__(self, commands, *words, env=None):
        super().__init__(lambda **options: commands.popen(*words, env={"TERM": "xterm", **(env or {})}, **options))

    def type(self, data):
        os.write(self.fd, data)

    def status(self):
        status = self.process.wait(20)
        self.reader.join(20)
        return status

    def close(self):
        os.close(self.fd)


# ---- statuses

def test_statuses(t):
    # What a script goes by: done, failed, usage, state, broken.
    commands = t.use_commands()
    equal(commands.run("status").status, 0)
    outcome = commands.run("next")
    equal((outcome.status, outcome.err.count("\n")), (3, 1), "no program, said in one line", outcome)
    equal(commands.run("status", "--session", "nobody").status, 3, "no such session")
    equal(commands.run("nonsense").status, 2, "no such command")
    equal(commands.run("next", "--nonsense").status, 2, "no such flag")
    t.fake_stopped(on={"evaluate": [[{"fail": "no such name"}], [{"fail": "no such name"}], None]})
    outcome = commands.run("eval", "nothing")
    equal((outcome.status, outcome.out), (1, ""), "refused by the debugger", outcome)
    contains(outcome.err, "no such name")
    # One of several: its values are there, and a script is told by the status.
    outcome = commands.run("eval", "nothing", "one")
    equal((outcome.status, outcome.err), (1, ""), "one of two failed", outcome)
    contains(outcome.out, "<one>")
    equal(commands.run("eval", "one", "one").status, 0)
    equal(commands.run("stack").status, 0)
    contains(commands.run("next", "3").out, "3 of 3 steps done\n")


def test_broken_adapter(t):
    # An adapter that dies at once is the status of what is broken, with its last words.
    commands = t.use_commands()
    t.fake.script(before=[{"stderr": "out of order\n"}, {"exit": 3}])
    t.fake.install(t.bin)
    outcome = commands.run("launch", t.built("quick"), "--adapter", "lldb-dap")
    equal(outcome.status, 4, "status", outcome)
    contains(outcome.err, "| out of order")


def test_json(t):
    # One line of JSON each time, also of failures, so that scripts need no other form.
    commands = t.use_commands()
    for words, status in ((["status"], 0), (["next"], 3), (["status", "--session", "nobody"], 3), (["next", "x"], 2)):
        outcome = commands.run(*words, "--json")
        equal(outcome.status, status, "status of %s" % words)
        equal(outcome.out.count("\n"), 1, "one line", outcome.out)
        data = json.loads(outcome.out)
        equal("error" in data, status != 0, "error", data)
    data = json.loads(commands.run("status", "--json=both").out)
    equal(data["text"], "idle (no Debug Session)\n")


# ---- words

def test_hints_name_commands(t):
    # A next step is named as it can be typed here; what a program prints stays as it is.
    commands = running(t)
    outcome = commands.run("continue", "--timeout", "50ms")
    contains(outcome.out, "dapple status looks again, dapple pause stops it where it is, dapple stop ends it")
    lacks(outcome.out, "dap_", "names of tools")
    contains(commands.run("help", "continue").out, "dapple pause")


def test_did_you_mean(t):
    commands = t.use_commands()
    contains(commands.run("lauch", "x").err, "did you mean launch?")
    contains(commands.run("launch", "x", "--brake", "a:1").err, "did you mean --break?")
    lacks(commands.run("zzzzzz").err, "did you mean")
    # A word of another debugger is no misspelled word of ours ("kill": did you mean skill?).
    for words, here in ((["kill"], "dapple stop"), (["detach"], "dapple stop;"), (["tbreak", "app.py:3"], "dapple continue --until FILE:LINE"),
                        (["info", "--json", "locals"], "dapple vars"), (["help", "display"], "dapple eval")):
        outcome = commands.run(*words)
        equal(outcome.status, 2, "status of %s" % words, outcome)
        contains(outcome.err + outcome.out, "instead: " + here if words[0] != "help" else here)
    # A list's item in the path of a fault is one of several flags, counted as people do; in JSON, too.
    app = t.file("app.py", "a = 1\n")
    for places, fault in ((["--break", app + ":/b = 1/"], "--break: no line of "),
                          (["--break", app + ":1", "--break", app + ":/b/"], "--break (number 2): no line of "),
                          (["--break", app + ":1", "--break", app + ":0"], "--break (number 2): line must be >= 1")):
        contains(commands.run("launch", app, *places).err, "dapple: " + fault)
        contains(json.loads(commands.run("launch", app, "--json", *places).out)["error"], fault)
    for words, fault in ((["read-memory", "x", "many"], "COUNT must be an integer"),
                         (["input", "x", "--timeout", "soon"], "--timeout must be a time")):
        contains(commands.run(*words).err, fault)
    contains(commands.run("run", "x.js", "-b", "x.js:2").err, "there is no flag -b; did you mean --break?")
    for words, fault in ((["next", "--timeout", "soon"], "--timeout must be a time such as 30s"), (["next", "--timeout"], "--timeout needs a value"),
                         (["launch", "x", "--break", "x.py"], "FILE:LINE"), (["launch", "x", "--env", "A"], "--env takes NAME=VALUE"),
                         (["next", "5", "6"], "one word too many"), (["next", "many"], "COUNT must be an integer"),
                         (["stack", "--count", "many"], "--count must be an integer"),
                         (["launch", "x", "--break", "x.py:1 when y"], "is no place: FILE:LINE"),
                         (["launch", "x", "--break", "x.py:1 if "], "\"if\" is followed by nothing")):
        outcome = commands.run(*words)
        equal(outcome.status, 2, "status of %s" % words, outcome)
        contains(outcome.err, fault)


def test_help(t):
    # All commands on one screen; of each its flags and examples.
    commands = t.use_commands()
    shown = commands.run("--help").out
    names = [declaration["cli"]["verb"] for declaration in commands.declarations.values()]
    for name in [*names, "run", "daemon", "log", "doctor", "trust", "mcp"]:
        check(re.search("^  .*\\b%s(  |$)" % re.escape(name), shown, re.M) or "  %s " % name in shown, "the command %s" % name, shown)
        outcome = commands.run("help", name)
        equal((outcome.status, outcome.err), (0, ""), "help %s" % name)
        lacks(outcome.out, "dap_", "help %s" % name)
    check(len(shown.splitlines()) <= 48, "one screen", shown)
    check(max(map(len, shown.splitlines())) <= 120, "lines of at most 120 characters", shown)
    for declaration in commands.declarations.values():
        text = commands.run("help", declaration["cli"]["verb"]).out
        equal(text, commands.run(declaration["cli"]["verb"], "--help").out, "both ways")
        for name in declaration["cli"].get("positional", []):
            check(re.search("^  %s +\\S" % name.upper(), text, re.M), "what %s is" % name, text)
        for example in declaration["cli"]["examples"]:
            contains(text, "  %s\n" % example)
    equal(commands.run().status, 2, "no command")


def test_words_in_other_places(t):
    # People put the session before the command, ask for help anywhere, and type what gdb and pdb taught them.
    commands = t.use_commands()
    t.fake_stopped()
    equal(json.loads(commands.run("--json", "--session", "main", "status").out)["state"], "stopped", "flags before the command")
    contains(commands.run("--session=none", "next").err, "there is no session none")
    # A frame by its number, a place as stops write it.
    frames = json.loads(commands.run("stack", "--json").out)["stack_frames"]
    for frame in ("1", str(frames[1]["id"])):
        commands.run("eval", "x", "--frame", frame)
    asked = [request["arguments"]["frameId"] for request in t.fake.received("evaluate")][-2:]
    equal(asked[0], asked[1], "a frame by its number")
    contains(commands.run("scopes", "--frame", "77").err, "--frame 77 was never given out, and by number this stop has the frames 0 to ")
    place = "%s:%d" % (frames[0]["source_path"], frames[0]["line"])
    contains(commands.run("source", place, "--around", "0").out, "-> %d | " % frames[0]["line"])
    for alias, verb in (("c", "continue"), ("n", "next"), ("s", "step"), ("bt", "stack"), ("p", "eval"), ("l", "source"), ("q", "stop"), ("until", "continue")):
        equal(commands.run("help", alias).out, commands.run("help", verb).out, alias)
        equal(commands.run(alias, "--help").out, commands.run("help", verb).out, alias)
        contains(commands.run("help", verb).out, "dapple %s" % alias)
        contains(commands.run("man").out.replace("\\", ""), "dapple %s" % alias)
    contains(commands.run("bt").out, "Stack: ")
    # What an adapter cannot do is one kind of failure, and names are those that are typed.
    for words in (["complete", "x"], ["step-back"], ["reverse-continue"], ["goto", "lines.c:5"], ["step-in-targets"]):
        outcome = commands.run(*words)
        equal((outcome.status, "it does not claim" in outcome.err), (1, True), "%s" % words, outcome)
    contains(commands.run("--session", "other", "attach").err, "give one of PID, --process, --wait-for, --port and --core,")
    contains(commands.run("input", "x").err, "dapple launch --terminal")
    contains(commands.run("until").err, "--until needs a value")
    for name in ("break", "run", "daemon", "log", "skill", "man", "completion", "help"):
        outcome = commands.run(name, "--help")
        equal((outcome.status, outcome.err, outcome.out), (0, "", commands.run("help", name).out), "%s --help" % name)
    contains(commands.run("help", "stauts").err, "did you mean status?")
    contains(commands.run("launch", "app.py", "--verbose").err, "stands behind --")
    equal(commands.run("remove-breakpoint").err.splitlines()[0], "dapple: give one of NUMBER, --file, --function, --exception, --all")


def test_nobody_reads(t):
    # A result that nobody could read is no success: the disk is full, or stdout is closed. A socket of ours must not become stdout.
    commands = t.use_commands()
    commands.run("status")
    with open("/dev/full", "w") as full:
        outcome = commands.run("status", stdout=full)
    equal(outcome.status, 1, "a full disk", outcome)
    contains(outcome.err, "dapple: the result could not be written")
    outcome = commands.run("status", preexec_fn=lambda: (os.close(0), os.close(1)))
    equal((outcome.status, outcome.out), (1, ""), "a closed stdout", outcome)
    equal(commands.run("status", preexec_fn=lambda: (os.close(0), os.close(2))).status, 0, "a closed stderr")


# ---- odd arguments

def test_odd_arguments(t):
    # Spaces, line ends, quotes, emptiness, dashes: each arrives as it was given.
    commands = t.use_commands()
    target = t.target("debugpy")
    script = t.file("odd: 12/my app:3.py", "import sys, os\nprint(ascii(sys.argv[1:]), ascii(os.environ['ODD']))\nprint('end')\n")
    odd = ["a b", "", "-x", "--", "two\nlines", "'\"\\", "ünïcode \U0001f41b", "--break"]
    outcome = commands.run("launch", script, "--break", script + ":3", "--env", "ODD=a=b\n c", "--", *odd, timeout=40)
    equal(outcome.status, 0, "launch", outcome)
    contains(outcome.out, "my app:3.py:3:1 in <module>")
    printed = "| %s %s" % (ascii(odd), ascii("a=b\n c"))
    until(lambda: printed in outcome.out or printed in commands.run("output").out, "the arguments as the program got them")
    outcome = commands.run("eval", "-1 + len('a\\n b')")
    equal((outcome.status, outcome.out.split()[0]), (0, "3"), "an expression that begins with a dash", outcome)
    state(t.good("dap_stop"), "terminated")
    check(target, "the adapter was there")


def test_bytes_that_are_no_text(t):
    # DAP is JSON, so that bytes that are no UTF-8 cannot be passed on: said by the argument's name. In the environment they are nobody's
    # business, and arrive.
    commands = t.use_commands()
    t.target("debugpy")
    outcome = commands.run("launch", b"caf\xe9.py")
    equal(outcome.status, 2, "status", outcome)
    contains(outcome.err, "PROGRAM is not UTF-8")
    contains(commands.run("eval", b"'\xff'").err, "is not UTF-8")
    contains(commands.run(b"\xff\xfe").err, "there is no command")
    contains(commands.run("next", b"--\xff").err, "there is no flag")
    script = t.file("bytes.py", "import os\nprint(os.environb[b'ODD'])\n")
    process = subprocess.Popen([commands.path, "launch", script], cwd=commands.cwd, stdout=subprocess.PIPE,
                               env={**{key.encode(): value.encode() for key, value in commands.env.items()}, b"ODD": b"\xe9\xff"})
    out, _ = process.communicate(timeout=40)
    contains(out.decode(), r"b'\xe9\xff'")


def test_odd_folders(t):
    # A folder whose name is no text: everything but a launch works there. One that has been removed is told of.
    commands = t.use_commands()
    folder = os.path.join(t.make("work").encode(), b"caf\xe9")
    os.mkdir(folder)
    equal(commands.run("status", cwd=folder).status, 0)
    outcome = commands.run("launch", "/bin/true", cwd=folder)
    equal(outcome.status, 2, "status", outcome)
    contains(outcome.err, "present folder is not UTF-8")
    gone = os.path.join(t.make("work"), "gone")
    os.mkdir(gone)
    process = subprocess.Popen(["/bin/sh", "-c", 'rmdir "$1"; exec "$2" status', "sh", gone, commands.path], cwd=gone, env=commands.env,
                               stderr=subprocess.PIPE, text=True)
    contains(process.communicate(timeout=20)[1], "present folder does not exist any more")
    equal(process.returncode, 2)


# ---- waiting

def test_interrupt(t):
    # Ctrl-C ends the wait and not the program, and says so; a terminal shows what is waited for.
    commands = running(t)
    terminal = CommandOnTerminal(commands, "continue")
    until(lambda: "Ctrl-C ends the wait" in terminal.shown or None, "the progress on the terminal")
    terminal.type(b"\x03")
    equal(terminal.status(), 130)
    contains(terminal.shown, "the program goes on")
    terminal.close()
    equal(t.good("dap_status")["state"], "running")
    t.fake.open_gate("go")
    until(lambda: t.good("dap_status")["state"] == "stopped" or None, "the stop")


def test_no_progress_in_a_pipe(t):
    # Whoever reads a pipe gets the result and nothing else.
    commands = running(t)
    waiting = commands.popen("continue")
    t.fake.wait_command("continue")
    # It is told each second that its call is alive; nothing of that comes out.
    threading.Event().wait(1.2)
    t.fake.open_gate("go")
    out, err = waiting.communicate(timeout=20)
    check(out.startswith(b"stopped (breakpoint)"), "the result", out)
    equal(err, b"", "stderr")


def test_terminal_that_disappears(t):
    # The terminal is closed while a command waits: the command ends, its wait too, and the program goes on.
    commands = running(t)
    terminal = CommandOnTerminal(commands, "continue")
    t.fake.wait_command("continue")
    terminal.close()
    check(terminal.process.wait(20) in (-signal.SIGHUP, 130, 1), "it has ended", terminal.process.returncode)
    until(lambda: commands.run("next").err.find("is busy") < 0 or None, "the end of its wait")
    equal(t.good("dap_status")["state"], "running")


def test_colours(t):
    # On a terminal only, and not where it is unwanted.
    commands = running(t)
    for env, wanted in (({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)):
        terminal = CommandOnTerminal(commands, "status", env=env)
        equal(terminal.status(), 0)
        equal("\033[" in terminal.shown, wanted, "colours with %s" % env, terminal.shown)
        terminal.close()
    lacks(commands.run("status").out, "\033[")


def test_session_of_the_environment(t):
    # A shell that works on one session names it once.
    commands = t.use_commands()
    t.fake.script()
    t.fake.install(t.bin)
    equal(commands.run("launch", t.built("quick"), "--adapter", "lldb-dap", "--stop-on-entry", env={"DAPPLE_SESSION": "mine"}).status, 0)
    contains(commands.run("daemon", "status").out, "mine (launched in")
    data = json.loads(commands.run("status", "--json", env={"DAPPLE_SESSION": "mine"}).out)
    equal(data["session"], "mine")
    # What has ended and can still be asked about is named, too: "no session" was not what dapple sessions says. An end that is told again, after
    # an attach that was refused, is told as an old one, and a name that nobody had in time is no broken adapter.
    contains(commands.run("stop", env={"DAPPLE_SESSION": "mine"}).out, "terminated (stopped by request)\n")
    contains(commands.run("daemon", "status").out, "mine (ended: its last state and output are kept until its next launch)\n")
    outcome = commands.run("attach", "--wait-for", "no-such-program-anywhere", "--timeout", "50ms", env={"DAPPLE_SESSION": "mine"})
    equal((outcome.status, "within 50 ms" in outcome.err), (1, True), "a wait in vain", outcome)
    contains(commands.run("stop", env={"DAPPLE_SESSION": "mine"}).out, "by request)\nthat end came before this call: nothing was running\n")


# ---- commands that are made of others

def test_run(t):
    # One command from the launch to the end: each stop with what was asked for, then nothing left of the session, not even its breakpoints.
    commands = t.use_commands()
    target = t.target("debugpy")
    place = "%s:%d" % (target.source("cart"), target.line("cart", "cost"))
    outcome = commands.run("run", target.program("cart"), "--break", place, "--each", "amount", "--each", "nothing", "--context", "none", timeout=40)
    equal(outcome.status, 0, "status", outcome)
    stops = [line for line in outcome.out.splitlines() if line.startswith("stopped (breakpoint)")]
    values = [line for line in outcome.out.splitlines() if line.startswith("each amount: ")]
    equal((len(stops), len(values)), (4, 4), "stops and values", outcome)
    contains(outcome.out, "NameError")
    contains(outcome.out, "| cart 35")
    # A function's name is a place as well, with what others have behind it. As JSON each stop is a line, with all that the text has.
    lines = commands.run("run", target.program("cart"), "--break", "cost if item.qty > 0", "--break", place, "--stops", "2", "--json=both",
                         "--each", "item.price", "--each", "nothing", timeout=40).out.splitlines()
    stops = [json.loads(line) for line in lines]
    equal([stop["state"] for stop in stops], ["stopped", "stopped"], "one line each stop", lines)
    contains(stops[0]["text"], "hit breakpoint 1, function cost")
    contains(stops[1]["text"], "hit breakpoint 2, cart.py")
    value, failed = stops[1]["each"]
    equal((value["expression"], value["type"], int(value["result"]) > 0), ("item.price", "int", True), "a value and its type", value)
    contains(failed["error"], "NameError")
    # What nobody can look at any more has no ids, and the name is free again.
    for word in ("--frame", "--reference", "frame_id", "variables_reference", "dapple ", "--session"):
        lacks(outcome.out, word, "hints of a session that is gone")
    until(lambda: "run" not in commands.run("sessions").out or None, "the session is forgotten")
    contains(commands.run("daemon", "status").out, "no session")
    outcome = commands.run("run", "nothing.py", "--json")
    equal((outcome.status, "does not exist" in json.loads(outcome.out)["error"]), (2, True), "a failure is JSON, too", outcome)
    equal(json.loads(commands.run("run", "x.py", "--nonsense", "--json").out)["error"].split(";")[0], "there is no flag --nonsense")


def test_run_goes_on_by_itself(t):
    # An exception that nobody catches ends the program with the next continue: a warning for who decides about it. The run does not ask.
    commands = t.use_commands()
    t.target("debugpy")
    program = t.file("fails.py", "raise ValueError('uncaught: the next one')\n")
    outcome = commands.run("run", program, "--stop-on-exceptions", "uncaught", timeout=40)
    contains(outcome.out, "exception: ValueError: uncaught: the next one\n")
    contains(outcome.out, "terminated (exit code 1")
    equal(outcome.status, 1, "the status of a program that failed", outcome)
    lacks(outcome.out, "\nuncaught: ")
    lacks(outcome.out, "dapple continue")
    contains(commands.run("launch", program, "--stop-on-exceptions", "uncaught", timeout=40).out, "\nuncaught: the next dapple continue ends the program\n")


def test_run_that_is_killed(t):
    # Whoever kills the command (an agent's time-out does) has nothing left over.
    commands = t.use_commands()
    target = t.target("gdb")
    process = commands.popen("run", target.program("busy"), "--timeout", "60s")
    until(lambda: "run (launched in" in commands.run("daemon", "status").out or None, "the run")
    until(lambda: json.loads(commands.run("status", "--session", "run", "--json").out)["state"] == "running" or None, "the program")
    process.kill()
    process.communicate()
    until(lambda: "no session" in commands.run("daemon", "status").out or None, "the end of the session")
    equal(t.left_beside_dapple(), [], "left")


def test_run_out_of_time(t):
    # A program that goes on when the time is over is ended, and that is a failure.
    commands = t.use_commands()
    target = t.target("gdb")
    for limit in ("1s", "4s", "16s"):
        outcome = commands.run("run", target.program("busy"), "--timeout", limit, timeout=60)
        equal(outcome.status, 1, "status", outcome)
        if not outcome.out.startswith("launching"):
            break  # else the machine is slow: it had not even begun
    contains(outcome.out, "(wait timed out)")
    contains(outcome.out, "\nstopped (pause) ", "where it hung: in its loader still, when the machine is slow")
    lacks(outcome.out, "dapple ", "what to do with a session that is gone")
    equal(t.left_beside_dapple(), [], "left")
    equal(commands.run("run").status, 2, "no program")
    equal(commands.run("run", "x", "--stops", "0").status, 2, "no stops")


def test_break(t):
    # Breakpoints as people write them, before a program runs.
    commands = t.use_commands()
    folder = os.path.dirname(t.file("app file.py", "first = 1\nsecond = first + 1\nprint(second)\n"))

    def said(*words):
        outcome = commands.run("break", *words, cwd=folder)
        equal(outcome.status, 0, "dapple break %s" % (words,), outcome)
        return outcome.out
    contains(said("app file.py:2", "if", "first > 0"), "breakpoint 1, app file.py:2 if first > 0")
    contains(said("app file.py:/print/"), "breakpoint 2, app file.py:3")
    contains(said("compute if x"), "breakpoint 3, function compute if x")
    contains(said("app file.py:1 hit 3"), "app file.py:1")
    contains(said("app file.py:2 log n={first} if so"), "n={first} if so")
    contains(said(), "Breakpoints: ")
    equal(said(), said("list"), "both ways")
    contains(said("remove", "2"), "removed breakpoint 2")
    contains(said("remove", "app file.py:1"), "removed breakpoint 4")
    contains(said("disable", "1"), "disabled")
    contains(said("enable", "1"), "breakpoint 1")
    contains(said("clear", "app file.py"), "removed")
    contains(said("clear"), "removed breakpoint 3")
    # several at once, flags before the word, the word of others
    contains(said("app file.py:1", "app file.py:2"), "app file.py:2")
    equal(said("--session", "main"), said("list"), "flags alone ask for the list")
    contains(said("--session", "main", "remove", "app file.py:1", "app file.py:2"), "0 left")
    t.file("compute", "")  # a program is often called like its function
    contains(said("compute"), "function compute")
    contains(said("delete", "all"), "1 removed")
    contains(said("operator new"), "function operator new")
    contains(said("remove", "operator new"), "1 removed")
    equal(json.loads(commands.run("break", "list", "x", "--json", cwd=folder).out), {"error": "dapple break list takes flags only, not \"x\""})
    for words, fault in ((["app file.py"], "which line"), (["app file.py:2 n > 3"], "no place"), (["app file.py:compute"], "no place"),
                         (["rmove 1"], "no place"), (["other.py"], "which line of other.py"), (["disable", "app file.py:1"], "which number"),
                         (["12"], "which file"), (["app file.py:1 if"], "followed by nothing"), (["list", "x"], "takes flags only")):
        outcome = commands.run("break", *words, cwd=folder)
        equal(outcome.status, 2, "status of %s" % words, outcome)
        contains(outcome.err, fault)
