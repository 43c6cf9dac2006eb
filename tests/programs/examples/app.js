// What the examples that only JavaScript's debugger can do are tried on.
function call(handler) {
  return handler(1);
}

console.log(call(function increment(n) {
  return n + 1;
}));
