"""Nested data, a loop, calls to step into and out of."""
import sys


class Item:
    def __init__(self, name, price, qty):
        self.name = name
        self.price = price
        self.qty = qty
        self.tags = ["new", name]


def cost(item):
    amount = item.price * item.qty  # mark: cost
    return amount  # mark: cost-return


def total(items):
    result = 0
    for index, item in enumerate(items):
        result += cost(item)  # mark: loop
    return result  # mark: total-return


def main():
    items = [Item("apple", 2, 3), Item("pear", 5, 1), Item("plum", 1, 10), Item("fig", 7, 2)]
    label = "cart"
    result = total(items)  # mark: call
    print(label, result)  # mark: print
    return int(sys.argv[1]) if len(sys.argv) > 1 else 0  # mark: end


sys.exit(main())
