package main

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// named finds a command of the program in a document: on a line of its own, or between backquotes.
var (
	named  = regexp.MustCompile("(?:^ *|`)(?:bin/)?recoup ((?:[a-z][a-z-]*)(?: [^`|&;]*)?)")
	flagIn = regexp.MustCompile(`(?:^|\s)--([a-z][a-z0-9-]*)`)
)

// TestTheDocumentsNameRealCommands: every command that a document tells somebody to type is
// there, with its flags. The changelog is of other versions.
func TestTheDocumentsNameRealCommands(t *testing.T) {
	list, err := exec.Command("git", "-C", "../..", "ls-files", "*.md").Output()
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for file := range strings.FieldsSeq(string(list)) {
		if file == "CHANGELOG.md" {
			continue
		}
		text, err := os.ReadFile("../../" + file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			for _, m := range named.FindAllStringSubmatch(line, -1) {
				found++
				if wrong := wrongWith(m[1]); wrong != "" {
					t.Errorf("%s has %q: %s", file, strings.TrimSpace(m[0]), wrong)
				}
			}
		}
	}
	if found < 250 {
		t.Errorf("only %d commands were found: this test looks at little", found)
	}
	for said, want := range map[string]bool{
		"account forget --db ./data": false, "forget --db ./data acct-1": true, "serve --sauces x": false, "serfe": false, "keys create --db ./data --name n # --none": true,
	} {
		if got := wrongWith(said) == ""; got != want {
			t.Errorf("recoup %s is right: %t", said, got)
		}
	}
}

// wrongWith says what of a command is not there.
func wrongWith(said string) string {
	said, _, _ = strings.Cut(said, " #")
	cmd, rest := newRoot(), strings.Fields(said)
	for next := child(cmd, rest); next != nil; next = child(cmd, rest) {
		cmd, rest = next, rest[1:]
	}
	if cmd.Parent() == nil || len(rest) > 0 && !cmd.Runnable() {
		return "there is no such command"
	}
	for _, flag := range flagIn.FindAllStringSubmatch(strings.Join(rest, " "), -1) {
		if name := flag[1]; name != "help" && cmd.Flags().Lookup(name) == nil && cmd.InheritedFlags().Lookup(name) == nil {
			return "there is no flag --" + name
		}
	}
	return ""
}

func child(cmd *cobra.Command, words []string) *cobra.Command {
	if len(words) > 0 {
		for _, c := range cmd.Commands() {
			if c.Name() == words[0] {
				return c
			}
		}
	}
	return nil
}
