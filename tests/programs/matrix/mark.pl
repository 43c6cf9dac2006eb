# Leaves a file behind as soon as it runs on from its stop: whoever ends it there must not find one.
use strict;
use warnings;

my $before = 1;
my $path = $ARGV[0]; # mark: stop
open(my $file, '>', $path) or die;
close($file);
