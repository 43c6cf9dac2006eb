# What two workers do elsewhere, in turns: this Perl has one thread.
use strict;
use warnings;
$| = 1;

my ($left_count, $right_count) = (0, 0);

sub left {
    $left_count++; # mark: left
    $left_count ^= 4096; # mark: left-next
}

sub right {
    $right_count++; # mark: right
    $right_count ^= 4096; # mark: right-next
}

sub joined {
    print "joined\n"; # mark: never
}

print "pair\n"; # mark: start
while (1) {
    left();
    right();
}
