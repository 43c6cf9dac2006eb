"""Node.js: what its programs have that others have not."""

import os

from support.scenario import check, contains, equal, lacks, state, until


def built(t, mapped=True):
    """A TypeScript project as its compiler leaves it: src/app.ts, dist/app.js and the map between them."""
    lines = ["function twice(n) {", "  return n + n;", "}", "console.log(twice(21));"]
    t.file("package.json", "{}\n")
    source = t.file("src/app.ts", "\n".join(["function twice(n: number): number {", *lines[1:]]) + "\n")
    program = t.file("dist/app.js", "\n".join(lines) + ("\n//# sourceMappingURL=app.js.map\n" if mapped else "\n"))
    if mapped:
        t.file("dist/app.js.map", '{"version":3,"file":"app.js","sources":["../src/app.ts"],"names":[],"mappings":"AAAA;EACA;AACA;AACA"}\n')
    return program, source


def test_compiled_typescript_stops_at_once(t):
    # Breakpoints in the TypeScript of a compiled program were passed by: js-debug looks for source maps ahead of the run only in a folder
    # that it is told, and binds too late without. The program ran to its end, and nothing said why.
    t.target("js-debug")
    program, source = built(t)
    result = state(t.good("dap_launch", program=program, breakpoints=[{"file": source, "line": 2}], limit=40), "stopped")
    contains(result["top_frame"]["source_path"], os.path.join("src", "app.ts"))
    equal(result["top_frame"]["line"], 2, "the line of the source", result)


def test_code_that_was_never_found(t):
    # Without a source map no code leads to the TypeScript: at the end that is said beside the breakpoint, and nothing beside one that was bound.
    t.target("js-debug")
    program, source = built(t, mapped=False)
    never = t.file("never.js", "console.log(1);\n")
    breakpoints = [{"file": source, "line": 2}, {"file": never, "line": 1}, {"file": program, "line": 2, "condition": "n > 99"}]
    text = state(t.good("dap_launch", program=program, breakpoints=breakpoints, limit=40), "terminated").text
    contains(text, "app.ts:2 · never bound: no code that ran leads to this file by a source map")
    contains(text, "never.js:1 · never bound: the program ended without loading code of this file")
    contains(text, "app.js:2 if n > 99\n")


def test_a_condition_that_fails(t):
    # A condition that threw counted as false: the program ran past its breakpoint to the end.
    t.target("js-debug")
    path = t.file("fails.js", "const order = {};\nconsole.log('here');\n")
    breakpoints = [{"file": path, "line": 2, "condition": "order.customer.id === 5"}]
    result = state(t.good("dap_launch", program=path, breakpoints=breakpoints, limit=40), "stopped")
    equal(result["stop_reason"], "breakpoint", "why", result)
    output = result["output"]

    def said():
        nonlocal output
        output += t.good("dap_status")["output"]
        return "condition error: Cannot read properties of undefined" in output
    until(said, "what was wrong with the condition")
