my $first = 1; # mark: first
use FindBin;
require "$FindBin::Bin/later.pl";
twice($first);
print "first $first\n";
my $last = $first + 1; # mark: last
