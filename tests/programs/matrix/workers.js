// Two worker threads that each work on a number of their own.
const { isMainThread, parentPort, workerData, Worker } = require("node:worker_threads");

function work(number) {
    const square = number * number;
    return square; // mark: worker
}

if (isMainThread) {
    for (const number of [3, 4]) {
        const worker = new Worker(__filename, { workerData: number });
        worker.on("message", (square) => {
            console.log("square", square); // mark: main
        });
    }
} else {
    console.log("worker", workerData);
    parentPort.postMessage(work(workerData));
}
