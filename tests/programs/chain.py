"""An exception with two causes."""


def read():
    raise KeyError("no such key")


def parse():
    try:
        read()
    except KeyError as error:
        raise ValueError("cannot parse") from error


def main():
    try:
        parse()
    except ValueError as error:
        raise RuntimeError("cannot start") from error  # mark: raise


main()
