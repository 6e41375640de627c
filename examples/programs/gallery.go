// Package programs is a gallery of reward programs as they are published. Every kind of
// program in this folder has a course of events beside it, whose postings were worked out
// by hand; README.md lists them.
package programs

import (
	"embed"
	"strings"
)

//go:embed *.yaml
var files embed.FS

// Names are the ids of the gallery's programs, sorted.
func Names() []string {
	entries, err := files.ReadDir(".")
	if err != nil {
		panic("programs: " + err.Error()) // it is part of the binary
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = strings.TrimSuffix(e.Name(), ".yaml")
	}
	return names
}

// Document is the file of the program with an id; ok is false if there is none.
func Document(id string) (document []byte, ok bool) {
	document, err := files.ReadFile(id + ".yaml")
	return document, err == nil
}
