// Spins until it is stopped; ends by itself after a minute so that a broken test leaves no heater behind.
package main

import (
	"os"
	"time"
)

func main() {
	limit := time.Now().Add(time.Minute)
	counter := 0
	os.Stdout.WriteString("busy\n")
	for time.Now().Before(limit) {
		for i := 0; i < 1<<24; i++ { // the clock is read outside of what Go's sources tell about
			counter++ // mark: spin
		}
	}
}
