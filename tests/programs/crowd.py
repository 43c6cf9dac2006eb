"""Twelve threads that wait at the same place, and the main thread."""
import threading
import time

CROWD = 12
door = threading.Event()
barrier = threading.Barrier(CROWD + 1)


def wait_here():
    barrier.wait()
    door.wait()  # mark: wait


crowd = [threading.Thread(target=wait_here, name="one-%d" % number) for number in range(CROWD)]
for thread in crowd:
    thread.start()
barrier.wait()
while len(door._cond._waiters) < CROWD:
    time.sleep(0.001)
door.set()  # mark: here
for thread in crowd:
    thread.join()
print("all gone")
