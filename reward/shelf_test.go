package reward_test

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"recoup/reward"
)

// cupboard is a shelf in memory: all that is left of an account between events.
type cupboard struct {
	head    []byte
	parts   map[place]reward.Part
	working map[place]bool

	reads, writes, written int // parts, and bytes
}

type place struct {
	kind reward.PartKind
	id   string
}

func (c *cupboard) Find(kind reward.PartKind, id string) []byte {
	c.reads++
	return c.parts[place{kind, id}].Data
}

func (c *cupboard) Ranking(bucket int64) []reward.Part {
	return c.all(func(p reward.Part) bool { return p.Bucket == bucket })
}

func (c *cupboard) Settled(from, to reward.Instant) []reward.Part {
	return c.all(func(p reward.Part) bool { return p.Settled != 0 && p.Settled >= from && p.Settled < to })
}

func (c *cupboard) All() []reward.Part { return c.all(func(reward.Part) bool { return true }) }

func (c *cupboard) all(which func(reward.Part) bool) (list []reward.Part) {
	for _, p := range c.parts {
		if which(p) {
			list = append(list, p)
		}
	}
	c.reads += len(list)
	return inSomeOrder(list)
}

// inSomeOrder is none in particular, but the same one every time.
func inSomeOrder(list []reward.Part) []reward.Part {
	slices.SortFunc(list, func(x, y reward.Part) int { return cmp.Or(cmp.Compare(y.ID, x.ID), cmp.Compare(x.Kind, y.Kind)) })
	return list
}

func (c *cupboard) open(t rapid.TB, id string, p *reward.Program) *reward.Account {
	t.Helper()
	var working []reward.Part
	for at := range c.working {
		working = append(working, c.parts[at])
	}
	c.reads += len(working)
	a, err := reward.Open(id, p, c.head, inSomeOrder(working), c)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func (c *cupboard) put(a *reward.Account) {
	a.Changes(c.keep)
	if a.Exists() {
		c.head = a.AppendHead(nil)
	}
}

func (c *cupboard) keep(p reward.Part) {
	at := place{p.Kind, p.ID}
	if c.parts[at] = p; !p.Working {
		delete(c.working, at)
	} else {
		if c.working == nil {
			c.working = make(map[place]bool)
		}
		c.working[at] = true
	}
	c.writes++
	c.written += len(p.Data)
}

// TestAccountsLiveOnShelves: an account that is put away after every few events,
// and opened again with no more than its head and working parts, answers and posts
// exactly as one that was at hand all the time, and what is put away of it is all
// of it.
func TestAccountsLiveOnShelves(t *testing.T) {
	liveOnShelves(t, func(t *rapid.T) *reward.Program {
		program := drawProgram(t)
		if rapid.Bool().Draw(t, "versions") {
			program = twoVersions(t, program)
		}
		return program
	}, drawTrace)
}

// TestAccountsOfTermsLiveOnShelves is the same of programs that say more.
func TestAccountsOfTermsLiveOnShelves(t *testing.T) {
	liveOnShelves(t, drawPromisedTerms, drawTrace)
}

// TestAccountsOfTiersLiveOnShelves is the same of programs with tiers.
func TestAccountsOfTiersLiveOnShelves(t *testing.T) { liveOnShelves(t, drawTieredTerms, drawTrace) }

// TestAccountsWithItemsLiveOnShelves is the same of purchases that have line items.
func TestAccountsWithItemsLiveOnShelves(t *testing.T) {
	t.Run("plain", func(t *testing.T) { liveOnShelves(t, drawTerms, drawItemTrace) })
	t.Run("terms", func(t *testing.T) { liveOnShelves(t, drawPromisedTerms, drawItemTrace) })
}

func liveOnShelves(t *testing.T, draw func(*rapid.T) *reward.Program, trace func(*rapid.T, *reward.Program, int) []reward.Event) {
	rapid.Check(t, func(t *rapid.T) {
		program := draw(t)
		atHand := make(map[string]*reward.Account)
		shelves := make(map[string]*cupboard)
		opened := make(map[string]*reward.Account)
		var said story
		for i, e := range withResolutions(t, trace(t, program, 60)) {
			whole, shelf := atHand[e.Account], shelves[e.Account]
			if whole == nil {
				whole, shelf = reward.NewAccount(e.Account, program), &cupboard{parts: make(map[place]reward.Part)}
				atHand[e.Account], shelves[e.Account] = whole, shelf
			}
			a := opened[e.Account]
			if a == nil {
				a = shelf.open(t, e.Account, program)
				opened[e.Account] = a
			}
			want, wantPostings := whole.Apply(&e, nil)
			said = append(said, said.line(&e, want))
			got, postings := a.Apply(&e, nil)
			if got != want {
				t.Fatalf("event %d %+v: %v %v, at hand %v %v", i, e, got.Outcome, got.Code, want.Outcome, want.Code)
			}
			if !reflect.DeepEqual(postings, wantPostings) {
				t.Fatalf("event %d %+v posts\n%+v, at hand\n%+v", i, e, postings, wantPostings)
			}
			if rapid.IntRange(0, 2).Draw(t, "put away") > 0 {
				shelf.put(a)
				if rapid.Bool().Draw(t, "trim") {
					before := shelf.reads
					if a.Trim(); shelf.reads != before {
						t.Fatalf("event %d %+v: letting go of parts reads some, when a store's unit of work is over", i, e)
					}
					continue
				}
				delete(opened, e.Account)
				if want, got := whole.State(), shelf.open(t, e.Account, program).State(); whole.Exists() && !reflect.DeepEqual(got, want) {
					t.Fatalf("event %d %+v: from the shelf\n%+v, at hand\n%+v", i, e, got, want)
				}
				if want, got := whole.Holds(), shelf.open(t, e.Account, program).Holds(); whole.Exists() && !slices.Equal(got, want) {
					t.Fatalf("event %d %+v: from the shelf is held\n%+v, at hand\n%+v", i, e, got, want)
				}
				if got, want := shelf.open(t, e.Account, program).Due(), whole.Due(); whole.Exists() && got != want {
					t.Fatalf("event %d %+v: from the shelf due at %v, at hand at %v", i, e, got, want)
				}
				compare(t, fmt.Sprintf("event %d %+v", i, e), shelf, whole)
				if whole.Exists() {
					readLater(t, fmt.Sprintf("event %d %+v", i, e), e.Account, shelf, program, whole.Now()+reward.Instant(rapid.IntRange(0, 100).Draw(t, "days later"))*reward.Day)
				}
			}
			for _, v := range whole.Check() {
				t.Fatalf("event %d: %v\nunder %+v\n%s", i, v, *program, said.of(e.Account))
			}
		}
	})
}

// readLater compares how an account is read at a later moment with how it is once a close
// that comes then has passed it.
func readLater(t rapid.TB, after, account string, c *cupboard, p *reward.Program, now reward.Instant) {
	t.Helper()
	read, closed := c.open(t, account, p), c.open(t, account, p)
	postings := read.AsOf(now, nil)
	_, want := closed.Apply(&reward.Event{Account: account, Time: now, Type: reward.CycleClosed}, nil)
	if !reflect.DeepEqual(postings, want) {
		t.Fatalf("%s: read at %v it posts\n%+v, closed then\n%+v", after, now, postings, want)
	}
	if got, want := read.Holds(), closed.Holds(); !slices.Equal(got, want) {
		t.Fatalf("%s: read at %v is held\n%+v, closed then\n%+v", after, now, got, want)
	}
	if got, want := read.State(), closed.State(); !reflect.DeepEqual(got, want) {
		t.Fatalf("%s: read at %v\n%+v, closed then\n%+v", after, now, got, want)
	}
	for _, v := range read.Check() {
		t.Fatalf("%s: read at %v: %v", after, now, v)
	}
}

// compare compares what a shelf has of an account with the account itself.
func compare(t rapid.TB, after string, c *cupboard, whole *reward.Account) {
	t.Helper()
	if whole.Exists() && string(c.head) != string(whole.AppendHead(nil)) {
		t.Fatalf("%s: the head is\n%x, at hand\n%x", after, c.head, whole.AppendHead(nil))
	}
	want := make(map[place]reward.Part)
	for p := range whole.Parts() {
		want[place{p.Kind, p.ID}] = p
	}
	for _, k := range slices.SortedFunc(maps.Keys(want), func(x, y place) int { return cmp.Or(cmp.Compare(x.kind, y.kind), cmp.Compare(x.id, y.id)) }) {
		if got := c.parts[k]; !reflect.DeepEqual(got, want[k]) {
			t.Fatalf("%s: %v %s is\n%+v, at hand\n%+v", after, k.kind, k.id, got, want[k])
		}
	}
	if len(want) != len(c.parts) {
		t.Fatalf("%s: %d parts are put away, %d are at hand", after, len(c.parts), len(want))
	}
}

// twoVersions publishes another version of a program, in force from February 2026.
func twoVersions(t *rapid.T, first *reward.Program) *reward.Program {
	second := *drawProgram(t)
	second.ID, second.Currency = first.ID, first.Currency
	second.Version, second.From, second.Earlier = 2, reward.Cycle(2026*12+1), first
	return &second
}

// withResolutions adds decisions about reviews to a trace.
func withResolutions(t *rapid.T, events []reward.Event) []reward.Event {
	var all []reward.Event
	for i, e := range events {
		all = append(all, e)
		if rapid.IntRange(0, 5).Draw(t, "resolve") > 0 {
			continue
		}
		other := events[rapid.IntRange(0, i).Draw(t, "of")]
		home := events[rapid.IntRange(0, i).Draw(t, "to")]
		all = append(all, reward.Event{
			Source: "ops", ID: fmt.Sprintf("d%d", i), Account: other.Account, Time: e.Time,
			Type: rapid.SampledFrom([]reward.Type{reward.RefundLinked, reward.RefundLinked, reward.RefundDismissed, reward.ChargebackDismissed, reward.TransactionDismissed, reward.RedemptionDismissed, reward.AttributeDismissed, reward.AccountOpened}).Draw(t, "decision"),
			Fact: other.Fact, Transaction: home.Transaction, Reason: "looked into", Actor: "ops-1",
		})
	}
	return all
}

// lost is a shelf that cannot be read any more.
type lost struct{ reward.Shelf }

var errLost = errors.New("the connection is lost")

func (lost) Find(reward.PartKind, string) []byte { panic(errLost) }

// TestAnAccountIsNotOpenedByHalf: where the shelf cannot be read while an account is opened,
// whoever opens it is told. Half an account would go on with less than it has.
func TestAnAccountIsNotOpenedByHalf(t *testing.T) {
	c := &cupboard{parts: make(map[place]reward.Part), working: make(map[place]bool)}
	a := c.open(t, "a", smallProgram())
	a.Apply(&reward.Event{
		Source: "core", ID: "1", Account: "a", Type: reward.RefundPosted, Time: casesEnd,
		Fact: "r", Transaction: "not settled yet", Amount: 100, HasAmount: true, Currency: "USD",
	}, nil)
	c.put(a)
	var working []reward.Part
	for at := range c.working {
		working = append(working, c.parts[at])
	}
	if len(working) == 0 {
		t.Fatal("nothing of the account is read when it is opened")
	}
	var told any
	func() {
		defer func() { told = recover() }()
		half, err := reward.Open("a", smallProgram(), c.head, working, lost{c})
		t.Errorf("it is opened (%v), error %v", half != nil, err)
	}()
	if told != errLost {
		t.Errorf("whoever opens it is told %v, want %v", told, errLost)
	}
}

// TestAnEarlierFormatIsTold: what an earlier version wrote down is not taken for
// damage. The head begins with its format, a signed integer of variable length.
func TestAnEarlierFormatIsTold(t *testing.T) {
	a := reward.NewAccount("a", smallProgram())
	a.Apply(&reward.Event{Account: "a", Type: reward.CycleClosed, Time: casesEnd}, nil)
	for format, outdated := range map[byte]bool{1: true, 3: false} {
		head := a.AppendHead(nil)
		head[0] = 2 * format
		var damage *reward.CorruptError
		if _, err := reward.Open("a", smallProgram(), head, nil, nil); !errors.As(err, &damage) || damage.Outdated != outdated {
			t.Errorf("format %d: %v", format, err)
		}
	}
}

// TestCasesLiveOnShelves plays the conformance cases with accounts that are put
// away after every event.
func TestCasesLiveOnShelves(t *testing.T) {
	for _, c := range append(conformanceCases(t), termsCases(t)...) {
		t.Run(c.Name, func(t *testing.T) {
			shelves := make(map[string]*cupboard)
			delivered := make(map[string]bool)
			open := func(id string) *reward.Account { return shelves[id].open(t, id, c.Program) }
			for i := range c.Events {
				e := &c.Events[i]
				if shelves[e.Account] == nil {
					shelves[e.Account] = &cupboard{parts: make(map[place]reward.Part)}
				}
				a := open(e.Account)
				// Whether an event was delivered before is for the log to say.
				if id := e.Account + " " + e.Source + " " + e.ID; delivered[id] {
					continue
				} else if !c.Outcomes[i].LeavesNoTrace() {
					delivered[id] = true
				}
				if got, _ := a.Apply(e, nil); got != c.Outcomes[i] {
					t.Fatalf("event %d %+v: %v, expected %v", i, *e, got, c.Outcomes[i])
				}
				shelves[e.Account].put(a)
			}
			for _, want := range c.Final {
				for _, line := range want.Transactions {
					a := open(want.Account)
					a.Apply(&reward.Event{Account: want.Account, Time: casesEnd, Type: reward.CycleClosed}, nil)
					got, _ := a.Detail(line.ID)
					if got.Reversed != line.Reversed || got.Retained != line.Retained {
						t.Errorf("%s of %s: %d reversed, %d retained, want %d and %d", line.ID, want.Account, got.Reversed, got.Retained, line.Reversed, line.Retained)
					}
				}
			}
		})
	}
}
