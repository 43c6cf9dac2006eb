"""The tutorial: whoever types its commands sees what it shows."""

import os

from support.document import Document, steady
from support.scenario import check, equal

TUTORIAL = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", "docs", "tutorial.md"))


def test_tutorial(t):
    # Only what a run cannot repeat may differ: addresses, and numbers of processes.
    for adapter in ("debugpy", "gdb", "js-debug"):
        t.target(adapter)
    commands = t.use_commands()
    env = {**commands.env, "PATH": "%s:%s" % (os.path.dirname(t.dapple_path), commands.env["PATH"])}
    outcomes = Document(TUTORIAL).run(t.make("work"), env)
    check(len(outcomes) > 15, "commands", outcomes)
    for command, printed, documented in outcomes:
        equal(steady(printed), steady(documented), "what this prints: " + command)
