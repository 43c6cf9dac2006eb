package main

import "fmt"

func main() {
	first := 1 // mark: first
	fmt.Println("first", first)
} // mark: last
