package sqlite

import (
	"fmt"
	"testing"

	"recoup/reward"
	"recoup/store/durable"
)

// TestFilter fills the filter as ten million events do. Whatever was added has to
// be found; of what was not, little may be.
func TestFilter(t *testing.T) {
	f := newFilter()
	key := func(kind reward.PartKind, n int) durable.PartKey {
		return durable.PartKey{Account: fmt.Sprint("acct-", n%10_000), Kind: kind, ID: fmt.Sprint("tx-", n)}
	}
	if !f.mayHave(f.hashPart(key(1, 1))) {
		t.Error("before everything has been added, anything may be there")
	}
	f.complete = true
	const n, filled = 200_000, 20_000_000
	for i := range n {
		f.add(f.hashPart(key(1, i)))
	}
	random := uint64(1)
	for range filled - n {
		random = random*6364136223846793005 + 1442695040888963407
		f.add(random ^ random>>29)
	}
	wrong := 0
	for i := range n {
		if !f.mayHave(f.hashPart(key(1, i))) {
			t.Fatalf("%v was added and is not found", key(1, i))
		}
		if f.mayHave(f.hashPart(key(2, i))) {
			wrong++
		}
	}
	if wrong > n/10 || wrong == 0 {
		t.Errorf("%d of %d that were not added seem to be there, want some, but fewer than a tenth", wrong, n)
	}
	t.Logf("%.1f%% that were not added seem to be there", 100*float64(wrong)/n)
}
