package files

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Outputs take their names together, when everything has succeeded.
func TestOutputsAreThereWholeOrNotAtAll(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, kept := range []bool{false, true} {
		var out Outputs
		for _, name := range []string{"a", "b"} {
			w, err := out.Create(name)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := io.WriteString(w, name); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := os.Stat("a"); err == nil {
			t.Fatal("a file has its name before everything has succeeded")
		}
		if kept {
			if err := out.Keep(); err != nil {
				t.Fatal(err)
			}
		}
		out.Discard()
		if left, _ := filepath.Glob(".*"); len(left) > 0 {
			t.Errorf("left behind: %q", left)
		}
	}
	if read(t, "a") != "a" || read(t, "b") != "b" {
		t.Error("the files are not what was written")
	}
}

func TestOutputsRefuse(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := Write("in", strings.NewReader("read")); err != nil {
		t.Fatal(err)
	}
	out := Outputs{Inputs: []string{"in"}}
	defer out.Discard()
	if _, err := out.Create("new"); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"./new":   "./new: is named for two outputs, of which one would be lost",
		"./in":    "./in: is read, and would be written over",
		"there/x": "creating there/x: no such file or directory",
	} {
		if _, err := out.Create(name); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
	if w, err := out.Create(""); w != nil || err != nil {
		t.Errorf("without a name there is %v, %v", w, err)
	}
	if w, err := out.CreateOr("", io.Discard); w != io.Discard || err != nil {
		t.Errorf("elsewhere is %v, %v", w, err)
	}
}

func TestOpen(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := Write("in", strings.NewReader("read")); err != nil {
		t.Fatal(err)
	}
	in, err := Open("in")
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if in.Name != "in" || in.Size != 4 {
		t.Errorf("it is %q of %d bytes", in.Name, in.Size)
	}
	if _, err := Open("."); err == nil || err.Error() != ".: is a folder, expected a file" {
		t.Errorf("a folder: %v", err)
	}
}
