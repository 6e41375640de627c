package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What leads somewhere is passed over, and what leads nowhere is named with its line.
func TestCheck(t *testing.T) {
	root := t.TempDir()
	for path, content := range map[string]string{
		"core/level.go":  "package core\n\ntype Level int\n\nfunc (l Level) raise() {\n\tone()\n\ttwo()\n\tthree()\n}\n\nfunc (l Level) sink() {\n\ttwo()\n}\n",
		"docs/other.md":  "# A `code` heading, twice\n\n## Again\n\n## Again\n",
		"docs/pic 1.svg": "<svg/>",

		"internal/scenario/files/one.txt": "", "internal/scenario/files/two.txt": "",
	} {
		write(t, root, path, content)
	}
	tests := []struct{ name, text, problem string }{
		{"a file", "[x](docs/other.md)", ""},
		{"no file", "[x](docs/none.md)", "README.md:1: docs/none.md leads to docs/none.md, which is not there"},
		{"a picture", "![x](docs/pic%201.svg)", ""},
		{"no picture", "text\n\n![x](docs/none.svg)", "README.md:3: docs/none.svg leads to"},
		{"a folder", "[x](docs)", ""},
		{"a heading", "[x](docs/other.md#a-code-heading-twice)", ""},
		{"the second of its name", "[x](docs/other.md#again-1)", ""},
		{"no third", "[x](docs/other.md#again-2)", "a heading that docs/other.md does not have"},
		{"a heading of its own", "# Top\n\n[x](#top)", ""},
		{"none of its own", "# Top\n\n[x](#bottom)", "README.md:3: #bottom leads to a heading that README.md does not have"},
		{"an address elsewhere", "[x](https://example.com/none.md#none)", ""},
		{"in code nothing is a link", "`[x](none.md)`\n\n    [x](none.md)", ""},
		{"in a table", "| a |\n|---|\n| [x](none.md) |", "README.md:3: none.md leads to"},
		{"a path", "`core/level.go`, `core/*.go`, `core/`", ""},
		{"a path with a name to choose", "`core/NAME.go`", ""},
		{"no path, whatever is chosen", "`core/NAME.txt`", "there is no core/NAME.txt"},
		{"no path", "`core/lever.go`", "there is no core/lever.go"},
		{"no path of ours", "`application/json`", ""},
		{"a name", "[`raise`](core/level.go) of [`Level`](core/level.go)", ""},
		{"no name", "[`lower`](core/level.go)", "core/level.go declares no lower"},
		{"a quotation", "```go core/level.go\nfunc (l Level) raise() {\n\tone()\n\t…\n\tthree()\n}\n```", ""},
		{"two lines with one between", "```go core/level.go\n\tone()\n\tthree()\n```", "README.md:3: core/level.go does not have, or not there: three()"},
		{"the second place where it stands", "```go core/level.go\n\ttwo()\n}\n```", ""},
		{"another order", "```go core/level.go\n\tthree()\n\tone()\n```", "README.md:3: core/level.go does not have, or not there: one()"},
		{"of no file", "```go core/none.go\none()\n```", "quotes core/none.go, which is not there"},
		{"a count", "All 2 scenario files.", ""},
		{"a count of others", "a\n\nAll 3 scenario files.", "README.md:3: 3 scenario files: internal/scenario/files has 2"},
		{"code of nobody", "```go\nfour()\n```", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			write(t, root, "README.md", test.text+"\n")
			problems, err := check(root)
			if err != nil {
				t.Fatal(err)
			}
			switch {
			case test.problem == "" && len(problems) > 0:
				t.Errorf("found %q, want nothing", problems)
			case test.problem != "" && (len(problems) != 1 || !strings.Contains(problems[0], test.problem)):
				t.Errorf("found %q, want one with %q", problems, test.problem)
			}
		})
	}
}

func write(t *testing.T, root, path, content string) {
	t.Helper()
	path = filepath.Join(root, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}
