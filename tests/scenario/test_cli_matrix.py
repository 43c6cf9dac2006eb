"""The matrix of real adapters through the command line: each call is a command of its own, and the daemon keeps the session.

The other tests can go that way, too: tests/run-scenarios --commands PATTERN...
"""

import os
import sys

from support.matrix import every_adapter
from support.scenario import equal

sys.path.insert(0, os.path.dirname(__file__))
import test_matrix  # noqa: E402


def with_commands(t, target, test):
    commands = t.use_commands()
    test(t, target)
    equal(commands.faults, [], "the commands")


@every_adapter
def test_walk(t, target):
    with_commands(t, target, test_matrix.test_walk)


@every_adapter
def test_ends(t, target):
    with_commands(t, target, test_matrix.test_ends)
