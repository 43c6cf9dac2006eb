"""Prints much: numbered lines of 100 bytes, then a last word. The argument is the number of lines."""
import sys

count = int(sys.argv[1])
for number in range(count):
    sys.stdout.write("%08d %s\n" % (number, "x" * 90))
sys.stdout.flush()
print("the last word")  # mark: end
