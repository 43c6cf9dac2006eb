const first = 1; // mark: first
require("./later.js").twice(first);
console.log("first", first);
const last = first + 1; // mark: last
