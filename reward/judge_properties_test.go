package reward_test

import (
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

// TestTermsAsIfNeverBought: what was returned, in parts and by any reversal, leaves every purchase
// and every bonus as in the same trace bought net.
func TestTermsAsIfNeverBought(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rerated(t, anyTiming(t), 0)
		first, gross := attributes(t), shopping(t, p, 12)
		var net, returns []reward.Event
		for i, e := range gross {
			left := e.Amount
			switch pick(t, "returned", "nothing", "parts", "parts", "all", "withdrawn", "charged back") {
			case "parts":
				for part := range pick(t, "parts", 1, 2, 3) {
					if amount := min(left, pick(t, "refund", 1, left/2, 1_000, left-1)); amount > 0 {
						returns = append(returns, returnOf(e, fmt.Sprintf("r%d-%d", i, part), amount, pick(t, "days later", 0, 5, 40, 120)))
						left -= amount
					}
				}
			case "all":
				returns = append(returns, returnOf(e, fmt.Sprintf("r%d", i), left, pick(t, "days later", 0, 5, 40, 400)))
				left = 0
			case "withdrawn":
				r := returnOf(e, fmt.Sprintf("w%d", i), 0, pick(t, "days later", 0, 40))
				r.Type, r.Fact, r.HasAmount = reward.TransactionReversed, "", false
				returns, left = append(returns, r), 0
			case "charged back":
				r := returnOf(e, fmt.Sprintf("c%d", i), left, pick(t, "days later", 1, 60))
				r.Type = reward.ChargebackPosted
				returns, left = append(returns, r), 0
			}
			if left > 0 {
				e.Amount = left
				net = append(net, e)
			}
		}
		bought := judgedAs(t, p, slices.Concat(first, merged(gross, returns))...).end(t)
		var never reward.State
		if len(net) > 0 {
			never = judgedAs(t, p, slices.Concat(first, net)...).end(t)
		}
		kept := map[string]int64{}
		for _, l := range never.Transactions {
			kept[l.ID] = l.Retained
		}
		for _, l := range bought.Transactions {
			if l.Retained != kept[l.ID] {
				t.Errorf("%s keeps %d, bought net %d", l.ID, l.Retained, kept[l.ID])
			}
		}
		if !slices.Equal(bought.Bonuses, never.Bonuses) {
			t.Errorf("the bonuses are %+v, bought net %+v", bought.Bonuses, never.Bonuses)
		}
		if bought.Balance != never.Balance || bought.Entitlement != never.Entitlement {
			t.Errorf("the balance is %d of %d, bought net %d of %d", bought.Balance, bought.Entitlement, never.Balance, never.Entitlement)
		}
		if t.Failed() {
			t.Logf("under %s", describe(p))
		}
	})
}

// TestTermsKnowNoOrder: the same facts in another order, some several times, end in the same totals, but
// where purchases are counted; in steps to one unit a purchase.
func TestTermsKnowNoOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rerated(t, reward.Timing{Clawback: pick(t, "clawback", reward.ClawbackAtRefund, reward.ClawbackAtStatement)}, 0)
		withoutPlaces(p)
		first, bought := attributes(t), shopping(t, p, 8)
		events := slices.Clone(bought)
		for i := range pick(t, "reversals", 2, 0, 1, 3, 4) {
			of := pick(t, "of", bought...)
			r := returnOf(of, fmt.Sprintf("r%d", i), pick(t, "refund", 1, 1_000, of.Amount, of.Amount/2+1), pick(t, "days later", 0, 3, 40))
			switch pick(t, "how", "linked", "unlinked", "unlinked", "charged back", "withdrawn") {
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
		one := judgedAs(t, p, slices.Concat(first, events)...)
		other := judgedAs(t, p, slices.Concat(first, delivered(t, events))...)
		x, y := one.end(t), other.end(t)
		slack := int64(0)
		if hasRule(p, bySteps) {
			slack = int64(len(bought))
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
			t.Fatalf("under %s", describe(p))
		}
	})
}

// TestNoReversalRaisesWhatTermsPay: Monotonicity, of linked refunds within their purchases, but where purchases
// are counted; in steps to one unit a purchase. Nor does an undo lower it.
func TestNoReversalRaisesWhatTermsPay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rerated(t, reward.Timing{}, 0)
		withoutPlaces(p)
		bought := shopping(t, p, 10)
		j := judgedAs(t, p, slices.Concat(attributes(t), bought)...)
		slack := int64(0)
		if hasRule(p, bySteps) {
			slack = int64(len(bought) * len(p.Layers))
		}
		for i, e := range bought {
			left := e.Amount
			for part := range pick(t, "parts", 1, 0, 2, 3) {
				amount := min(left, pick(t, "refund", 1, 1_000, left/2+1, left))
				if amount == 0 {
					break
				}
				r := returnOf(e, fmt.Sprintf("r%d-%d", i, part), amount, 500)
				before := j.account().State().NetReward
				j.hear(t, r)
				after := j.account().State().NetReward
				if after > before+slack {
					t.Errorf("%d back of %s raised net reward from %d to %d, under %s", amount, e.Transaction, before, after, describe(p))
				}
				left -= amount
				if pick(t, "undone", false, false, true) {
					r.Type, r.ID, r.Transaction, r.Amount, r.HasAmount = reward.RefundReversed, "u"+r.ID, "", 0, false
					j.hear(t, r)
					if again := j.account().State().NetReward; again != before {
						t.Errorf("undone, %d back of %s leaves %d of %d, under %s", amount, e.Transaction, again, before, describe(p))
					}
					left += amount
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
		p := rerated(t, anyTiming(t), 0)
		bought := shopping(t, p, 10)
		events := slices.Concat(attributes(t), bought)
		now := bought[len(bought)-1].Time
		var announced []reward.Event
		for i := range pick(t, "refunds", 2, 1, 3, 4) {
			of := pick(t, "of", bought...)
			r := returnOf(of, fmt.Sprintf("r%d", i), pick(t, "refund", 1, 1_000, of.Amount, of.Amount+500), 0)
			r.Time = now
			r.Amount += int64(i) // one that posts under another id in the same amount is taken for the one announced
			switch pick(t, "how", "announced", "announced", "linked", "unlinked") {
			case "announced":
				announced = append(announced, r)
				r.ID, r.Type = "p"+r.ID, reward.RefundPending
			case "unlinked":
				r.Transaction, r.Merchant = "", of.Merchant
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
		p := rerated(t, anyTiming(t), pick(t, "maturity days", 30, 5, 100))
		bought := shopping(t, p, 10)
		j := judgedAs(t, p, slices.Concat(attributes(t), bought)...)
		now := j.account().Now()
		j.redeemAll(t, now)
		for i, e := range bought {
			if j.young(j.byID[e.Transaction], now) {
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
