package reward_test

import (
	"fmt"
	"os"
	"testing"
	"time"

	"recoup/reward"
)

// TestEverySmallSequence plays every sequence of up to five events (six, where there is
// time) over a small alphabet, in every mode, and checks all invariants after each event.
// An event that occurs twice is the same business fact delivered again.
func TestEverySmallSequence(t *testing.T) {
	longest := 5
	if os.Getenv("RECOUP_LONG") != "" {
		longest = 6
	}
	for _, grant := range []reward.GrantTiming{reward.GrantAtSettlement, reward.GrantAtStatement} {
		for _, clawback := range []reward.ClawbackTiming{reward.ClawbackAtRefund, reward.ClawbackAtStatement} {
			for _, method := range []reward.ClawbackMethod{reward.Proportional, reward.Rerate} {
				program := smallProgram()
				program.Timing, program.Method = reward.Timing{Grant: grant, Clawback: clawback}, method
				t.Run(fmt.Sprintf("grant=%d clawback=%d method=%d", grant, clawback, method), func(t *testing.T) {
					t.Parallel()
					w := walk{t: t, program: program, longest: longest}
					w.from(nil)
					want := 0
					for length, n := 1, len(alphabet); length <= longest; length, n = length+1, n*len(alphabet) {
						want += n
					}
					if w.played != want {
						t.Errorf("%d sequences were played, expected %d", w.played, want)
					}
				})
			}
		}
	}
}

// smallProgram has a cap that neither of the alphabet's purchases fits whole, but
// the first one does once a part of it is returned.
func smallProgram() *reward.Program {
	return &reward.Program{
		ID: "small", Currency: "USD",
		Refunds: reward.RefundTerms{PendingDays: 30, MatchDays: 10, ParkDays: 20, WindowDays: 400, FirmDays: 25, Movable: 32},
		Rules: []reward.Rule{
			{ID: "bonus", Match: reward.Match{Categories: []string{"GROCERY"}}, Rate: 5_000_000, Cap: 450},
			{ID: "base", Rate: 1_000_000, Cap: reward.NoCap},
		},
	}
}

// alphabet is what the sequences are made of.
var alphabet = []reward.Event{
	{Type: reward.TransactionSettled, Transaction: "t1", Amount: 10000, Category: "GROCERY"},
	{Type: reward.TransactionSettled, Transaction: "t2", Amount: 19999, Category: "GROCERY"},
	{Type: reward.RefundPosted, Fact: "r1", Transaction: "t1", Amount: 4001},
	{Type: reward.RefundPosted, Fact: "r2", Amount: 10000, Category: "GROCERY"},
	{Type: reward.ChargebackPosted, Fact: "c1", Transaction: "t1"},
	{Type: reward.ChargebackReversed, Fact: "c1"},
	{Type: reward.CycleClosed},
	{Type: reward.RedemptionRequested, Fact: "d1", Amount: 300},
	{Type: reward.RefundReversed, Fact: "r2"},
	{Type: reward.RefundPosted, Fact: "r3", Transaction: "t1", Amount: 9000},
}

// walk goes through all sequences, depth first.
type walk struct {
	t       *testing.T
	program *reward.Program
	longest int
	played  int
}

func (w *walk) from(prefix []int) {
	if len(prefix) == w.longest || w.t.Failed() {
		return
	}
	for letter := range alphabet {
		sequence := append(prefix[:len(prefix):len(prefix)], letter)
		w.play(sequence)
		w.from(sequence)
	}
}

// play plays one sequence and checks the account after its last event; that the
// earlier ones were checked follows from the order of the walk.
func (w *walk) play(sequence []int) {
	a := reward.NewAccount("a", w.program)
	now := time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC)
	var balance int64
	var journal []reward.Posting
	for _, letter := range sequence {
		e := alphabet[letter]
		if e.Type == reward.CycleClosed {
			now = now.AddDate(0, 1, 0)
		} else {
			now = now.Add(time.Hour)
		}
		e.Account, e.Time, e.Currency, e.Merchant, e.HasAmount = "a", reward.At(now), "USD", "m1", e.Amount != 0
		_, journal = a.Apply(&e, journal[:0])
		for i := range journal {
			balance += journal[i].Amount
		}
	}
	w.played++
	for _, v := range a.Check() {
		w.t.Errorf("%v after %v", v, w.name(sequence))
	}
	if s := a.Summary(); s.Balance != balance {
		w.t.Errorf("balance %d, the journal gives %d after %v", s.Balance, balance, w.name(sequence))
	}
}

func (w *walk) name(sequence []int) []string {
	var names []string
	for _, letter := range sequence {
		e := alphabet[letter]
		names = append(names, fmt.Sprintf("%v %s%s", e.Type, e.Fact, e.Transaction))
	}
	return names
}
