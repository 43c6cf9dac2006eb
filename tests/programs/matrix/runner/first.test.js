// One of two test files that the test runner of Node.js gives a process each.
const assert = require("node:assert");
const test = require("node:test");

test("first", () => {
    const sum = 2 + 2;
    assert.equal(sum, 4); // mark: assert
});
