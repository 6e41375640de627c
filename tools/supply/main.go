// Command supply says what the program is made of: its third-party modules with their
// licences (NOTICE), and as a bill of materials of a binary that was built (CycloneDX).
//
//	go tool supply notice ROOT      # writes ROOT/NOTICE
//	go tool supply sbom ROOT BINARY # writes BINARY.cdx.json
package main

import (
	"errors"
	"fmt"
	"os"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "supply:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	switch {
	case len(args) == 2 && args[0] == "notice":
		return writeNotice(args[1])
	case len(args) == 3 && args[0] == "sbom":
		return writeSBOM(args[1], args[2])
	}
	return errors.New("expected notice ROOT or sbom ROOT BINARY")
}
