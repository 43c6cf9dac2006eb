"""The skill for agents that have a shell: what it says is true, and it is written over nobody's file."""

import hashlib
import os
import re
import shlex

from support.scenario import check, contains, equal, lacks

DEMO = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", "demo"))
MOST = 6000  # bytes: about 1,500 tokens


def test_skill(t):
    # An agent reads it whole: it is short, its front matter is what hosts look for, and each command in it exists.
    commands = t.use_commands()
    outcome = commands.run("skill")
    equal((outcome.status, outcome.err), (0, ""))
    text = outcome.out
    check(len(text.encode()) <= MOST, "at most %d bytes" % MOST, len(text.encode()))
    head = re.match(r"---\nname: (\S+)\ndescription: ([^\n]+)\n---\n\n# ", text)
    check(head and head.group(1) == "dapple" and len(head.group(2)) <= 1024, "front matter", text[:600])
    lacks(text, "dap_")
    named = set(re.findall(r"\bdapple ([a-z][a-z-]+)", text)) - {"skill", "wrote"}
    check(len(named) > 10, "commands", named)
    for name in named:
        equal(commands.run("help", name).status, 0, "dapple %s" % name)
    for declaration in commands.declarations.values():
        verb = declaration["cli"]["verb"]
        check(re.search(r"^- [a-z ]+: .*(?<![\w-])%s(?![\w-])" % verb, text, re.M), "the list has %s" % verb)
    shown = "".join(commands.run("help", name).out for name in ("launch", "run", "vars", "eval", "stack", "continue", "add-breakpoint"))
    for flag in set(re.findall(r"(?<!\S)`?(--[a-z][a-z-]*)", text)):
        contains(shown, flag, "a flag in it")


def test_example(t):
    # Its example is a real one: each line of it comes so.
    commands = t.use_commands()
    t.target("debugpy")
    text = commands.run("skill").out
    block = re.search(r"```console\n(.*?)```", text, re.S).group(1)
    seen = ""
    for line in block.splitlines():
        if line.startswith("$ dapple "):
            outcome = commands.run(*shlex.split(line)[2:], cwd=DEMO, timeout=40)
            equal(outcome.status, 0, line, outcome)
            seen = outcome.out
        else:
            contains(seen, line + "\n", "in the example")


def test_install(t):
    # Where agents look for it; what somebody has changed stays as it is.
    commands = t.use_commands()
    folder = t.make("work/project")

    def install(*words):
        outcome = commands.run("skill", "--install", *words, cwd=folder)
        return outcome.status, outcome.out.strip() or outcome.err.strip()

    path = os.path.join(folder, ".claude/skills/dapple/SKILL.md")
    equal(install(), (0, "wrote " + path))
    with open(path) as file:
        equal(file.read(), commands.run("skill").out)
    equal(install(), (0, path + " is up to date"))
    with open(path, "a") as file:
        file.write("Our own advice.\n")
    equal(install(), (1, "dapple skill: %s is not as dapple wrote it: --force replaces it" % path))
    with open(path) as file:
        contains(file.read(), "Our own advice.")
    equal(install("--force"), (0, "replaced " + path))
    with open(path) as file:
        lacks(file.read(), "Our own advice.")
    user = os.path.join(t.home, ".claude/skills/dapple/SKILL.md")
    equal(install("--user"), (0, "wrote " + user))
    equal(install("other skills"), (0, "wrote " + os.path.join(folder, "other skills/dapple/SKILL.md")))
    equal(sorted(os.listdir(os.path.dirname(path))), ["SKILL.md"], "nothing beside it")


def test_install_older(t):
    # One of an older version, unchanged since, is replaced: its digest says so.
    commands = t.use_commands()
    old = "---\nname: dapple\n---\nold advice\n"
    digest = hashlib.sha256(old.encode()).hexdigest()
    path = t.file("skills/dapple/SKILL.md", "%s\n<!-- dapple skill %s -->\n" % (old, digest))
    outcome = commands.run("skill", "--install", os.path.dirname(os.path.dirname(path)))
    equal((outcome.status, outcome.out), (0, "replaced %s\n" % path))
    path = t.file("skills/dapple/SKILL.md", "somebody else's\n")
    equal(commands.run("skill", "--install", os.path.dirname(os.path.dirname(path))).status, 1)


def test_install_refused(t):
    commands = t.use_commands()
    place = t.file("a-file")
    for words, status, text in ((["--install", place], 1, "cannot make"), (["--user"], 2, "usage"), (["--install", "a", "b"], 2, "usage"),
                                (["--install", "--user", "a"], 2, "usage"), (["--nonsense"], 2, "usage")):
        outcome = commands.run("skill", *words)
        equal(outcome.status, status, "status of %s" % words, outcome)
        contains(outcome.err, text)
