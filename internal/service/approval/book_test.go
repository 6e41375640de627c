package approval_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"recoup/internal/engine"
	"recoup/internal/service/access"
	"recoup/internal/service/approval"
	"recoup/reward"
)

func TestASmallAdjustmentIsPostedAtOnce(t *testing.T) {
	eachDatabase(t, func(t *testing.T, o *office) {
		for _, amount := range []int64{2000, -1999, 1} {
			p, r, waits, err := o.Propose(t.Context(), approval.Proposal{Account: "acct", Amount: amount, Reason: "goodwill", Proposer: oscar}, limit(2000))
			if err != nil || waits || r.Outcome != reward.Applied || p.Number != 0 || p.Currency != "USD" {
				t.Errorf("%d: %+v, %+v, %t, %v", amount, p, r, waits, err)
			}
		}
		want := []string{"recoup:console 2000 Oscar/ goodwill", "recoup:console -1999 Oscar/ goodwill", "recoup:console 1 Oscar/ goodwill"}
		if got := o.journal(); !slices.Equal(got, want) {
			t.Errorf("the journal has %q, want %q", got, want)
		}
		if list, err := o.OfAccount(t.Context(), "acct"); err != nil || len(list) > 0 {
			t.Errorf("kept besides: %+v, %v", list, err)
		}
	})
}

func TestALargeAdjustmentTakesTwo(t *testing.T) {
	eachDatabase(t, func(t *testing.T, o *office) {
		for _, amount := range []int64{2001, -2001, reward.MaxAmount, -reward.MaxAmount} {
			p, r, waits, err := o.Propose(t.Context(), approval.Proposal{Account: "acct", Amount: amount, Currency: "USD", Reason: "an apology", Proposer: oscar}, limit(2000))
			if err != nil || !waits || r != (reward.Result{}) || p.Number == 0 || p.State != approval.Open || p != o.get(p.Number) {
				t.Fatalf("%d: %+v, %+v, %t, %v", amount, p, r, waits, err)
			}
			posted := len(o.journal())
			if waiting, err := o.Open(t.Context(), 0, 10); err != nil || !slices.Equal(waiting, []approval.Proposal{p}) {
				t.Fatalf("waiting are %+v, %v; want %+v", waiting, err, p)
			}
			if _, _, err := o.Approve(t.Context(), p.Number, oscar); !errors.Is(err, approval.ErrSamePerson) {
				t.Fatalf("approved by who proposed it: %v", err)
			}
			if n := len(o.journal()); n != posted || o.get(p.Number) != p {
				t.Fatalf("%d postings although nobody else approved, and the proposal is %+v", n-posted, o.get(p.Number))
			}

			done, r, err := o.Approve(t.Context(), p.Number, anna)
			if err != nil || r.Outcome != reward.Applied || done.State != approval.Approved || done.Decider != anna || done.Decided <= p.Proposed || done != o.get(p.Number) {
				t.Fatalf("approved: %+v, %+v, %v", done, r, err)
			}
			journal := o.journal()
			if want := fmt.Sprintf("recoup:console %d Oscar/Anna an apology", amount); len(journal) != posted+1 || journal[posted] != want {
				t.Fatalf("the journal has %q, want %q at its end", journal, want)
			}
			if again, r, err := o.Approve(t.Context(), p.Number, anna); err != nil || r.Outcome != reward.Duplicate || again != done {
				t.Fatalf("approved again: %+v, %+v, %v", again, r, err)
			}
			if other, _, err := o.Approve(t.Context(), p.Number, jo); !errors.Is(err, approval.ErrDecided) || other != done {
				t.Fatalf("approved by another: %+v, %v", other, err)
			}
			if other, err := o.Reject(t.Context(), p.Number, jo, "no"); !errors.Is(err, approval.ErrDecided) || other != done {
				t.Fatalf("rejected afterwards: %+v, %v", other, err)
			}
			if n := len(o.journal()); n != posted+1 {
				t.Fatalf("%d postings", n-posted)
			}
		}
	})
}

// Two keys may be one person by id or by name. A provider's people choose what they are
// called, which makes them nobody.
func TestWhoIsAnotherPerson(t *testing.T) {
	eachDatabase(t, func(t *testing.T, o *office) {
		for _, c := range []struct {
			approver approval.Person
			other    bool
		}{
			{oscar, false},
			{approval.Person{ID: oscar.ID, Name: "Olivia"}, false},
			{approval.Person{ID: "key-2", Name: "Oscar"}, false},
			{approval.Person{ID: "key-2", Name: " OSCAR "}, false},
			{approval.Person{ID: "key-2", Name: "Os\u200bcar"}, false},
			{approval.Person{ID: "key-2", Name: "\uff2fscar"}, false},
			{approval.Person{ID: "key-2", Name: "Oscar B"}, true},
			{approval.Person{ID: access.Subject("https://id.example.com", "eve"), Name: "Oscar"}, true},
		} {
			p := o.propose(5000)
			if _, _, err := o.Approve(t.Context(), p.Number, c.approver); (err == nil) != c.other || err != nil && !errors.Is(err, approval.ErrSamePerson) {
				t.Errorf("%+v: %v, want another person: %t", c.approver, err, c.other)
			}
		}
	})
}

func TestARejectionPostsNothing(t *testing.T) {
	eachDatabase(t, func(t *testing.T, o *office) {
		for _, c := range []struct {
			by        approval.Person
			note      string
			withdrawn bool
		}{{anna, "no such promise was made", false}, {oscar, "", true}} {
			p := o.propose(5000)
			got, err := o.Reject(t.Context(), p.Number, c.by, c.note)
			if err != nil || got.State != approval.Rejected || got.Decider != c.by || got.Note != c.note || got.Withdrawn() != c.withdrawn || got != o.get(p.Number) {
				t.Errorf("rejected: %+v, %v", got, err)
			}
			if _, _, err := o.Approve(t.Context(), p.Number, jo); !errors.Is(err, approval.ErrDecided) {
				t.Errorf("approved afterwards: %v", err)
			}
			if _, err := o.Reject(t.Context(), p.Number, jo, "again"); !errors.Is(err, approval.ErrDecided) {
				t.Errorf("rejected again: %v", err)
			}
		}
		if got := o.journal(); len(got) > 0 {
			t.Errorf("the journal has %q", got)
		}
	})
}

// The power fails while somebody decides. If that was before the log had it, nothing was
// decided; if it was after, the log says by whom, whoever comes next. Either way the
// adjustment is posted once at most.
func TestAnApprovalThatWasCutShort(t *testing.T) {
	eachDatabase(t, func(t *testing.T, o *office) {
		for next, c := range map[string]struct {
			finish        func(p approval.Proposal) error
			before, after error
		}{
			"the same approver":  {func(p approval.Proposal) error { _, _, err := o.Approve(t.Context(), p.Number, anna); return err }, nil, nil},
			"another approver":   {func(p approval.Proposal) error { _, _, err := o.Approve(t.Context(), p.Number, jo); return err }, nil, approval.ErrDecided},
			"who would reject":   {func(p approval.Proposal) error { _, err := o.Reject(t.Context(), p.Number, jo, "no"); return err }, nil, approval.ErrDecided},
			"who would withdraw": {func(p approval.Proposal) error { _, err := o.Reject(t.Context(), p.Number, oscar, ""); return err }, nil, approval.ErrDecided},
			"the next start":     {func(p approval.Proposal) error { _, err := o.Finish(t.Context()); return err }, nil, nil},
		} {
			t.Run(next, func(t *testing.T) {
				for _, when := range []struct {
					power power
					want  error
				}{{before, c.before}, {after, c.after}} {
					posted := len(o.journal())
					p := o.propose(5000)
					o.meddling(when.power)
					if _, _, err := o.Approve(t.Context(), p.Number, anna); !errors.Is(err, errPower) {
						t.Fatalf("cut short: %v", err)
					}
					o.meddling(nil)
					if half := o.get(p.Number); half != p {
						t.Fatalf("cut short the proposal is %+v", half)
					}
					if _, _, err := o.Approve(t.Context(), p.Number, oscar); !errors.Is(err, approval.ErrSamePerson) {
						t.Fatalf("finished by who proposed it: %v", err)
					}
					if err := c.finish(p); !errors.Is(err, when.want) {
						t.Fatalf("finished: %v, want %v", err, when.want)
					}
					done := o.get(p.Number)
					got := o.journal()[posted:]
					if done.State == approval.Approved {
						if want := []string{"recoup:console 5000 Oscar/" + done.Decider.Name + " goodwill"}; !slices.Equal(got, want) {
							t.Errorf("the journal has %q, want %q", got, want)
						}
					} else if len(got) > 0 {
						t.Errorf("it is %v, and the journal has %q", done.State, got)
					}
					if want := approval.Approved; c.after != nil && done.Decider != anna && done.State == want && when.want != nil {
						t.Errorf("decided by %+v", done.Decider)
					}
					if n, err := o.Finish(t.Context()); n != 0 || err != nil {
						t.Errorf("finished again: %d, %v", n, err)
					}
				}
			})
		}
	})
}

// Whose browser is closed half-way has approved all the same.
func TestAnApprovalOutlivesItsRequest(t *testing.T) {
	eachDatabase(t, func(t *testing.T, o *office) {
		p := o.propose(5000)
		ctx, leave := context.WithCancel(t.Context())
		o.meddling(func(apply func() (reward.Result, error)) (reward.Result, error) {
			leave()
			return apply()
		})
		if done, _, err := o.Approve(ctx, p.Number, anna); err != nil || done.State != approval.Approved || o.get(p.Number) != done {
			t.Errorf("%+v, %v; stored is %+v", done, err, o.get(p.Number))
		}
	})
}

// What the rules refuse is not posted, and the log has that they did: the proposal is
// closed.
func TestARefusedAdjustmentClosesTheProposal(t *testing.T) {
	eachDatabase(t, func(t *testing.T, o *office) {
		p, small := o.propose(5000), approval.Proposal{Account: "acct", Amount: 5, Reason: "goodwill", Proposer: oscar}
		var most []reward.Event // fills the account's volume up to the last
		for i := range 4000 {
			most = append(most, reward.Event{
				Account: "acct", Type: reward.AdjustmentPosted, Fact: fmt.Sprint("a", i), Amount: reward.MaxAmount - 2*reward.MaxAmount*int64(i%2), Reason: "x", Actor: "x",
			})
		}
		o.deliver(most...)
		refusal := func(err error) reward.Code {
			var refused *approval.RefusedError
			if !errors.As(err, &refused) {
				t.Fatalf("refused: %v", err)
			}
			return refused.Result.Code
		}
		for range 2 {
			got, r, err := o.Approve(t.Context(), p.Number, anna)
			if code := refusal(err); code != reward.LimitExceeded || r.Code != code || got.State != approval.Rejected || got.Decider != anna || got.Note == "" || o.get(p.Number) != got {
				t.Errorf("approved: %v, %+v; stored is %+v", err, got, o.get(p.Number))
			}
		}
		if _, _, err := o.Approve(t.Context(), p.Number, jo); !errors.Is(err, approval.ErrDecided) {
			t.Errorf("approved by another: %v", err)
		}
		if _, _, waits, err := o.Propose(t.Context(), small, limit(2000)); waits || refusal(err) != reward.LimitExceeded {
			t.Errorf("a small one: %t, %v", waits, err)
		}
		if n := len(o.journal()); n != 4000 {
			t.Errorf("the journal has %d adjustments", n)
		}
	})
}

// A form that is sent twice proposes once.
func TestTheSameAdjustmentProposedAgain(t *testing.T) {
	eachDatabase(t, func(t *testing.T, o *office) {
		form := func(id string, amount int64) approval.Proposal {
			return approval.Proposal{Account: "acct", Adjustment: id, Amount: amount, Reason: "goodwill", Proposer: oscar}
		}
		for _, want := range []reward.Outcome{reward.Applied, reward.Duplicate} {
			if _, r, waits, err := o.Propose(t.Context(), form("form-1", 5), limit(2000)); err != nil || waits || r.Outcome != want {
				t.Errorf("a small one: %+v, %t, %v; want %v", r, waits, err, want)
			}
		}
		first, _, _, err := o.Propose(t.Context(), form("form-2", 5000), limit(2000))
		if err != nil {
			t.Fatal(err)
		}
		for _, above := range []int64{2000, 9000} { // also where it would not have to wait any more
			if again, r, waits, err := o.Propose(t.Context(), form("form-2", 5000), limit(above)); err != nil || !waits || r != (reward.Result{}) || again != first {
				t.Errorf("above %d: %+v, %+v, %t, %v", above, again, r, waits, err)
			}
		}
		done, _, err := o.Approve(t.Context(), first.Number, anna)
		if err != nil {
			t.Fatal(err)
		}
		if again, _, waits, err := o.Propose(t.Context(), form("form-2", 5000), limit(2000)); err != nil || waits || again != done {
			t.Errorf("after it was approved: %+v, %t, %v", again, waits, err)
		}

		posted := len(o.journal())
		other := func(change func(*approval.Proposal)) approval.Proposal {
			p := form("form-2", 5000)
			change(&p)
			return p
		}
		for name, p := range map[string]approval.Proposal{
			"amount":               other(func(p *approval.Proposal) { p.Amount++ }),
			"amount that is small": other(func(p *approval.Proposal) { p.Amount = 1 }),
			"reason":               other(func(p *approval.Proposal) { p.Reason = "else" }),
			"proposer":             other(func(p *approval.Proposal) { p.Proposer = jo }),
			"of one posted":        form("form-1", 4001),
		} {
			if _, _, _, err := o.Propose(t.Context(), p, limit(2000)); !errors.Is(err, approval.ErrReused) {
				t.Errorf("another %s: %v", name, err)
			}
		}
		// An id that a sender has used, and one of which a small one was posted.
		o.deliver(reward.Event{Account: "acct", Type: reward.AdjustmentPosted, Fact: "theirs", Amount: 5000, Reason: "x", Actor: "x"})
		if _, _, _, err := o.Propose(t.Context(), form("form-1", 5000), limit(2000)); !errors.Is(err, approval.ErrReused) {
			t.Errorf("one that was posted: %v", err)
		}
		p, _, waits, err := o.Propose(t.Context(), form("theirs", 5000), limit(2000))
		if err != nil || !waits {
			t.Fatal(p, waits, err)
		}
		if _, _, err := o.Approve(t.Context(), p.Number, anna); !errors.As(err, new(*approval.RefusedError)) {
			t.Errorf("that of a sender: %v", err)
		}
		if n := len(o.journal()); n != posted+1 {
			t.Errorf("%d adjustments were posted, want that of the sender alone", n-posted)
		}
	})
}

// What has the identity of a decision and is none, decides nothing: neither whoever looks
// next nor the next start takes it for one.
func TestWhatIsNoDecisionDecidesNothing(t *testing.T) {
	eachDatabase(t, func(t *testing.T, o *office) {
		for name, change := range map[string]func(*reward.Event){
			"an adjustment that nobody approved": func(e *reward.Event) { e.Approver = "" },
			"one of another amount":              func(e *reward.Event) { e.Amount++ },
			"one of another id":                  func(e *reward.Event) { e.Fact += "-2" },
			"an event of another type": func(e *reward.Event) {
				*e = reward.Event{Source: e.Source, ID: e.ID, Account: e.Account, Time: e.Time, Type: reward.TransactionSettled, Transaction: "t1", Amount: 100, HasAmount: true, Currency: "USD"}
			},
		} {
			p := o.propose(5000)
			e := reward.Event{
				Source: engine.ConsoleSource, ID: p.Adjustment, Account: p.Account, Time: reward.At(o.now()), Type: reward.AdjustmentPosted, Fact: p.Adjustment,
				Amount: p.Amount, HasAmount: true, Currency: p.Currency, Reason: p.Reason, Actor: oscar.Name, Approver: anna.Name,
			}
			change(&e)
			if r, err := o.engine.Apply(t.Context(), []reward.Event{e}, nil); err != nil || r[0].Outcome != reward.Applied {
				t.Fatalf("%s: %v, %v", name, r, err)
			}
			if _, err := o.process()(nil).Finish(t.Context()); !errors.Is(err, approval.ErrReused) {
				t.Errorf("%s: a start says %v", name, err)
			}
			if _, _, err := o.Approve(t.Context(), p.Number, anna); !errors.Is(err, approval.ErrReused) {
				t.Errorf("%s: approved: %v", name, err)
			}
			if got := o.get(p.Number); got != p {
				t.Errorf("%s: it is %+v", name, got)
			}
			if _, err := o.Reject(t.Context(), p.Number, anna, ""); !errors.Is(err, approval.ErrReused) {
				t.Errorf("%s: rejected: %v", name, err)
			}
			if list, err := o.Open(t.Context(), 0, 10); err != nil || len(list) > 0 {
				t.Errorf("%s: rejected, it is on the list: %+v (%v)", name, list, err)
			}
		}
	})
}

func TestAClosedAccountIsAdjusted(t *testing.T) {
	eachDatabase(t, func(t *testing.T, o *office) {
		o.deliver(reward.Event{Account: "acct", Type: reward.AccountClosed})
		p := o.propose(5000)
		if _, r, err := o.Approve(t.Context(), p.Number, anna); err != nil || r.Outcome != reward.Applied {
			t.Errorf("%+v, %v", r, err)
		}
	})
}

func TestWhatCannotBeProposed(t *testing.T) {
	long := strings.Repeat("x", 257)
	eachDatabase(t, func(t *testing.T, o *office) {
		for _, c := range []struct {
			name   string
			change func(*approval.Proposal)
			member string
		}{
			{"no amount", func(p *approval.Proposal) { p.Amount = 0 }, "amount"},
			{"too much", func(p *approval.Proposal) { p.Amount = reward.MaxAmount + 1 }, "amount"},
			{"too little", func(p *approval.Proposal) { p.Amount = -reward.MaxAmount - 1 }, "amount"},
			{"the least number", func(p *approval.Proposal) { p.Amount = -1 << 63 }, "amount"},
			{"no account", func(p *approval.Proposal) { p.Account = "" }, "account"},
			{"no reason", func(p *approval.Proposal) { p.Reason = "" }, "reason"},
			{"a long reason", func(p *approval.Proposal) { p.Reason = long }, "reason"},
			{"a reason on two lines", func(p *approval.Proposal) { p.Reason = "a\nb" }, "reason"},
			{"a reason that is no text", func(p *approval.Proposal) { p.Reason = "a\xff" }, "reason"},
			{"a card number", func(p *approval.Proposal) { p.Reason = "4111 1111 1111 1111" }, "reason"},
			{"a long id", func(p *approval.Proposal) { p.Adjustment = long }, "adjustment"},
			{"another currency", func(p *approval.Proposal) { p.Currency = "EUR" }, "currency"},
			{"nobody", func(p *approval.Proposal) { p.Proposer = approval.Person{} }, "proposer"},
			{"nobody in particular", func(p *approval.Proposal) { p.Proposer.ID = "" }, "proposer"},
			{"somebody without a name", func(p *approval.Proposal) { p.Proposer.Name = "" }, "proposer"},
			{"an id on two lines", func(p *approval.Proposal) { p.Proposer.ID = "key-1\nAnna" }, "proposer"},
			{"a card number for a name", func(p *approval.Proposal) { p.Proposer.Name = "4111111111111111" }, "proposer"},
		} {
			p := approval.Proposal{Account: "acct", Amount: 5000, Currency: "USD", Reason: "goodwill", Proposer: oscar}
			c.change(&p)
			for _, above := range []int64{0, reward.MaxAmount} {
				var invalid *approval.InvalidError
				if _, _, waits, err := o.Propose(t.Context(), p, limit(above)); waits || !errors.As(err, &invalid) || invalid.Member != c.member {
					t.Errorf("%s: %t, %v; want something about %s", c.name, waits, err, c.member)
				}
			}
		}
		if _, _, _, err := o.Propose(t.Context(), approval.Proposal{Account: "acct2", Amount: 1, Reason: "x", Proposer: oscar}, limit(2000)); !errors.Is(err, approval.ErrAccountUnknown) {
			t.Errorf("an account that is not there: %v", err)
		}
		if _, ok, err := o.store.Units(t.Context(), "acct2"); ok || err != nil {
			t.Errorf("it is there now: %v", err)
		}
		if list, err := o.Open(t.Context(), 0, 10); err != nil || len(list) > 0 || len(o.journal()) > 0 {
			t.Errorf("kept are %+v, %v, posted %q", list, err, o.journal())
		}

		p := o.propose(5000)
		for _, nobody := range []approval.Person{{}, {ID: "key-2"}, {Name: "Anna"}, {ID: "key-2", Name: "An\x00na"}, {ID: "key-2", Name: long}} {
			_, _, approved := o.Approve(t.Context(), p.Number, nobody)
			_, rejected := o.Reject(t.Context(), p.Number, nobody, "")
			if !errors.As(approved, new(*approval.InvalidError)) || !errors.As(rejected, new(*approval.InvalidError)) {
				t.Errorf("decided by %+v: %v, %v", nobody, approved, rejected)
			}
		}
		if _, err := o.Reject(t.Context(), p.Number, anna, long); !errors.As(err, new(*approval.InvalidError)) {
			t.Errorf("a long note: %v", err)
		}
		for _, number := range []int64{0, -1, p.Number + 100} {
			_, get := o.Get(t.Context(), number)
			_, _, approve := o.Approve(t.Context(), number, anna)
			_, reject := o.Reject(t.Context(), number, anna, "")
			if !errors.Is(get, approval.ErrUnknown) || !errors.Is(approve, approval.ErrUnknown) || !errors.Is(reject, approval.ErrUnknown) {
				t.Errorf("proposal %d: %v, %v, %v", number, get, approve, reject)
			}
		}
		if o.get(p.Number) != p {
			t.Errorf("it is %+v", o.get(p.Number))
		}
	})
}

func TestLists(t *testing.T) {
	eachDatabase(t, func(t *testing.T, o *office) {
		o.deliver(reward.Event{Account: "other", Type: reward.AccountOpened, Fact: "everyday"})
		var all []int64
		for i := range 6 {
			all = append(all, o.propose(5000+int64(i)).Number)
		}
		other, _, _, err := o.Propose(t.Context(), approval.Proposal{Account: "other", Amount: 9, Reason: "x", Proposer: jo}, limit(0))
		if err != nil {
			t.Fatal(err)
		}
		for i, decide := range []func(int64) error{
			0: func(n int64) error { _, _, err := o.Approve(t.Context(), n, anna); return err },
			3: func(n int64) error { _, err := o.Reject(t.Context(), n, anna, "no"); return err },
			4: func(n int64) error { _, err := o.Reject(t.Context(), n, oscar, ""); return err },
		} {
			if decide != nil {
				if err := decide(all[i]); err != nil {
					t.Fatal(err)
				}
			}
		}
		expect := func(what string, list []approval.Proposal, err error, want ...int64) {
			t.Helper()
			var got []int64
			for _, p := range list {
				got = append(got, p.Number)
			}
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("%s: %d, %v; want %d", what, got, err, want)
			}
		}
		list, err := o.Open(t.Context(), 0, 10)
		expect("open", list, err, all[1], all[2], all[5], other.Number)
		list, err = o.Open(t.Context(), all[1], 2)
		expect("open, a page on", list, err, all[2], all[5])
		list, err = o.Open(t.Context(), 0, 0)
		expect("open, none of them", list, err)
		list, err = o.Open(t.Context(), 0, -1)
		expect("open, fewer than none", list, err)
		list, err = o.Recent(t.Context(), 0, 2)
		expect("decided", list, err, all[4], all[3])
		list, err = o.Recent(t.Context(), all[3], 9)
		expect("decided, a page on", list, err, all[0])
		list, err = o.OfAccount(t.Context(), "acct")
		expect("of the account", list, err, all[5], all[4], all[3], all[2], all[1], all[0])
		list, err = o.OfAccount(t.Context(), "other")
		expect("of the other", list, err, other.Number)
		list, err = o.OfAccount(t.Context(), "nobody")
		expect("of none", list, err)
	})
}
