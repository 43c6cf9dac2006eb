// Counts into the file that it is given, 50 times a second, so that others see that it goes on; ends by itself after two minutes.
package main

import (
	"fmt"
	"os"
	"time"
)

func count(path string, number int) int {
	text := fmt.Sprintf("%d\n", number)
	os.WriteFile(path, []byte(text), 0644) // mark: count
	return number + 1
}

func main() {
	limit := time.Now().Add(2 * time.Minute)
	number := 0
	for time.Now().Before(limit) {
		number = count(os.Args[1], number)
		time.Sleep(20 * time.Millisecond)
	}
}
