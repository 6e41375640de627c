package recoup_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestNoticeIsComplete: NOTICE has every module that is linked into the program here, in
// its version, with its licence.
func TestNoticeIsComplete(t *testing.T) {
	cmd := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}{{end}}{{end}}", "./cmd/recoup")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0") // as it is released
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	notice, err := os.ReadFile("NOTICE")
	if err != nil {
		t.Fatal(err)
	}
	modules := make(map[string]bool)
	for line := range strings.Lines(string(out)) {
		if line = strings.TrimSpace(line); line != "" {
			modules[line] = true
		}
	}
	if len(modules) < 20 {
		t.Fatalf("%d modules were found: this test looks at nothing", len(modules))
	}
	for module := range modules {
		if !strings.Contains(string(notice), "\n"+module+": ") {
			t.Errorf("NOTICE does not have %s: run make notice", module)
		}
	}
}
