"""Objects whose own text says nothing, and some whose text must stay."""


class Item:
    def __init__(self, name, qty):
        self.name, self.qty = name, qty

    @property
    def label(self):
        print("label was read")
        return self.name


class Slotted:
    __slots__ = ("name",)

    def __init__(self):
        self.name = "plum"


class Spoken:
    def __repr__(self):
        return "<Spoken object at 0x12 of mine>"


def look():
    item, slotted, spoken, empty = Item("plum", 3), Slotted(), Spoken(), type("Empty", (), {})()
    return item, slotted, spoken, empty  # mark: look


look()
