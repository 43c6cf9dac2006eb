"""Settings, launch profiles, adapters of the user's own, and trust."""

import glob
import json
import os
import subprocess
import sys

from support import adapters, programs
from support.fake import FAKE_ADAPTER
from support.scenario import check, contains, equal, good, lacks, native, state, until

SHOW_ENVIRONMENT = """import json
import os
names = json.loads(os.environ["SHOWN"])
print("shown", json.dumps({name: os.environ.get(name) for name in names}))
"""


def project(t):
    t.project = t.make("work/project")
    return t.project


def user_settings(t, settings):
    return os.path.normpath(t.file("../home/.config/dapple/settings.json",
                                   settings if isinstance(settings, str) else json.dumps(settings)))


def project_settings(t, settings, name=".dapple/settings.json"):
    project(t)
    return t.file("project/" + name, settings if isinstance(settings, str) else json.dumps(settings))


def trust(t, *arguments, status=0):
    done = subprocess.run([t.dapple_path, "trust", *arguments], env=t.env(), cwd=t.project, capture_output=True, text=True, timeout=10)
    equal(done.returncode, status, "the status of dapple trust", done)
    return done.stdout + done.stderr


def fake_definition():
    return {"command": sys.executable, "args": ["-IS", FAKE_ADAPTER]}


def test_adapter_of_the_user(t):
    # The fake stands nowhere that the catalog looks: only the settings' command line leads to it.
    user_settings(t, {"adapters": {"mine": dict(fake_definition(), extensions=[".mine"], environment={"MARK": "1", "LANG": None})}})
    t.fake.script(path=programs.source("lines.c"))
    program = t.file("x.mine", "anything\n")
    result = state(t.good("dap_launch", program=program, args=["a"], breakpoints=[{"file": programs.source("lines.c"), "line": 3}]),
                   "stopped")
    equal(result["adapter_id"], "mine", "chosen by the extension", result)
    equal(result.get("warnings"), None, "no warnings", result)
    arguments = t.fake.received("launch")[0]["arguments"]
    equal(arguments, {"program": program, "args": ["a"], "cwd": t.project, "stopOnEntry": False}, "plain launch arguments")
    equal(t.fake.received("initialize")[0]["arguments"]["adapterID"], "mine", "adapterID")
    t.good("dap_stop")
    equal(t.good("dap_launch", program=t.built("quick"), adapter="mine")["adapter_id"], "mine", "for any program when it is named")


def test_program_on_the_command_line(t):
    # Adapters like rdbg take the program and its arguments on their own command line; a program may be a folder, too.
    user_settings(t, {"adapters": {"mine": {"command": sys.executable, "args": [
        "-IS", FAKE_ADAPTER, "--", "${program}", "${args}", "in ${cwd}", "${HOME}"]}}})
    folder = t.make("work/package")
    t.fake.script(on={"launch": [[{"respond": {}}, {"event": "initialized"}]]})
    state(t.good("dap_launch", program=folder, args=["-v", "a b"], cwd=t.tmp, adapter="mine", timeout_ms=0), "running")
    pid = os.path.basename(glob.glob(os.path.join(t.fake.folder, "received-*.jsonl"))[0])[len("received-"):-len(".jsonl")]
    with open("/proc/%s/cmdline" % pid) as file:
        equal(file.read().split("\0")[3:-1], ["--", folder, "-v", "a b", "in " + t.tmp, "${HOME}"], "the command line")


def test_settings_override_the_catalog(t):
    # A user's own build of an adapter: started as the settings say, told what the catalog knows.
    user_settings(t, {"adapters": {"lldb-dap": fake_definition()}})
    state(t.good("dap_launch", program=t.built("quick"), adapter="lldb", env={"A": "1"}, timeout_ms=0), "running")
    arguments = t.fake.received("launch")[0]["arguments"]
    equal(arguments["env"], ["A=1"], "the catalog's form of the environment", arguments)


def test_command_that_is_not_there(t):
    # The message names the settings, not the catalog's places.
    user_settings(t, {"adapters": {"mine": {"command": "no-such-adapter"}}})
    text = t.bad("dap_launch", program=t.built("quick"), adapter="mine")
    contains(text, "the settings start adapter mine with no-such-adapter, which is not on PATH")


def test_profile(t):
    # Without program and profile the only profile is taken; what the call says wins, member by member.
    program = programs.source("cart.py")
    user_settings(t, {
        "adapters": {"mine": fake_definition()},
        "profiles": {"cart": {"adapter": "mine", "arguments": {"program": program, "args": ["from", "profile"], "x": {"y": 1},
                                                               "z": 1, "cwd": t.tmp, "type": "special"}}}})
    result = state(t.good("dap_launch", timeout_ms=0, launch_arguments={"x": {"q": 2}}, args=[]), "running")
    equal((result["adapter_id"], result["profile_id"]), ("mine", "cart"), "ids", result)
    arguments = t.fake.received("launch")[0]["arguments"]
    equal(arguments, {"program": program, "args": [], "cwd": t.tmp, "stopOnEntry": False, "x": {"q": 2}, "z": 1, "type": "special"},
          "merged")
    equal(t.fake.received("initialize")[0]["arguments"]["adapterID"], "special", "type tells the adapterID")
    equal(t.good("dap_status")["profile_id"], "cart", "in every snapshot")
    equal(t.good("dap_stop")["profile_id"], "cart", "also after the end")
    result = state(t.good("dap_launch", program=t.built("quick"), adapter="mine", timeout_ms=0), "running")
    equal(result.get("profile_id"), None, "a launch without a profile", result)
    equal(t.good("dap_stop").get("profile_id"), None, "the former profile is forgotten")
    t.good("dap_launch", profile="cart", program=t.built("quick"), timeout_ms=0)
    equal(t.fake.received("launch")[-1]["arguments"]["program"], t.built("quick"), "program of the call wins")


def test_profile_that_is_not_there(t):
    # The names that exist are the way on; two profiles are a choice that Dapple does not make.
    contains(t.bad("dap_launch"), "program is required")
    contains(t.bad("dap_launch", profile="web"), "unknown Launch Profile web; the settings have none")
    user_settings(t, {"profiles": {"b": {"adapter": "debugpy", "arguments": {}}, "a": {"adapter": "gdb", "arguments": {}},
                                   "c": {"adapter": "nobody", "arguments": {}}}})
    text = t.bad("dap_launch", profile="web")
    contains(text, "unknown Launch Profile web; there are a, b")
    contains(text, "Warning: global dap.profiles.c.adapter: adapter \"nobody\" is not configured")
    contains(t.bad("dap_launch"), "launch requires program, or profile when there is not exactly one valid Launch Profile; there are a, b")


def test_profile_with_debugpy(t):
    # A profile of a catalog adapter, with a path relative to the project.
    target = t.target("debugpy")
    t.project = programs.FOLDER
    user_settings(t, {"profiles": {"cart": {"adapter": "debugpy", "arguments": {"program": "cart.py"}}}})
    result = state(t.good("dap_launch", limit=40, profile="cart", breakpoints=target.breakpoints("cart", "loop")), "stopped")
    equal((result["adapter_id"], result["profile_id"]), ("debugpy", "cart"), "ids", result)


def test_adapter_of_the_user_over_tcp(t):
    # The command that debugpy's own documentation gives, with a port that Dapple chooses.
    target = t.target("debugpy")
    user_settings(t, {"adapters": {"remote": {"command": adapters.debugpy()[0], "args": [
        "-m", "debugpy.adapter", "--host", "127.0.0.1", "--port", "$PORT"], "transport": {"type": "tcp"}}}})
    result = state(t.dapple.call("dap_launch", limit=40, program=target.program("cart"), adapter="remote",
                                 launch_arguments={"console": "internalConsole"},
                                 breakpoints=target.breakpoints("cart", "loop")), "stopped")
    equal(result["adapter_id"], "remote", "id", result)
    state(t.good("dap_stop"), "terminated")
    equal(t.left_beside_dapple(), [], "nothing is left")


def test_module_without_a_program(t):
    # python -m has no program file: the launch arguments of an adapter that is named say what is run.
    t.target("debugpy")
    t.file("project/package/__main__.py", "print('the module ran')\n")
    project(t)
    result = t.dapple.call("dap_launch", limit=40, adapter="debugpy", launch_arguments={"module": "package"})
    state(result, "terminated")
    contains(result["output"], "the module ran")
    user_settings(t, {"profiles": {"m": {"adapter": "python", "arguments": {"module": "package"}}}})
    contains(state(t.dapple.call("dap_launch", limit=40), "terminated")["output"], "the module ran")


def test_untrusted_project(t):
    # A cloned repository names a command: it must not run, everything else works, and the agent is told once what to do.
    path = project_settings(t, {"adapters": {"gdb": {"command": "/bin/false"}, "evil": {"command": "/bin/false"}},
                                "profiles": {"p": {"adapter": "evil", "arguments": {"program": "x"}}},
                                "timeouts": {"requestMs": 0}, "stopContext": "none"})
    t.fake.install(t.bin)
    t.fake.script(path=programs.source("lines.c"))
    result = state(t.good("dap_launch", program=t.built("quick"), adapter="lldb-dap",
                          breakpoints=[{"file": programs.source("lines.c"), "line": 3}]), "stopped")
    equal(result["warnings"], [
        "project settings: not trusted, so its adapters (gdb, evil) and profiles (p) are ignored; the user can look at it and run: "
        "dapple trust %s (%s)" % (t.project, path),
        "project dap.timeouts.requestMs: must be >= 1 (%s)" % path], "warnings", result)
    contains(result.text, "Warning: project settings: not trusted")
    lacks(result.text, "qty", "stopContext of an untrusted project counts")
    equal(t.good("dap_status").get("warnings"), None, "told once")
    t.good("dap_stop")
    contains(t.bad("dap_launch", profile="p"), "unknown Launch Profile p")
    equal(t.good("dap_launch", program=t.built("quick"), adapter="lldb-dap", timeout_ms=0).get("warnings"), None, "told once")


def test_trusted_project(t):
    # Trust is given while Dapple runs, sees the settings from below, and ends with the next change of the file.
    path = project_settings(t, "{ // ours\n \"adapters\": {\"mine\": %s,},}" % json.dumps(fake_definition()))
    sub = t.make("work/project/deep/sub")
    dapple = t.start(cwd=sub)
    contains(good(dapple.call("dap_status")).text, "Warning: project settings: not trusted")
    contains(trust(t, sub), "adapter mine runs: %s -IS %s" % (sys.executable, FAKE_ADAPTER))
    launch = dict(program=t.built("quick"), adapter="mine", timeout_ms=0)
    state(dapple.call("dap_launch", **launch), "running")
    good(dapple.call("dap_stop"))
    with open(path, "a") as file:
        file.write("\n// changed\n")
    result = dapple.call("dap_launch", **launch)
    check(result.is_error, "the changed file does not count", result)
    contains(result.text, "there is no adapter mine")
    contains(result.text, "Warning: project settings: changed since it was trusted, so its adapters (mine) are ignored")
    contains(trust(t, "--list"), path + ": changed since it was trusted")
    trust(t)
    contains(trust(t, "--list"), path + ": trusted")
    state(dapple.call("dap_launch", **launch), "running")
    trust(t, "--remove", sub)
    equal(trust(t, "--list"), "", "nothing is trusted any more")
    contains(good(dapple.call("dap_status")).text, "Warning: project settings: not trusted")


def test_trust_command(t):
    # What cannot be done says so, with a status for scripts.
    project(t)
    contains(trust(t, status=1), "there is no .dapple/settings.json or .pi/settings.json in %s or above" % t.project)
    contains(trust(t, "--remove", status=1), "was not trusted")
    contains(trust(t, "--lst", status=2), "--lst")
    contains(trust(t, "a", "b", status=2), "\"b\" is one word too many")
    contains(trust(t, "--help"), "Usage: dapple trust [DIR]")
    project_settings(t, "{ broken")
    contains(trust(t, status=1), "invalid JSON")
    project_settings(t, json.dumps({"dap": {"adapters": {"x\x1b[2J": {"command": "/bin/true"}}}}), ".pi/settings.json")
    os.unlink(os.path.join(t.project, ".dapple/settings.json"))
    lacks(trust(t), "\x1b", "names of a file reach the terminal without their control characters")


def test_record_that_others_may_write(t):
    # Somebody else could have trusted his own project in our name.
    project_settings(t, {"adapters": {"mine": fake_definition()}})
    trust(t)
    record = os.path.join(t.home, ".local/state/dapple/trusted.json")
    equal(os.stat(record).st_mode & 0o777, 0o600, "only for us")
    os.chmod(record, 0o666)
    text = t.bad("dap_launch", program=t.built("quick"), adapter="mine")
    contains(text, "could have been written by others")
    contains(text, "not trusted")


def test_warnings_reach_the_agent_once(t):
    # A wrong entry is quarantined and named; repaired and broken again, it is news again.
    path = user_settings(t, {"timeouts": {"requstMs": 1}, "adapters": {"a": {"command": ""}}})
    want = ["global dap.adapters.a.command: must be a non-empty string (%s)" % path,
            "global dap.timeouts.requstMs: unknown field (%s)" % path]
    result = t.good("dap_status")
    equal(result["warnings"], want, "warnings of a status", result)
    contains(result.text, "Warning: " + want[0] + "\n")
    equal(t.good("dap_status").get("warnings"), None, "once")
    user_settings(t, "{")
    contains(t.good("dap_status")["warnings"][0], "global settings: invalid JSON")
    user_settings(t, {"timeouts": {"requstMs": 1}})
    equal(t.good("dap_status")["warnings"], want[1:], "broken again")


def test_files_from_pi(t):
    # Users who come from Pi keep their files: only the member dap counts there, and Dapple's own files win.
    t.file("../home/.pi/agent/settings.json", json.dumps({"theme": "dark", "dap": {
        "adapters": {"mine": {"command": "/bin/false"}}, "timeouts": {"executionMs": 60000}}}))
    user_settings(t, {"dap": {"adapters": {"mine": fake_definition()}, "timeouts": {"executionMs": 50}}})
    result = state(t.good("dap_launch", program=t.built("quick"), adapter="mine"), "running")
    contains(result.text, "50 ms", "the execution time-out of the settings")
    equal(result.get("warnings"), None, "no warnings", result)


def test_nothing_is_read_before_it_is_needed(t):
    # Hosts start Dapple more often than they use it; broken settings do not keep it from starting.
    user_settings(t, "]")
    contains(t.bad("dap_stack"), "stack requires a stopped Debuggee")
    contains(t.good("dap_status")["warnings"][0], "invalid JSON")


def test_time_outs(t):
    # A request that the adapter never answers ends after the time that the settings give it.
    user_settings(t, {"timeouts": {"requestMs": 200}})
    t.fake_stopped(on={"evaluate": [[]], "continue": [[{"respond": {}}]], "pause": [[]]})
    contains(t.bad("dap_evaluate", expression="x"), "no answer to \"evaluate\" within 200 ms")
    state(t.good("dap_continue", timeout_ms=50), "running")
    contains(t.bad("dap_pause"), "no answer to \"pause\" within 200 ms: the program may be inside of one long operation of native code")
    state(t.good("dap_status"), "running")


def test_result_limits(t):
    # A host with little room: everything is cut earlier, and the whole is in a file.
    user_settings(t, {"resultLimits": {"lines": 25, "bytes": 2048}})
    t.fake_stopped(frames=200)
    text = t.good("dap_stack", count=100).text
    check(len(text.encode()) <= 2048 and text.count("\n") <= 25, "within the limits", text)
    contains(text, "[cut here: ")


def test_idle_session_is_ended(t):
    # An agent that went away leaves a program that nobody will look at again.
    user_settings(t, {"idleMs": 300})
    t.fake_stopped()
    left = t.left_beside_dapple(10)
    equal(left, [], "the adapter is gone without a call")
    text = t.bad("dap_stack")
    contains(text, "stack requires a stopped Debuggee")
    contains(text, "Warning: the session was ended, since no call had come for 300 ms (idleMs in the settings)")
    contains(text, "ended after 300 ms without a call (idleMs)", "the snapshot has the reason too")
    lacks(t.good("dap_status").text, "Warning", "said once")
    result = state(t.fake_launch(breakpoints=[{"file": programs.source("lines.c"), "line": 3}]), "stopped")
    equal(result.get("warnings"), None, "the next session begins afresh", result)


def test_waiting_is_not_idle(t):
    # A call that waits for the program is use enough, however long it takes.
    user_settings(t, {"idleMs": 100})
    t.fake.script(path=programs.source("lines.c"), on={"continue": [[{"respond": {}}]]})
    launch = t.fake_start(breakpoints=[{"file": programs.source("lines.c"), "line": 3}])
    waiting = t.dapple.start("dap_continue", timeout_ms=600)  # behind the launch, since 100 ms may pass until its result is read here
    state(launch.result(), "stopped")
    result = state(good(waiting.result()), "running")
    equal(result.get("warnings"), None, "not ended", result)
    until(lambda: not t.left_beside_dapple(0), "the end for want of calls")


def shown(t, target, names, **arguments):
    """The variables as the program sees them."""
    program = t.file("show.py", SHOW_ENVIRONMENT)
    t.environment["SHOWN"] = json.dumps(names)
    result = state(good(t.start().call("dap_launch", limit=40, program=program, adapter=target.adapter, **arguments)), "terminated")
    return json.loads(result["output"].split("shown ", 1)[1].splitlines()[0])


def test_programs_do_not_ask_or_page(t):
    # git log under a pager never ends. What the user's environment sets is his word; CI and NO_COLOR change too much to be set unasked.
    target = t.target("debugpy")
    t.environment["GIT_PAGER"] = "mine"
    names = ["PAGER", "GIT_PAGER", "GIT_TERMINAL_PROMPT", "AWS_PAGER", "CI", "NO_COLOR", "EDITOR"]
    equal(shown(t, target, names, env={"EDITOR": "ed"}),
          {"PAGER": "cat", "GIT_PAGER": "mine", "GIT_TERMINAL_PROMPT": "0", "AWS_PAGER": "", "CI": None, "NO_COLOR": None,
           "EDITOR": "ed"}, "by default")
    user_settings(t, {"nonInteractive": ["CI"]})
    equal(shown(t, target, ["PAGER", "CI", "NO_COLOR"]), {"PAGER": "cat", "CI": "1", "NO_COLOR": None}, "CI by name")
    user_settings(t, {"nonInteractive": False})
    equal(shown(t, target, ["PAGER", "GIT_PAGER"]), {"PAGER": None, "GIT_PAGER": "mine"}, "switched off")


@native
def test_compiled_programs_do_not_page(t, target):
    # gdb replaces the whole environment when it is given one: what the adapter has besides ours must be in it. lldb-dap adds to its own.
    source = "#include <stdio.h>\n#include <stdlib.h>\nint main(void) { puts(getenv(\"GIT_PAGER\")); puts(getenv(\"A\")); return 0; }\n"
    program = os.path.join(t.make("work"), "show")
    subprocess.run(["gcc", "-g", "-o", program, t.file("show.c", source)], check=True)
    result = state(t.dapple.call("dap_launch", limit=40, program=program, adapter=target.adapter, env={"A": "1"}), "terminated")
    contains(result["output"].replace("\r", ""), "cat\n1\n", "the variables")
