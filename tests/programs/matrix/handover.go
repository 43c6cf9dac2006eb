// One goroutine waits for what another does.
package main

import "os"

var handed int

func other(asked, done chan bool) { // mark: function
	<-asked
	handed++ // mark: other
	done <- true
}

func main() {
	asked, done := make(chan bool), make(chan bool) // mark: start
	go other(asked, done)
	asked <- true; <-done // mark: waits
	os.Stdout.WriteString("handed over\n") // mark: after
}
