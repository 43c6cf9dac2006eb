// A child process that works on a number and ends with an exit code of its own.
const { fork } = require("node:child_process");

function work(number) {
    const square = number * number;
    return square; // mark: child
}

if (process.argv[2] === "child") {
    console.log("child", work(5));
} else {
    const child = fork(__filename, ["child"]);
    child.on("exit", (code) => {
        console.log("child ended with", code); // mark: parent
    });
}
