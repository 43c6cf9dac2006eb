"""The matrix: the same steps with every real adapter, each with a program in its own language.

A cell passes, fails, or is "not claimed": then IMPOSSIBLE says what the adapter itself cannot do (the reason goes on after its name).
Such a cell is tried all the same, and one that works fails, so that the table stays true. The README shows the table; `matrix.py --readme` writes it there.
"""

import contextlib
import json
import os
import sys
import traceback

NAMES = ("debugpy", "gdb", "lldb-dap", "codelldb", "dlv", "js-debug", "rdbg", "perl")

STEPS = (
    "breakpoint", "condition", "stack", "locals by value", "nested value", "evaluate", "step over", "several steps", "step in", "step out",
    "exception or signal", "output", "exit code 0", "exit code 3", "relaunch", "pause a busy loop", "stop while running",
    "stop on entry", "first and last line", "nothing left", "value by path", "depth", "hex",
    "evaluate several", "call in evaluate", "set variable", "completions", "exception in full", "threads")

IMPOSSIBLE = {
    ("rdbg", "exception or signal"): "stops at every exception or at none, not at those alone that nobody catches",
    ("perl", "exception or signal"): "knows no exceptions: the program ends, with its message and exit code 255",
    ("perl", "step out"): "would end the program by it, so that it is refused",
    ("gdb", "completions"): "does not claim them before its version 18",
    ("codelldb", "completions"): "completes the commands of its console, and names only behind one: p amo",
    ("dlv", "completions"): "does not claim them",
    ("perl", "completions"): "does not claim them",
    ("rdbg", "exception in full"): "stops at every exception or at none, not at those alone that nobody catches",
    ("perl", "exception in full"): "knows no exceptions",
    ("codelldb", "hex"): "does not claim value formats; an expression's format does it: qty,x",
    ("dlv", "hex"): "does not claim value formats",
    ("js-debug", "hex"): "claims it, and writes texts in hexadecimal, but no numbers",
    ("rdbg", "hex"): "does not claim value formats; qty.to_s(16) does it",
    ("perl", "hex"): "does not claim value formats; sprintf('%x', $qty) does it",
}

# What only some adapters can: memory, machine code, the parts of a program.
STEPS += ("read memory", "write memory", "disassemble", "registers", "modules", "loaded sources", "source by reference", "locations",
          "raw request")
IMPOSSIBLE.update({(name, step): "does not claim %s" % capability for step, capability, names in (
    ("read memory", "supportsReadMemoryRequest", ("debugpy", "lldb-dap", "dlv", "rdbg", "perl")),
    ("write memory", "supportsWriteMemoryRequest", ("debugpy", "lldb-dap", "dlv", "rdbg", "perl")),
    ("disassemble", "supportsDisassembleRequest", ("debugpy", "js-debug", "rdbg", "perl")),
    ("modules", "supportsModulesRequest", ("dlv", "js-debug", "rdbg")),
    ("loaded sources", "supportsLoadedSourcesRequest", ("debugpy", "lldb-dap", "codelldb", "dlv"))) for name in names})
IMPOSSIBLE["perl", "modules"] = "claims it, and does not know the request"
IMPOSSIBLE.update({(name, "source by reference"): "gives files only, whether they are there or not"
                   for name in ("gdb", "lldb-dap", "dlv", "rdbg", "perl")})
IMPOSSIBLE["debugpy", "source by reference"] = "gives references only for code made at run time"
IMPOSSIBLE.update({(name, "locations"): "tells no places of values"
                   for name in ("debugpy", "gdb", "lldb-dap", "codelldb", "dlv", "rdbg", "perl")})
STEPS += ("attach by pid", "attach by port", "core file", "detach", "restart")
IMPOSSIBLE.update({
    ("rdbg", "attach by pid"): "attaches by a port that the program listens on (rdbg --open)",
    ("perl", "attach by pid"): "starts its programs itself",
    ("perl", "attach by port"): "starts its programs itself",
    ("perl", "detach"): "cannot attach, so that there is nothing to detach from",
    ("gdb", "core file"): "16 opens none over DAP",
})
IMPOSSIBLE.update({(name, "core file"): "debugs no machine code" for name in ("debugpy", "js-debug", "rdbg", "perl")})
IMPOSSIBLE.update({(name, "registers"): "shows no registers" for name in ("debugpy", "dlv", "js-debug", "rdbg", "perl")})

# Breakpoints beyond a line with a condition. (What is emulated counts: docs/emulation.md.)
STEPS += ("hit condition", "log message", "function breakpoint", "data breakpoint", "instruction breakpoint", "exception filter",
          "exception condition", "breakpoint locations", "disable", "match", "condition that fails")
IMPOSSIBLE.update({(name, step): "does not claim %s" % capability for step, capability, names in (
    ("data breakpoint", "supportsDataBreakpoints", ("debugpy", "gdb", "dlv", "js-debug", "rdbg", "perl")),
    ("instruction breakpoint", "supportsInstructionBreakpoints", ("debugpy", "lldb-dap", "js-debug", "rdbg", "perl")),
    ("breakpoint locations", "supportsBreakpointLocationsRequest", ("debugpy", "lldb-dap", "codelldb", "dlv", "rdbg"))) for name in names})
IMPOSSIBLE.update({(name, step): "offers no exception filters" for name in ("dlv", "perl")
                   for step in ("exception filter", "exception condition")})
IMPOSSIBLE.update({(name, "exception condition"): "does not claim supportsExceptionFilterOptions" for name in ("debugpy", "lldb-dap")})

# What Dapple does of breakpoints where the adapter is not believed to do it, and what adapters must do of several options together.
STEPS += ("several in one line", "emulated condition", "emulated hit condition", "emulated log message", "emulated function", "condition and hit condition",
          "condition and log message", "hit condition and log message", "pause under an emulated hit condition",
          "step over an emulated breakpoint")
IMPOSSIBLE.update({(name, "emulated function"): "takes names itself; where the sources of a compiled program lie is not known"
                   for name in ("gdb", "lldb-dap", "codelldb", "dlv")})

# Ways to go on.
STEPS += ("run to a line", "instruction step", "step-in target", "restart frame", "goto", "step back", "step another thread",
          "pause a chosen thread")
IMPOSSIBLE.update({(name, step): "does not claim %s" % capability for step, capability, names in (
    ("instruction step", "supportsSteppingGranularity", ("debugpy", "lldb-dap", "js-debug", "rdbg", "perl")),
    ("step-in target", "supportsStepInTargetsRequest", ("gdb", "dlv", "rdbg", "perl")),
    ("restart frame", "supportsRestartFrame", ("debugpy", "gdb", "lldb-dap", "codelldb", "dlv", "rdbg", "perl")),
    ("goto", "supportsGotoTargetsRequest", ("gdb", "lldb-dap", "dlv", "js-debug", "rdbg", "perl")),
    ("step back", "supportsStepBack", ("debugpy", "gdb", "lldb-dap", "codelldb", "dlv", "js-debug", "perl"))) for name in names})
IMPOSSIBLE["debugpy", "step-in target"] = "1.6 finds no calls in Python 3.11"
IMPOSSIBLE["js-debug", "step another thread"] = "gives each worker a session of its own, and the stops of them are shown one by one"
IMPOSSIBLE["rdbg", "step another thread"] = "steps the thread that stopped, whichever is named, so that it is refused"
IMPOSSIBLE["rdbg", "pause a chosen thread"] = "stops whichever thread it meets, so that it is refused"
IMPOSSIBLE["perl", "step another thread"] = IMPOSSIBLE["perl", "pause a chosen thread"] = "has one thread"


class Language:
    def __init__(self, name, extension, condition, product, local="%s", compiled=False):
        self.quantity = condition.split(" ")[0]  # what the condition is about
        self.name, self.extension, self.condition, self.product, self.local = name, extension, condition, product, local
        self.compiled = compiled


PYTHON = Language("Python", ".py", "item.qty == 10", "amount * 7")
C = Language("C", ".c", "item->qty == 10", "amount * 7", compiled=True)
GO = Language("Go", ".go", "item.qty == 10", "amount * 7", compiled=True)
JAVASCRIPT = Language("JavaScript", ".js", "item.qty === 10", "amount * 7")
RUBY = Language("Ruby", ".rb", "item.qty == 10", "amount * 7")
PERL = Language("Perl", ".pl", "$item->{qty} == 10", "$amount * 7", local="$%s")
LANGUAGES = {"debugpy": PYTHON, "gdb": C, "lldb-dap": C, "codelldb": C, "dlv": GO, "js-debug": JAVASCRIPT, "rdbg": RUBY, "perl": PERL}


def every_adapter(function):
    """The test runs once with each adapter of the matrix: function(t, target)."""
    function.parameters = NAMES
    return function


# ---- what one test fills in ----

class Cells:
    """The cells that one test answers for one adapter. Use it as a context; leaving it fails the test when a cell failed."""

    def __init__(self, adapter):
        self.adapter = adapter
        self.failures = []

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if self.failures:
            raise AssertionError("\n".join(self.failures)) from (error if kind else None)

    @contextlib.contextmanager
    def cell(self, step):
        """What is done in here decides about the cell; the next cell is tried however it ends."""
        assert step in STEPS, step
        impossible = IMPOSSIBLE.get((self.adapter, step))
        try:
            yield
        except AssertionError as error:
            if impossible is None:
                self.failures.append("%s: %s" % (step, "".join(traceback.format_exception(error)[-3:])))
            record(self.adapter, step, "failed" if impossible is None else "not claimed")
            return
        if impossible is not None:
            self.failures.append("%s works with %s, but the matrix says: %s" % (step, self.adapter, impossible))
        record(self.adapter, step, "passed" if impossible is None else "failed")


def record(adapter, step, word):
    path = os.environ.get("DAPPLE_TEST_MATRIX")
    if path:
        with open(path, "a") as file:
            file.write(json.dumps([adapter, step, word]) + "\n")


# ---- what the run and the README show ----

def read(path):
    """{(adapter, step): word}; a failed cell stays failed."""
    cells = {}
    if os.path.exists(path):
        with open(path) as file:
            for adapter, step, word in map(json.loads, file):
                if cells.get((adapter, step)) != "failed":
                    cells[adapter, step] = word
    return cells


def summary(cells):
    """The matrix of a run as text; empty when no cell was tried."""
    if not cells:
        return ""
    signs = {"passed": "ok", "failed": "FAIL", "not claimed": "-", None: "."}
    lines = ["%-20s" % "" + "".join("%-10s" % name for name in NAMES)]
    for step in STEPS:
        lines.append("%-20s" % step + "".join("%-10s" % signs[cells.get((name, step))] for name in NAMES))
    words = list(cells.values())
    lines.append("%d passed, %d failed, %d not claimed (-), %d not tried (.) of %d cells" % (
        words.count("passed"), words.count("failed"), words.count("not claimed"), len(STEPS) * len(NAMES) - len(words),
        len(STEPS) * len(NAMES)))
    lines += ["- %s: %s %s" % (step, name, why) for (name, step), why in IMPOSSIBLE.items() if cells.get((name, step)) == "not claimed"]
    return "\n".join(line.rstrip() for line in lines)


BEGIN, END = "<!-- matrix: tests/support/matrix.py --readme -->", "<!-- end of matrix -->"
README = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", "README.md"))


def readme_table():
    cells = [(name, step) for step in STEPS for name in NAMES if (name, step) in IMPOSSIBLE]
    whose = {}  # reason -> adapters
    for name, step in cells:
        names = whose.setdefault(IMPOSSIBLE[name, step], [])
        if name not in names:
            names.append(name)
    numbers = {reason: number for number, reason in enumerate(whose, 1)}
    lines = ["| | " + " | ".join("%s (%s)" % (name, LANGUAGES[name].name) for name in NAMES) + " |", "|---" * (len(NAMES) + 1) + "|"]
    for step in STEPS:
        marks = ["no [%d]" % numbers[IMPOSSIBLE[name, step]] if (name, step) in cells else "yes" for name in NAMES]
        lines.append("| %s | " % step + " | ".join(marks) + " |")
    notes = ["%d. %s %s" % (number, name_list(whose[reason]), reason) for reason, number in numbers.items()]
    return "\n".join([BEGIN, *lines, "", *notes, END])


def name_list(names):
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1] + ":"


def readme_parts():
    with open(README) as file:
        text = file.read()
    if text.count(BEGIN) != 1 or text.count(END) != 1:
        raise AssertionError("the README has no single place for the matrix, between %s and %s" % (BEGIN, END))
    return text[:text.index(BEGIN)], text[text.index(BEGIN):text.index(END) + len(END)], text[text.index(END) + len(END):]


if __name__ == "__main__":
    if sys.argv[1:] != ["--readme"]:
        sys.exit("usage: matrix.py --readme")
    before, _, after = readme_parts()
    with open(README, "w") as output:
        output.write(before + readme_table() + after)
