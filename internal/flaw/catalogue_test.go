package flaw_test

import (
	"fmt"
	"testing"

	"recoup/internal/flaw"
)

// Reports look flaws up by code and print what they find.
func TestCatalogue(t *testing.T) {
	seen := map[flaw.Code]bool{}
	for _, f := range flaw.Catalogue() {
		if seen[f.Code] {
			t.Errorf("%s is in the catalogue twice", f.Code)
		}
		seen[f.Code] = true
		if found, ok := flaw.Find(f.Code); !ok || found != f {
			t.Errorf("Find(%s) = %+v, %t", f.Code, found, ok)
		}
		for name, text := range map[string]string{"title": f.Title, "shows": f.Shows, "remedy": f.Remedy, "CWE": f.CWE, "STRIDE": f.Tampering} {
			if text == "" {
				t.Errorf("%s has no %s", f.Code, name)
			}
		}
	}
	for n := 1; n <= 13; n++ {
		if !seen[flaw.Code(fmt.Sprintf("G%d", n))] {
			t.Errorf("gap G%d is missing", n)
		}
	}
	for _, c := range []flaw.Class{flaw.V1, flaw.V2, flaw.V3a, flaw.V3b} {
		if f, ok := flaw.Find(flaw.CodeOf(c)); !ok || f.Mapping != c.Mapping() {
			t.Errorf("class %s: %+v, want the mapping of the class", c, f)
		}
	}
	if f, ok := flaw.Find("G14"); ok {
		t.Errorf("G14 is %+v, want none", f)
	}
}
