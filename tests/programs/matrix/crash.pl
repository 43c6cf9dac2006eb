# An exception that nobody catches, after one that somebody does.
use strict;
use warnings;

sub check {
    my ($qty) = @_;
    die "bad quantity: $qty\n" if $qty < 0; # mark: raise
    return $qty;
}

eval { check(-1) };
print "caught one\n";
check(-3);
