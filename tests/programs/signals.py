"""Ends itself by the signal whose number is the argument; without one it leaves by os._exit."""
import os
import sys

if len(sys.argv) > 1:
    os.kill(os.getpid(), int(sys.argv[1]))
os._exit(7)
