package ledger_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"recoup/internal/traffic"
	"recoup/ledger"
	"recoup/program"
	"recoup/reward"
)

func TestEachKindOfPostingIsADoubleEntry(t *testing.T) {
	const (
		rewards     = ledger.RewardExpense
		cardholder  = ledger.CardholderRewards
		clearing    = ledger.RedemptionClearing
		adjustments = ledger.AdjustmentExpense
		expired     = ledger.ExpiredRewards
	)
	for _, c := range []struct {
		kind   reward.Kind
		amount int64
		want   ledger.Entry
	}{
		{reward.Grant, 500, ledger.Entry{Debit: rewards, Credit: cardholder, Amount: 500}},
		{reward.Clawback, -500, ledger.Entry{Debit: cardholder, Credit: rewards, Amount: 500}},
		{reward.Restore, 500, ledger.Entry{Debit: rewards, Credit: cardholder, Amount: 500}},
		{reward.Reallocation, 20, ledger.Entry{Debit: rewards, Credit: cardholder, Amount: 20}},
		{reward.Reallocation, -20, ledger.Entry{Debit: cardholder, Credit: rewards, Amount: 20}},
		{reward.RedemptionPaid, -300, ledger.Entry{Debit: cardholder, Credit: clearing, Amount: 300}},
		{reward.RedemptionReturned, 300, ledger.Entry{Debit: clearing, Credit: cardholder, Amount: 300}},
		{reward.Adjustment, 70, ledger.Entry{Debit: adjustments, Credit: cardholder, Amount: 70}},
		{reward.Adjustment, -70, ledger.Entry{Debit: cardholder, Credit: adjustments, Amount: 70}},
		{reward.Expiry, -40, ledger.Entry{Debit: cardholder, Credit: expired, Amount: 40}},
		{reward.ExpiryRestored, 40, ledger.Entry{Debit: expired, Credit: cardholder, Amount: 40}},
	} {
		if got := ledger.EntryOf(&reward.Posting{Kind: c.kind, Amount: c.amount}); got != c.want {
			t.Errorf("%s of %d: debit %v, credit %v, amount %d; want debit %v, credit %v, amount %d",
				c.kind, c.amount, got.Debit, got.Credit, got.Amount, c.want.Debit, c.want.Credit, c.want.Amount)
		}
	}
}

func TestTheChartHasNames(t *testing.T) {
	for account, want := range map[ledger.Account]string{
		ledger.RewardExpense:      "expenses:rewards",
		ledger.CardholderRewards:  "liabilities:cardholder rewards",
		ledger.RedemptionClearing: "assets:redemption clearing",
		ledger.AdjustmentExpense:  "expenses:adjustments",
		ledger.ExpiredRewards:     "income:expired rewards",
	} {
		if got := account.String(); got != want {
			t.Errorf("account %d is named %q, want %q", account, got, want)
		}
	}
}

// journal is one account and all its postings.
type journal struct {
	*reward.Account
	postings []reward.Posting
}

// play plays traffic with every kind of posting in it, once for all tests: they change none of it.
func play(t *testing.T) []*journal {
	t.Helper()
	accounts, err := played()
	if err != nil {
		t.Fatal(err)
	}
	return accounts
}

var played = sync.OnceValues(func() ([]*journal, error) {
	p := *program.Everyday()
	p.Timing.Clawback = reward.ClawbackAtStatement
	p.Method = reward.Rerate
	p.ExpiryMonths = 1
	var accounts []*journal
	byID := make(map[string]*journal)
	kinds := make(map[reward.Kind]int)
	for e := range traffic.Generate(traffic.Options{Accounts: 40, Events: 30_000, Seed: 3, Program: &p, ReturnShare: 200, OverRefunds: 100, Disorder: 50}) {
		a := byID[e.Account]
		if a == nil {
			a = &journal{Account: reward.NewAccount(e.Account, &p)}
			byID[e.Account] = a
			accounts = append(accounts, a)
		}
		n := len(a.postings)
		_, a.postings = a.Apply(&e, a.postings)
		for _, posting := range a.postings[n:] {
			kinds[posting.Kind]++
		}
	}
	for kind := reward.Grant; kind <= reward.ExpiryRestored; kind++ {
		if kinds[kind] == 0 {
			return nil, fmt.Errorf("the traffic has no posting of kind %s: %v", kind, kinds)
		}
	}
	return accounts, nil
})

func bookOf(postings []reward.Posting) *ledger.Book {
	b := new(ledger.Book)
	for i := range postings {
		b.Post(&postings[i])
	}
	return b
}

func TestBooksBalanceAndGiveTheAccounts(t *testing.T) {
	var total ledger.Book
	var postings int64
	for _, a := range play(t) {
		for i := range a.postings {
			if e := ledger.EntryOf(&a.postings[i]); e.Amount <= 0 || e.Debit == e.Credit {
				t.Fatalf("posting %+v is the entry %+v", a.postings[i], e)
			}
		}
		b := bookOf(a.postings)
		if v, ok := b.Agrees(a.Account); !ok {
			t.Error(v)
		}
		expectBalance(t, a.ID(), b)
		if s := a.State(); b.Sums[ledger.RewardExpense] != s.NetReward {
			t.Errorf("%s: rewards cost %d, the net reward is %d", a.ID(), b.Sums[ledger.RewardExpense], s.NetReward)
		}
		if !total.Add(b) {
			t.Fatal("the totals do not hold the books")
		}
		postings += int64(len(a.postings))
	}
	expectBalance(t, "all accounts", &total)
	if total.Entries != postings {
		t.Errorf("%d entries of %d postings", total.Entries, postings)
	}
	if total.ClawedBack == 0 || total.Granted <= total.ClawedBack {
		t.Errorf("granted %d, clawed back %d", total.Granted, total.ClawedBack)
	}
}

func expectBalance(t *testing.T, whose string, b *ledger.Book) {
	t.Helper()
	var sum int64
	for _, s := range b.Sums {
		sum += s
	}
	if sum != 0 {
		t.Errorf("%s: debits exceed credits by %d", whose, sum)
	}
	if b.Granted-b.ClawedBack != b.Sums[ledger.RewardExpense]+b.Sums[ledger.BonusExpense] {
		t.Errorf("%s: granted %d, clawed back %d, yet rewards cost %d", whose, b.Granted, b.ClawedBack, b.Sums[ledger.RewardExpense])
	}
}

// TestATamperedJournalDoesNotAgree loses, doubles, changes and mislabels one
// posting of each kind in real journals.
func TestATamperedJournalDoesNotAgree(t *testing.T) {
	tamper := map[string]func(list []reward.Posting, i int) []reward.Posting{
		"lost":              func(list []reward.Posting, i int) []reward.Posting { return slices.Delete(list, i, i+1) },
		"doubled":           func(list []reward.Posting, i int) []reward.Posting { return append(list, list[i]) },
		"larger":            func(list []reward.Posting, i int) []reward.Posting { list[i].Amount++; return list },
		"smaller":           func(list []reward.Posting, i int) []reward.Posting { list[i].Amount--; return list },
		"with another sign": func(list []reward.Posting, i int) []reward.Posting { list[i].Amount *= -1; return list },
		"of another account of the chart": func(list []reward.Posting, i int) []reward.Posting {
			switch list[i].Kind {
			case reward.Adjustment:
				list[i].Kind = reward.RedemptionPaid
			case reward.RedemptionPaid, reward.RedemptionReturned:
				list[i].Kind = reward.Grant
			default:
				list[i].Kind = reward.Adjustment
			}
			return list
		},
	}
	tried := make(map[reward.Kind]bool)
	for _, a := range play(t) {
		for i := range a.postings {
			kind := a.postings[i].Kind
			if tried[kind] {
				continue
			}
			tried[kind] = true
			for name, change := range tamper {
				v, ok := bookOf(change(slices.Clone(a.postings), i)).Agrees(a.Account)
				if ok {
					t.Errorf("a %s is %s, and the book agrees", kind, name)
				} else if v.Account != a.ID() || v.Invariant != reward.Conservation {
					t.Errorf("a %s is %s: %v", kind, name, v)
				}
			}
		}
	}
}

func TestTheViolationShowsBothSides(t *testing.T) {
	p := program.Everyday()
	a := reward.NewAccount("acct-1", p)
	at := reward.At(time.Date(2026, 1, 5, 10, 0, 0, 0, time.UTC))
	var postings []reward.Posting
	for _, e := range []reward.Event{
		{ID: "e1", Time: at, Type: reward.TransactionSettled, Transaction: "t1", Amount: 20_000, Currency: "USD"},
		{ID: "e2", Time: at, Type: reward.RedemptionRequested, Fact: "r1", Amount: 50, Currency: "USD"},
		{ID: "e3", Time: at, Type: reward.AdjustmentPosted, Fact: "a1", Amount: 7, Currency: "USD"},
	} {
		_, postings = a.Apply(&e, postings)
	}
	v, ok := bookOf(postings[:1]).Agrees(a)
	const want = "the journal gives balance 200, redeemed 0, adjustments 0, expired 0; the account has 157, 50, 7, 0"
	if ok || v.Figures != want || !strings.Contains(v.String(), "acct-1") {
		t.Errorf("the violation is %q, want the figures %q", v, want)
	}
}

// The journals of single accounts are bounded, but not how many there are.
func TestTotalsThatPassTheLargestNumberSaySo(t *testing.T) {
	var grant, back, total ledger.Book
	grant.Post(&reward.Posting{Kind: reward.Grant, Amount: reward.MaxVolume})
	back.Post(&reward.Posting{Kind: reward.RedemptionPaid, Amount: -reward.MaxVolume})

	for n, c := range []struct {
		book ledger.Book
		ok   bool
	}{{grant, true}, {ledger.Book{}, true}, {grant, true}, {back, true}, {grant, false}} {
		if ok := total.Add(&c.book); ok != c.ok {
			t.Errorf("book %d: the totals hold it: %v, want %v", n+1, ok, c.ok)
		}
	}
}
