package reward_test

import (
	"cmp"
	"fmt"
	"maps"
	"math/big"
	"os"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"recoup/reward"
)

// What docs/semantics.md, section 10, promises, over terms: by random programs and through the public
// door alone, so that whoever computes rewards in another way has to keep it as well.

// TestTermsAsIfNeverBought: what was returned, in parts and by any reversal, leaves every purchase, item
// and bonus, every tier, and what has expired, as in the same trace bought net.
func TestTermsAsIfNeverBought(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := lived(t, anyTiming(t), 0)
		first, gross := attributes(t), withReceipts(t, shopping(t, p, 12))
		first = append(first, taken(t, p)...)
		items := receipts(gross)
		var returns []reward.Event
		for i, e := range gross {
			if e.Type != reward.TransactionSettled {
				continue
			}
			left, slip := e.Amount, slices.Clone(items[e.Transaction])
			switch pick(t, "returned", "nothing", "parts", "parts", "all", "withdrawn", "charged back") {
			case "parts":
				for part := range pick(t, "parts", 1, 2, 3) {
					if amount := min(left, pick(t, "refund", 1, left/2, 1_000, left-1)); amount > 0 {
						r := returnOf(e, fmt.Sprintf("r%d-%d", i, part), amount, pick(t, "days later", 0, 5, 40, 120))
						if len(slip) > 0 && pick(t, "names items", true, false) {
							r = naming(r, slip)
						}
						returns = append(returns, r)
						left -= amount
					}
				}
			case "all":
				returns = append(returns, returnOf(e, fmt.Sprintf("r%d", i), left, pick(t, "days later", 0, 5, 40, 400)))
			case "withdrawn":
				r := returnOf(e, fmt.Sprintf("w%d", i), 0, pick(t, "days later", 0, 40))
				r.Type, r.Fact, r.HasAmount = reward.TransactionReversed, "", false
				returns = append(returns, r)
			case "charged back":
				r := returnOf(e, fmt.Sprintf("c%d", i), left, pick(t, "days later", 1, 60))
				r.Type = reward.ChargebackPosted
				returns = append(returns, r)
			}
		}
		one := judgedAs(t, p, inTime(first, gross, returns)...)
		bought := one.end(t)
		other := judgedAs(t, p, inTime(first, net(gross, &bought))...)
		var never reward.State
		if other.account() != nil {
			never = other.end(t)
		}
		kept := judgeLines(&never)
		for id, l := range judgeLines(&bought) {
			if l.retained != kept[id].retained {
				t.Errorf("%s keeps %d, bought net %d", id, l.retained, kept[id].retained)
			}
		}
		if !slices.Equal(bought.Bonuses, never.Bonuses) {
			t.Errorf("the bonuses are %+v, bought net %+v", bought.Bonuses, never.Bonuses)
		}
		if !slices.Equal(bought.Tiers, never.Tiers) {
			t.Errorf("the tiers are %+v, bought net %+v", bought.Tiers, never.Tiers)
		}
		if bought.Balance != never.Balance || bought.Entitlement != never.Entitlement || bought.Expired != never.Expired {
			t.Errorf("the balance is %d of %d and %d have expired, bought net %d of %d and %d",
				bought.Balance, bought.Entitlement, bought.Expired, never.Balance, never.Entitlement, never.Expired)
		}
		if t.Failed() {
			t.Logf("under %s", describe(p))
		}
	})
}

// net are purchases of what the account says is left of them, with the items of which something is.
func net(gross []reward.Event, s *reward.State) (list []reward.Event) {
	lines, items := judgeLines(s), receipts(gross)
	for _, e := range gross {
		if e.Type != reward.TransactionSettled {
			continue
		}
		e.Amount -= lines[e.Transaction].reversed
		if had := items[e.Transaction]; had != nil {
			var left []reward.Item
			e.Amount = 0
			for _, x := range had {
				if x.Amount -= lines[e.Transaction+"/"+x.ID].reversed; x.Amount > 0 {
					left = append(left, x)
					e.Amount += x.Amount
				}
			}
			e.Items = reward.MakeItems(left)
		}
		if e.Amount > 0 {
			list = append(list, e)
		}
	}
	return list
}

// taken are rewards that a cardholder is taken by hand, some of which make a debt.
func taken(t *rapid.T, p *reward.Program) (list []reward.Event) {
	for i := range pick(t, "adjustments", 0, 1, 3) {
		e := reward.Event{
			Source: "core", ID: fmt.Sprintf("j%d", i), Account: "a", Type: reward.AdjustmentPosted, Fact: fmt.Sprintf("j%d", i),
			Time:   judgesStart + reward.Instant(pick(t, "taken on day", 20, 50, 90, 200))*reward.Day,
			Amount: -pick[int64](t, "taken", 100, 20, 1_000), HasAmount: true, Currency: p.RewardUnit(), Reason: "r", Actor: "o",
		}
		list = append(list, e)
	}
	return list
}

// inTime are events in order of time, of those at once the first lists' first.
func inTime(lists ...[]reward.Event) []reward.Event {
	list := slices.Concat(lists...)
	slices.SortStableFunc(list, func(x, y reward.Event) int { return cmp.Compare(x.Time, y.Time) })
	return list
}

// TestTermsKnowNoOrder: the same facts in another order, some several times, end in the same totals, but
// where purchases are counted; in steps to one unit a purchase.
func TestTermsKnowNoOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := lived(t, reward.Timing{Clawback: pick(t, "clawback", reward.ClawbackAtRefund, reward.ClawbackAtStatement)}, 0)
		withoutPlaces(p)
		forTheNext(p)
		first, bought := attributes(t), shopping(t, p, 8)
		events := withReceipts(t, bought)
		items := receipts(events)
		for i := range pick(t, "reversals", 2, 0, 1, 3, 4) {
			of := pick(t, "of", bought...)
			r := returnOf(of, fmt.Sprintf("r%d", i), pick(t, "refund", 1, 1_000, of.Amount, of.Amount/2+1), pick(t, "days later", 0, 3, 40))
			switch pick(t, "how", "linked", "unlinked", "unlinked", "charged back", "withdrawn", "names items") {
			case "names items":
				if slip := slices.Clone(items[of.Transaction]); slip != nil && r.Amount <= of.Amount {
					r = naming(r, slip)
				}
			case "unlinked":
				r.Transaction = ""
				if pick(t, "says merchant", true, false) {
					r.Merchant = of.Merchant
				}
				if pick(t, "says category", true, false) {
					r.Category = of.Category
				}
			case "charged back":
				r.Type = reward.ChargebackPosted
			case "withdrawn":
				r.Type, r.Fact, r.Amount, r.HasAmount = reward.TransactionReversed, "", 0, false
			}
			events = append(events, r)
			if pick(t, "undone", false, false, false, true) && r.Type != reward.TransactionReversed {
				u := returnOf(of, fmt.Sprintf("u%d", i), 0, 60)
				u.Fact, u.HasAmount, u.Transaction, u.Type = r.Fact, false, "", reward.RefundReversed
				if r.Type == reward.ChargebackPosted {
					u.Type = reward.ChargebackReversed
				}
				events = append(events, u)
			}
		}
		again := delivered(t, events)
		one := judgedAs(t, p, slices.Concat(first, events)...)
		other := judgedAs(t, p, slices.Concat(first, again)...)
		x, y := one.end(t), other.end(t)
		slack := int64(0)
		if hasRule(p, bySteps) {
			slack = int64(len(one.purchases))
		}
		in, out := one.totals(&x), other.totals(&y)
		for _, totals := range []map[string]int64{in, out} {
			for name := range maps.Keys(totals) {
				if d := in[name] - out[name]; max(d, -d) > slack {
					t.Errorf("%s holds %d, in another order %d", name, in[name], out[name])
				}
			}
		}
		if x.Entitlement != y.Entitlement {
			t.Errorf("the entitlement is %d, in another order %d", x.Entitlement, y.Entitlement)
		}
		if t.Failed() {
			t.Fatalf("under %s\nafter\n%sand\n%s", describe(p), storyOf(first, events), storyOf(first, again))
		}
	})
}

// TestNoReversalRaisesWhatTermsPay: Monotonicity, of linked refunds within their purchases, but where purchases
// are counted; in steps to one unit a purchase. Nor does an undo lower it.
func TestNoReversalRaisesWhatTermsPay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := lived(t, reward.Timing{}, 0)
		withoutPlaces(p)
		bought := shopping(t, p, 10)
		events := withReceipts(t, bought)
		items := receipts(events)
		j := judgedAs(t, p, slices.Concat(attributes(t), events)...)
		slack := int64(0)
		if hasRule(p, bySteps) {
			slack = int64(len(j.purchases) * len(p.Layers))
		}
		for i, e := range bought {
			left, slip := e.Amount, items[e.Transaction]
			for part := range pick(t, "parts", 1, 0, 2, 3) {
				amount := min(left, pick(t, "refund", 1, 1_000, left/2+1, left))
				if amount == 0 {
					break
				}
				r, was := returnOf(e, fmt.Sprintf("r%d-%d", i, part), amount, 500), slices.Clone(slip)
				if slip != nil {
					r = naming(r, slip) // what it does not say is a guess
				}
				before := j.account().State().NetReward
				j.hear(t, r)
				after := j.account().State().NetReward
				if after > before+slack {
					t.Errorf("%d back of %s raised net reward from %d to %d, under %s", amount, e.Transaction, before, after, describe(p))
				}
				left -= amount
				if pick(t, "undone", false, false, true) {
					r.Type, r.ID, r.Transaction, r.Amount, r.HasAmount, r.Items = reward.RefundReversed, "u"+r.ID, "", 0, false, ""
					j.hear(t, r)
					if again := j.account().State().NetReward; again != before {
						t.Errorf("undone, %d back of %s leaves %d of %d, under %s", amount, e.Transaction, again, before, describe(p))
					}
					left, slip = left+amount, was
				}
			}
		}
		j.compare(t, true)
	})
}

// TestWhatIsAnnouncedCannotBeRedeemed: whoever redeems all that can be, and then lets every announced
// refund post and every statement close, owes nothing.
func TestWhatIsAnnouncedCannotBeRedeemed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := lived(t, anyTiming(t), 0)
		bought := shopping(t, p, 10)
		events := slices.Concat(attributes(t), withReceipts(t, bought))
		items := receipts(events)
		now := events[len(events)-1].Time
		var announced []reward.Event
		for i := range pick(t, "refunds", 2, 1, 3, 4) {
			of := pick(t, "of", bought...)
			r := returnOf(of, fmt.Sprintf("r%d", i), pick(t, "refund", 1, 1_000, of.Amount, of.Amount+500), 0)
			r.Time = now
			r.Amount += int64(i) // one that posts under another id in the same amount is taken for the one announced
			switch pick(t, "how", "announced", "announced", "linked", "unlinked", "names items") {
			case "announced":
				announced = append(announced, r)
				r.ID, r.Type = "p"+r.ID, reward.RefundPending
			case "unlinked":
				r.Transaction, r.Merchant = "", of.Merchant
			case "names items":
				if slip := slices.Clone(items[of.Transaction]); slip != nil && r.Amount <= of.Amount {
					r = naming(r, slip)
				}
			}
			events = append(events, r)
		}
		j := judgedAs(t, p, events...)
		j.redeemAll(t, now)
		for _, r := range announced {
			j.hear(t, r)
		}
		j.subject.advance(t, now+70*reward.Day) // what becomes firm later may move the rest
		if s := j.account().State(); s.Balance < 0 {
			t.Errorf("the balance is %d after all was redeemed that could be, under %s", s.Balance, describe(p))
		}
	})
}

// redeemAll takes out what can be.
func (j *judged) redeemAll(t rapid.TB, now reward.Instant) {
	most := j.account().Redeemable()
	e := reward.Event{Source: "core", ID: "d", Account: "a", Time: now, Type: reward.RedemptionRequested, Fact: "d", Currency: j.program.RewardUnit(), HasAmount: true, Amount: most + 1, Method: "credit"}
	if r := j.hear(t, e); r.Outcome != reward.Rejected {
		t.Errorf("%d can be redeemed, and %d were: %v", most, most+1, r)
	}
	e.ID, e.Amount = "d1", most
	if r := j.hear(t, e); most > 0 && r.Outcome != reward.Applied {
		t.Errorf("%d can be redeemed, and were not: %v", most, r)
	}
}

// TestWhatIsYoungCannotBeRedeemed: whoever redeems all that can be, and returns every purchase that has not
// matured, owes nothing; so no bonus that young purchases earn gets out.
func TestWhatIsYoungCannotBeRedeemed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := lived(t, anyTiming(t), pick(t, "maturity days", 30, 5, 80))
		bought := shopping(t, p, 10)
		j := judgedAs(t, p, slices.Concat(attributes(t), withReceipts(t, bought))...)
		now := j.account().Now()
		j.redeemAll(t, now)
		for i, e := range bought {
			if j.young(j.purchaseOf(e.Transaction), now) {
				r := returnOf(e, fmt.Sprintf("r%d", i), e.Amount, 0)
				r.Time = now
				j.hear(t, r)
			}
		}
		if s := j.end(t); s.Balance < 0 {
			t.Errorf("the balance is %d after all was redeemed that could be, under %s", s.Balance, describe(p))
		}
	})
}

// truth is a history that knows which purchase each refund is really of.
type truth struct {
	program        *reward.Program
	events         []reward.Event
	kept           map[string]int64
	first, refunds []reward.Event
}

// made draws one. Its cardholder leaves out of a return slip whatever he likes; what it says is true.
var made = rapid.Custom(func(t *rapid.T) truth {
	h := truth{program: rerated(t, reward.Timing{}, 0), kept: map[string]int64{}}
	h.first = attributes(t)
	bought := shopping(t, h.program, 14)
	for i, e := range bought {
		h.kept[e.Transaction] = e.Amount
		for part := range pick(t, "parts", 0, 0, 1, 2) {
			left := h.kept[e.Transaction]
			amount := min(left, pick(t, "refund", left, left/2+1, 1_000, 2_000))
			if amount == 0 {
				break
			}
			r := returnOf(e, fmt.Sprintf("r%d-%d", i, part), amount, pick(t, "days later", 2, 20, 0))
			switch pick(t, "says", "nothing", "transaction", "merchant", "category", "both") {
			case "nothing":
				r.Transaction = ""
			case "merchant":
				r.Transaction, r.Merchant = "", e.Merchant
			case "category":
				r.Transaction, r.Category = "", e.Category
			case "both":
				r.Transaction, r.Merchant, r.Category = "", e.Merchant, e.Category
			}
			h.kept[e.Transaction] -= amount
			h.refunds = append(h.refunds, r)
		}
	}
	h.events = slices.Concat(h.first, merged(bought, h.refunds))
	return h
})

// TestNobodyGainsByWhatARefundLeavesOutUnderTerms: Truth, but for what the tries of allocation do not find.
func TestNobodyGainsByWhatARefundLeavesOutUnderTerms(t *testing.T) {
	histories := 300
	if os.Getenv("RECOUP_LONG") != "" {
		histories = 20_000
	}
	gained, promised, gains := new(big.Rat), new(big.Rat), 0
	for seed := range histories {
		h := made.Example(seed)
		j := judgedAs(t, h.program, h.events...)
		j.compare(t, true)
		kept := j.account().State().NetReward
		for _, p := range j.purchases {
			p.reversed = p.amount - h.kept[p.id]
		}
		due := j.worth(func(*judgePurchase) bool { return false }).exact
		promised.Add(promised, due)
		if gain := new(big.Rat).Sub(ratio(kept, 1), due); gain.Sign() > 0 {
			gains++
			gained.Add(gained, gain)
			if os.Getenv("RECOUP_LONG") != "" {
				t.Logf("history %d gains %s of %s", seed, gain.FloatString(2), due.FloatString(2))
			}
		}
	}
	share, _ := new(big.Rat).Quo(gained, promised).Float64()
	t.Logf("%d of %d histories end in a gain, of %.5f %% of what was promised in all", gains, histories, 100*share)
	if share > 0.0005 {
		t.Errorf("the gain is too large")
	}
}
