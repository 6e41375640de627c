package reward_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"recoup/reward"
)

// TestHoldsAddUpToWhatIsHeld: what an account says of why an amount is held adds up to what is held,
// after every event and under all terms, names nobody twice, and says no more of a purchase than it retains.
func TestHoldsAddUpToWhatIsHeld(t *testing.T) {
	for _, c := range []struct {
		name  string
		draw  func(*rapid.T) *reward.Program
		trace func(*rapid.T, *reward.Program, int) []reward.Event
	}{
		{"plain", drawTerms, drawTrace},
		{"terms", drawPromisedTerms, drawTrace},
		{"tiers", drawTieredTerms, drawTrace},
		{"items", drawTieredTerms, drawItemTrace},
		{"expiry", drawExpiringTerms, drawItemTrace},
	} {
		t.Run(c.name, func(t *testing.T) { holdsAddUp(t, c.draw, c.trace) })
	}
}

func holdsAddUp(t *testing.T, draw func(*rapid.T) *reward.Program, trace func(*rapid.T, *reward.Program, int) []reward.Event) {
	rapid.Check(t, func(t *rapid.T) {
		program := draw(t)
		subject := newReal(program)
		var told story
		for _, e := range trace(t, program, 60) {
			told = append(told, told.line(&e, subject.apply(t, e)))
			if a := subject.store.Account(e.Account); a != nil && a.Exists() {
				explained(t, a)
			}
			if t.Failed() {
				t.Fatalf("under %s\nafter\n%s", describe(program), told.of(e.Account))
			}
		}
	})
}

// explained holds what an account says of its holds to what else it says of itself.
func explained(t rapid.TB, a *reward.Account) {
	t.Helper()
	type of struct{ transaction, bonus, rule, period string }
	s, holds := a.State(), a.Holds()
	paid, held, sum := map[of]int64{}, map[of]int64{}, int64(0)
	for _, x := range s.Transactions {
		paid[of{transaction: x.ID}] = x.Retained
	}
	for _, b := range s.Bonuses {
		paid[of{bonus: b.Bonus, period: b.Period}] = b.Reward
	}
	seen := map[reward.Hold]bool{}
	for _, h := range holds {
		at := of{h.Transaction, h.Bonus, h.Rule, h.Period}
		held[at] += h.Amount
		sum += h.Amount
		if most, known := paid[at]; h.Amount <= 0 || h.Until <= a.Now() || at.rule == "" && (!known || held[at] > most) {
			t.Errorf("%+v is held, of %d", h, most)
		}
		if h.Amount = 0; seen[h] {
			t.Errorf("%+v is said twice", h)
		}
		seen[h] = true
	}
	if sum != s.Held {
		t.Errorf("%d is held, the holds are %+v", s.Held, holds)
	}
}

// TestHoldsOfTerms are cases worked by hand: what is announced, or young, and what each purchase and bonus
// is held for. All purchases are of one day each, from 5 January on; the account is looked at on the 10th.
func TestHoldsOfTerms(t *testing.T) {
	day := func(n int) reward.Instant { return reward.At(time.Date(2026, 1, n, 0, 0, 0, 0, time.UTC)) }
	capped := func(c int64) []reward.Layer {
		return []reward.Layer{{ID: "base", Rules: []reward.Rule{{ID: "all", Rate: 1_000_000, Cap: c, Earning: reward.Earning{Per: reward.PerMonth}}}}}
	}
	stepped := func(whole bool) []reward.Layer {
		steps := []reward.Step{{Rate: 1_000_000}, {From: 50_000, Rate: 2_000_000}}
		return []reward.Layer{{ID: "base", Rules: []reward.Rule{{ID: "all", Cap: reward.NoCap, Earning: reward.Earning{Per: reward.PerMonth, Steps: steps, Whole: whole}}}}}
	}
	welcome := []reward.Bonus{{ID: "welcome", Earning: reward.Earning{Per: reward.PerLifetime}, Spend: []reward.Goal{{From: 100_000, Reward: 5_000}}}}
	for _, c := range []struct {
		name      string
		program   reward.Program
		bought    []int64
		announced []int64 // of each
		want      []string
	}{
		{"a step that later purchases fall below, and a bonus", reward.Program{Layers: stepped(false), Bonuses: welcome}, []int64{60_000, 60_000}, []int64{30_000, 0}, []string{
			"welcome lifetime 5000 refund_announced 2026-02-09", // S is 900.00 and not 1,200.00
			"t0 400 refund_announced 2026-02-09",                // 1 % of 300.00, of 7.00
			"t1 200 refund_announced 2026-02-09",                // 1 % of 200.00 and 2 % of 400.00, of 12.00
		}},
		{"a cap that the next purchase fills again", reward.Program{Layers: capped(1_000)}, []int64{80_000, 80_000}, []int64{80_000, 0}, []string{
			"t0 200 refund_announced 2026-02-09", // it loses 8.00; t1, which had the 2.00 that were left, gets 6.00 more
		}},
		{"one rate for all", reward.Program{Layers: stepped(true)}, []int64{30_000, 60_000}, []int64{0, 60_000}, []string{
			"all 2026-01 300 refund_announced 2026-02-09", // 1 % of 300.00, of 6.00
			"t1 1200 refund_announced 2026-02-09",
		}},
		{"what is young, of a cap and a bonus", reward.Program{Layers: capped(1_000), Bonuses: welcome, MaturityDays: 6}, []int64{80_000, 30_000}, []int64{0, 0}, []string{
			"t0 800 maturity 2026-01-11",
			"welcome lifetime 5000 maturity 2026-01-12", // with t1 S is 1,100.00
			"t1 200 maturity 2026-01-12",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := c.program
			p.ID, p.Currency, p.Method = "p", "USD", reward.Rerate
			p.Refunds = reward.RefundTerms{PendingDays: 30, MatchDays: 10, ParkDays: 30, WindowDays: 90, FirmDays: 180, Movable: 32}
			subject := newReal(&p)
			play := func(e reward.Event) {
				e.Source, e.Account = "core", "a"
				if r := subject.apply(t, e); r.Outcome != reward.Applied {
					t.Fatalf("%+v: %v %v", e, r.Outcome, r.Code)
				}
			}
			for i, amount := range c.bought {
				id := fmt.Sprint("t", i)
				play(reward.Event{ID: id, Type: reward.TransactionSettled, Transaction: id, Time: day(5 + i), Amount: amount, HasAmount: true, Currency: "USD"})
			}
			for i, amount := range c.announced {
				if id := fmt.Sprint("r", i); amount > 0 {
					play(reward.Event{ID: id, Type: reward.RefundPending, Fact: id, Transaction: fmt.Sprint("t", i), Time: day(10), Amount: amount, HasAmount: true, Currency: "USD"})
				}
			}
			subject.advance(t, day(10))
			a := subject.store.Account("a")
			explained(t, a)
			var got []string
			for _, h := range a.Holds() {
				of := h.Transaction
				if of == "" {
					of = h.Bonus + h.Rule + " " + h.Period
				}
				got = append(got, fmt.Sprint(of, " ", h.Amount, " ", h.Why, " ", h.Until.Time().Format(time.DateOnly)))
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("held are\n%q, expected\n%q", got, c.want)
			}
		})
	}
}

// TestWhatIsAnnouncedUnderALimitTakesNoMoreThanIsHeld: where a limit is of many cycles, and purchases come late, some
// for lots that are over: once all that is announced posts, no less is available than before, and nobody who
// redeemed what was is in debt. Where nothing expires and nothing else may earn more, it is just as much.
func TestWhatIsAnnouncedUnderALimitTakesNoMoreThanIsHeld(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rule := reward.Rule{ID: "all", Rate: 10_000_000, Cap: reward.NoCap}
		rule.Per = pick(t, "per", reward.PerLifetime, reward.PerYear, reward.PerQuarter)
		limit := pick(t, "limit", "cap", "cap", "steps", "purchases")
		switch limit {
		case "cap":
			rule.Cap = pick[int64](t, "cap", 500, 1_000, 3_000)
		case "steps":
			rule.Rate, rule.Steps = 0, []reward.Step{{Rate: 1_000_000}, {From: pick[int64](t, "from", 5_000, 20_000), Rate: 10_000_000}}
		case "purchases":
			rule.Places = pick[int64](t, "purchases", 1, 2)
		}
		p := retold(&reward.Program{ID: "p", Currency: "USD", Layers: []reward.Layer{{ID: "base", Rules: []reward.Rule{rule}}}}, reward.Timing{}, 0)
		p.ExpiryMonths = pick(t, "months", 1, 0, 2, 3)
		bought := shopping(t, p, 8)
		events := slices.Clone(bought)
		for range pick(t, "delivered late", 2, 0, 1, 4) {
			i := rapid.IntRange(0, len(events)-1).Draw(t, "which")
			late := events[i]
			events = append(slices.Delete(events, i, i+1), late)
		}
		kept, redeems := judgedAs(t, p, events...), judgedAs(t, p, events...)
		now := kept.account().Now()
		var announced []reward.Event
		for i := range pick(t, "refunds", 1, 2, 3) {
			of := rapid.IntRange(0, len(bought)-1).Draw(t, "of")
			r := returnOf(bought[of], fmt.Sprint("r", i), pick(t, "refund", bought[of].Amount, bought[of].Amount/2+1), 0)
			if bought[of].Amount -= r.Amount; bought[of].Amount < 0 {
				continue // it would be of more than was bought
			}
			r.Time = now
			announced = append(announced, r)
			r.ID, r.Type = "p"+r.ID, reward.RefundPending
			kept.hear(t, r)
			redeems.hear(t, r)
		}
		before := kept.account().State()
		if before.Available > 0 {
			redeems.redeemAll(t, now)
		}
		for _, r := range announced {
			kept.hear(t, r)
			redeems.hear(t, r)
		}
		after := kept.account().State()
		if after.Available < before.Available || after.Available > before.Available && p.ExpiryMonths == 0 && limit != "purchases" {
			t.Errorf("%d are available and %d held; then %d are available", before.Available, before.Held, after.Available)
		}
		if s := redeems.account().State(); s.Balance < min(0, before.Available) {
			t.Errorf("the balance is %d after all was redeemed that could be", s.Balance)
		}
		if t.Failed() {
			t.Fatalf("under %s, of %d months\nafter\n%s", describe(p), p.ExpiryMonths, storyOf(events, announced))
		}
	})
}
