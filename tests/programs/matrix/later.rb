def twice(value)
  result = value * 2 # mark: later
  result
end
