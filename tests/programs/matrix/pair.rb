# Two workers that never rest, each in a function of its own; the main thread waits for them.
$left_count = $right_count = 0

def left
  loop do
    $left_count += 1 # mark: left
    $left_count ^= 4096 # mark: left-next
  end
end

def right
  loop do
    $right_count += 1 # mark: right
    $right_count ^= 4096 # mark: right-next
  end
end

puts "pair" # mark: start
$stdout.flush
workers = [Thread.new { left }, Thread.new { right }]
workers.first.join
puts "joined" # mark: never
