package reward_test

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"recoup/reward"
)

// history is made up: it knows which purchase each refund is really of.
type history struct {
	program *reward.Program
	events  []reward.Event
	kept    map[string]int64 // of each purchase, by the truth
}

// madeUp makes a history from a seed. Its cardholder chooses freely what to buy
// and to return, and how much a return slip says; what it says is true.
func madeUp(seed uint64) history {
	random := rand.New(rand.NewPCG(seed, 7))
	one := func(from ...string) string { return from[random.IntN(len(from))] }
	limits := []int64{reward.NoCap, 100, 300, 800, 2000}
	limit := func() int64 { return limits[random.IntN(len(limits))] }
	h := history{kept: map[string]int64{}, program: &reward.Program{
		ID: "true", Version: 1, Currency: "USD",
		Refunds: reward.RefundTerms{PendingDays: 30, MatchDays: 10, ParkDays: 30, WindowDays: 400, FirmDays: 180, Movable: 32},
		Rules: []reward.Rule{
			{ID: "grocery", Match: reward.Match{Categories: []string{"GROCERY"}}, Rate: 5_000_000, Cap: limit()},
			{ID: "fuel", Match: reward.Match{Categories: []string{"GAS"}}, Rate: 3_000_000, Cap: limit()},
			{ID: "base", Rate: 1_000_000, Cap: limit()},
		},
	}}
	at := func(day int) reward.Instant {
		return reward.At(time.Date(2026, 1, 20+day, random.IntN(24), 0, 0, 0, time.UTC))
	}
	amount := func(most int64) int64 {
		if random.IntN(3) > 0 {
			return min(most, 10_000)
		}
		return 1 + random.Int64N(most)
	}
	tell := func(e reward.Event) {
		e.Source, e.ID, e.Account, e.Currency, e.HasAmount = "core", fmt.Sprintf("e%d", len(h.events)), "a", "USD", true
		h.events = append(h.events, e)
	}
	var bought []reward.Event
	for day := range 3 + random.IntN(12) {
		e := reward.Event{
			Type: reward.TransactionSettled, Transaction: fmt.Sprintf("t%d", day), Time: at(3 * day), Amount: amount(30_000),
			Merchant: one("m1", "m1", "m2", "m3"), Category: one("GROCERY", "GROCERY", "GAS", "OTHER"),
		}
		bought = append(bought, e)
		h.kept[e.Transaction] = e.Amount
		tell(e)
		for random.IntN(2) == 0 {
			of := bought[random.IntN(len(bought))]
			if h.kept[of.Transaction] == 0 {
				continue
			}
			r := reward.Event{Type: reward.RefundPosted, Fact: fmt.Sprintf("r%d", len(h.events)), Time: at(3*day + 2), Amount: amount(h.kept[of.Transaction])}
			switch random.IntN(6) {
			case 0:
				r.Transaction = of.Transaction
			case 1:
				r.Merchant = of.Merchant
			case 2:
				r.Category = of.Category
			case 3, 4:
				r.Merchant, r.Category = of.Merchant, of.Category
			}
			h.kept[of.Transaction] -= r.Amount
			tell(r)
		}
	}
	return h
}

// promised is what the terms promise on what was truly kept.
func (h history) promised() *big.Rat {
	type bucket struct {
		rule  *reward.Rule
		cycle reward.Cycle
	}
	byBucket := map[bucket]*big.Rat{}
	for i := range h.events {
		e := &h.events[i]
		if e.Type != reward.TransactionSettled {
			continue
		}
		in := bucket{naiveRuleFor(e, h.program), reward.CycleAt(e.Time)}
		if byBucket[in] == nil {
			byBucket[in] = new(big.Rat)
		}
		byBucket[in].Add(byBucket[in], naiveTimes(naiveRate(in.rule), h.kept[e.Transaction]))
	}
	sum := new(big.Rat)
	for in, all := range byBucket {
		sum.Add(sum, naiveCapped(in.rule, all))
	}
	return sum
}

// TestNobodyGainsByWhatARefundLeavesOut: Truth. Who is honest in what a refund
// says, and clever in what it does not say, keeps no more than what is promised
// on what was truly kept, but for what the tries of allocation do not find. Under
// proportional caps there is more: room that a guess frees is given to the next
// purchase, and is not taken back when the guess moves on.
func TestNobodyGainsByWhatARefundLeavesOut(t *testing.T) {
	histories, modelled := 500, 100
	if os.Getenv("RECOUP_LONG") != "" {
		histories, modelled = 20_000, 20_000
	}
	measure(t, reward.Rerate, histories, modelled, 0.0005)
	measure(t, reward.Proportional, histories, modelled, 0.015)
}

// measure plays histories and adds up what they end above what was promised, as
// a share of all that was promised. The first of them the model plays too, which is slow,
// and comes to the same.
func measure(t *testing.T, method reward.ClawbackMethod, histories, modelled int, most float64) {
	t.Helper()
	gained, promised, gains := new(big.Rat), new(big.Rat), 0
	for seed := range histories {
		h := madeUp(uint64(seed))
		h.program.Method = method
		kept := h.played(t, newReal(h.program))
		if seed < modelled {
			if by := h.played(t, newNaive(h.program)); by != kept {
				t.Errorf("method %d, history %d: the engine leaves %d, the model %d", method, seed, kept, by)
			}
		}
		due := h.promised()
		promised.Add(promised, due)
		if gain := new(big.Rat).Sub(big.NewRat(kept, 1), due); gain.Sign() > 0 {
			gains++
			gained.Add(gained, gain)
		}
	}
	share, _ := new(big.Rat).Quo(gained, promised).Float64()
	t.Logf("method %d: %d of %d histories end in a gain, of %.5f %% of what was promised in all", method, gains, histories, 100*share)
	if share > most {
		t.Errorf("the gain is too large")
	}
}

// played is the net reward that a history leaves.
func (h history) played(t *testing.T, subject player) int64 {
	for _, e := range h.events {
		subject.play(t, e)
	}
	return subject.account().NetReward
}
