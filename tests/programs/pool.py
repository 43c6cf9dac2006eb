"""A pool of child processes that each work on numbers."""
import multiprocessing


def work(number):
    result = number * number
    return result  # mark: worker


if __name__ == "__main__":
    multiprocessing.set_start_method("spawn")
    with multiprocessing.Pool(2) as pool:
        print(pool.map(work, [1, 2, 3]), flush=True)  # mark: parent
