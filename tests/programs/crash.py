"""An exception that nobody catches, after one that somebody does."""


def check(qty):
    if qty < 0:
        raise ValueError("bad quantity: %d" % qty)  # mark: raise
    return qty


try:
    check(-1)
except ValueError:
    print("caught one")
check(-3)
