// Nested data, a loop, calls to step into and out of.
package main

import (
	"os"
	"strconv"
)

type item struct {
	name  string
	price int
	qty   int
	tags  []string
}

func cost(item *item) int {
	amount := item.price * item.qty // mark: cost
	return amount                   // mark: cost-return
}

func total(items []item) int {
	result := 0
	for index := range items {
		result += cost(&items[index]) // mark: loop
	}
	return result // mark: total-return
}

func makeItem(name string, price int, qty int) item {
	return item{name, price, qty, []string{"new", name}}
}

func main() {
	items := []item{makeItem("apple", 2, 3), makeItem("pear", 5, 1), makeItem("plum", 1, 10), makeItem("fig", 7, 2)}
	label := "cart"
	result := total(items)                                              // mark: call
	os.Stdout.WriteString(label + " " + strconv.Itoa(result) + "\n") // mark: print
	if len(os.Args) > 1 {
		code, _ := strconv.Atoi(os.Args[1])
		os.Exit(code) // mark: end
	}
}
