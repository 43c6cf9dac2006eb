// Leaves a file behind as soon as it runs on from its stop: whoever ends it there must not find one.
package main

import "os"

func main() {
	path := os.Args[1] // mark: stop
	if os.WriteFile(path, nil, 0o600) != nil {
		os.Exit(1)
	}
}
