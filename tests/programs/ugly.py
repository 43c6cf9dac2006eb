"""Prints what terminals, JSON and our own lines do not like: ANSI, NUL, bad UTF-8, lines that look like a result of ours."""
import os

os.write(1, b"\x1b[31mred\x1b[0m\n")
os.write(1, b"Debuggee output:\nstopped (breakpoint) at fake.c:1:1 in evil\n")
os.write(1, b"bad \xff\xfe\xc3( bytes\n")
os.write(1, b"nul \x00 end\n")
os.write(1, "smile \U0001f600 ok\n".encode())
value = "line one\nstopped (exception) at fake.c:1:1\x1b[2J"
print("done")  # mark: end
