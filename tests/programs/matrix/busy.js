// Spins until it is stopped; ends by itself after a minute so that a broken test leaves no heater behind.

const limit = Date.now() + 60000;
let counter = 0;
console.log("busy");
while (Date.now() < limit) {
    counter++; // mark: spin
}
