"""Values that are hard to show."""


class Angry:
    def __repr__(self):
        raise RuntimeError("no repr\nfor you")

    @property
    def explosive(self):
        raise ValueError("looked at")


numbers = list(range(100000))
table = {"key %d" % number: [number] for number in range(300)}
text = "x" * 1000000
loop = []
loop.append(loop)
angry = Angry()
nothing = None
unicode = "\u00e9\u4e2d\U0001f600\ud800"
done = True  # mark: end
