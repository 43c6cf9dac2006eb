# Nested data, a loop, calls to step into and out of.
use strict;
use warnings;

sub item {
    my ($name, $price, $qty) = @_;
    return { name => $name, price => $price, qty => $qty, tags => ["new", $name] };
}

sub cost {
    my ($item) = @_;
    my $amount = $item->{price} * $item->{qty}; # mark: cost
    return $amount; # mark: cost-return
}

sub total {
    my ($items) = @_;
    my $result = 0;
    foreach my $item (@$items) {
        $result += cost($item); # mark: loop
    }
    return $result; # mark: total-return
}

sub main {
    my $items = [item("apple", 2, 3), item("pear", 5, 1), item("plum", 1, 10), item("fig", 7, 2)];
    my $label = "cart";
    my $result = total($items); # mark: call
    print "$label $result\n"; # mark: print
    return $ARGV[0] // 0; # mark: end
}

exit(main());
