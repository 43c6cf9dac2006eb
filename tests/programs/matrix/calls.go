// Functions for expressions to call: one with a line to stop at, one that prints, one that never ends, one that ends the program.
package main

import (
	"os"
	"strconv"
)

func inner(number int) int {
	twice := number * 2 // mark: inner
	return twice
}

func talk() int {
	os.Stdout.WriteString("hello from here\n")
	return 5
}

func forever() int {
	number := 0
	for {
		number++
	}
}

func leave() int {
	os.Exit(3)
	return 0
}

func main() {
	const fixed = 7
	number := 4
	value := inner(number)
	os.Stdout.WriteString("calls " + strconv.Itoa(value) + " " + strconv.Itoa(fixed) + " " + strconv.Itoa(number) + "\n") // mark: here
	if len(os.Args) > 99 {
		talk()
		forever()
		leave()
	}
}
