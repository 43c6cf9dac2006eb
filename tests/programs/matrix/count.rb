# Counts into the file that it is given, 50 times a second, so that others see that it goes on; ends by itself after two minutes.

def count(path, number)
  File.write(path, "#{number}\n") # mark: count
  number + 1
end

limit = Time.now + 120
total = 0
while Time.now < limit
  total = count(ARGV[0], total)
  sleep 0.02
end
