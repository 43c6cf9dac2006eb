"""Two workers and the main thread, which waits for them."""
import threading


def work(number):
    square = number * number  # mark: worker
    return square


workers = [threading.Thread(target=work, args=(number,), name="worker-%d" % number) for number in (3, 4)]
for worker in workers:
    worker.start()
for worker in workers:
    worker.join()
print("joined")
