first = 1 # mark: first
require_relative "later"
twice(first)
puts "first #{first}"
last = first + 1 # mark: last
