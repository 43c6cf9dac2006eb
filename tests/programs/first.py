first = 1  # mark: first
import later
later.twice(first)
print("first", first)
last = first + 1  # mark: last
