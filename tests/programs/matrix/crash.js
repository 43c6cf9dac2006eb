// An exception that nobody catches, after one that somebody does.

function check(qty) {
    if (qty < 0) {
        throw new RangeError(`bad quantity: ${qty}`); // mark: raise
    }
    return qty;
}

try {
    check(-1);
} catch {
    console.log("caught one");
}
check(-3);
