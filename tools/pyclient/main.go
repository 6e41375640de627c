// Command pyclient writes the types and methods of the Python client, which is of the
// standard library alone, from the document of the API: pyclient DOCUMENT FILE.
package main

import (
	"fmt"
	"os"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "pyclient:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 2 {
		return fmt.Errorf("usage: pyclient DOCUMENT FILE; found %d arguments", len(args))
	}
	text, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	code, err := generate(text)
	if err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	return os.WriteFile(args[1], code, 0o644)
}
