"""What the examples of the command line are tried on.

They name the lines 42 and 50, and these variables."""
import sys
import time

import cart


class Item:
    def __init__(self, name, price):
        self.name = name
        self.price = price


class Order:
    def __init__(self, *items):
        self.items = list(items)


def wait():
    n = 0
    while True:
        n += 1
        time.sleep(0.01)


def crash():
    raise ValueError("as was asked for")


rate = 3


def bill(order):
    total = 0
    items = order.items
    for n, item in enumerate(items):
        if item.price < 0:
            continue

        total += item.price * rate  # line 42
    total = cart.discount(total)

    print("total", total)
    print("items", len(items))

    n = total
    while n > 0:
        n -= 20  # line 50
    return total


def main():
    order = Order(Item("tea", 3), Item("bread", 4), Item("cheese", 12))
    total, items = 0, order.items
    if "wait" in sys.argv:
        wait()
    if "crash" in sys.argv:
        crash()
    total += bill(order)
    print("end", total, len(items), file=sys.stderr)


if __name__ == "__main__":
    main()
