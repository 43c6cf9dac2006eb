"""Counts into the file that it is given, 50 times a second, so that others see that it goes on; ends by itself after two minutes."""
import sys
import time


def count(path, number):
    with open(path, "w") as file:
        file.write("%d\n" % number)  # mark: count
    return number + 1


limit = time.monotonic() + 120
total = 0
while time.monotonic() < limit:
    total = count(sys.argv[1], total)
    time.sleep(0.02)
