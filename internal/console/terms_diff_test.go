package console

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Whatever two files are, both are there whole beside each other, in their order; what is
// said to agree does, and what is common is as much as there can be.
func TestFilesBesideEachOtherAreWhole(t *testing.T) {
	lines := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", ""}), 0, 12)
	rapid.Check(t, func(t *rapid.T) {
		a, b := lines.Draw(t, "before"), lines.Draw(t, "after")
		var left, right []string
		same := 0
		for _, row := range beside(a, b) {
			if row.Left.Number > 0 {
				left = append(left, row.Left.Text)
			}
			if row.Right.Number > 0 {
				right = append(right, row.Right.Text)
			}
			if row.Differs {
				continue
			}
			if same++; row.Left.Text != row.Right.Text || row.Left.Number == 0 || row.Right.Number == 0 {
				t.Fatalf("said to agree: %+v", row)
			}
		}
		if !slices.Equal(left, a) || !slices.Equal(right, b) {
			t.Fatalf("%q and %q are shown as %q and %q", a, b, left, right)
		}
		if most := longestCommon(a, b); same != most {
			t.Fatalf("%d of %q and %q agree, and %d could", same, a, b, most)
		}
	})
}

// longestCommon is the length of the longest list that is within both, tried out.
func longestCommon(a, b []string) int {
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	best := longestCommon(a[1:], b)
	if i := slices.Index(b, a[0]); i >= 0 {
		best = max(best, 1+longestCommon(a[1:], b[i+1:]))
	}
	return best
}

func TestLinesThatAgreeAreFolded(t *testing.T) {
	many := strings.Repeat("x\n", 20)
	rows := sideBySide(many+"old\n"+many, many+"new\nmore\n"+many)
	if len(rows) != 1+3+2+3+1 || rows[0].Same != 17 || rows[9].Same != 17 || rows[4].Left.Number != 21 || rows[4].Left.Text != "old" || rows[4].Right.Text != "new" || rows[5].Left.Number != 0 {
		t.Errorf("the rows are %+v", rows)
	}
	large := strings.Repeat("a\nb\n", 20_000)
	if rows := sideBySide("first\n"+large, large+"last\n"); len(rows) == 0 {
		t.Error("large files have no rows")
	}
}
