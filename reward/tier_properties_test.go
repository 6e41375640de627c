package reward_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"recoup/reward"
)

// tierTrace draws purchases over three months of one year and into the next, each with
// what of it is returned in the end, in parts, each of which names it.
func tierTrace(t *rapid.T) (gross, refunds []reward.Event, left map[string]int64) {
	start := time.Date(2026, 11, 3, 0, 0, 0, 0, time.UTC)
	left = map[string]int64{}
	for i := range rapid.IntRange(1, 12).Draw(t, "purchases") {
		e := reward.Event{
			Source: "core", ID: fmt.Sprintf("e%d", i), Account: "a", Currency: "USD", HasAmount: true,
			Type: reward.TransactionSettled, Transaction: fmt.Sprintf("t%d", i), Time: reward.At(start.AddDate(0, 0, 9*i)),
			Amount: int64(rapid.IntRange(1, 20_000).Draw(t, "amount")), Category: pick(t, "category", "GROCERY", "OTHER"), Merchant: pick(t, "merchant", "m1", "m2"),
		}
		gross = append(gross, e)
		left[e.Transaction] = e.Amount
		for part := range rapid.IntRange(0, 3).Draw(t, "parts") {
			if left[e.Transaction] == 0 {
				break
			}
			r := e
			r.Type, r.ID, r.Merchant, r.Category = reward.RefundPosted, fmt.Sprintf("r%d-%d", i, part), "", ""
			r.Fact = r.ID
			r.Amount = int64(rapid.IntRange(1, int(left[e.Transaction])).Draw(t, "refund"))
			r.Time = reward.At(start.AddDate(0, 0, 9*i+rapid.IntRange(0, 90).Draw(t, "days later")))
			left[e.Transaction] -= r.Amount
			refunds = append(refunds, r)
		}
	}
	return gross, refunds, left
}

// endsAs is the state that events come to, long after.
func endsAs(t *rapid.T, p *reward.Program, events []reward.Event) reward.State {
	a := reward.NewAccount("a", p)
	for i := range events {
		if r, _ := a.Apply(&events[i], nil); r.Outcome != reward.Applied && r.Outcome != reward.Parked {
			t.Fatalf("%+v: %v %v", events[i], r.Outcome, r.Code)
		}
	}
	a.Apply(&reward.Event{Account: "a", Source: "core", ID: "end", Type: reward.CycleClosed, Time: reward.At(time.Date(2028, 1, 1, 0, 0, 0, 0, time.UTC))}, nil)
	for _, v := range a.Check() {
		t.Fatalf("%v under %s", v, describe(p))
	}
	return a.State()
}

// TestTiersAsIfNeverBought: what was bought and returned leaves the account, its tiers
// and its bonuses as if it had never been bought.
func TestTiersAsIfNeverBought(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawTieredTerms(t)
		gross, refunds, left := tierTrace(t)
		var net []reward.Event
		for _, e := range gross {
			if e.Amount = left[e.Transaction]; e.Amount > 0 {
				net = append(net, e)
			}
		}
		if len(net) == 0 {
			return
		}
		one, other := endsAs(t, p, merged(gross, refunds)), endsAs(t, p, net)
		if one.NetReward != other.NetReward || one.Entitlement != other.Entitlement || !reflect.DeepEqual(one.Tiers, other.Tiers) || !reflect.DeepEqual(one.Bonuses, other.Bonuses) {
			t.Fatalf("bought and returned\n%+v\nnever bought\n%+v\nunder %s", one, other, describe(p))
		}
	})
}

// TestTiersOfTheNextPeriodKnowNoOrder: where a tier is kept for the next period, and
// nothing else depends on posting order, facts may come in any.
func TestTiersOfTheNextPeriodKnowNoOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := &promiseDraw{t: t, p: &reward.Program{ID: "p", Currency: "USD", Method: reward.Rerate}}
		d.p.Refunds = reward.RefundTerms{ParkDays: 3000, FirmDays: 3000, MatchDays: 10, WindowDays: 400}
		d.p.Tiers = []reward.Tier{d.tier()}
		if d.p.Tiers[0].Next = true; d.p.Tiers[0].Per == reward.PerLifetime {
			d.p.Tiers[0].Per = reward.PerYear
		}
		base := reward.Rule{ID: "all", Rate: 1_000_000, Cap: reward.NoCap}
		d.p.Layers = []reward.Layer{{ID: "base", Rules: append(d.dearer(base), base)}}
		gross, refunds, _ := tierTrace(t)
		events := merged(gross, refunds)
		mixed := slices.Clone(events)
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "order"), 0))
		random.Shuffle(len(mixed), func(i, j int) { mixed[i], mixed[j] = mixed[j], mixed[i] })
		one, other := endsAs(t, d.p, events), endsAs(t, d.p, mixed)
		for i, x := range one.Transactions {
			if y := other.Transactions[i]; x.Retained != y.Retained {
				t.Fatalf("%s keeps %d, in another order %d\nunder %s", x.ID, x.Retained, y.Retained, describe(d.p))
			}
		}
		if !reflect.DeepEqual(one.Tiers, other.Tiers) {
			t.Fatalf("%+v, in another order %+v", one.Tiers, other.Tiers)
		}
	})
}
