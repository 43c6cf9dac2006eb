// Counts into the file that it is given, 50 times a second, so that others see that it goes on; ends by itself after two minutes.
const fs = require("fs");

function count(path, number) {
    fs.writeFileSync(path, number + "\n"); // mark: count
    return number + 1;
}

const limit = Date.now() + 120000;
let total = 0;

function tick() {
    total = count(process.argv[2], total);
    if (Date.now() < limit) {
        setTimeout(tick, 20);
    }
}
tick();
