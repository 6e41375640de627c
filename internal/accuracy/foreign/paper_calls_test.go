package foreign

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"recoup/internal/issuer"
)

// TestPaperCalls tries what cannot be done, and what has to be refused.
func TestPaperCalls(t *testing.T) {
	names := map[string]bool{}
	for _, d := range paperDesigns {
		if names[d.Name] || d.Source == "" || d.Published == "" || d.How == "" || d.Currency == "" || (d.Leak == "") != (d.Class == "robust") {
			t.Errorf("%s: incomplete or twice", d.Name)
		}
		names[d.Name] = true
		p := paperStart(t, d, paperDayOne)
		e := p.e
		if e.Open("a") == nil || e.Settle(issuer.Settlement{Account: "b", Transaction: "t", Amount: 1}) == nil ||
			e.Refund(issuer.Refund{Account: "b", Refund: "r", Amount: 1}) == nil || e.CloseStatement("b") == nil ||
			e.Chargeback(issuer.Chargeback{Account: "b", Chargeback: "c", Transaction: "t"}) == nil {
			t.Errorf("%s: no error for an unknown account", d.Name)
		}
		if _, err := e.Balance("b"); err == nil || e.Postings("b") != nil {
			t.Errorf("%s: an unknown account has a balance", d.Name)
		}
		p.settle("z", 0, "GROCERY", "m-1")
		p.settle("y", -100000, "GROCERY", "m-1")
		p.must(e.SetClock(paperDayOne.AddDate(0, -5, 0)))
		p.settle("x", 100000, "GROCERY", "m-1")
		for i := range 3 {
			for _, n := range []int64{0, -1, -5000, p.bal().Redeemable + 1} {
				if ok, err := e.Redeem(issuer.Redemption{Account: "a", Redemption: fmt.Sprint("no", i, n), Amount: n}); ok || err != nil {
					t.Errorf("%s: redeemed %d: %v", d.Name, n, err)
				}
			}
			p.pass(40)
		}
		// Many months at once; nothing that had been dated before comes after.
		p.now = p.now.AddDate(3, 0, 0)
		p.must(e.SetClock(p.now))
		p.check()
		posts := e.Postings("a")
		for i := 1; i < len(posts); i++ {
			if posts[i].At.Before(posts[i-1].At) {
				t.Errorf("%s: postings out of order", d.Name)
			}
		}
		if len(posts) > 0 { // what is handed out is a copy
			posts[0].Amount++
			p.check()
		}
	}
}

// TestPaperOptional plays what not every engine can.
func TestPaperOptional(t *testing.T) {
	for _, name := range []string{"paper-journal-by-share", "paper-net-tide"} {
		p := paperStart(t, paperNamed(t, name), paperDayOne)
		p.buy(20000, "GROCERY")
		id := p.buy(10000, "GROCERY")
		p.pass(30)
		full := p.total()
		r := p.refund(id, 10000)
		p.pass(31)
		if got := p.total(); got != full*2/3 {
			t.Errorf("%s: %d", name, got)
		}
		u := p.e.(issuer.Undoer)
		for range 2 {
			p.must(u.ReverseRefund("a", r))
		}
		p.pass(31)
		if got := p.total(); got != full {
			t.Errorf("%s: bounced: %d, not %d", name, got, full)
		}
		if u.ReverseRefund("a", "never") == nil {
			t.Errorf("%s: took back what never was", name)
		}
		p.must(p.e.(issuer.Withdrawer).Withdraw("a", id))
		p.must(p.e.(issuer.Withdrawer).Withdraw("a", id))
		p.must(p.e.Chargeback(issuer.Chargeback{Account: "a", Chargeback: "c", Transaction: p.buys[0].id}))
		p.pass(31)
		if got := p.total(); got != 0 {
			t.Errorf("%s: all gone: %d", name, got)
		}
		p.must(u.ReverseChargeback("a", "c"))
		p.pass(31)
		if got := p.total(); got != full*2/3 {
			t.Errorf("%s: lost dispute: %d", name, got)
		}
	}
	// A nameless return takes the bounced one's place when that one is undone.
	p := paperStart(t, paperNamed(t, "paper-journal-by-share"), paperDayOne)
	id := p.buy(10000, "GROCERY")
	p.must(p.e.Refund(issuer.Refund{Account: "a", Refund: "n1", Amount: 10000}))
	p.must(p.e.Refund(issuer.Refund{Account: "a", Refund: "n2", Transaction: id, Amount: 10000}))
	p.must(p.e.(issuer.Undoer).ReverseRefund("a", "n1"))
	if got := p.total(); got != 0 {
		t.Errorf("undone: %d", got)
	}
	// Folding the journal again gives the same books.
	a := p.e.(*paperJournal).byName["a"]
	b := &paperJournalAcct{}
	for _, ev := range a.events {
		b.fold(ev)
	}
	if !slices.Equal(a.entries, b.entries) {
		t.Error("the journal folds differently")
	}
	// Closing with a debt, without, and a return after closing.
	p = paperStart(t, paperNamed(t, "paper-debt-outlives-account"), paperDayOne)
	id = p.buy(100000, "GROCERY")
	p.redeemAll()
	p.refund(id, 50000)
	c := p.e.(issuer.Closer)
	if ok, _ := c.CloseAccount("a"); ok {
		t.Error("closed with a debt")
	}
	id = p.buy(60000, "GROCERY")
	if ok, _ := c.CloseAccount("a"); !ok || p.paid() != 100 {
		t.Error("not closed, or", p.paid())
	}
	p.buy(100000, "TRAVEL") // earns nothing
	p.refund(id, 60000)
	p.must(p.e.Open("a"))
	if b := p.bal(); b.Balance != -600 {
		t.Error("the debt is gone:", b)
	}
}

// TestPaperPace makes 100,000 calls on one account of each engine.
func TestPaperPace(t *testing.T) {
	if !long() {
		t.Skip("what takes long on a busy machine says nothing: set RECOUP_LONG=1")
	}
	for _, d := range paperDesigns {
		e := d.New()
		now, began := paperDayOne, time.Now()
		_, _ = e.SetClock(now), e.Open("a")
		for i := range 25000 {
			now = now.Add(10 * time.Minute)
			_ = e.SetClock(now)
			_ = e.Settle(issuer.Settlement{Account: "a", Transaction: fmt.Sprint(i), Amount: int64(i%9000) + 1, Category: []string{"GROCERY", "FUEL", "OTHER"}[i%3], Merchant: fmt.Sprint("m-", i%9)})
			r := issuer.Refund{Account: "a", Refund: fmt.Sprint(i), Amount: int64(i%700) + 1, Merchant: fmt.Sprint("m-", i%7)}
			if i%2 == 0 {
				r.Transaction = fmt.Sprint(i * 2 / 3)
			}
			_ = e.Refund(r)
			b, _ := e.Balance("a")
			_, _ = e.Redeem(issuer.Redemption{Account: "a", Redemption: fmt.Sprint(i), Amount: b.Redeemable})
		}
		if s := time.Since(began); s > 20*time.Second {
			t.Errorf("%s: %v for 100,000 calls", d.Name, s)
		} else {
			t.Logf("%s: %v", d.Name, s)
		}
	}
}

// TestPaperCaps fills the caps of the designs that have one, in two months.
func TestPaperCaps(t *testing.T) {
	for _, c := range []struct {
		name, category string
		first, second  int64 // after the first month's purchases, and the second's
	}{
		{"paper-month-recompute", "GROCERY", 3200 + 2200, 2 * 5400},
		{"paper-cycle-replay", "GROCERY", 3000 + 2400, 2 * 5400},
		{"paper-debit-deaf", "GROCERY", 5000, 6500}, // February features DINING
		{"paper-guard-rejects", "GROCERY", 2500, 5000},
		{"paper-guard-rejects", "TRAVEL", 3000, 6000},
		{"paper-cap-refill", "ONLINE", 3000, 6000},
	} {
		p := paperStart(t, paperNamed(t, c.name), time.Date(2025, 1, 10, 0, 0, 0, 0, time.UTC))
		for _, want := range []int64{c.first, c.second} {
			for _, n := range []int64{40000, 1, 259999} {
				p.buy(n, c.category)
			}
			p.pass(31)
			if got := p.total(); got > want || got < want-2 { // less what is rounded down
				t.Errorf("%s %s: %d, not %d", c.name, c.category, got, want)
			}
		}
	}
	// Above the cap nothing is earned, and a purchase that moves up is rated again.
	p := paperStart(t, paperNamed(t, "paper-cycle-replay"), time.Date(2025, 1, 10, 0, 0, 0, 0, time.UTC))
	id := p.buy(60000, "FUEL")
	p.buy(60000, "DINING")
	p.pass(31)
	if got := p.total(); got != 3600 {
		t.Errorf("before the return: %d", got)
	}
	p.refund(id, 60000)
	if got := p.total(); got != 3000 {
		t.Errorf("after the return: %d", got)
	}
}

// TestPaperIDs sends a refund under an id that another purchase's refund has had, and
// calls engines whose clock was never set.
func TestPaperIDs(t *testing.T) {
	for _, d := range paperDesigns {
		p := paperStart(t, d, paperDayOne)
		x, y := p.buy(30000, "FUEL"), p.buy(30000, "FUEL")
		for _, txn := range []string{x, y, x, y} {
			p.send("same", txn, 30000)
		}
		p.pass(70)
		if got := p.total(); got != 0 && d.Class != "V1" {
			t.Errorf("%s: %d kept", d.Name, got)
		}
		e := d.New()
		p = &paperPlay{t: t, d: d, e: e, byID: map[string]*paperFact{}, early: map[string]int64{}}
		p.must(e.Open("a"))
		z := p.buy(30000, "FUEL")
		p.must(e.CloseStatement("a"))
		p.now = paperDayOne
		p.must(e.SetClock(p.now))
		p.pass(20)
		p.refund(z, 10000)
		p.pass(70)
	}
}
