// Nested data, a loop, calls to step into and out of.
const process = require("node:process"); // a first line to stop on: js-debug would take the first function's

class Item {
    constructor(name, price, qty) {
        this.name = name;
        this.price = price;
        this.qty = qty;
        this.tags = ["new", name];
    }
}

function cost(item) {
    const amount = item.price * item.qty; // mark: cost
    return amount; // mark: cost-return
}

function total(items) {
    let result = 0;
    for (const item of items) {
        result += cost(item); // mark: loop
    }
    return result; // mark: total-return
}

function main() {
    const items = [new Item("apple", 2, 3), new Item("pear", 5, 1), new Item("plum", 1, 10), new Item("fig", 7, 2)];
    const label = "cart";
    const result = total(items); // mark: call
    console.log(label, result); // mark: print
    return Number(process.argv[2] ?? 0); // mark: end
}

process.exitCode = main();
