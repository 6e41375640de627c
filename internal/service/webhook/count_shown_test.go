package webhook

import "testing"

func TestCountsThatAreNotComplete(t *testing.T) {
	for n, want := range map[int64]string{0: "0", MostCounted - 1: "9999", MostCounted: "10000 or more"} {
		if got := Counted(n); got != want {
			t.Errorf("%d that wait are shown as %q, want %q", n, got, want)
		}
	}
}
