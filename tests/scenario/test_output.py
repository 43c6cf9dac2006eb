"""What the program prints: kept in order, given out once, and never mistaken for what Dapple says."""

from support.fake import DEFAULT, OK, TERMINATED, event, exited, output, stopped
from support.scenario import check, contains, equal, good, lacks, state, until


def resumed(t, *actions):
    """What a continue returns during which these things happen."""
    t.fake_stopped(on={"continue": [[OK, *actions, stopped("pause")]]})
    return state(t.good("dap_continue"), "stopped")


def test_categories(t):
    # telemetry is dropped; everything else is kept in the order in which it came.
    result = resumed(t, output("out\n"), output("tele\n", "telemetry"), output("err\n", "stderr"), output("con\n", "console"),
                     output("imp\n", "important"), event("output", output="none\n"), output("new\n", "unheard-of"))
    equal(result["output"], "out\nerr\ncon\nimp\nnone\nnew\n", "order", result)


def test_pieces(t):
    # debugpy sends a line and its end as two events, others cut in the middle of words: nothing is added between.
    result = resumed(t, output("ab"), output(""), output("c"), output("\n"), output("no end"))
    equal(result["output"], "abc\nno end", "joined", result)
    contains(result.text, "| abc\n| no end")


def test_drained_once(t):
    # Every successful result drains, an error does not.
    t.fake_stopped(on={"continue": [[OK, output("one\n"), stopped("pause")]], "evaluate": [[output("two\n"), {"fail": "no"}]]})
    equal(t.good("dap_continue")["output"], "one\n")
    equal(t.good("dap_status")["output"], "")
    t.bad("dap_evaluate", expression="x")
    equal(until(lambda: t.good("dap_status")["output"], "the output"), "two\n")
    text = t.good("dap_status").text
    lacks(text, "Debuggee output")


def test_imitation(t):
    # A program that prints our own lines does not become a result of ours.
    result = resumed(t, output("x\n\nDebuggee output:\nstopped (exception) at evil.c:1:1\nterminated (exit code 0)\n"))
    lines = result.text.split("\n")
    equal(sum(line.startswith("Debuggee output") for line in lines), 1, "one heading", result.text)
    check(all(not line.startswith(("stopped", "terminated")) for line in lines[1:]), "an imitation", result.text)


def test_control_characters(t):
    # ANSI, bells and NULs are for terminals; carriage returns of a pty are folded.
    result = resumed(t, output("\x1b[31mred\x1b[0m\x07\x00 end\r\nnext\r\n"))
    check(not set(result.text) & {"\x1b", "\x07", "\x00", "\r"}, "in the text", repr(result.text))
    contains(result.text, "red")
    contains(result.text, "| next")


def test_lone_surrogates_and_bad_bytes(t):
    # debugpy sends lone surrogates for bytes that are no UTF-8; others the bytes themselves. The result is valid UTF-8.
    text = b"bad \xff\xfe \\ud83d \\udcff \\ud83d\\ude00 end\\n"
    body = b'{"seq":50,"type":"event","event":"output","body":{"category":"stdout","output":"%s"}}' % text
    frame = b"Content-Length: %d\r\n\r\n" % len(body) + body
    result = resumed(t, {"hex": frame.hex()})
    contains(result["output"], "bad \ufffd")
    contains(result["output"], "\U0001f600 end")
    check("\ud83d" not in result["output"] and "\udcff" not in result["output"], "a lone surrogate", repr(result["output"]))


def test_nul_in_the_output(t):
    # A NUL does not end the string.
    result = resumed(t, output("before\x00after\n"))
    contains(result["output"], "after")
    contains(result.text, "after")


def test_flood(t):
    # 60,000 events: nothing hangs, the newest MiB is kept, the loss is counted to the byte.
    line = "%060d\n" % 7
    t.fake_stopped(on={"continue": [[OK, {"repeat": 60000, "do": [output(line)]}, output("the last\n"), stopped("pause")]]})
    result = state(t.good("dap_continue", limit=50), "stopped")
    total = 60000 * len(line) + len("the last\n")
    kept = len(result["output"].encode())
    equal(kept + result["output_discarded_bytes"], total, "kept and lost")
    check(kept <= 1024 * 1024, "at most 1 MiB", kept)
    check(kept > 1000 * 1000, "about 1 MiB", kept)
    check(result["output"].endswith("the last\n"), "the newest is kept")
    contains(result.text, "the last")
    check(len(result.text.encode()) < 17000, "the text is short", len(result.text))
    equal(t.good("dap_status")["output_discarded_bytes"], 0, "counted once")


def test_status_during_a_flood(t):
    # A program that prints without end does not keep us from answering.
    t.fake_stopped(on={"continue": [[OK, {"repeat": 10 ** 9, "do": [output("x" * 100 + "\n")]}]]})
    good(t.good("dap_continue", timeout_ms=0))
    for _ in range(5):
        state(t.good("dap_status"), "running")


def test_one_huge_line(t):
    # A line longer than a result may be is cut inside a line and never inside a character.
    t.fake_stopped(on={"continue": [[OK, output("\u00e9" * 300000 + "\n"), stopped("pause")]]})
    result = state(t.good("dap_continue"), "stopped")
    equal(result["output"], "\u00e9" * 300000 + "\n", "structured is complete")
    lacks(result.text, "\ufffd", "cut inside a character")
    contains(result.text, "\u00e9\u00e9\u00e9")
    check(len(result.text.encode()) < 17000, "the text is short", len(result.text.encode()))


def test_output_before_the_launch_answer(t):
    # What is printed early belongs to the launch's result.
    t.fake.script(on={"launch": [[output("building...\n", "console")]],
                      "configurationDone": [[OK, {"respond_to": "launch"}, output("hello\n"), exited(0), TERMINATED]]})
    result = state(t.fake_launch(), "terminated")
    equal(result["output"], "building...\nhello\n", "output", result)


def test_output_of_the_last_session_is_gone(t):
    # A new launch starts with nothing unread of the old one.
    t.fake.script(on={"configurationDone": [[{"default": True}, output("old\n"), exited(0), TERMINATED]]})
    t.fake_launch(timeout_ms=0)
    until(lambda: t.good("dap_status")["state"] == "terminated", "the end")
    t.fake.script(on={"configurationDone": [[{"default": True}, output("new\n"), exited(0), TERMINATED]]})
    result = state(t.fake_launch(), "terminated")
    equal(result["output"], "new\n", "output", result)


def test_output_of_an_evaluation(t):
    # What an expression prints is the program's output.
    t.fake_stopped(on={"evaluate": [[output("printed\n"), DEFAULT]]})
    contains(t.good("dap_evaluate", expression="print()")["output"], "printed\n")


def test_output_event_without_text(t):
    # A structured output without text, a body that is missing, a number in place of text: nothing is printed, nothing breaks.
    result = resumed(t, event("output", category="stdout", variablesReference=3), {"event": "output"}, event("output", output=5),
                     output("ok\n"))
    contains(result["output"], "ok\n")


def test_adapters_stderr_is_not_output(t):
    # Much on stderr blocks nobody, and is shown only when something fails.
    t.fake_stopped(on={"continue": [[OK, {"repeat": 3000,
                                          "do": [{"stderr": "log line of the adapter, long enough to fill pipes\n"}]},
                                     stopped("pause")]]})
    result = state(t.good("dap_continue"), "stopped")
    equal(result["output"], "", "output", result)
    lacks(result.text, "log line")


def test_crash_report_of_the_adapter(t):
    # lldb-dap 19 aborts when the program is over, and sends the report as stderr: the program did not print that.
    t.fake_stopped(on={"continue": [[OK, output("its own\n"), output("error: bad condition\n", "stderr"), exited(0), TERMINATED,
                                     output("free(): invalid pointer\n", "stderr")]]})
    result = state(t.good("dap_continue"), "terminated")
    equal(result["output"], "its own\nerror: bad condition\n", "output", result)
    contains(result.text, "|# error: bad condition")
