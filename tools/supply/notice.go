package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const noticeHead = `Recoup
Licensed under the Apache License, Version 2.0; see LICENSE.

The program has these modules in it, by other people, each under its own terms. The
texts are below, each once. "make notice" writes this file.

`

// writeNotice writes the file NOTICE of the module at root.
func writeNotice(root string) error {
	modules, err := modulesOf(root)
	if err != nil {
		return err
	}
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return err
	}
	modules = append([]module{{path: "the Go standard library", dir: strings.TrimSpace(string(goroot))}}, modules...)
	var list, texts strings.Builder
	list.WriteString(noticeHead)
	numbers := make(map[string]int) // by text
	for i := range modules {
		m := &modules[i]
		terms, err := m.terms()
		if err != nil {
			return err
		}
		known := ids(terms)
		if len(known) == 0 {
			return fmt.Errorf("%s %s: nobody here knows its licence: look at it, and teach supply to know it", m.path, m.version)
		}
		name := strings.TrimSpace(m.path + " " + m.version)
		fmt.Fprintf(&list, "%s: %s, texts", name, strings.Join(known, " and "))
		for _, t := range terms {
			if numbers[t] == 0 {
				numbers[t] = len(numbers) + 1
				fmt.Fprintf(&texts, "\n==== text %d ====\n\n%s\n", numbers[t], t)
			}
			fmt.Fprintf(&list, " %d", numbers[t])
		}
		list.WriteString("\n")
	}
	return os.WriteFile(filepath.Join(root, "NOTICE"), []byte(list.String()+texts.String()), 0o644)
}
