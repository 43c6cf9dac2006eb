"""Node.js: what its programs have that others have not."""

import os

from support.scenario import contains, equal, lacks, state, until


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
    contains(result.text, "since its condition order.customer.id === 5 could not be evaluated: Cannot read properties of undefined")
    # One that is no JavaScript is never bound: that is said of the breakpoint, and not that its file was never loaded.
    state(t.good("dap_stop"), "terminated")
    breakpoints[0]["condition"] = "order..id"
    result = state(t.good("dap_launch", program=path, breakpoints=breakpoints, limit=40), "terminated")
    contains(result.text, "was not set: its condition is no JavaScript: Unexpected token '.'")
    contains(result.text, "never bound: its condition is no JavaScript: ")


VALUES = """class Meter { constructor() { this._log = []; this.n = 2; this.last = { by: "ann" }; } get twice() { return this.n * 2; } }
function look(order) {
  const map = new Map([["a", { v: 1 }], ["1", "text"], [1, "number"]]);
  const huge = Array.from({ length: 20000 }, (_, i) => i);
  const handled = new Proxy({ inner: 5 }, {});
  const long = "x".repeat(5000) + "END";
  const meter = new Meter();
  return [this, map, huge, handled, long, meter];
}
look.call(new Meter(), { items: [{ price: 2 }], buyer: { name: "bo" }, pay() {} });
[1].forEach((n) => { const m = n; look.last = m; });
"""


def test_values_by_path(t):
    # Entries of a Map had no path; a list of 250,000 was asked for whole, and the adapter answered nobody for a minute; once anything had
    # been evaluated, a member that does not exist was said to be missing together with the variable itself, which was named beside.
    # At each stop `this` was "Meter" and nothing else, an order {buyer: {…}, …}, and what a class inherits stood first. A breakpoint at the text
    # of a callback stopped at the beginning of its line instead.
    t.target("js-debug")
    path = t.file("values.js", VALUES)
    breakpoints = [{"file": path, "line": 8}, {"file": path, "match": "look.last = m"}]
    result = state(t.good("dap_launch", program=path, breakpoints=breakpoints, limit=40), "stopped")
    seen = {row["name"]: row["value"] for row in result["locals"]}
    equal(seen["this"], "Meter {last: {by: 'ann'}, n: 2, …}", "members of its own", result)
    equal(seen["order"], "{items: (1) [{…}], buyer: {name: 'bo'}, pay: ƒ}", "which one it is", result)
    equal(seen["meter"], "Meter {n: 2, last: {by: 'ann'}, …}", "not what stands first by the order of letters", result)
    contains(seen["map"], "a => {v: 1}", "a Map as js-debug shows it")

    def value(of):
        return t.good("dap_variables", path=of)["tree"][0]["value"]
    equal(value('map["a"].v'), "1", "what is in an entry")
    equal(value("huge[19999]"), "19999", "the last")
    t.good("dap_evaluate", expression="order.items.length")
    equal(value('map["1"]'), "'text'", "a text as the key")
    equal(value("order.items[0].price"), "2", "a path without maps")
    equal(value("meter.twice"), "4", "a getter")
    contains(t.good("dap_variables", path="meter", depth=1).text, "twice = (not read yet")  # it was called a function, its getter's type
    contains(t.bad("dap_variables", path="order.itms"), 'no "itms" in order (Object); near it: items')
    contains(t.bad("dap_variables", path='map["zz"]'), 'no "zz" in map (Map)')
    contains(t.bad("dap_set_variable", path='map["a"]', value="3"), "map.set(key, value)")
    equal(t.good("dap_set_variable", path='map["a"].v', value="3")["variable"]["value"], "3", "a member of what is in an entry")
    huge = t.good("dap_variables", path="huge")
    contains(huge.text, "of 20000: dap_variables")
    listed = t.good("dap_variables", variables_reference=t.good("dap_evaluate", expression="huge")["evaluation"]["variables_reference"])
    contains(listed.text, "Variables: 100 of 20,000")
    contains(listed.text, "beside its elements 1 named member: dap_variables variables_reference=")
    contains(t.good("dap_variables", path="handled", depth=2).text, "inner: number = 5")
    result = state(t.good("dap_continue"), "stopped")
    equal((result["top_frame"]["line"], result["top_frame"]["column"]), (11, 35), "in the callback", result)


FAILURES = """const outer = 5;
function look(text) {
  return text.length;
}
setImmediate(() => {
  look("x".repeat(5000) + "END");
  Promise.reject(new Error("late")).catch(() => {});
});
"""


def test_what_evaluations_cannot_know(t):
    # A text of 5,003 letters came as 1,000 with its middle left out, a condition with a slip made the breakpoint "pending" for ever, and a
    # rejection that is caught a moment later looked like the program's end: nothing said so.
    t.target("js-debug")
    path = t.file("failures.js", FAILURES)
    breakpoints = [{"file": path, "line": 3}, {"file": path, "line": 6, "condition": "text ==="}]
    result = state(t.good("dap_launch", program=path, breakpoints=breakpoints, limit=40), "stopped")
    contains(result.text, "was not set: its condition is no JavaScript: Unexpected token")
    cut = t.good("dap_evaluate", expression="text").text
    contains(cut, "left out the middle of this text")
    whole = t.good("dap_evaluate", expression="text", eval_context="clipboard").text
    lacks(whole, "left out the middle")
    contains(whole, "5,005 bytes in all")
    contains(t.bad("dap_evaluate", expression="await 1"), "no promise goes on while the program stands")
    contains(t.bad("dap_evaluate", expression="require('os')"), "process.mainModule.require")
    contains(t.bad("dap_evaluate", expression="outer"), "is in scope only if this one uses it")
    result = state(t.good("dap_continue"), "stopped")
    contains(result.text, "no handler so far")
    lacks(t.good("dap_exception").text, "(all)")
    equal(state(t.good("dap_continue"), "terminated")["exit_code"], 0, "it was caught")


def test_variables_of_an_es_module(t):
    # A stop in the code of an ES module said "locals: none": the debugger calls the scope of a module expensive, and it was not read. There they are all.
    t.target("js-debug")
    t.file("lib.mjs", "const rate = 3;\nexport function times(n) {\n  return n * rate;\n}\n")
    path = t.file("main.mjs", "import { times } from './lib.mjs';\nconst amount = await Promise.resolve(14);\nconsole.log(times(amount));\n")
    library = os.path.join(os.path.dirname(path), "lib.mjs")
    stops = [{"file": path, "line": 3}, {"file": library, "line": 3}]
    result = state(t.good("dap_launch", program=path, breakpoints=stops, limit=40), "stopped")
    contains(result.text, "  amount: number = 14\n")
    result = state(t.good("dap_continue"), "stopped")
    contains(result.text, "  n: number = 14\n")
    contains(result.text, "  rate: number = 3\n")


def test_started_as_a_shell_would(t):
    # `node --import tsx app.ts`, `node --test`, `npm test`, `npx jest`: options of Node.js were refused, and a command was said not to exist.
    t.target("js-debug")
    path = t.file("main.js", "const seen = [process.execArgv.join(' '), process.argv.slice(2).join(' '), global.ready].join('|');\nconsole.log(seen);\n")
    t.file("set-up.js", "global.ready = 'ready';\n")
    command = t.file("node_modules/.bin/run-main", "#!/usr/bin/env node\nrequire('../../main.js');\n")
    os.chmod(command, 0o755)
    stop = [{"file": path, "line": 2}]
    folder = os.path.dirname(path)

    def seen(program, **more):
        state(t.good("dap_launch", program=program, cwd=folder, breakpoints=stop, limit=40, **more), "stopped")
        value = t.good("dap_evaluate", expression="seen")["evaluation"]["result"][1:-1]
        t.good("dap_stop")
        return value
    equal(seen("node -r ./set-up.js --no-warnings main.js a -b"), "-r ./set-up.js --no-warnings|a -b|ready", "options and arguments")
    equal(seen("node", args=["-e", "require('./main.js')", "x", "y"]), "-e require('./main.js')|y|", "a program in the command line")
    equal(seen("run-main", args=["7"]), "|7|", "a command of the project")
    contains(t.bad("dap_launch", program="node -i"), "cannot be given its option -i: name the script as program")
