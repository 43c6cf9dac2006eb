// Two workers that never rest, each in a function of its own; the main thread waits for them.
const { Worker, isMainThread, workerData } = require("node:worker_threads");

let leftCount = 0, rightCount = 0;

function left() {
    for (;;) {
        leftCount++; // mark: left
        leftCount ^= 4096; // mark: left-next
    }
}

function right() {
    for (;;) {
        rightCount++; // mark: right
        rightCount ^= 4096; // mark: right-next
    }
}

function joined() {
    console.log("joined"); // mark: never
}

if (isMainThread) {
    console.log("pair"); // mark: start
    for (const side of ["left", "right"])
        new Worker(__filename, { workerData: side }).on("exit", joined);
} else if (workerData === "left") {
    left();
} else {
    right();
}
