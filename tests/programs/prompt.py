"""Prints in order, partly without newlines, with a stop in the middle of a line."""
import sys

sys.stdout.write("one ")
sys.stdout.flush()
value = 1
sys.stdout.write("two ")  # mark: middle
sys.stdout.flush()
sys.stdout.write("three\nname? ")
sys.stdout.flush()
value = 2  # mark: end
