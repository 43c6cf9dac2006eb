"""Functions for expressions to call: one with a line to stop at, one that prints, one that never ends, one that ends the program."""
import os


def inner(number):
    twice = number * 2  # mark: inner
    return twice


def talk():
    print("hello from here", flush=True)
    return 5


def forever():
    while True:
        pass


def leave():
    os._exit(3)


def main():
    fixed = 7
    number = 4
    value = inner(number)
    print("calls", value, fixed, number)  # mark: here


main()
