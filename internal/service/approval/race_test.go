package approval_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"recoup/internal/service/approval"
	"recoup/internal/store"
	"recoup/reward"
)

// TestOneOfManyDecides: at the same time several people approve and reject, in two
// processes, while a third begins and finishes what it finds half-way.
func TestOneOfManyDecides(t *testing.T) {
	eachDatabase(t, func(t *testing.T, o *office) {
		here, there, third := o.process()(nil), o.process()(nil), o.process()(nil)
		for round := range 15 {
			posted := len(o.journal())
			p := o.propose(5000)
			people := []approval.Person{anna, jo, {ID: "key-7", Name: "Kim"}, oscar}
			errs := make([]error, len(people))
			var all sync.WaitGroup
			for i, person := range people {
				book := here
				if i%2 == round/2%2 {
					book = there
				}
				all.Go(func() {
					errs[i] = again(func() (err error) {
						if i < 2+round%2 {
							_, _, err = book.Approve(t.Context(), p.Number, person)
						} else {
							_, err = book.Reject(t.Context(), p.Number, person, "")
						}
						return err
					})
				})
			}
			all.Go(func() {
				if err := again(func() error { _, err := third.Finish(t.Context()); return err }); err != nil {
					t.Errorf("finishing: %v", err)
				}
			})
			all.Wait()
			done := o.get(p.Number)
			for i, err := range errs {
				if want := done.Decider == people[i]; want != (err == nil) || err != nil && !errors.Is(err, approval.ErrDecided) {
					t.Errorf("%s: %v, and it was decided by %+v", people[i].Name, err, done.Decider)
				}
			}
			journal := o.journal()[posted:]
			if done.State == approval.Approved {
				if want := []string{"recoup:console 5000 Oscar/" + done.Decider.Name + " goodwill"}; !slices.Equal(journal, want) {
					t.Errorf("approved by %s, and the journal has %q", done.Decider.Name, journal)
				}
			} else if done.State != approval.Rejected || len(journal) > 0 {
				t.Errorf("%+v, and the journal has %q", done, journal)
			}
			o.inspect(t)
		}
	})
}

// again does something until no one else has the account locked, as whoever is told so is to do:
// on a busy machine others take longer than PostgreSQL waits for them.
func again(do func() error) (err error) {
	for err = do(); store.ReachOf(err) == store.Locked; err = do() {
	}
	return err
}

// deed is what somebody does to a proposal while others do other things.
type deed struct {
	what   string // approve, reject or finish
	number int64
	by     approval.Person
	power  power
	err    error
}

func (d *deed) do(ctx context.Context, b *approval.Book) {
	switch d.what {
	case "approve":
		_, _, d.err = b.Approve(ctx, d.number, d.by)
	case "reject":
		_, d.err = b.Reject(ctx, d.number, d.by, "no")
	case "finish":
		_, d.err = b.Finish(ctx)
	}
}

// TestWhateverHappensAtOnceOneDecides: approvals, rejections, starts and failures of the
// power, all at the same time, by two processes. Who is told to have decided has, and
// nobody else; and where the power holds somebody always does.
func TestWhateverHappensAtOnceOneDecides(t *testing.T) {
	o := embedded(t)
	ctx := context.Background()
	books := []func(power) *approval.Book{o.process(), o.process()}
	runs := 0
	rapid.Check(t, func(t *rapid.T) {
		runs++
		account := fmt.Sprint("acct-", runs)
		o.deliver(reward.Event{Account: account, Type: reward.AccountOpened, Fact: "everyday"})
		var proposals []int64
		for i := range rapid.IntRange(1, 2).Draw(t, "proposals") {
			p, _, _, err := o.Propose(ctx, approval.Proposal{Account: account, Amount: 1 + int64(i), Reason: "x", Proposer: oscar}, limit(0))
			if err != nil {
				t.Fatal(err)
			}
			proposals = append(proposals, p.Number)
		}
		powered, decisions := true, make(map[int64]int)
		deeds := make([]*deed, rapid.IntRange(2, 6).Draw(t, "deeds"))
		for i := range deeds {
			d := &deed{
				what:   rapid.SampledFrom([]string{"approve", "approve", "reject", "finish"}).Draw(t, "what"),
				number: rapid.SampledFrom(proposals).Draw(t, "proposal"),
				by:     rapid.SampledFrom([]approval.Person{oscar, anna, jo}).Draw(t, "person"),
				power:  []power{nil, nil, nil, before, after}[rapid.IntRange(0, 4).Draw(t, "power")],
			}
			powered = powered && d.power == nil
			if d.what == "reject" || d.what == "approve" && d.by != oscar {
				decisions[d.number]++
			}
			deeds[i] = d
		}
		var all sync.WaitGroup
		for i, d := range deeds {
			book := books[i%2](d.power)
			all.Go(func() { d.do(ctx, book) })
		}
		all.Wait()
		if _, err := o.Finish(ctx); err != nil {
			t.Fatal(err)
		}
		for _, d := range deeds {
			p := o.get(d.number)
			decided := p.Decider == d.by && (d.what == "approve" && p.State == approval.Approved || d.what == "reject" && p.State == approval.Rejected)
			switch {
			case d.what == "finish":
				if d.err != nil && (d.power == nil || !errors.Is(d.err, errPower)) {
					t.Fatalf("finishing: %v", d.err)
				}
			case d.what == "approve" && d.by == oscar:
				if !errors.Is(d.err, approval.ErrSamePerson) {
					t.Fatalf("approved by the same person: %v", d.err)
				}
			case d.err == nil:
				if !decided {
					t.Fatalf("%s is told to have done it (%s), and it is %+v", d.by.Name, d.what, p)
				}
			case errors.Is(d.err, approval.ErrDecided):
				// One may reject what the same one approves.
				if decided && p.State == approval.Approved {
					t.Fatalf("%s is told that somebody else decided (%s), and it is %+v", d.by.Name, d.what, p)
				}
			default:
				if d.power == nil || !errors.Is(d.err, errPower) {
					t.Fatalf("%s (%s): %v", d.by.Name, d.what, d.err)
				}
			}
		}
		for _, n := range proposals {
			if p := o.get(n); powered && (p.State != approval.Open) != (decisions[n] > 0) {
				t.Fatalf("%d decided, and it is %+v", decisions[n], p)
			}
			if won := len(slices.DeleteFunc(slices.Clone(deeds), func(d *deed) bool { return d.number != n || d.what != "reject" || d.err != nil })); won > 1 {
				t.Fatalf("%d rejected it", won)
			}
		}
		o.audit(t, account, proposals)
		for _, n := range proposals { // what waits is in the way of what is proposed next
			if _, err := o.Reject(ctx, n, jo, ""); err != nil && !errors.Is(err, approval.ErrDecided) {
				t.Fatal(err)
			}
		}
	})
}

// One form that many send at once is one proposal, and many forms are as many, numbered
// one after the other.
func TestManyProposeAtOnce(t *testing.T) {
	eachDatabase(t, func(t *testing.T, o *office) {
		books := []*approval.Book{o.process()(nil), o.process()(nil)}
		const forms, times = 4, 3
		var numbers [forms][times]int64
		var all sync.WaitGroup
		for i := range forms {
			for j := range times {
				all.Go(func() {
					p, _, waits, err := books[(i+j)%2].Propose(t.Context(), approval.Proposal{
						Account: "acct", Adjustment: fmt.Sprint("form-", i), Amount: 5000, Reason: "goodwill", Proposer: oscar,
					}, limit(2000))
					if err != nil || !waits {
						t.Errorf("form %d: waits %t, %v", i, waits, err)
					}
					numbers[i][j] = p.Number
				})
			}
		}
		all.Wait()
		var got []int64
		for i := range numbers {
			for _, n := range numbers[i] {
				if n != numbers[i][0] {
					t.Errorf("form %d has the numbers %d", i, numbers[i])
				}
			}
			got = append(got, numbers[i][0])
		}
		slices.Sort(got)
		if want := []int64{1, 2, 3, 4}; !slices.Equal(got, want) {
			t.Errorf("the numbers are %d, want %d", got, want)
		}
		o.inspect(t)
	})
}
