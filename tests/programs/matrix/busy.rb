# Spins until it is stopped; ends by itself after a minute so that a broken test leaves no heater behind.

limit = Time.now + 60
counter = 0
puts "busy"
$stdout.flush
while Time.now < limit
  counter += 1 # mark: spin
end
