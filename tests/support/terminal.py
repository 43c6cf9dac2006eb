"""A process on a terminal of its own, and what it shows there."""

import fcntl
import os
import pty
import struct
import termios
import threading


class Terminal:
    """`start(**options)` starts the process, with the options of subprocess.Popen; `size`: (rows, columns)."""

    def __init__(self, start, size=None):
        self.fd, other = pty.openpty()
        if size:
            fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("4H", *size, 0, 0))
        self.process = start(stdin=other, stdout=other, stderr=other, start_new_session=True,
                             preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        os.close(other)
        self.shown = ""
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        while True:
            try:
                data = os.read(self.fd, 4096)
            except OSError:
                return
            if not data:
                return
            self.shown += data.decode("utf-8", "replace")
