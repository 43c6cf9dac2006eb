"""Spins until it is stopped; ends by itself after a minute so that a broken test leaves no heater behind."""
import time

limit = time.monotonic() + 60
print("busy", flush=True)
counter = 0
while time.monotonic() < limit:
    counter += 1  # mark: spin
