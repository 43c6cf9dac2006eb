# An exception that nobody catches, after one that somebody does.

def check(qty)
  raise ArgumentError, "bad quantity: #{qty}" if qty < 0 # mark: raise

  qty
end

begin
  check(-1)
rescue ArgumentError
  puts "caught one"
end
check(-3)
