# What the example that goes backwards is tried on; it records itself in a debugger.
binding.break(do: "record on") if defined?(DEBUGGER__)
total = 1
total += 2
puts total
