"""Two workers that never rest, each in a function of its own; the main thread waits for them."""
import threading

left_count = right_count = 0


def left():
    global left_count
    while True:
        left_count += 1  # mark: left
        left_count ^= 4096  # mark: left-next


def right():
    global right_count
    while True:
        right_count += 1  # mark: right
        right_count ^= 4096  # mark: right-next


print("pair", flush=True)  # mark: start
workers = [threading.Thread(target=work, daemon=True) for work in (left, right)]
for worker in workers:
    worker.start()
workers[0].join()
print("joined")  # mark: never
