package ledger_test

import (
	"slices"
	"testing"

	"recoup/ledger"
	"recoup/reward"
)

func TestStatementsOfAJournal(t *testing.T) {
	january := reward.CycleAt(noon)
	var s ledger.Statement
	var closed []ledger.Statement
	balance := int64(0)
	for _, p := range []struct {
		cycle  reward.Cycle
		kind   reward.Kind
		amount int64
	}{
		{january, reward.Grant, 500},
		{january, reward.Grant, 100},
		{january, reward.Clawback, -100},
		{january, reward.Reallocation, 20},
		{january, reward.Reallocation, -5},
		{january, reward.RedemptionPaid, -300},
		{january + 1, reward.RedemptionReturned, 300},
		{january + 1, reward.RedemptionPaid, -50},
		{january + 1, reward.Adjustment, -7},
		{january + 4, reward.Restore, 100},
		{january + 4, reward.Expiry, -60},
		{january + 4, reward.ExpiryRestored, 20},
		{january + 3, reward.Adjustment, 9}, // a statement that is closed stays as it is
	} {
		balance += p.amount
		if c, ok := s.Post(&reward.Posting{Cycle: p.cycle, Kind: p.kind, Amount: p.amount, Balance: balance}); ok {
			closed = append(closed, c)
		} else if c != (ledger.Statement{}) {
			t.Errorf("%+v is returned and not closed", c)
		}
	}
	want := []ledger.Statement{
		{Cycle: january, Granted: 620, ClawedBack: 105, Redeemed: 300, Closing: 215},
		{Cycle: january + 1, Opening: 215, Redeemed: -250, Adjusted: -7, Closing: 458},
		{Cycle: january + 4, Opening: 458, Granted: 100, Expired: 40, Adjusted: 9, Closing: 527},
	}
	if got := append(closed, s); !slices.Equal(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	for _, s := range want {
		if !s.Ties() {
			t.Errorf("%+v does not tie", s)
		}
		written := s
		if written.Expired = 0; written.Kept() != s {
			t.Errorf("read again it is %+v, want %+v", written.Kept(), s)
		}
	}
	if next, want := s.Next(january+5), (ledger.Statement{Cycle: january + 5, Opening: 527, Closing: 527}); next != want {
		t.Errorf("the next statement begins as %+v, want %+v", next, want)
	}
}

func TestAStatementThatDoesNotTie(t *testing.T) {
	tied := ledger.Statement{Opening: 10, Granted: 8, ClawedBack: 4, Redeemed: 2, Adjusted: -1, Closing: 11}
	if !tied.Ties() {
		t.Fatalf("%+v does not tie", tied)
	}
	for name, change := range map[string]func(*ledger.Statement){
		"opening": func(s *ledger.Statement) { s.Opening++ }, "granted": func(s *ledger.Statement) { s.Granted++ },
		"clawed back": func(s *ledger.Statement) { s.ClawedBack++ }, "redeemed": func(s *ledger.Statement) { s.Redeemed++ },
		"expired":  func(s *ledger.Statement) { s.Expired++ },
		"adjusted": func(s *ledger.Statement) { s.Adjusted++ }, "closing": func(s *ledger.Statement) { s.Closing++ },
	} {
		s := tied
		if change(&s); s.Ties() {
			t.Errorf("with one more %s it ties as well: %+v", name, s)
		}
	}
}

// TestStatementsOfRealJournalsTieOut: each ties, begins where the one before
// ended, the last ends at the balance, and together they are the account's book.
func TestStatementsOfRealJournalsTieOut(t *testing.T) {
	cycles := 0
	for _, a := range play(t) {
		var s, before ledger.Statement
		var sum ledger.Statement
		check := func(s ledger.Statement) {
			if !s.Ties() || s.Opening != before.Closing || s.Cycle <= before.Cycle {
				t.Errorf("%s: %+v after %+v", a.ID(), s, before)
			}
			before = s
			sum.Granted += s.Granted
			sum.ClawedBack += s.ClawedBack
			sum.Redeemed += s.Redeemed
			sum.Expired += s.Expired
			sum.Adjusted += s.Adjusted
			cycles++
		}
		for i := range a.postings {
			if closed, ok := s.Post(&a.postings[i]); ok {
				check(closed)
			}
		}
		if len(a.postings) > 0 {
			check(s)
		}
		book := bookOf(a.postings)
		want := ledger.Statement{Granted: book.Granted, ClawedBack: book.ClawedBack,
			Redeemed: -book.Sums[ledger.RedemptionClearing], Adjusted: book.Sums[ledger.AdjustmentExpense], Expired: -book.Sums[ledger.ExpiredRewards]}
		if balance := a.State().Balance; sum != want || s.Closing != balance {
			t.Errorf("%s: statements add up to %+v and close at %d; the book has %+v, the balance is %d", a.ID(), sum, s.Closing, want, balance)
		}
	}
	if cycles < 50 {
		t.Errorf("only %d statements", cycles)
	}
}

// TestALostPostingShowsOnAStatement: the balance that the next one says no longer
// follows.
func TestALostPostingShowsOnAStatement(t *testing.T) {
	a := play(t)[0]
	for lost := range a.postings[:len(a.postings)-1] {
		var s ledger.Statement
		ties := true
		for i := range a.postings {
			if i == lost {
				continue
			}
			closed, ok := s.Post(&a.postings[i])
			ties = ties && (!ok || closed.Ties())
		}
		if ties && s.Ties() {
			t.Errorf("without posting %d every statement ties", lost+1)
		}
	}
}
