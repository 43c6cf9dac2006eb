"""Recursion 2000 deep."""
import sys

sys.setrecursionlimit(5000)


def down(level):
    if level == 0:
        return 0  # mark: bottom
    return down(level - 1) + 1


print(down(2000))
