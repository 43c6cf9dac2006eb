# Functions for expressions to call: one with a line to stop at, one that prints, one that never ends, one that ends the program.

def inner(number)
  twice = number * 2 # mark: inner
  twice
end

def talk
  puts "hello from here"
  $stdout.flush
  5
end

def forever
  loop { }
end

def leave
  exit!(3)
end

def main
  fixed = 7
  number = 4
  value = inner(number)
  puts "calls #{value} #{fixed} #{number}" # mark: here
end

main
