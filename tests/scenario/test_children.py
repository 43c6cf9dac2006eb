"""Child processes: debugged in the same session, one stop at a time."""

from support.scenario import check, contains, equal, good, state


def test_python_pool(t):
    # A breakpoint in a pool's worker once never hit: the children ran without the debugger, or waited for it for ever.
    target = t.target("debugpy")
    results, threads = [], set()
    stop = state(target.launch("pool", "worker"), "stopped")
    while stop["state"] == "stopped":
        contains(stop["child_session"], "Subprocess")
        contains(stop.text, "child session: Subprocess")
        equal(stop["top_frame"]["line"], target.line("pool", "worker"), "line", stop)
        threads.add(stop["thread_id"])
        results.append(int(t.good("dap_evaluate", expression="result")["evaluation"]["result"]))
        stack = t.good("dap_stack", thread_id=stop["thread_id"])
        equal(stack["stack_frames"][0]["name"], "work", "the child's own frames", stack)
        stop = good(t.call("dap_continue", limit=40))
    equal(sorted(results), [1, 4, 9], "every worker's stop was told")
    check(1 not in threads, "the children's threads are not taken for the program's", threads)
    equal(stop["state"], "terminated", "the end", stop)
    equal(stop["exit_code"], 0, "exit code", stop)
    contains(stop["output"], "[1, 4, 9]")


def test_python_pool_breakpoint_in_parent_and_stop(t):
    # dap_stop at a stop of the parent, with children alive: all are gone.
    target = t.target("debugpy")
    state(target.launch("pool", "parent"), "stopped")
    t.good("dap_next", timeout_ms=0)
    equal(t.good("dap_stop")["state"], "terminated")
