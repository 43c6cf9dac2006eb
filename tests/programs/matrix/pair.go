// Two workers that never rest, each in a function of its own; the main thread waits for them.
package main

import "os"

var leftCount, rightCount int

func left(done chan bool) {
	for {
		leftCount++       // mark: left
		leftCount ^= 4096 // mark: left-next
	}
}

func right(done chan bool) {
	for {
		rightCount++       // mark: right
		rightCount ^= 4096 // mark: right-next
	}
}

func main() {
	os.Stdout.WriteString("pair\n") // mark: start
	done := make(chan bool)
	go left(done)
	go right(done)
	<-done
	os.Stdout.WriteString("joined\n") // mark: never
}
