package preview_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"recoup/internal/service/preview"
	"recoup/program"
	"recoup/reward"
)

// terms parses a program with the id everyday, in USD, from its rules and what
// else there is.
func terms(t *testing.T, rest string) *reward.Program {
	t.Helper()
	p, err := program.Parse("program.yaml", []byte("id: everyday\ncurrency: USD\n"+rest))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

const (
	grocery5 = "{id: grocery, match: {category: [GROCERY]}, rate: 5%}"
	base1    = "{id: base, rate: 1%}"
)

func rules(list string) string { return "rules: [" + list + "]" }

// log builds a sample, an event a minute, in January 2026.
type log struct{ events []reward.Event }

func (l *log) add(account string, kind reward.Type, e reward.Event) *log {
	n := len(l.events)
	e.Account, e.Type, e.Source, e.ID = account, kind, "core", fmt.Sprint("e", n)
	e.Time = reward.At(time.Date(2026, 1, 5, 10, n, 0, 0, time.UTC))
	e.Currency, e.HasAmount = "USD", e.Amount != 0
	l.events = append(l.events, e)
	return l
}

func (l *log) buys(account, transaction string, amount int64, category string) *log {
	return l.add(account, reward.TransactionSettled, reward.Event{Transaction: transaction, Amount: amount, Category: category, Merchant: "m1"})
}

func (l *log) returns(account, transaction string, amount int64) *log {
	return l.add(account, reward.RefundPosted, reward.Event{Fact: "r" + transaction, Transaction: transaction, Amount: amount})
}

func compare(t *testing.T, inForce, draft *reward.Program, l *log) *preview.Comparison {
	t.Helper()
	c, err := preview.Compare(context.Background(), inForce, draft, l.events)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func wantRows(t *testing.T, got []preview.Row, want ...preview.Row) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("the rows are\n%+v, want\n%+v", got, want)
	}
}

func TestRulesSideBySide(t *testing.T) {
	now := terms(t, rules(grocery5+", "+base1))
	draft := terms(t, rules("{id: fuel, match: {category: [GAS]}, rate: 3%}, {id: grocery, match: {category: [GROCERY]}, rate: 4%}"))
	sample := new(log).
		buys("a", "t1", 10_000, "GROCERY").
		buys("a", "t2", 5_000, "GAS").
		buys("b", "t1", 20_000, "DINING")
	c := compare(t, now, draft, sample)
	wantRows(t, c.Rules,
		preview.Row{Rule: "grocery", Purchases: 1, PurchasesDraft: 1, Spend: 10_000, SpendDraft: 10_000, Granted: 500, GrantedDraft: 400, Difference: -100},
		preview.Row{Rule: "base", Purchases: 2, Spend: 25_000, Granted: 250, Difference: -250},
		preview.Row{Rule: "fuel", PurchasesDraft: 1, SpendDraft: 5_000, GrantedDraft: 150, Difference: 150},
		preview.Row{PurchasesDraft: 1, SpendDraft: 20_000},
	)
	wantRows(t, []preview.Row{c.Totals},
		preview.Row{Purchases: 3, PurchasesDraft: 3, Spend: 35_000, SpendDraft: 35_000, Granted: 750, GrantedDraft: 550, Difference: -200})
	if c.First != sample.events[0].Time || c.Last != sample.events[2].Time || c.Program != "everyday" || c.Currency != "USD" {
		t.Errorf("compared are %s in %s from %v to %v", c.Program, c.Currency, c.First, c.Last)
	}
}

func TestRefundsTakeTheRewardUnderBoth(t *testing.T) {
	now, draft := terms(t, rules(grocery5)), terms(t, rules("{id: grocery, match: {category: [GROCERY]}, rate: 10%}"))
	sample := new(log).buys("a", "t1", 10_000, "GROCERY").returns("a", "t1", 4_000).buys("a", "t2", 1_000, "GROCERY").returns("a", "t2", 1_000)
	wantRows(t, compare(t, now, draft, sample).Rules,
		preview.Row{Rule: "grocery", Purchases: 2, PurchasesDraft: 2, Spend: 6_000, SpendDraft: 6_000, Granted: 300, GrantedDraft: 600, Difference: 300},
		preview.Row{})
}

func TestCapsAndMethodsOfTheDraftHold(t *testing.T) {
	now := terms(t, rules(grocery5))
	draft := terms(t, "clawback_method: rerate\n"+rules("{id: grocery, match: {category: [GROCERY]}, rate: 5%, cap: {reward: 600, per: cycle}}"))
	// The cap cuts the second purchase; the first is returned, which frees the room.
	sample := new(log).buys("a", "t1", 10_000, "GROCERY").buys("a", "t2", 10_000, "GROCERY").returns("a", "t1", 10_000)
	wantRows(t, compare(t, now, draft, sample).Rules,
		preview.Row{Rule: "grocery", Purchases: 2, PurchasesDraft: 2, Spend: 10_000, SpendDraft: 10_000, Granted: 500, GrantedDraft: 500},
		preview.Row{})
	sample = new(log).buys("a", "t1", 10_000, "GROCERY").buys("a", "t2", 10_000, "GROCERY")
	if c := compare(t, now, draft, sample); c.Totals.Granted != 1000 || c.Totals.GrantedDraft != 600 {
		t.Errorf("granted %d now and %d under the draft, want 1000 and the cap of 600", c.Totals.Granted, c.Totals.GrantedDraft)
	}
}

// What a program grants at statements counts too, although no event of the
// sample closes the cycle.
func TestTheLastCycleIsClosed(t *testing.T) {
	now, draft := terms(t, rules(grocery5)), terms(t, "timing: {grant: statement, clawback: statement}\n"+rules(grocery5))
	sample := new(log).buys("a", "t1", 10_000, "GROCERY").returns("a", "t1", 4_000)
	if c := compare(t, now, draft, sample); c.Totals.GrantedDraft != 300 || c.Totals.Difference != 0 {
		t.Errorf("granted %d under the draft, want 300: %+v", c.Totals.GrantedDraft, c.Totals)
	}
}

func TestASettlementTakesFromItsAuthorisationWhatItLeavesOut(t *testing.T) {
	now, draft := terms(t, rules(grocery5)), terms(t, rules(grocery5))
	sample := new(log).add("a", reward.TransactionAuthorized, reward.Event{Transaction: "t1", Amount: 9_000, Category: "GROCERY"}).buys("a", "t1", 10_000, "")
	wantRows(t, compare(t, now, draft, sample).Rules,
		preview.Row{Rule: "grocery", Purchases: 1, PurchasesDraft: 1, Spend: 10_000, SpendDraft: 10_000, Granted: 500, GrantedDraft: 500},
		preview.Row{})
}

func TestAccountsThatGainAndLose(t *testing.T) {
	now := terms(t, rules(grocery5+", "+base1))
	draft := terms(t, rules("{id: grocery, match: {category: [GROCERY]}, rate: 2%}, {id: base, rate: 2%}"))
	l := new(log)
	for i := range 12 {
		l.buys(fmt.Sprintf("loses%02d", i), "t", int64(1000*(i+1)), "GROCERY")
	}
	l.buys("gains", "t", 100_000, "DINING").buys("same", "t", 5, "DINING")
	c := compare(t, now, draft, l)
	if c.Accounts != 14 || c.Gain != 1 || c.Lose != 12 || c.Same != 1 {
		t.Errorf("of %d accounts %d gain, %d lose and %d stay", c.Accounts, c.Gain, c.Lose, c.Same)
	}
	if len(c.Changed) != preview.MostChanged || c.Changed[0] != (preview.Change{"gains", 1000, 2000, 1000}) || c.Changed[1] != (preview.Change{"loses11", 600, 240, -360}) {
		t.Errorf("the most changed are %+v", c.Changed)
	}
}

// The versions of a program have nothing to do with it: the sample is from
// before the draft takes effect, and it is played under the draft all the same.
func TestTheWholeSampleIsPlayedUnderTheDraft(t *testing.T) {
	now, draft := terms(t, rules(grocery5)), terms(t, rules("{id: grocery, match: {category: [GROCERY]}, rate: 10%}"))
	now.Version, draft.Version, draft.From, draft.Earlier = 1, 2, reward.CycleAt(reward.At(time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC))), now
	c := compare(t, now, draft, new(log).buys("a", "t1", 10_000, "GROCERY"))
	if c.Totals.Granted != 500 || c.Totals.GrantedDraft != 1000 || c.Version != 1 {
		t.Errorf("version %d granted %d, the draft %d", c.Version, c.Totals.Granted, c.Totals.GrantedDraft)
	}
}

func TestAnEmptySample(t *testing.T) {
	p := terms(t, rules(grocery5))
	c := compare(t, p, p, new(log))
	if c.Accounts != 0 || c.Totals != (preview.Row{}) || len(c.Changed) != 0 {
		t.Errorf("nothing compares as %+v", c)
	}
}

func TestWhatCannotBeCompared(t *testing.T) {
	p := terms(t, rules(grocery5))
	euro := *p
	euro.Currency = "EUR"
	if _, err := preview.Compare(context.Background(), p, &euro, nil); !errors.Is(err, preview.ErrCurrency) {
		t.Errorf("a draft in EUR of a program in USD: %v", err)
	}
	l := new(log)
	for i := range 9224 {
		l.buys(fmt.Sprint("a", i), "t", reward.MaxAmount, "GROCERY")
	}
	if c, err := preview.Compare(context.Background(), p, p, l.events); err == nil {
		t.Errorf("more than 63 bits of spend compare as %+v", c.Totals)
	}
}
