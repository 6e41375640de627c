package truth_test

import (
	"math/rand/v2"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"recoup/internal/accuracy/truth"
)

// histories are some that honest customers have.
func histories(n int) (list []*truth.History) {
	for i := range n {
		list = append(list, truth.Honest(rand.New(rand.NewPCG(3, uint64(i)))))
	}
	return list
}

// However refunds are delivered, they are of what was returned, neither more nor less.
func TestRefundsAreOfWhatWasReturned(t *testing.T) {
	for _, d := range truth.Distortions() {
		for seed, h := range histories(100) {
			want, got := make(map[int]int64), make(map[int]int64)
			for _, r := range h.Returns {
				want[r.Purchase] += r.Amount
			}
			ids := make(map[string]bool)
			refunds := d.Deliver(h, uint64(seed))
			for _, f := range refunds {
				var sum int64
				for _, s := range f.Of {
					got[s.Purchase] += s.Amount
					sum += s.Amount
				}
				if sum != f.Amount || sum <= 0 || ids[f.ID] {
					t.Fatalf("%s: refund %+v", d.Name, f)
				}
				ids[f.ID] = true
			}
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("%s: returned were %v, the refunds are of %v", d.Name, want, got)
			}
			if !reflect.DeepEqual(refunds, d.Deliver(h, uint64(seed))) {
				t.Fatalf("%s: the same seed delivers something else", d.Name)
			}
		}
	}
}

// What a distortion that is marked true says is true of every purchase that it is of,
// and lies where refunds are looked up; one that is not marked lies at times.
func TestTrueDataAreTrue(t *testing.T) {
	for _, d := range truth.Distortions() {
		lies := 0
		for seed, h := range histories(100) {
			for _, f := range d.Deliver(h, uint64(seed)) {
				if lie := lieOf(h, &f); lie != "" {
					if lies++; d.True {
						t.Fatalf("%s: refund %+v %s", d.Name, f, lie)
					}
				}
			}
		}
		if !d.True && lies == 0 {
			t.Errorf("%s: never lies", d.Name)
		}
	}
}

// lieOf tells what of a refund is not true.
func lieOf(h *truth.History, f *truth.Refund) string {
	for _, s := range f.Of {
		for _, p := range h.Purchases {
			if p.Number != s.Purchase {
				if f.Link == "t"+strconv.Itoa(p.Number) {
					return "names another purchase"
				}
				continue
			}
			switch since := f.At.Sub(p.At); {
			case f.Merchant != "" && f.Merchant != p.Merchant:
				return "names another merchant"
			case f.Category != "" && f.Category != p.Kind.Category, f.MCC != "" && f.MCC != p.Kind.MCC:
				return "names another kind"
			case since < -10*24*time.Hour || since > 400*24*time.Hour:
				return "is out of the window"
			case f.Link != "" && f.Link != "t"+strconv.Itoa(p.Number) && !strings.HasPrefix(f.Link, "lost-"):
				return "names another purchase"
			}
		}
	}
	return ""
}
