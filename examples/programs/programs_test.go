package programs

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recoup/program"
)

// judge plays a course, and the same life without what came back: both must end with the
// same net reward.
func judge(t *testing.T, c *course) {
	t.Helper()
	end, wrong := c.play()
	for _, w := range wrong {
		t.Error(w)
	}
	last := c.steps[len(c.steps)-1]
	if last.figures["balance"] == "" {
		t.Errorf("line %d: expected the balance after the last event", last.line)
	}
	if len(c.cameBack()) == 0 {
		t.Error("nothing came back: there is nothing to judge")
	}
	if got, want := end.State().NetReward, c.due(); got != want {
		t.Errorf("net reward is %d, and %d had what came back never been bought", got, want)
	}
}

// TestEveryProgram: each program of the gallery is read, its course comes to what was
// worked out by hand, and nothing is kept of what came back. Beside it the events are as
// `recoup replay` reads them; RECOUP_UPDATE=1 writes them anew.
func TestEveryProgram(t *testing.T) {
	files, err := filepath.Glob("*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 20 {
		t.Fatalf("%d programs, want at least twenty", len(files))
	}
	page, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(file, ".yaml")
		t.Run(name, func(t *testing.T) {
			p, err := program.Load(file)
			if err != nil {
				t.Fatal(err)
			}
			if p.ID != name {
				t.Errorf("the program's id is %q, not the name of its file", p.ID)
			}
			for _, notice := range program.Notices(p) {
				t.Errorf("an example has terms that may not be meant: %s", notice)
			}
			text, err := os.ReadFile(name + ".txt")
			if err != nil {
				t.Fatal(err)
			}
			c, err := parse(string(text), p)
			if err != nil {
				t.Fatal(err)
			}
			judge(t, c)
			if !bytes.Contains(page, []byte("("+file+")")) || !bytes.Contains(page, []byte("("+name+".txt)")) {
				t.Errorf("README.md does not lead to %s and its course", file)
			}
			wire(t, name+".jsonl", c.lines())
		})
	}
}

// wire compares the events of a course with those in a file, or writes them.
func wire(t *testing.T, file string, want []byte) {
	t.Helper()
	if os.Getenv("RECOUP_UPDATE") != "" {
		if err := os.WriteFile(file, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(file); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is not what the course says (%v); RECOUP_UPDATE=1 writes it anew", file, err)
	}
}
