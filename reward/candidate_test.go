package reward_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"recoup/reward"
)

// twoRules earns 5 % on groceries and 1 % on all else.
func twoRules() *reward.Program {
	p := flat("p", 1)
	p.Refunds.WindowDays, p.Refunds.MatchDays = 60, 10
	p.Rules = append([]reward.Rule{{ID: "grocery", Match: reward.Match{Categories: []string{"GROCERY"}}, Rate: reward.MaxRate / 20, Cap: reward.NoCap}}, p.Rules...)
	return p
}

// shop is a purchase at a merchant, under a category if one is given.
func shop(id string, amount int64, merchant, category string) reward.Event {
	return reward.Event{Type: reward.TransactionSettled, Transaction: id, Amount: amount, Merchant: merchant, Category: category}
}

func refundOf(id string, amount int64, merchant, category string) reward.Event {
	return reward.Event{Type: reward.RefundPosted, Fact: id, Amount: amount, Merchant: merchant, Category: category}
}

// listed renders candidates in order, with what is left and what speaks for them.
func listed(list []reward.Candidate) string {
	var b strings.Builder
	for _, c := range list {
		fmt.Fprintf(&b, "%s %d/%d", c.Transaction, c.Left, c.Amount)
		for _, x := range []struct {
			holds bool
			name  string
		}{{c.SameMerchant, "merchant"}, {c.SameKind, "kind"}, {c.Exact, "exact"}, {c.Covers, "covers"}, {!c.InWindow, "outside"}} {
			if x.holds {
				b.WriteString(" " + x.name)
			}
		}
		if c.Placed != 0 {
			fmt.Fprintf(&b, " placed %d", c.Placed)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func TestCandidatesComeAsAPersonWouldLookAtThem(t *testing.T) {
	type delivery struct {
		day int
		e   reward.Event
	}
	link := func(refund, to string) reward.Event {
		return reward.Event{Type: reward.RefundLinked, Fact: refund, Transaction: to, Reason: "a receipt", Actor: "ann"}
	}
	linked := func(id, to string, amount int64) reward.Event {
		e := refundOf(id, amount, "m1", "GROCERY")
		e.Transaction = to
		return e
	}
	for _, c := range []struct {
		name   string
		events []delivery
		limit  int
		want   string
	}{
		{"its merchant, then its kind, then the rest", []delivery{
			{1, shop("elsewhere", 5_000, "m3", "")},
			{2, shop("rule", 5_000, "m2", "GROCERY")},
			{3, shop("merchant", 4_000, "m1", "")},
			{5, refundOf("r1", 5_000, "m1", "GROCERY")},
		}, 9, "merchant 4000/4000 merchant placed 4000\nrule 5000/5000 kind exact covers placed 1000\nelsewhere 5000/5000 exact covers\n"},
		{"an exact fit, then what covers it, then the latest", []delivery{
			{1, shop("exact", 3_000, "m1", "GROCERY")},
			{2, shop("small late", 2_000, "m1", "GROCERY")},
			{2, shop("covers early", 8_000, "m1", "GROCERY")},
			{3, shop("covers late", 9_000, "m1", "GROCERY")},
			{5, refundOf("r1", 3_000, "m1", "GROCERY")},
		}, 9, "exact 3000/3000 merchant kind exact covers placed 3000\ncovers late 9000/9000 merchant kind covers\ncovers early 8000/8000 merchant kind covers\nsmall late 2000/2000 merchant kind\n"},
		{"at its merchant the kind decides, not the date", []delivery{
			{1, shop("grocery", 10_000, "m1", "GROCERY")},
			{2, shop("fuel", 10_000, "m1", "")},
			{5, refundOf("r1", 10_000, "m1", "GROCERY")},
		}, 9, "grocery 10000/10000 merchant kind exact covers placed 10000\nfuel 10000/10000 merchant exact covers\n"},
		{"at its merchant the kind comes before a fit", []delivery{
			{1, shop("rule", 3_000, "m1", "GROCERY")},
			{1, shop("fit", 10_000, "m1", "")},
			{5, refundOf("r1", 10_000, "m1", "GROCERY")},
		}, 9, "rule 3000/3000 merchant kind placed 3000\nfit 10000/10000 merchant exact covers placed 7000\n"},
		{"worth has no say", []delivery{
			{1, shop("dear", 10_000, "m1", "GROCERY")},
			{2, shop("cheap", 10_000, "m1", "")},
			{5, refundOf("r1", 10_000, "m1", "")},
		}, 9, "cheap 10000/10000 merchant exact covers\ndear 10000/10000 merchant exact covers placed 10000\n"},
		{"a refund that names nothing is of any purchase without a merchant in common", []delivery{
			{1, shop("t1", 10_000, "", "")},
			{2, shop("t2", 10_000, "m1", "")},
			{5, refundOf("r1", 10_000, "", "")},
		}, 9, "t2 10000/10000 exact covers placed 10000\nt1 10000/10000 exact covers\n"},
		{"a guess about another refund takes what is left, but may be wrong", []delivery{
			{1, shop("t1", 10_000, "m1", "")},
			{2, shop("t2", 10_000, "m1", "")},
			{5, refundOf("r1", 10_000, "m1", "")},
			{6, refundOf("r2", 6_000, "m1", "")},
		}, 9, "t2 10000/10000 merchant exact covers placed 10000\nt1 4000/10000 merchant\n"},
		{"what linked facts take whole is none", []delivery{
			{1, shop("t1", 10_000, "m1", "")},
			{2, shop("t2", 10_000, "m1", "")},
			{3, linked("r2", "t1", 10_000)},
			{3, reward.Event{Type: reward.ChargebackPosted, Fact: "c1", Transaction: "t2", Amount: 4_000}},
			{5, refundOf("r1", 6_000, "m1", "")},
		}, 9, "t2 6000/10000 merchant exact covers placed 6000\n"},
		{"a parked refund, of a purchase that has not come", []delivery{
			{1, shop("t1", 10_000, "m1", "GROCERY")},
			{5, linked("r1", "t9", 10_000)},
		}, 9, "t1 10000/10000 merchant kind exact covers\n"},
		{"a linked refund, where it lies and elsewhere", []delivery{
			{1, shop("t1", 6_000, "m1", "GROCERY")},
			{2, shop("t2", 4_000, "m1", "GROCERY")},
			{5, linked("r1", "t1", 10_000)},
		}, 9, "t2 0/4000 merchant kind\nt1 6000/6000 merchant kind placed 10000\n"},
		{"one linked by hand", []delivery{
			{1, shop("t1", 10_000, "m1", "")},
			{2, shop("t2", 10_000, "m1", "")},
			{5, refundOf("r1", 4_000, "m1", "")},
			{6, link("r1", "t1")},
		}, 9, "t2 10000/10000 merchant covers\nt1 10000/10000 merchant covers placed 4000\n"},
		{"one that is firm, of which a part gave way", []delivery{
			{1, shop("t1", 10_000, "m1", "")},
			{5, refundOf("r1", 10_000, "m1", "")},
			{240, reward.Event{Type: reward.CycleClosed}},
			{241, linked("r2", "t1", 4_000)},
		}, 9, "t1 6000/10000 merchant placed 6000\n"},
		{"a purchase after the refund, and those beyond the window at the end", []delivery{
			{-30, shop("far too early", 5_000, "m1", "")},
			{1, shop("long before", 5_000, "m1", "")},
			{60, shop("before", 5_000, "m2", "")},
			{105, shop("after", 5_000, "m2", "")},
			{112, shop("long after", 5_000, "m1", "")},
			{130, shop("far too late", 5_000, "m1", "")},
			{100, refundOf("r1", 5_000, "m1", "")},
		}, 9, "after 5000/5000 exact covers placed 5000\nbefore 5000/5000 exact covers\n" +
			"long after 5000/5000 merchant exact covers outside\nlong before 5000/5000 merchant exact covers outside\n"},
		{"no more than asked for, the first of all", []delivery{
			{1, shop("t1", 10_000, "m1", "")},
			{2, shop("t2", 10_000, "m2", "")},
			{3, shop("t3", 10_000, "m1", "")},
			{5, refundOf("r1", 4_000, "m1", "")},
		}, 2, "t3 10000/10000 merchant covers placed 4000\nt1 10000/10000 merchant covers\n"},
		{"none asked for", []delivery{{1, shop("t1", 10_000, "m1", "")}, {5, refundOf("r1", 4_000, "m1", "")}}, 0, ""},
		{"none below none", []delivery{{1, shop("t1", 10_000, "m1", "")}, {5, refundOf("r1", 4_000, "m1", "")}}, -1, ""},
		{"a refund that is not known", []delivery{{1, shop("t1", 10_000, "m1", "")}}, 9, ""},
		{"one that was undone", []delivery{
			{1, shop("t1", 10_000, "m1", "")},
			{5, refundOf("r1", 4_000, "m1", "")},
			{6, reward.Event{Type: reward.RefundReversed, Fact: "r1"}},
		}, 9, ""},
		{"one that is only announced", []delivery{
			{1, shop("t1", 10_000, "m1", "")},
			{5, reward.Event{Type: reward.RefundPending, Fact: "r1", Transaction: "t1", Amount: 4_000}},
		}, 9, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			card := newCard(t, twoRules())
			for _, d := range c.events {
				if r := card.tell(d.day, d.e); r.Outcome == reward.Rejected {
					t.Fatalf("%v of day %d is %v", d.e.Type, d.day, r)
				}
			}
			if got := listed(card.Candidates("r1", c.limit)); got != c.want {
				t.Errorf("candidates:\n%swant\n%s", got, c.want)
			}
		})
	}
}

func TestACandidateHasThePurchaseInIt(t *testing.T) {
	c := newCard(t, twoRules())
	c.tell(1, shop("t1", 10_000, "m1", "GROCERY"))
	c.tell(5, refundOf("r1", 4_000, "m2", ""))
	want := reward.Candidate{
		Transaction: "t1", Amount: 10_000, Left: 10_000, Settled: reward.At(time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)),
		Merchant: "m1", Category: "GROCERY", SpendKind: "GROCERY", Rule: "grocery", Retained: 300, Placed: 4_000, Covers: true, InWindow: true,
	}
	if got := c.Candidates("r1", 5); len(got) != 1 || got[0] != want {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestWhatIsKnownOfARefund(t *testing.T) {
	c := newCard(t, twoRules())
	day := func(d int) reward.Instant { return reward.At(time.Date(2026, 1, d, 12, 0, 0, 0, time.UTC)) }
	expect := func(what string, want reward.RefundDetail) {
		t.Helper()
		want.Kind, want.ID = reward.RefundPart, "r1"
		if got, ok := c.Refund("r1"); !ok || !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\ngot  %+v\nwant %+v", what, got, want)
		}
	}
	if _, ok := c.Refund("r1"); ok {
		t.Error("a refund is known that nobody told of")
	}
	c.tell(1, shop("t1", 3_000, "m1", "GROCERY"))
	c.tell(4, shop("t2", 1_000, "m1", "GROCERY"))
	c.tell(3, reward.Event{Type: reward.RefundPending, Fact: "r1", Transaction: "t3", Amount: 2_000})
	expect("announced", reward.RefundDetail{Reversal: reward.Reversal{Amount: 2_000, Linked: true, Status: reward.ReversalPending, At: day(4)}, Transaction: "t3", Arrived: day(4)})

	posted := refundOf("r1", 5_000, "m1", "GROCERY")
	c.tell(2, posted)
	want := reward.RefundDetail{
		Reversal: reward.Reversal{Amount: 5_000, Linked: true, Status: reward.ReversalPosted, At: day(2)}, Rest: 5_000, Transaction: "t3", Merchant: "m1", Category: "GROCERY", SpendKind: "GROCERY", Arrived: day(4),
	}
	expect("posted, and waiting for its purchase", want)

	c.tell(70, reward.Event{Type: reward.CycleClosed})
	want.Linked, want.Placed, want.Rest = false, 4_000, 1_000
	expect("placed in part", want)

	posted.Amount = 6_000
	c.tell(71, posted)
	want.Refused = []reward.Refused{{Code: reward.RefundConflict, Amount: 6_000, At: day(71), Arrived: day(71), Merchant: "m1", Countable: true}}
	expect("contested", want)

	c.tell(240, reward.Event{Type: reward.CycleClosed})
	want.Firm = true
	expect("firm", want)

	c.tell(241, reward.Event{Type: reward.RefundLinked, Fact: "r1", Transaction: "t1", Reason: "a receipt", Actor: "ann"})
	want.Firm, want.Linked, want.Placed, want.Rest, want.Transaction = false, true, 5_000, 0, "t1"
	expect("linked by hand, all of it", want)

	c.tell(242, reward.Event{Type: reward.RefundReversed, Fact: "r1"})
	want.Status, want.Placed = reward.ReversalReversed, 0
	expect("undone", want)
}

// TestCandidatesFollowFromTheFacts: whatever happened, candidates of every refund
// are in order, have room, add up to what of the refund is placed, and are the
// same from a shelf; asking changes nothing.
func TestCandidatesFollowFromTheFacts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		program := drawProgram(t)
		accounts := make(map[string]*reward.Account)
		shelves := make(map[string]*cupboard)
		refunds := make(map[string][]string)
		for _, e := range withResolutions(t, drawTrace(t, program, 60)) {
			if accounts[e.Account] == nil {
				shelves[e.Account] = &cupboard{parts: make(map[place]reward.Part)}
				accounts[e.Account] = shelves[e.Account].open(t, e.Account, program)
			}
			accounts[e.Account].Apply(&e, nil)
			if e.Type == reward.RefundPosted && !slices.Contains(refunds[e.Account], e.Fact) {
				refunds[e.Account] = append(refunds[e.Account], e.Fact)
			}
		}
		for id, a := range accounts {
			if !a.Exists() {
				continue
			}
			shelves[id].put(a)
			before := fmt.Sprintf("%+v", a.State())
			for _, refund := range refunds[id] {
				all := a.Candidates(refund, 1<<20)
				fromShelf := shelves[id].open(t, id, program)
				if again := fromShelf.Candidates(refund, 1<<20); !slices.Equal(again, all) {
					t.Fatalf("refund %s: from the shelf\n%+v\nat hand\n%+v", refund, again, all)
				}
				fromShelf.Changes(func(p reward.Part) { t.Fatalf("asking for candidates changed %v %s", p.Kind, p.ID) })
				checkCandidates(t, a, refund, all)
				if limit := rapid.IntRange(1, 4).Draw(t, "limit"); !slices.Equal(a.Candidates(refund, limit), firstOf(all, limit)) {
					// With a limit that the window fills, what lies beyond it is not read.
					t.Fatalf("refund %s: the first %d are\n%+v\nof\n%+v", refund, limit, a.Candidates(refund, limit), all)
				}
			}
			if after := fmt.Sprintf("%+v", a.State()); after != before {
				t.Fatalf("asking changed the account from\n%s\nto\n%s", before, after)
			}
		}
	})
}

func firstOf(list []reward.Candidate, n int) []reward.Candidate { return list[:min(len(list), n)] }

func checkCandidates(t *rapid.T, a *reward.Account, refund string, list []reward.Candidate) {
	d, ok := a.Refund(refund)
	if !ok {
		if len(list) > 0 {
			t.Fatalf("refund %s is not known and has candidates %+v", refund, list)
		}
		return
	}
	var placed int64
	for i, c := range list {
		on, _ := a.Detail(c.Transaction)
		at := slices.IndexFunc(on.Reversals, func(r reward.Reversal) bool { return r.Kind == reward.RefundPart && r.ID == refund && r.Placed > 0 })
		if at < 0 && c.Placed != 0 || at >= 0 && c.Placed == 0 {
			t.Fatalf("refund %s: placed is %d, the purchase says %+v", refund, c.Placed, on.Reversals)
		}
		if free := c.Left - (on.Amount - on.Reversed); free < 0 || free > c.Placed || c.Left > c.Amount {
			t.Fatalf("refund %s: %+v, of %d the purchase has %d reversed", refund, c, on.Amount, on.Reversed)
		}
		if c.Exact != (c.Left == d.Amount) || c.Covers != (c.Left >= d.Amount) || c.SameKind != (d.SpendKind != "" && c.SpendKind == d.SpendKind) ||
			c.SameMerchant != (d.Merchant != "" && c.Merchant == d.Merchant) {
			t.Fatalf("refund %+v: %+v", d, c)
		}
		if i > 0 && (c.InWindow && !list[i-1].InWindow || c.InWindow == list[i-1].InWindow && c.SameMerchant && !list[i-1].SameMerchant) {
			t.Fatalf("refund %s: %+v after %+v", refund, c, list[i-1])
		}
		placed += c.Placed
	}
	// What lies on a purchase that other facts reverse whole, or that settled
	// outside, is of no candidate; so is what an over-refund has beyond it.
	if placed > d.Placed || d.Status == reward.ReversalReversed && len(list) > 0 {
		t.Fatalf("refund %+v: %d of it lie on candidates %+v", d, placed, list)
	}
}
