"""usage: test-check-includes.py script/check-includes"""

import os
import subprocess
import sys
import tempfile
import unittest

SCRIPT = os.path.abspath(sys.argv.pop())


class CheckIncludes(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = folder.name
        self.file("base/buffer.h", "#pragma once\n#include <stddef.h>\n")

    def file(self, name, text):
        path = os.path.join(self.root, "src", name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(text)

    def run_script(self):
        done = subprocess.run([sys.executable, SCRIPT, self.root], capture_output=True, text=True)
        return done.returncode, done.stdout

    def refused(self, name, text, *words):
        self.file(name, text)
        status, output = self.run_script()
        self.assertEqual(status, 1, output)
        for word in words:
            self.assertIn(word, output)

    def accepted(self, name, text):
        self.file(name, text)
        self.assertEqual(self.run_script(), (0, ""))

    def test_down_is_allowed(self):
        self.accepted("json/json.c", '#include "json/json.h"\n\n#include "base/buffer.h"\n#include <yyjson.h>\n')

    def test_up_and_sideways_are_not(self):
        self.refused("base/buffer.c", '#include "json/json.h"\n', "src/base/buffer.c:1", "json/json.h", "only the C library")
        self.refused("session/session.c", '\n  #  include "io/loop.h"\n', "src/session/session.c:2", "base, json, dap")

    def test_single_headers_of_another_layer(self):
        self.accepted("adapter/plan.c", '#include "session/session.h"\n')
        self.refused("adapter/plan.c", '#include "session/stops.h"\n', "session/stops.h")

    def test_internal_headers_stay_inside(self):
        self.accepted("session/stops.c", '#include "session/internal.h"\n')
        self.refused("io/host.c", '#include "session/internal.h"\n', "src/io/host.c:1", "session/ only")

    def test_header_named_without_its_folder(self):
        self.refused("base/buffer.c", '#include "buffer.h"\n', '"base/buffer.h"')

    def test_libraries_have_their_layers(self):
        self.accepted("io/loop.c", "#include <uv.h>\n")
        self.refused("session/stops.c", "#include <uv.h>\n", "only io/, mcp/, daemon/, cli/ may")
        self.refused("base/x.c", "#include <yyjson.h>\n", "yyjson.h")

    def test_protocol_and_session_touch_no_system(self):
        for header in ("unistd.h", "time.h", "sys/socket.h", "poll.h"):
            self.refused("dap/framing.c", "#include <%s>\n" % header, header, "free of input")
        self.accepted("dap/framing.c", "#include <signal.h>\n#include <string.h>\n#include <sys/types.h>\n")  # names of signals are words

    def test_header_without_guard(self):
        self.refused("base/x.h", "int x;\n", "src/base/x.h", "#pragma once")

    def test_unknown_layer_and_no_files(self):
        self.refused("misc/x.c", "\n", "src/misc", "no layer")
        with tempfile.TemporaryDirectory() as root:
            os.mkdir(os.path.join(root, "src"))
            self.root = root
            self.assertEqual(self.run_script()[0], 1)


unittest.main()
