# Functions for expressions to call: one with a line to stop at, one that prints, one that never ends, one that ends the program.
use strict;
use warnings;

sub inner {
    my ($number) = @_;
    my $twice = $number * 2; # mark: inner
    return $twice;
}

sub talk {
    print "hello from here\n";
    return 5;
}

sub forever {
    while (1) { }
}

sub leave {
    exit(3);
}

sub main {
    my $fixed = 7;
    my $number = 4;
    my $value = inner($number);
    print "calls $value $fixed $number\n"; # mark: here
}

main();
