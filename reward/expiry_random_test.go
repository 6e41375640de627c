package reward_test

import (
	"maps"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"recoup/reward"
)

// drawExpiring draws a program whose rewards expire soon, or one whose next version has
// them expire, or not any more.
func drawExpiring(t *rapid.T) *reward.Program {
	if pick(t, "terms", "plain", "promises", "promises") == "plain" {
		return withExpiry(t, drawTerms(t))
	}
	return drawExpiringTerms(t)
}

// drawExpiringTerms is the same without plain programs.
func drawExpiringTerms(t *rapid.T) *reward.Program {
	return withExpiry(t, promisedTerms(t, pick(t, "tiers", false, true)))
}

func withExpiry(t *rapid.T, p *reward.Program) *reward.Program {
	p.ExpiryMonths = pick(t, "months", 1, 2, 3)
	if p.Earlier != nil {
		p.Earlier.ExpiryMonths = pick(t, "months before", 0, 1, 4)
		p.ExpiryMonths = pick(t, "months then", 1, 2, 0)
	}
	return p
}

// TestEngineAgreesWithNaiveModelOverExpiry is the comparison where rewards expire.
func TestEngineAgreesWithNaiveModelOverExpiry(t *testing.T) {
	t.Run("purchases", func(t *testing.T) { agreesOver(t, drawExpiring, drawTrace) })
	t.Run("items", func(t *testing.T) { agreesOver(t, drawExpiring, drawItemTrace) })
}

// TestAccountsWithExpiryLiveOnShelves is TestAccountsLiveOnShelves where rewards expire.
func TestAccountsWithExpiryLiveOnShelves(t *testing.T) { liveOnShelves(t, drawExpiring, drawItemTrace) }

// TestARefundOfWhatHasExpiredTakesNothing: once all that was earned has expired, whatever
// comes back changes no balance, and nothing that is available.
func TestARefundOfWhatHasExpiredTakesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		program := drawExpiring(t)
		for p := program; p != nil; p = p.Earlier {
			p.ExpiryMonths = 2
			for i := range p.Layers {
				for j := range p.Layers[i].Rules {
					if r := &p.Layers[i].Rules[j]; r.Per == reward.PerLifetime && !r.Whole {
						r.Per = reward.PerYear // what is held of a limit for life is held, expired or not
					}
				}
			}
			p.Refunds = reward.RefundTerms{PendingDays: 30, MatchDays: 10, ParkDays: 30, WindowDays: 400, FirmDays: 180, Movable: 32}
		}
		a := reward.NewAccount("a1", program)
		var bought []reward.Event
		for _, e := range drawTrace(t, program, 30) {
			e.Account = "a1"
			if e.Type != reward.TransactionSettled || slices.ContainsFunc(bought, func(x reward.Event) bool { return x.Transaction == e.Transaction }) {
				continue
			}
			a.Apply(&e, nil)
			bought = append(bought, e)
		}
		if len(bought) == 0 {
			return
		}
		end := bought[0].Time
		for _, e := range bought {
			end = max(end, e.Time)
		}
		now := end + 1200*reward.Day // also a year's bonus has expired by then
		a.Apply(&reward.Event{Account: "a1", ID: "close", Time: now, Type: reward.CycleClosed}, nil)
		now += 100 * reward.Day // what that close granted of a lifetime has expired, too
		a.Apply(&reward.Event{Account: "a1", ID: "another", Time: now, Type: reward.CycleClosed}, nil)
		for i, e := range bought {
			before := a.State()
			if before.Balance != 0 {
				t.Fatalf("%d has not expired", before.Balance)
			}
			back := reward.Event{
				Account: "a1", ID: "back" + e.Transaction, Time: now, Type: pick(t, "how", reward.RefundPosted, reward.RefundPending, reward.ChargebackPosted, reward.TransactionReversed),
				Fact: "r" + e.Transaction, Transaction: e.Transaction, Amount: max(1, e.Amount/int64(1+i%2)), HasAmount: true, Currency: e.Currency,
			}
			var postings []reward.Posting
			_, postings = a.Apply(&back, nil)
			after := a.State()
			if after.Balance != before.Balance || after.Held != 0 || after.Available != before.Available {
				t.Fatalf("%v of %s: balance %d, held %d, available %d; before %d, %d, %d: %+v", back.Type, back.Transaction,
					after.Balance, after.Held, after.Available, before.Balance, before.Held, before.Available, postings)
			}
			for _, v := range a.Check() {
				t.Fatal(v)
			}
		}
	})
}

// TestWhatExpiresDoesNotDependOnTheOrder: what was bought, given back and used in a cycle leaves what it
// leaves, in whichever order it is told.
func TestWhatExpiresDoesNotDependOnTheOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		program := flat("flat", 10)
		program.ExpiryMonths = pick(t, "months", 1, 2, 3)
		a := reward.NewAccount("a1", program)
		apply := func(a *reward.Account, e reward.Event) {
			e.Account, e.Currency = "a1", "USD"
			if e.Amount != 0 {
				e.HasAmount = true
			}
			a.Apply(&e, nil)
			for _, v := range a.Check() {
				t.Fatal(v)
			}
		}
		start := reward.Cycle(2026 * 12).Start()
		var facts []reward.Event
		for i := range pick(t, "purchases", 2, 3, 5) {
			at := start + naiveDays(rapid.IntRange(0, 150).Draw(t, "bought on"))
			id := string(rune('a' + i))
			facts = append(facts, reward.Event{ID: "t" + id, Type: reward.TransactionSettled, Transaction: id, Amount: pick[int64](t, "amount", 1000, 5000, 70), Time: at})
			if pick(t, "returned", 0, 1) == 1 {
				facts = append(facts, reward.Event{ID: "r" + id, Type: reward.RefundPosted, Fact: id, Transaction: id, Amount: pick[int64](t, "back", 500, 70, 5000), Time: at + reward.Day})
			}
		}
		// All is told in the last cycle, so that adjustments, the uses, are of the same one.
		last := start + naiveDays(200)
		facts = append(facts, reward.Event{ID: "j", Type: reward.AdjustmentPosted, Fact: "j", Amount: -pick[int64](t, "taken", 100, 300, 1), Reason: "r", Actor: "o", Time: last})
		apply(a, reward.Event{ID: "first", Type: reward.CycleClosed, Time: last})
		b := reward.NewAccount("a1", program)
		apply(b, reward.Event{ID: "first", Type: reward.CycleClosed, Time: last})
		for _, e := range facts {
			apply(a, e)
		}
		for _, e := range rapid.Permutation(facts).Draw(t, "order") {
			apply(b, e)
		}
		if x, y := a.State(), b.State(); !reflect.DeepEqual(x, y) {
			t.Fatalf("%+v\nin another order %+v", x, y)
		}
	})
}

// expiryCorners are what drawn traces must come to where rewards expire.
var expiryCorners = map[string]func(b *naiveBook, before int64, e *reward.Event, r reward.Result) bool{
	"rewards expire at a close": func(b *naiveBook, before int64, e *reward.Event, _ reward.Result) bool {
		return e.Type == reward.CycleClosed && b.expired(b.lots()) > before
	},
	"a return undoes an expiry": func(b *naiveBook, before int64, e *reward.Event, r reward.Result) bool {
		return e.Type == reward.RefundPosted && r == naiveApplied && b.expired(b.lots()) < before
	},
	"what was used lies on a lot that had expired": func(b *naiveBook, _ int64, _ *reward.Event, _ reward.Result) bool {
		l := b.lots()
		for c, left := range b.unused(l) {
			if b.lastOf(c) < b.openCycle && left > 0 && left < l.cycles[c] {
				return true
			}
		}
		return false
	},
	"a redemption returns and expires": func(b *naiveBook, before int64, e *reward.Event, r reward.Result) bool {
		return e.Type == reward.RedemptionReversed && r == naiveApplied && b.expired(b.lots()) > before
	},
	"a late purchase expires at once": func(b *naiveBook, before int64, e *reward.Event, r reward.Result) bool {
		return e.Type == reward.TransactionSettled && r == naiveApplied && b.lastOf(naiveCycle(b.latest, e.Time)) < b.openCycle && b.expired(b.lots()) > before
	},
	"what never expires is used": func(b *naiveBook, _ int64, _ *reward.Event, _ reward.Result) bool {
		l := b.lots()
		return l.before > 0 && slices.ContainsFunc(slices.Collect(maps.Keys(b.uses())), func(c reward.Cycle) bool { return c >= b.firstToExpire() })
	},
	"a debt stood at the beginning": func(b *naiveBook, _ int64, _ *reward.Event, _ reward.Result) bool { return b.lots().before < 0 },
	"a lot waits for an older one": func(b *naiveBook, _ int64, _ *reward.Event, _ reward.Result) bool {
		for c := range b.lots().cycles {
			if b.lastOf(c) > c+reward.Cycle(b.latest.In(c).ExpiryMonths) && b.lastOf(c) != naiveForever {
				return true
			}
		}
		return false
	},
	"a lifetime is of several cycles": func(b *naiveBook, _ int64, _ *reward.Event, _ reward.Result) bool {
		return slices.ContainsFunc(slices.Collect(maps.Values(b.lifetimes)), func(l []naiveDated) bool { return len(l) > 1 })
	},
	"what is held would be taken from nobody": func(b *naiveBook, _ int64, _ *reward.Event, _ reward.Result) bool {
		for c := range b.lots().cycles {
			if b.lastOf(c) < b.openCycle && b.held() < b.heldOf(c) {
				return true
			}
		}
		return false
	},
}

// heldOf is what is held of a cycle, expired or not.
func (b *naiveBook) heldOf(c reward.Cycle) int64 { return b.holdsBy(true).cycles[c] }

// TestDrawnTracesReachEveryCornerOfExpiry keeps the drawing honest.
func TestDrawnTracesReachEveryCornerOfExpiry(t *testing.T) {
	missing := maps.Clone(expiryCorners)
	traces := rapid.Custom(func(t *rapid.T) bool {
		program := drawExpiring(t)
		model := newNaive(program)
		for _, e := range drawTrace(t, program, 40) {
			var before int64
			if b := model.book(e.Account); b != nil {
				before = b.expired(b.lots())
			}
			r := model.apply(&e)
			if b := model.book(e.Account); b != nil {
				maps.DeleteFunc(missing, func(_ string, reached func(*naiveBook, int64, *reward.Event, reward.Result) bool) bool {
					return reached(b, before, &e, r)
				})
			}
		}
		return true
	})
	for seed := range mostTraces {
		if traces.Example(seed); len(missing) == 0 {
			t.Logf("all after %d traces", seed+1)
			return
		}
	}
	for corner := range missing {
		t.Errorf("no trace reaches: %s", corner)
	}
}
