"""Runs one test in this process: run_one.py DAPPLE BUILT-FOLDER FILE FUNCTION [PARAMETER].

Status 0 passed, 1 failed, 77 skipped.
"""

import importlib.util
import json
import os
import shutil
import signal
import sys
import tempfile
import traceback
import warnings

warnings.simplefilter("ignore", DeprecationWarning)
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.abspath(os.path.join(os.path.dirname(__file__), "..")))

from support import leaks, scenario  # noqa: E402


def load(path):
    spec = importlib.util.spec_from_file_location(os.path.basename(path)[:-3], path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def short_traceback(error):
    return "".join(traceback.format_exception(type(error), error, error.__traceback__)[-4:])


def note_seen(t, path, name, parameters):
    """For script/protocol-coverage, which judges the run by it."""
    test = "%s::%s%s" % (os.path.basename(path)[:-3], name, "[%s]" % parameters[0] if parameters else "")
    with open(os.environ["DAPPLE_TEST_SEEN"], "a") as file:
        file.write(json.dumps({"test": test, **t.seen()}) + "\n")


def run(dapple, built, path, name, parameters):
    test_id = os.environ["DAPPLE_TEST_ID_OF_RUN"]
    folder = tempfile.mkdtemp(prefix="test-", dir=built)  # the runner removes it, too, when this process is killed
    t = scenario.Scenario(dapple, folder, built, test_id)
    failures = []
    try:
        getattr(load(path), name)(t, *map(t.target, parameters))
    except scenario.Skip as skip:
        print(skip)
        return 77
    except Exception as error:
        failures.append(short_traceback(error))
        failures += [client.story() for client in t.clients] + [t.wire_tail()]
    finally:
        failures += t.finish()
        note_seen(t, path, name, parameters)
        leaks.kill_all(test_id)
        shutil.rmtree(folder, ignore_errors=True)
    print("\n".join(failure for failure in failures if failure))
    return 1 if failures else 0


if __name__ == "__main__":
    # Whoever runs the tests in the background (`nohup`, `&`) has signals ignored, and Dapple would inherit that.
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
    sys.stdout.reconfigure(errors="backslashreplace")
    sys.exit(run(*sys.argv[1:5], sys.argv[5:]))
