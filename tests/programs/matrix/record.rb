# Records its own execution when it runs in a debugger, so that steps can go back.
def double(number)
  result = number * 2 # mark: double
  result # mark: double-return
end

def main
  binding.break(do: "record on") if defined?(DEBUGGER__)
  first = double(1)
  second = double(first) # mark: second
  puts second # mark: print
end

main
