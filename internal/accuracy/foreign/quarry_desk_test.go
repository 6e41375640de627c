package foreign

import (
	"math/rand"
	"reflect"
	"testing"
	"time"

	"recoup/internal/issuer"
)

// Everything delivered twice makes no other rows, in all designs.
func TestQuarryTwice(t *testing.T) {
	for _, d := range quarryDesigns {
		moves, _ := quarryHistory(rand.New(rand.NewSource(7)), quarryCategories, 10)
		var twice []quarryMove
		for _, m := range moves {
			twice = append(twice, m)
			if m.settle != nil || m.refund != nil || m.dispute != nil {
				twice = append(twice, m)
			}
		}
		once := quarryRun(t, d, moves)
		if !reflect.DeepEqual(once.e.Postings("a"), quarryRun(t, d, twice).e.Postings("a")) {
			t.Errorf("%s: a second delivery has an effect", d.Name)
		}
		if !reflect.DeepEqual(once.e.Postings("a"), quarryRun(t, d, moves).e.Postings("a")) {
			t.Errorf("%s: two runs differ", d.Name)
		}
	}
}

// A clock that jumps books what was due in between when it was due.
func TestQuarryJump(t *testing.T) {
	p := newQuarryPlay(t, quarryQuarter, quarryDay(1, 5))
	p.buy("t1", 400000, "")
	p.clock(quarryDay(12, 1))
	want := []Posting{
		{At: time.Date(2025, 1, 31, 23, 0, 0, 0, time.UTC), Kind: Earned, Amount: 1250, Note: "cashback January 2025"},
		{At: time.Date(2025, 4, 14, 22, 0, 0, 0, time.UTC), Kind: Paid, Amount: -1250, Note: "payout quarter 1"},
	}
	got := p.e.Postings("a")
	for i := range got {
		got[i].At = got[i].At.UTC()
	}
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("%+v", got)
	}
}

// What no program may do: pay nothing or less, know strangers.
func TestQuarryRefuses(t *testing.T) {
	for _, d := range quarryDesigns {
		p := newQuarryPlay(t, d, quarryDay(1, 1))
		if p.redeem(0) || p.redeem(-5) || p.redeem(1) {
			t.Errorf("%s pays out of nothing", d.Name)
		}
		if p.e.Settle(issuer.Settlement{Account: "b", Transaction: "t", Amount: 1}) == nil || p.e.CloseStatement("b") == nil {
			t.Errorf("%s knows strangers", d.Name)
		}
	}
}

// What a return takes is not paid out before the batch has seen it.
func TestQuarryNightlyHolds(t *testing.T) {
	p := newQuarryPlay(t, quarryNightly, quarryDay(1, 1))
	p.buy("t1", 200000, "")
	p.want(0, 0, 0)
	p.clock(quarryDay(1, 2))
	p.want(2000, 2000, 2000)
	p.refund("t1", 150000)
	p.want(2000, 500, 2000)
	p.clock(quarryDay(1, 3))
	p.want(500, 500, 500)
	p.redeem(500)
	p.refund("t1", 150000) // above the price
	p.clock(quarryDay(1, 4))
	p.want(-500, 0, 0)
}

// A year's bonus goes with the spend that it was for, and the refund's row says so.
func TestQuarryStreamTakesMilestone(t *testing.T) {
	p := newQuarryPlay(t, quarryStream, quarryDay(1, 1))
	p.buy("t1", 500000, "")
	p.redeem(6000)
	p.refund("t1", 100)
	p.want(-1001, 0, 4999)
	if rows := p.e.Postings("a"); rows[1].Refund != "r2" || rows[1].Transaction != "" || rows[1].Amount != -1001 {
		t.Fatalf("%+v", rows)
	}
}
