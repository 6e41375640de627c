package overview_test

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"recoup/internal/console/overview"
	"recoup/internal/engine"
	"recoup/internal/store/memory"
	"recoup/internal/traffic"
	"recoup/program"
	"recoup/reward"
)

// naive works the figures of one program out from its events, played in memory:
// from the whole journal and the whole state of every account.
type naive struct {
	*memory.Store
	terms    *reward.Program
	journals map[string][]reward.Posting
	versions map[string]int64
	owed     map[string][]*cent // by account, once they were worked out
}

// cents are those of an account.
func (n *naive) cents(id string) []*cent {
	if _, known := n.owed[id]; !known {
		n.owed[id] = cents(n.journals[id])
	}
	return n.owed[id]
}

func playNaively(t *testing.T, document string, events []reward.Event) *naive {
	t.Helper()
	p, err := program.Parse("program", []byte(document))
	if err != nil {
		t.Fatal(err)
	}
	n := &naive{memory.New(p), p, make(map[string][]reward.Posting), make(map[string]int64), make(map[string][]*cent)}
	n.Observe(func(e *reward.Event, postings []reward.Posting) {
		n.journals[e.Account] = append(n.journals[e.Account], postings...)
		n.versions[e.Account]++
	})
	if _, err := engine.New(n.Store).Apply(context.Background(), events, nil); err != nil {
		t.Fatal(err)
	}
	return n
}

// cycles adds up the journals by cycle.
func (n *naive) cycles(first, last reward.Cycle) []overview.Cycle {
	list := make([]overview.Cycle, last-first+1)
	for i := range list {
		list[i].Cycle = first + reward.Cycle(i)
	}
	for _, journal := range n.journals {
		seen := make(map[reward.Cycle]bool)
		var cycle reward.Cycle
		for _, p := range journal {
			if cycle = max(cycle, p.Cycle); cycle < first {
				continue
			}
			c := &list[cycle-first]
			if !seen[cycle] {
				seen[cycle] = true
				c.Accounts++
			}
			switch {
			case p.Kind == reward.RedemptionPaid || p.Kind == reward.RedemptionReturned:
				c.Redeemed -= p.Amount
			case p.Kind == reward.Adjustment:
				c.Adjusted += p.Amount
			case p.Amount > 0:
				c.Granted += p.Amount
			default:
				c.ClawedBack -= p.Amount
			}
		}
	}
	return list
}

// debtors follows every journal from its beginning.
func (n *naive) debtors(at reward.Instant) (list []overview.Debtor) {
	for id := range n.journals {
		if balance := n.Account(id).State().Balance; balance < 0 {
			a := n.Account(id)
			since := n.oldestOwed(id)
			list = append(list, overview.Debtor{
				Account: id, Program: n.terms.ID, Closed: a.State().Closed, Debt: -balance, Since: since, Days: int((at - since) / reward.Day), Latest: a.Now(),
			})
		}
	}
	slices.SortFunc(list, func(a, b overview.Debtor) int {
		return cmp.Or(cmp.Compare(b.Debt, a.Debt), cmp.Compare(a.Account, b.Account))
	})
	return list
}

// cent is a cent that is owed, or was.
type cent struct {
	since      reward.Instant
	of, paidBy string // paidBy is empty while it is owed
	paid       reward.Instant
}

// cents follows a journal cent by cent: each that is taken and was not there is one, and
// each that comes in pays one, of those that the same took if there are any, the latest
// first, else the oldest. A cent that was paid by what is taken again is owed as before.
func cents(journal []reward.Posting) (list []*cent) {
	spare := int64(0)
	owed := make(map[string]int) // cents, by what took them; and under "" all, so that nothing is looked for in vain
	paidBy := make(map[string]int)
	first := 0 // none before it is owed
	settle := func(c *cent, by string, at reward.Instant) bool {
		c.paidBy, c.paid = by, at
		owed[c.of]--
		owed[""]--
		paidBy[strings.TrimSuffix(by, " itself")]++
		return true
	}
	pay := func(by, itself string, at reward.Instant) bool {
		for i := len(list) - 1; i >= 0 && owed[by] > 0; i-- {
			if c := list[i]; c.paidBy == "" && c.of == by {
				return settle(c, itself, at)
			}
		}
		for ; first < len(list) && owed[""] > 0; first++ {
			if c := list[first]; c.paidBy == "" {
				return settle(c, by, at)
			}
		}
		return false
	}
	for _, p := range journal {
		of := "purchase " + p.Transaction
		switch {
		case p.Kind == reward.Adjustment:
			of = "by hand"
		case p.Fact != "":
			of = "payout " + p.Fact
		}
		itself := of + " itself" // one text for all cents of a posting
		for range max(p.Amount, 0) {
			if !pay(of, itself, p.At) {
				spare++
			}
		}
		for range max(-p.Amount, 0) {
			var again *cent // of the latest debt that this paid
			for i := 0; i < len(list) && paidBy[of] > 0; i++ {
				c := list[i]
				if (c.paidBy == of || c.paidBy == itself) && (again == nil || c.since >= again.since) {
					again = c
				}
			}
			switch {
			case again != nil:
				again.paidBy, first = "", 0
				owed[again.of]++
				owed[""]++
				paidBy[of]--
			case spare > 0:
				spare--
			default:
				list = append(list, &cent{since: p.At, of: of})
				owed[of]++
				owed[""]++
			}
		}
		for spare > 0 && pay("what was there", "", p.At) {
			spare--
		}
	}
	return list
}

// oldestOwed is since when the oldest cent is owed.
func (n *naive) oldestOwed(id string) (since reward.Instant) {
	for _, c := range n.cents(id) {
		if c.paidBy == "" && (since == 0 || c.since < since) {
			since = c.since
		}
	}
	return since
}

// arrived is a refund that counts, with the settlement of its purchase.
type arrived struct {
	account, transaction, refund string
	settled, at                  reward.Instant
	amount                       int64
}

// refunds are those that name a purchase that settled.
func (n *naive) refunds() (list []arrived) {
	for id := range n.Accounts() {
		a := n.Account(id)
		for _, t := range a.State().Transactions {
			d, _ := a.Detail(t.ID)
			for _, r := range d.Reversals {
				if r.Kind == reward.RefundPart && r.Linked && r.Status == reward.ReversalPosted && d.Settled != 0 {
					list = append(list, arrived{id, t.ID, r.ID, d.Settled, r.At, r.Amount})
				}
			}
		}
	}
	return list
}

// compareLag works out every number of a lag from a list of refunds.
func compareLag(t *testing.T, l *overview.RefundLag, p *reward.Program, refunds []arrived) {
	t.Helper()
	var linked, grace, maturity overview.Sum
	took := make(map[int]overview.Sum)
	count := func(s overview.Sum, r arrived) overview.Sum {
		return overview.Sum{Refunds: s.Refunds + 1, Value: s.Value + r.amount}
	}
	for _, r := range refunds {
		linked = count(linked, r)
		if r.at < reward.CycleAt(r.settled).End()+reward.Instant(p.Redemption.GraceDays)*reward.Day {
			grace = count(grace, r)
		}
		if r.at < r.settled+reward.Instant(p.MaturityDays)*reward.Day {
			maturity = count(maturity, r)
		}
		days := int(max(0, r.at-r.settled) / reward.Day)
		took[days] = count(took[days], r)
	}
	if l.Linked != linked || l.Grace.Sum != grace || l.Maturity.Sum != maturity {
		t.Errorf("%s: linked %+v, in grace %+v, in maturity %+v; want %+v, %+v, %+v", l.Program, l.Linked, l.Grace, l.Maturity, linked, grace, maturity)
	}
	if l.Grace.Permille != grace.Value*1000/linked.Value || l.Maturity.Enough != (maturity.Value*100 >= linked.Value*99) {
		t.Errorf("%s: the shares are %+v and %+v of %d", l.Program, l.Grace, l.Maturity, linked.Value)
	}
	var sum overview.Sum
	var curve []overview.LagPoint
	for _, days := range slices.Sorted(maps.Keys(took)) {
		sum.Refunds, sum.Value = sum.Refunds+took[days].Refunds, sum.Value+took[days].Value
		curve = append(curve, overview.LagPoint{Days: days, Sum: sum})
	}
	if !slices.Equal(l.Curve, curve) {
		t.Errorf("%s: the curve is\n%v, want\n%v", l.Program, l.Curve, curve)
	}
	for _, c := range l.Coverage {
		first := slices.IndexFunc(curve, func(p overview.LagPoint) bool { return p.Value*1000 >= c.Permille*linked.Value })
		if c.Days != curve[first].Days || c.MaturityDays != c.Days+1 {
			t.Errorf("%s: %d ‰ came within %d days, want %d", l.Program, c.Permille, c.Days, curve[first].Days)
		}
	}
	compareBuckets(t, l, refunds, took)
}

func compareBuckets(t *testing.T, l *overview.RefundLag, refunds []arrived, took map[int]overview.Sum) {
	t.Helper()
	for _, b := range l.Buckets {
		var want overview.Sum
		for days, s := range took {
			if days >= b.From && (days <= b.To || b.To == 0 && b.From > 0) || days == b.From {
				want.Refunds, want.Value = want.Refunds+s.Refunds, want.Value+s.Value
			}
		}
		if b.Sum != want || len(b.Latest) != min(int(want.Refunds), overview.MostSamples) {
			t.Errorf("%s: from %d to %d days came %+v, of which %d are named; want %+v", l.Program, b.From, b.To, b.Sum, len(b.Latest), want)
		}
		for _, s := range b.Latest {
			if !slices.ContainsFunc(refunds, func(r arrived) bool {
				return r.account == s.Account && r.transaction == s.Transaction && r.refund == s.Refund && r.at.Time().Equal(s.At) && r.amount == s.Amount &&
					int(max(0, r.at-r.settled)/reward.Day) == s.Days
			}) {
				t.Errorf("%s: there is no refund %+v", l.Program, s)
			}
		}
	}
}

// TestFiguresAreWhatTheEventsAddUpTo plays two years of traffic, late and twice
// delivered events among it, in two programs.
func TestFiguresAreWhatTheEventsAddUpTo(t *testing.T) {
	onEveryDatabase(t, func(t *testing.T, h *house) {
		plain, opened := streamOf(t, everyday, "", 1, h.traffic), streamOf(t, gold, "gold-", 2, h.traffic)
		h.deliver(append(slices.Clone(plain), opened...)...)
		at := max(plain[len(plain)-1].Time, opened[len(opened)-1].Time) + 40*reward.Day
		f := h.figures(at.Time())

		programs := []*naive{playNaively(t, everyday, plain), playNaively(t, gold, opened)}
		var accounts, events int64
		kinds := make(map[reward.ReviewKind]overview.ReviewKind)
		for i, n := range programs {
			n.compare(t, f, h.currency(f, n.terms.Currency), at)
			compareLag(t, &f.Refunds.Programs[i], n.terms, n.refunds())
			for id := range n.Accounts() {
				accounts++
				for _, r := range n.Account(id).Reviews() {
					k := kinds[r.Kind]
					if k.Open++; k.Oldest == 0 || r.Since < k.Oldest {
						k.Oldest = r.Since
					}
					k.Kind = r.Kind
					kinds[r.Kind] = k
				}
			}
			for _, version := range n.versions {
				events += version
			}
		}
		if f.Accounts != accounts || f.Events != events {
			t.Errorf("%d accounts and %d events, want %d and %d", f.Accounts, f.Events, accounts, events)
		}
		if len(kinds) < 3 || f.Reviews.Cut {
			t.Errorf("open are %+v, want several kinds, and all", f.Reviews)
		}
		var open int64
		for _, k := range f.Reviews.Kinds {
			want := kinds[k.Kind]
			want.Kind = k.Kind
			if k != want || f.Reviews.Of(k.Kind) != want {
				t.Errorf("open are %+v, want %+v", k, want)
			}
			open += want.Open
		}
		if f.Reviews.Open != open {
			t.Errorf("%d reviews are open, want %d", f.Reviews.Open, open)
		}
	})
}

// streamOf is traffic of a program that its accounts are opened in, of so many events.
func streamOf(t *testing.T, document, prefix string, seed uint64, n int) []reward.Event {
	t.Helper()
	p, err := program.Parse("program", []byte(document))
	if err != nil {
		t.Fatal(err)
	}
	events := slices.Collect(traffic.Generate(traffic.Options{
		Accounts: 40, Events: n, Seed: seed, Program: p, Start: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), Days: 700,
		ReturnShare: 400, OverRefunds: 100, Duplicates: 50, Disorder: 100,
	}))
	// Some are put into debt, of which some come out again.
	for _, i := range []int{n * 39 / 40, n * 9 / 10, n * 3 / 4, n / 2, n / 4} {
		e := events[i]
		e = reward.Event{
			Source: "test", ID: "debit", Account: e.Account, Time: e.Time, Type: reward.AdjustmentPosted, Fact: fmt.Sprint("debit", i),
			Amount: -20_000, HasAmount: true, Currency: p.Currency, Reason: "r", Actor: "test",
		}
		events = slices.Insert(events, i, e)
	}
	var opened []reward.Event
	known := make(map[string]bool)
	for i := range events {
		e := &events[i]
		e.Account = prefix + e.Account
		if !known[e.Account] {
			known[e.Account] = true
			opened = append(opened, reward.Event{Source: "test", ID: "open", Account: e.Account, Time: events[0].Time, Type: reward.AccountOpened, Fact: p.ID})
		}
	}
	return append(opened, events...)
}

// compare compares the figures of a currency that one program has alone.
func (n *naive) compare(t *testing.T, f *overview.Figures, c overview.Currency, at reward.Instant) {
	t.Helper()
	var want overview.Currency
	var holders []overview.Holder
	for id := range n.Accounts() {
		s := n.Account(id).State()
		want.Accounts++
		want.Owed += max(s.Balance, 0)
		want.Debt += max(-s.Balance, 0)
		if want.Held += s.Held; s.Held > 0 {
			holders = append(holders, overview.Holder{Account: id, Program: n.terms.ID, Held: s.Held, Balance: s.Balance, Latest: n.Account(id).Now()})
		}
	}
	if c.Accounts != want.Accounts || c.Owed != want.Owed || c.Debt != want.Debt || c.Held != want.Held || want.Debt == 0 {
		t.Errorf("%s: %d accounts, owed %d, owing %d, held %d; want %+v", c.Currency, c.Accounts, c.Owed, c.Debt, c.Held, want)
	}
	now := reward.CycleAt(at)
	if cycles := n.cycles(now-12, now); !slices.Equal(c.Cycles, cycles) {
		t.Errorf("%s: the cycles are\n%+v, want\n%+v", c.Currency, c.Cycles, cycles)
	}
	debtors := n.debtors(at)
	if !reflect.DeepEqual(c.Debts.Debtors, debtors) || len(debtors) == 0 {
		t.Errorf("%s: the debtors are\n%+v, want\n%+v", c.Currency, c.Debts.Debtors, debtors)
	}
	for _, age := range c.Debts.Ages {
		var accounts, debt int64
		for _, d := range debtors {
			if d.Days >= age.From && (d.Days <= age.To || age.To == 0) {
				accounts, debt = accounts+1, debt+d.Debt
			}
		}
		if age.Accounts != accounts || age.Debt != debt {
			t.Errorf("%s: of %d to %d days is %+v, want %d of %d accounts", c.Currency, age.From, age.To, age, debt, accounts)
		}
	}
	slices.SortFunc(holders, func(a, b overview.Holder) int {
		return cmp.Or(cmp.Compare(b.Held, a.Held), cmp.Compare(a.Account, b.Account))
	})
	if !slices.Equal(c.Holders, holders) || int(c.HoldingAccounts) != len(holders) {
		t.Errorf("%s: %d hold, and those named are\n%+v, want\n%+v", c.Currency, c.HoldingAccounts, c.Holders, holders)
	}
	if i := slices.IndexFunc(f.Programs, func(p overview.Program) bool { return p.ID == n.terms.ID }); f.Programs[i].Accounts != want.Accounts {
		t.Errorf("%s: %d accounts, want %d", n.terms.ID, f.Programs[i].Accounts, want.Accounts)
	}
}
