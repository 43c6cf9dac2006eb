"""Reads a line of standard input."""
import sys

line = sys.stdin.readline()
print("read", repr(line))  # mark: after
