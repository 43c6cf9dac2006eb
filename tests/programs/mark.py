"""Leaves a file behind as soon as it runs on from its stop: whoever ends it there must not find one."""
import sys

path = sys.argv[1]  # mark: stop
open(path, "w").close()
