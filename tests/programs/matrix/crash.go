// A panic that nobody recovers from, after one that somebody does.
package main

import (
	"os"
	"strconv"
)

func check(qty int) int {
	if qty < 0 {
		panic("bad quantity: " + strconv.Itoa(qty)) // mark: raise
	}
	return qty
}

func tolerant(qty int) {
	defer func() {
		if recover() != nil {
			os.Stdout.WriteString("caught one\n")
		}
	}()
	check(qty)
}

func main() {
	tolerant(-1)
	check(-3)
}
