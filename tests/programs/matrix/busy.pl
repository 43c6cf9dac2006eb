# Spins until it is stopped; ends by itself after a minute so that a broken test leaves no heater behind.
use strict;
use warnings;

$| = 1;
my $limit = time() + 60;
my $counter = 0;
print "busy\n";
while (time() < $limit) {
    $counter++; # mark: spin
}
