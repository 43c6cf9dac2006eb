"""Programs in a terminal: what they print, what they ask, how they end."""

from support.scenario import check, contains, equal, good, lacks, state


def test_python_reads_what_is_typed(t):
    # Without a terminal debugpy's program reads end of file: a program that asks could not be debugged past its question.
    result = good(t.call("dap_launch", program=t.target("debugpy").program("input"), terminal=True, timeout_ms=0, limit=60))
    equal(result["state"], "running", "it waits for a line", result)
    answer = good(t.call("dap_send_input", text="Ada\n", wait_ms=20000, limit=40))
    contains(answer["output"], "read 'Ada\\n'")
    equal(answer["state"], "terminated", "it ends after the line", answer)
    equal(answer["exit_code"], 0, "exit code", answer)


def test_a_breakpoint_behind_the_question(t):
    # The stop that the input leads to is the result of sending it.
    target = t.target("debugpy")
    result = good(t.call("dap_launch", program=target.program("input"), terminal=True, timeout_ms=0,
                         breakpoints=target.breakpoints("input", "after"), limit=60))
    equal(result["state"], "running", "it waits for a line", result)
    stop = state(t.call("dap_send_input", text="Ada\n", wait_ms=20000, limit=40), "stopped")
    equal(stop["top_frame"]["line"], target.line("input", "after"), "line", stop)
    contains(stop.text, "'Ada\\n'")


def test_native_programs_read_too(t):
    # From a shell, '\n' comes as two letters: they were typed as such, and the program waited on. Text without Enter is said to be that.
    result = good(t.call("dap_launch", program=t.target("lldb-dap").program("input"), adapter="lldb-dap", terminal=True, timeout_ms=0,
                         limit=60))
    equal(result["state"], "running", "it waits for a line", result)
    contains(t.good("dap_send_input", text="A", wait_ms=0).text, "Enter was not typed")
    answer = good(t.call("dap_send_input", text="da\\n", wait_ms=20000, limit=40))
    lacks(answer.text, "Enter was not typed")
    contains(answer["output"], "Ada")
    equal(answer["state"], "terminated", "it ends after the line", answer)


def test_no_terminal_to_type_into(t):
    # Typed text that nobody can read must not look as if it had been read.
    text = t.bad("dap_send_input", text="x")
    contains(text, "not running")
    t.fake_start()
    text = t.bad("dap_send_input", text="x")
    contains(text, "terminal=true")
    lacks(text, "(null)")


def test_an_adapter_without_terminals(t):
    # gdb has no reverse request for it: said before anything starts, with what to do.
    text = t.bad("dap_launch", program=t.target("gdb").program("input"), adapter="gdb", terminal=True)
    contains(text, "cannot run a program in a terminal")
    check("adapter" in text, "the next step is named", text)
