package recoup_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// The cases in the repository are those that docs/semantics.md was written with,
// where a checkout has them beside it: none is missing, changed or added.
func TestConformanceCasesAreTheOriginals(t *testing.T) {
	areTheOriginals(t, "testdata/cases", "../shared/cases", 200)
}

// The cases of docs/terms.md are too.
func TestCasesOfTermsAreTheOriginals(t *testing.T) {
	areTheOriginals(t, "testdata/cases-terms", "../shared/cases-terms", 120)
}

func areTheOriginals(t *testing.T, copies, originals string, cases int) {
	t.Helper()
	if _, err := os.Stat(originals); err != nil {
		t.Skipf("no originals to compare with: %v", err)
	}
	names := map[string]int{}
	for _, root := range []string{copies, originals} {
		err := fs.WalkDir(os.DirFS(root), ".", func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				names[path]++
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(names) != 4*cases {
		t.Errorf("%d files, want four of each of %d cases", len(names), cases)
	}
	for name, n := range names {
		if n != 2 {
			t.Errorf("%s is in one of %s and %s only", name, copies, originals)
			continue
		}
		ours, err := os.ReadFile(filepath.Join(copies, name))
		if err != nil {
			t.Fatal(err)
		}
		theirs, err := os.ReadFile(filepath.Join(originals, name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(ours, theirs) {
			t.Errorf("%s differs from its original", name)
		}
	}
}
