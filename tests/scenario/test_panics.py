"""Panics of Rust programs, with the adapters that debug them. The program is written in C and has the symbol, the message and the frames of one: a
compiler for Rust is not needed. What the message says is in the unit tests: it is on its way while the program stands."""

from support.scenario import all_native, contains, equal, lacks, state, until

WAIT = 20000


@all_native
def test_panics(t, target):
    program = t.built("panics")
    # Nobody set a breakpoint, and a panic that the program catches is passed over.
    result = state(t.good("dap_launch", program=program, adapter=target.adapter, timeout_ms=WAIT), "stopped")
    equal(result["stop_reason"], "exception", "the reason", result)
    contains(result.text, "exception: Rust panic: panicked")
    contains(result.text, "fails at")
    lacks(result.text, "hit breakpoint")
    equal(result["exception"]["id"], "Rust panic", "the exception", result)
    until(lambda: "the amount is negative" in t.good("dap_output").text, "the message")
    listed = t.good("dap_breakpoints").text
    contains(listed, "Breakpoints: 0")
    contains(listed, "Exceptions of the launch: rust_panic_uncaught")
    contains(listed, "rust_panic (Rust panics)")
    contains(t.good("dap_exception").text, "Rust panic")
    # All of them; then none.
    t.good("dap_set_exception_breakpoints", filters=[{"filter": "rust_panic"}])
    result = state(t.good("dap_continue", timeout_ms=WAIT), "stopped")
    contains(result.text, "exception: Rust panic: panicked")
    contains(result.text, "work at")
    t.good("dap_set_exception_breakpoints", filters=[])
    equal(state(t.good("dap_continue", timeout_ms=WAIT), "terminated")["exit_code"], 101, "no other panic stops it")
