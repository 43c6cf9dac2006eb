sub twice {
    my $result = $_[0] * 2; # mark: later
    return $result;
}
1;
