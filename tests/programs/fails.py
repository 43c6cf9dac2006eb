"""An exception that nobody catches in a thread, then one in the main thread, that holds others."""
import threading


class Refused(Exception):
    def __init__(self, code):
        super().__init__("refused")
        self.code = code


def work():
    raise Refused(42)  # mark: thread


worker = threading.Thread(target=work)
worker.start()
worker.join()
raise ExceptionGroup("two of them", [ValueError("first"), KeyError("second")])  # mark: main
