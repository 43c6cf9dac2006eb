// Functions for expressions to call: one with a line to stop at, one that prints, one that never ends, one that ends the program.
const process = require("node:process");

function inner(number) {
    const twice = number * 2; // mark: inner
    return twice;
}

function talk() {
    console.log("hello from here");
    return 5;
}

function forever() {
    for (;;) {
    }
}

function leave() {
    process.exit(3);
}

function main() {
    const fixed = 7;
    let number = 4;
    let value = inner(number);
    console.log("calls", value, fixed, number, [talk, forever, leave].length); // mark: here
}

main();
