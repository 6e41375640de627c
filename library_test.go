package recoup_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// goIn runs the go command in a folder, offline, and returns what it prints. Paths are left out of
// what is compiled, as the Makefile has it: it is used again, wherever the folder is.
func goIn(t *testing.T, folder string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod -buildvcs=false -trimpath", "GOPROXY=off", "GOSUMDB=off", "GOWORK=off", "PWD="+folder)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// fenced returns the first block of a page that is fenced with a language.
func fenced(t *testing.T, page, language string) string {
	t.Helper()
	m := regexp.MustCompile("(?s)```" + language + "\n(.*?)```").FindStringSubmatch(page)
	if m == nil {
		t.Fatalf("the page has no block of %s", language)
	}
	return m[1]
}

// TestAProgramOfSomebodyElse builds the program of docs/library.md in a folder of its own,
// and runs it.
func TestAProgramOfSomebodyElse(t *testing.T) {
	text, err := os.ReadFile("docs/library.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	// The sums are those of the repository: go mod tidy would ask a proxy for them.
	sums, err := os.ReadFile("go.sum")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	for name, content := range map[string][]byte{"main.go": []byte(fenced(t, page, "go")), "go.sum": sums} {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	goIn(t, folder, "mod", "init", "cashback")
	goIn(t, folder, "mod", "edit", "-require", module+"@v0.0.0", "-replace", module+"="+root)
	if got, want := goIn(t, folder, "run", "."), fenced(t, page, "text"); got != want {
		t.Errorf("it prints\n%s\nwant\n%s", got, want)
	}
}

// TestTheModuleIsRenamedInOneGo gives a copy of this repository, as it is committed,
// another path, and builds what shows that nothing was forgotten.
func TestTheModuleIsRenamedInOneGo(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git")
	}
	if err := exec.Command("git", "rev-parse", "--verify", "HEAD").Run(); err != nil {
		t.Skip("this is no clone")
	}
	folder := filepath.Join(t.TempDir(), "clone")
	for _, args := range [][]string{{"git", "clone", "--quiet", "--no-hardlinks", ".", folder}, {"sh", filepath.Join(folder, "scripts", "rename-module.sh"), "example.com/rewards/recoup"}} {
		if out, err := exec.CommandContext(t.Context(), args[0], args[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
	// Whatever is imported under the old path would not be found.
	if list := goIn(t, folder, "list", "-deps", "-test", "./..."); strings.Contains("\n"+list, "\n"+module+"/") {
		t.Errorf("some packages keep their path:\n%s", list)
	}
	goIn(t, folder, "build", "./program", "./event")
	goIn(t, filepath.Join(folder, "clients", "go"), "build", "./...")
}
