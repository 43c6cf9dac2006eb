"""Documents whose commands are run: the files that they give, and their console blocks, in the order in which they are read.

```python orders.py      a block with a name after the language is a file
```console              "$ " begins a command, what follows is all that it prints
"""

import os
import re
import subprocess

FENCE = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.S | re.M)
FOLDER = "/home/me/bugs"  # where the reader is said to be
VARYING = (  # what differs from one run to the next, and has the same meaning
    (re.compile(r"0x[0-9a-f]+"), "0x…"),
    (re.compile(r"\n\|# (Debugger attached\.|Waiting for the debugger to disconnect\.\.\.)(?=\n|$)"), ""),  # Node's, which come when they come
    (re.compile(r"\nDebuggee output \(\|# is the debugger\):"), "\nDebuggee output:"),
    (re.compile(r"\n\nDebuggee output:(?=\n*$)"), ""),
    (re.compile(r"\b(thread|process|pid) \d{3,}"), r"\1 …"),
)


def steady(text):
    for pattern, name in VARYING:
        text = pattern.sub(name, text)
    return "\n".join(line.rstrip() for line in text.strip().split("\n"))


class Block:
    def __init__(self, found):
        self.language, self.name, self.text, self.span = found.group(1), found.group(2), found.group(3), found.span(3)

    def commands(self):
        """(command, what it prints) of a console block."""
        parts = re.split(r"^\$ ", self.text, flags=re.M)[1:]
        return [tuple(part.split("\n", 1)) for part in parts]


class Document:
    def __init__(self, path):
        self.path = path
        with open(path) as file:
            self.text = file.read()
        self.blocks = [Block(found) for found in FENCE.finditer(self.text)]

    def write_files(self, folder):
        for block in self.blocks:
            if block.name:
                with open(os.path.join(folder, block.name), "w") as file:
                    file.write(block.text)

    def run(self, folder, env):
        """Runs all commands, as a shell does. Returns [(command, printed, documented)]."""
        self.write_files(folder)
        outcomes, pieces, at = [], [], 0
        for block in self.blocks:
            if block.language != "console":
                continue
            shown = ""
            for command, documented in block.commands():
                done = subprocess.run(["sh", "-c", command], cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                      stderr=subprocess.STDOUT, text=True, timeout=60)
                printed = done.stdout.replace(folder, FOLDER)
                outcomes.append((command, printed, documented))
                shown += "$ %s\n%s" % (command, printed)
            pieces += [self.text[at:block.span[0]], re.sub(" +$", "", shown, flags=re.M)]
            at = block.span[1]
        if os.environ.get("DAPPLE_WRITE_DOCUMENTS"):  # after a change that is meant: what is printed now is put into the document
            with open(self.path, "w") as file:
                file.write("".join(pieces) + self.text[at:])
        return outcomes
