package reward_test

import (
	"testing"
	"time"

	"recoup/reward"
)

// card is an account with a program at hand, for stories.
type card struct {
	t *testing.T
	*reward.Account
	journal []reward.Posting
	count   int
}

func newCard(t *testing.T, p *reward.Program) *card {
	return &card{t: t, Account: reward.NewAccount("acct", p)}
}

// tell delivers an event of day d of 2026.
func (c *card) tell(d int, e reward.Event) reward.Result {
	c.t.Helper()
	c.count++
	e.Source, e.ID, e.Account = "core", string(rune('a'+c.count)), "acct"
	e.Time = reward.At(time.Date(2026, 1, d, 12, 0, 0, 0, time.UTC))
	if e.Amount != 0 {
		e.HasAmount, e.Currency = true, "USD"
	}
	var r reward.Result
	r, c.journal = c.Apply(&e, c.journal)
	for _, v := range c.Check() {
		c.t.Error(v)
	}
	return r
}

func (c *card) expect(what string, balance int64) {
	c.t.Helper()
	if got := c.State().Balance; got != balance {
		c.t.Errorf("%s: the balance is %d, want %d", what, got, balance)
	}
}

func flat(id string, percent int64) *reward.Program {
	return &reward.Program{
		ID: id, Version: 1, Currency: "USD",
		Refunds: reward.RefundTerms{PendingDays: 30, MatchDays: 10, ParkDays: 30, WindowDays: 400, FirmDays: 180, Movable: 32},
		Rules:   []reward.Rule{{ID: "all", Rate: reward.Rate(percent) * reward.MaxRate / 100, Cap: reward.NoCap}},
	}
}

func settle(id string, amount int64) reward.Event {
	return reward.Event{Type: reward.TransactionSettled, Transaction: id, Amount: amount, Merchant: "m1"}
}

// A purchase keeps the version of the terms that it was posted under.
func TestPurchasesKeepTheirVersion(t *testing.T) {
	first := flat("p", 5)
	second := flat("p", 1)
	second.Version, second.From, second.Earlier = 2, reward.CycleAt(reward.At(time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC))), first
	c := newCard(t, second)
	c.tell(5, settle("t1", 10_000))
	c.expect("5 % in January", 500)
	c.tell(40, settle("t2", 10_000))
	c.expect("1 % in February", 600)
	c.tell(41, reward.Event{Type: reward.RefundPosted, Fact: "r1", Transaction: "t1", Amount: 4_000})
	c.expect("the refund takes 5 %", 400)
	for i, want := range []int32{1, 2, 1} {
		if got := c.journal[i].Version; got != want {
			t.Errorf("posting %d is under version %d, want %d", i+1, got, want)
		}
	}
}

// Who links a refund to another purchase moves what it takes, in one step, and
// the journal says who it was and why.
func TestLinkingARefundMovesIt(t *testing.T) {
	p := flat("p", 5)
	p.Rules = []reward.Rule{
		{ID: "grocery", Match: reward.Match{Categories: []string{"GROCERY"}}, Rate: reward.MaxRate / 20, Cap: reward.NoCap},
		{ID: "base", Rate: reward.MaxRate / 100, Cap: reward.NoCap},
	}
	c := newCard(t, p)
	grocery := settle("t1", 10_000)
	grocery.Category = "GROCERY"
	c.tell(1, grocery)
	c.tell(2, settle("t2", 10_000))
	if r := c.tell(3, reward.Event{Type: reward.RefundPosted, Fact: "r1", Amount: 10_000, Merchant: "m1"}); r.Code != reward.Matched {
		t.Fatalf("the refund is %v", r)
	}
	c.expect("placed on the dearest", 100)
	if n := len(c.Reviews()); n != 1 {
		t.Fatalf("%d reviews are open, want 1", n)
	}
	link := reward.Event{Type: reward.RefundLinked, Fact: "r1", Transaction: "t2", Reason: "the receipt says so", Actor: "ann"}
	if r := c.tell(4, link); r.Outcome != reward.Applied {
		t.Fatalf("linking it is %v", r)
	}
	c.expect("linked to the other", 500)
	if n := len(c.Reviews()); n != 0 {
		t.Errorf("%d reviews are open, want none", n)
	}
	for _, p := range c.journal[len(c.journal)-2:] {
		if p.Actor != "ann" || p.Reason != "the receipt says so" {
			t.Errorf("the posting %v of %d says %q by %q", p.Kind, p.Amount, p.Reason, p.Actor)
		}
	}
	if r := c.tell(5, link); r.Outcome != reward.Duplicate {
		t.Errorf("linked again it is %v", r)
	}
	if r := c.tell(6, reward.Event{Type: reward.RefundPosted, Fact: "r1", Amount: 10_000, Merchant: "m1"}); r.Outcome != reward.Duplicate {
		t.Errorf("delivered again the refund is %v", r)
	}
	back := link
	back.Transaction = "t1"
	c.tell(7, back)
	c.expect("linked back", 100)
	c.tell(8, reward.Event{Type: reward.RefundReversed, Fact: "r1"})
	c.expect("undone", 600)
}

// What cannot be linked is refused, and changes nothing.
func TestLinkingIsRefused(t *testing.T) {
	c := newCard(t, flat("p", 5))
	c.tell(1, settle("t1", 10_000))
	c.tell(2, reward.Event{Type: reward.RefundPosted, Fact: "r1", Transaction: "t1", Amount: 1_000})
	for _, s := range []struct {
		refund, transaction string
		want                reward.Result
	}{
		{"r9", "t1", reward.Result{Outcome: reward.Rejected, Code: reward.RefundUnknown}},
		{"r1", "t9", reward.Result{Outcome: reward.Rejected, Code: reward.TransactionUnknown}},
		{"r1", "t1", reward.Result{Outcome: reward.Duplicate}},
	} {
		if r := c.tell(3, reward.Event{Type: reward.RefundLinked, Fact: s.refund, Transaction: s.transaction, Reason: "x", Actor: "y"}); r != s.want {
			t.Errorf("linking %s to %s is %v, want %v", s.refund, s.transaction, r, s.want)
		}
		c.expect("refused", 450)
	}
}

// A dismissed review is gone, and comes back when something new contests it.
func TestDismissedReviews(t *testing.T) {
	c := newCard(t, flat("p", 5))
	c.tell(1, settle("t1", 10_000))
	c.tell(2, reward.Event{Type: reward.RefundPosted, Fact: "r1", Amount: 3_000, Merchant: "m1"})
	open := func(want ...reward.ReviewKind) {
		t.Helper()
		var got []reward.ReviewKind
		for _, v := range c.Reviews() {
			got = append(got, v.Kind)
		}
		if len(got) != len(want) || len(got) > 0 && got[0] != want[0] {
			t.Errorf("open are %v, want %v", got, want)
		}
	}
	open(reward.MatchedWithoutLink)
	dismiss := reward.Event{Type: reward.RefundDismissed, Fact: "r1", Reason: "checked", Actor: "ann"}
	if r := c.tell(3, dismiss); r.Outcome != reward.Applied {
		t.Errorf("dismissing it is %v", r)
	}
	open()
	if r := c.tell(4, dismiss); r.Outcome != reward.Duplicate {
		t.Errorf("dismissing it again is %v", r)
	}
	if r := c.tell(5, reward.Event{Type: reward.RefundPosted, Fact: "r1", Amount: 9_000, Merchant: "m1"}); r.Code != reward.RefundConflict {
		t.Errorf("with another amount it is %v", r)
	}
	open(reward.MatchedWithoutLink, reward.Contested)
	c.expect("the first delivery stands", 350)
}

// An account belongs to one program.
func TestOpening(t *testing.T) {
	c := newCard(t, flat("p", 5))
	if r := c.tell(1, reward.Event{Type: reward.AccountOpened, Fact: "q"}); r.Code != reward.ProgramUnknown || c.Exists() {
		t.Errorf("opened under a program that is not there it is %v", r)
	}
	c.tell(2, settle("t1", 10_000))
	for _, s := range []struct {
		program string
		want    reward.Result
	}{
		{"p", reward.Result{Outcome: reward.Applied}},
		{"p", reward.Result{Outcome: reward.Duplicate}},
		{"q", reward.Result{Outcome: reward.Rejected, Code: reward.ProgramConflict}},
	} {
		if r := c.tell(3, reward.Event{Type: reward.AccountOpened, Fact: s.program}); r != s.want {
			t.Errorf("opened under %s it is %v, want %v", s.program, r, s.want)
		}
	}
}
