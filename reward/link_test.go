package reward_test

import (
	"fmt"
	"math/big"
	"testing"
	"time"

	"pgregory.net/rapid"

	"recoup/reward"
)

// linkedHistory is made up: it knows which purchase each refund is really of, and some
// of its refunds name another.
type linkedHistory struct {
	program *reward.Program
	events  []reward.Event
	kept    map[string]int64 // of each purchase, by the truth
	wrong   int64            // what came back under a wrong guess
}

// drawLinked draws purchases and refunds of them, each linked by somebody. A guess may be
// wrong, and whether it fits is as it comes.
func drawLinked(t *rapid.T) *linkedHistory {
	caps := []int64{reward.NoCap, reward.NoCap, 300, 1000}
	h := &linkedHistory{kept: map[string]int64{}, program: &reward.Program{
		ID: "linked", Version: 1, Currency: "USD", Method: reward.Rerate,
		Refunds: reward.RefundTerms{PendingDays: 30, MatchDays: 10, ParkDays: 30, WindowDays: 60, FirmDays: 180, Movable: 32},
		Rules: []reward.Rule{
			{ID: "grocery", Match: reward.Match{Categories: []string{"GROCERY"}}, Rate: 5_000_000, Cap: pick(t, "cap", caps...)},
			{ID: "base", Rate: 1_000_000, Cap: pick(t, "cap", caps...)},
		},
	}}
	at := reward.At(time.Date(2026, 1, 5, 10, 0, 0, 0, time.UTC))
	var bought []reward.Event
	for i := range rapid.IntRange(2, 8).Draw(t, "purchases") {
		at += reward.Day * reward.Instant(rapid.IntRange(0, 20).Draw(t, "days"))
		e := reward.Event{
			Type: reward.TransactionSettled, Transaction: fmt.Sprint("t", i), Time: at, Amount: rapid.Int64Range(1, 20_000).Draw(t, "amount"),
			Merchant: pick(t, "merchant", "m1", "m1", "m2", ""), Category: pick(t, "category", "GROCERY", "OTHER"),
		}
		h.kept[e.Transaction] = e.Amount
		bought = append(bought, e)
		h.tell(e)
	}
	for i := range rapid.IntRange(1, 6).Draw(t, "refunds") {
		of := bought[rapid.IntRange(0, len(bought)-1).Draw(t, "of")]
		left := h.kept[of.Transaction]
		if left == 0 {
			continue
		}
		r := reward.Event{
			Type: reward.RefundPosted, Fact: fmt.Sprint("r", i), Time: at + reward.Day, Amount: rapid.Int64Range(1, left).Draw(t, "back"),
			Transaction: of.Transaction, Merchant: pick(t, "said", of.Merchant, ""), LinkedBy: reward.LinkedByPerson,
		}
		h.kept[of.Transaction] -= r.Amount
		if named := bought[rapid.IntRange(0, len(bought)-1).Draw(t, "named")]; rapid.Bool().Draw(t, "guessed") {
			r.Transaction, r.LinkedBy = named.Transaction, pick(t, "by", reward.LinkedByProcessor, reward.LinkedByInference)
			if named.Transaction != of.Transaction || of.Time < r.Time-60*reward.Day { // too old to be found without a link
				h.wrong += r.Amount
			}
		}
		h.tell(r)
	}
	return h
}

func (h *linkedHistory) tell(e reward.Event) {
	e.Source, e.ID, e.Account, e.Currency, e.HasAmount = "core", fmt.Sprintf("e%d", len(h.events)), "a", "USD", true
	h.events = append(h.events, e)
}

// promised is what the terms promise on what was truly kept.
func (h *linkedHistory) promised() *big.Rat {
	return history{program: h.program, events: h.events, kept: h.kept}.promised()
}

// TestAWrongGuessCostsAtMostItsAmountAtTheHighestRate, and none where all are right. The
// truth is made up, and neither the engine nor the model knows it.
func TestAWrongGuessCostsAtMostItsAmountAtTheHighestRate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := drawLinked(t)
		for name, subject := range map[string]player{"engine": newReal(h.program), "model": newNaive(h.program)} {
			for _, e := range h.events {
				subject.play(t, e)
			}
			kept := subject.account().NetReward
			most := new(big.Rat).Add(h.promised(), big.NewRat(h.wrong*5, 100))
			if big.NewRat(kept, 1).Cmp(most) > 0 {
				t.Fatalf("the %s leaves %d; promised are %v, and %d came back under wrong guesses", name, kept, h.promised().FloatString(2), h.wrong)
			}
		}
	})
}

// TestADoubtedLinkIsNone: a refund whose guess does not fit leaves what it would leave if
// it named nothing, whenever purchase and refund come.
func TestADoubtedLinkIsNone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := drawLinked(t)
		order := rapid.Permutation(h.events).Draw(t, "order")
		guessed, bare := newReal(h.program), newReal(h.program)
		doubted := map[string]bool{}
		for i := range order {
			guessed.apply(t, order[i])
		}
		for _, v := range guessed.store.Account("a").Reviews() {
			if v.Kind == reward.DoubtedLink || v.Kind == reward.FoundNoSpend {
				doubted[v.Fact] = true
			}
		}
		for _, e := range order {
			if doubted[e.Fact] {
				e.Transaction, e.LinkedBy = "", reward.LinkUnsaid
			}
			bare.apply(t, e)
		}
		one, other := guessed.account(), bare.account()
		if one.NetReward != other.NetReward || one.NetSpend != other.NetSpend || fmt.Sprint(reversedOf(one)) != fmt.Sprint(reversedOf(other)) {
			t.Fatalf("with guesses %+v, without those that are doubted %+v", one, other)
		}
	})
}

// reversedOf is what of each purchase is taken back.
func reversedOf(s naiveState) map[string]int64 {
	reversed := map[string]int64{}
	for _, t := range s.Transactions {
		reversed[t.ID] = t.Reversed
	}
	return reversed
}
