"""Two threads that wait for the lock which the other one has."""
import sys
import threading

one, other = threading.Lock(), threading.Lock()
both = threading.Barrier(2)


def second(mine, lock):
    with mine:
        both.wait()
        with lock:  # mark: second
            return mine


threading.Thread(target=second, args=(one, other), name="worker", daemon=True).start()
print("stuck")
sys.stdout.flush()
second(other, one)
