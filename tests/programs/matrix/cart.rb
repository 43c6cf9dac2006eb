# Nested data, a loop, calls to step into and out of.

class Item
  attr_reader :name, :price, :qty, :tags

  def initialize(name, price, qty)
    @name = name
    @price = price
    @qty = qty
    @tags = ["new", name]
  end
end

def cost(item)
  amount = item.price * item.qty # mark: cost
  amount # mark: cost-return
end

def total(items)
  result = 0
  items.each do |item|
    result += cost(item) # mark: loop
  end
  result # mark: total-return
end

def main
  items = [Item.new("apple", 2, 3), Item.new("pear", 5, 1), Item.new("plum", 1, 10), Item.new("fig", 7, 2)]
  label = "cart"
  result = total(items) # mark: call
  puts "#{label} #{result}" # mark: print
  (ARGV[0] || 0).to_i # mark: end
end

exit(main)
