# Leaves a file behind as soon as it runs on from its stop: whoever ends it there must not find one.
arguments = ARGV
path = arguments[0] # mark: stop
File.write(path, "")
