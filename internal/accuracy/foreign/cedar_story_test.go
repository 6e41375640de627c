package foreign

import (
	"fmt"
	"testing"
	"time"

	"recoup/internal/issuer"
)

// cedarRowsOf plays a story and gives its rows in short.
func cedarRowsOf(t *testing.T, d Design, end string, story ...any) (rows []string) {
	t.Helper()
	e := d.New()
	cedarDo(t, e.SetClock(cedarDay(t, "2025-01-01")), e.Open(cedarName))
	for _, s := range story {
		switch s := s.(type) {
		case string:
			cedarDo(t, e.SetClock(cedarDay(t, s)))
		case issuer.Settlement:
			s.Account = cedarName
			cedarDo(t, e.Settle(s))
		case issuer.Refund:
			s.Account = cedarName
			cedarDo(t, e.Refund(s), e.Refund(s))
		}
	}
	cedarDo(t, e.SetClock(cedarDay(t, end)))
	for _, p := range e.Postings(cedarName) {
		rows = append(rows, fmt.Sprint(p.At.UTC().Format("01-02"), " ", p.Kind, " ", p.Amount, " ", p.Transaction, " ", p.Refund))
	}
	return rows
}

func cedarDay(t *testing.T, day string) time.Time {
	at, err := time.Parse(time.DateOnly, day)
	cedarDo(t, err)
	return at.Add(12 * time.Hour)
}

// TestCedarStories: what the rows of each look like.
func TestCedarStories(t *testing.T) {
	a := issuer.Settlement{Transaction: "a", Amount: 40000, Category: "GROCERY"}
	b := issuer.Settlement{Transaction: "b", Amount: 20000, Category: "TRAVEL"}
	dinner := b
	dinner.Category = "DINING"
	half := issuer.Refund{Refund: "r", Transaction: "a", Amount: 20000}
	lost := issuer.Refund{Refund: "u", Amount: 10000}
	found := lost
	found.Transaction = "b"
	for _, c := range []struct {
		d    Design
		end  string
		tale []any
		rows []string
	}{
		{cedarRebook, "2025-03-01", []any{"2025-01-06", a, b, "2025-01-20", half, lost, "2025-02-03", found}, []string{
			"01-15 earned 900 a ", "01-15 earned 200 b ",
			"01-20 reversed -900 a ", "01-20 reversed -200 b ", "01-20 earned 600 a ", "01-20 earned 200 b ",
			"01-20 adjusted -301  ",
			"02-03 reversed -600 a ", "02-03 reversed -200 b ", "02-03 earned 600 a ", "02-03 earned 100 b ",
			"02-03 adjusted 301  "}},
		{cedarEscrow, "2025-06-02", []any{"2025-01-06", a, b, "2025-02-10", half, lost, "2025-02-20", found}, []string{
			"02-05 earned 320 a ", "02-05 earned 80 b ",
			"03-01 adjusted -160 a ", "03-01 adjusted -40 b ", "04-06 earned 240 a ", "04-06 earned 60 b "}},
		{cedarCheque, "2025-07-01", []any{"2025-01-06", a, b, "2025-02-10", lost, "2025-04-25", half, found}, []string{
			"02-05 earned 900  ", "02-15 adjusted -441  ", "04-20 earned 900  ",
			"05-05 adjusted -459  ", "05-15 paid -900  "}},
		{cedarLots, "2026-03-01", []any{"2025-01-06", a, "2025-01-07", dinner, "2025-01-20", half, lost, "2025-02-20", found}, []string{
			"01-11 earned 400 a ", "01-12 earned 400 b ",
			"01-20 reversed -400 a r", "01-20 earned 200 a ", "01-20 reversed -300  u", "01-30 adjusted 97  ",
			"02-20 reversed -400 b u", "02-20 earned 200 b ", "02-20 adjusted 203  u", "01-31 adjusted -400  "}},
		{cedarLedger, "2025-05-01", []any{"2025-01-06", a, b, "2025-01-20", half, lost, "2025-02-20", found}, []string{
			"01-11 earned 1600  ", "02-11 reversed -901  ", "03-11 earned 101  "}},
	} {
		if got := cedarRowsOf(t, c.d, c.end, c.tale...); fmt.Sprintf("%q", got) != fmt.Sprintf("%q", c.rows) {
			t.Errorf("%s:\n%q\nnot\n%q", c.d.Name, got, c.rows)
		}
	}
}

// TestCedarRefusals: what is not sure cannot be redeemed, nor nothing, nor twice.
func TestCedarRefusals(t *testing.T) {
	for _, d := range cedarDesigns {
		e := d.New()
		cedarDo(t, e.SetClock(cedarStart), e.Open(cedarName))
		cedarDo(t, e.Settle(issuer.Settlement{Account: cedarName, Transaction: "a", Amount: 50000, Category: "ONLINE"}))
		if b := cedarBalance(t, e); b.Redeemable != 0 {
			t.Errorf("%s: %v at once", d.Name, b)
		}
		cedarDo(t, e.SetClock(cedarStart.AddDate(0, 4, 0)))
		sure := cedarBalance(t, e).Redeemable
		for i, amount := range []int64{sure + 1, 0, -5} {
			if ok, err := e.Redeem(issuer.Redemption{Account: cedarName, Redemption: fmt.Sprint("no", i), Amount: amount}); ok || err != nil {
				t.Errorf("%s: redeems %d of %d", d.Name, amount, sure)
			}
		}
		cedarDo(t, e.Refund(issuer.Refund{Account: cedarName, Refund: "r", Transaction: "a", Amount: 50000}))
		if b := cedarBalance(t, e); b.Redeemable != 0 || sure == 0 && d.Name != cedarCheque.Name {
			t.Errorf("%s: was %d, after the return %v", d.Name, sure, b)
		}
		if e.Settle(issuer.Settlement{Account: "bob", Transaction: "a", Amount: 1}) == nil || e.SetClock(cedarStart) == nil {
			t.Errorf("%s: unknown account, or the clock goes back", d.Name)
		}
	}
}

// TestCedarEarly: a refund that is there before its purchase, a chargeback after it, and a
// late clearing of two months leave what was kept.
func TestCedarEarly(t *testing.T) {
	for _, d := range cedarDesigns {
		h := cedarHistory{truth: map[int]string{1: "a", 3: "a"}, facts: []cedarFact{
			{settle: &issuer.Settlement{Transaction: "b", Amount: 30000, Category: "TRAVEL"}},
			{refund: &issuer.Refund{Refund: "r", Transaction: "a", Amount: 12000}},
			{settle: &issuer.Settlement{Transaction: "a", Amount: 50000, Category: "GROCERY"}},
			{charge: &issuer.Chargeback{Chargeback: "c", Transaction: "a", Amount: 9000}},
		}}
		for i := range h.facts {
			f := &h.facts[i]
			f.deliver = cedarStart.AddDate(0, 2*i, 1)
			switch {
			case f.settle != nil:
				f.settle.Account, f.settle.At = cedarName, cedarStart.AddDate(0, 0, 1)
			case f.refund != nil:
				f.refund.Account = cedarName
			case f.charge != nil:
				f.charge.Account = cedarName
			}
		}
		for n := 1; n <= len(h.facts); n++ {
			end := h.facts[n-1].deliver.AddDate(0, 5, 0)
			real, uses := cedarPlay(t, d, h, n, end)
			got, want := cedarNet(t, real), cedarNet(t, cedarNever(t, d, h, n, end, uses))
			if got > want || n != 2 && got != want {
				t.Errorf("%s after %d: %d, never bought %d", d.Name, n, got, want)
			}
		}
	}
}
