// Leaves a file behind as soon as it runs on from its stop: whoever ends it there must not find one.
const { writeFileSync } = require("node:fs");

const path = process.argv[2]; // mark: stop
writeFileSync(path, "");
