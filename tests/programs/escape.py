"""Starts a grandchild in a session of its own (double fork, setsid), without our environment, and writes the two pids into the file
that is named by the argument. Then both wait, at most a minute."""
import os
import sys
import time

read_end, write_end = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.write(write_end, b"%d" % os.getpid())
        os.execve("/bin/sleep", ["sleep", "60"], {})
    os._exit(0)
os.wait()
grandchild = os.read(read_end, 20).decode()
with open(sys.argv[1] + ".new", "w") as file:
    file.write("%d %s\n" % (os.getpid(), grandchild))
os.rename(sys.argv[1] + ".new", sys.argv[1])
time.sleep(60)  # mark: wait
