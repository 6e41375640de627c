// Package labtest has what tests of several of the lab's rooms share: a program,
// designs by name, and streams of events.
package labtest

import (
	"context"
	"fmt"
	"io"
	"iter"
	"strings"
	"testing"
	"time"

	"recoup/internal/issuer"
	"recoup/internal/lab/compare"
	"recoup/internal/lab/design"
	"recoup/internal/traffic"
	"recoup/reward"
)

// Everyday is the program of the paper's case I: 5 % on groceries up to $50 of
// rewards a month. Everything else earns 1 %.
func Everyday() *reward.Program {
	return &reward.Program{
		ID: "everyday", Currency: "USD",
		Rules: []reward.Rule{
			{ID: "grocery", Match: reward.Match{Categories: []string{"GROCERY"}}, Rate: reward.MaxRate / 20, Cap: 50_00},
			{ID: "base", Rate: reward.MaxRate / 100, Cap: reward.NoCap},
		},
		Categories: func(m reward.MCC) string {
			if m.String() == "5411" {
				return "GROCERY"
			}
			return ""
		},
	}
}

// Design returns the design of that name.
func Design(t testing.TB, name string) design.Design {
	t.Helper()
	d, err := design.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Fresh is a sandbox in memory: a new issuer after each reset.
type Fresh struct {
	issuer.Issuer
	New func() issuer.Issuer
}

// NewFresh returns one that was reset.
func NewFresh(made func() issuer.Issuer) *Fresh { return &Fresh{made(), made} }

// Reset forgets every account.
func (f *Fresh) Reset() error { f.Issuer = f.New(); return nil }

// PaidOut implements issuer.Payer.
func (f *Fresh) PaidOut(account string) (int64, error) { return issuer.PaidOut(f.Issuer, account) }

// Stream makes one batch of events, numbered in order.
func Stream(events ...reward.Event) compare.Stream {
	for i := range events {
		events[i].Source, events[i].ID = "test", fmt.Sprint("e", i)
	}
	return func(yield func([]reward.Event, error) bool) { yield(events, nil) }
}

// InBatches cuts a sequence of events into batches.
func InBatches(events iter.Seq[reward.Event]) compare.Stream {
	return func(yield func([]reward.Event, error) bool) {
		var batch []reward.Event
		for e := range events {
			if batch = append(batch, e); len(batch) == 512 {
				if !yield(batch, nil) {
					return
				}
				batch = batch[:0]
			}
		}
		if len(batch) > 0 {
			yield(batch, nil)
		}
	}
}

// Busy is generated traffic with everything in it.
func Busy(seed uint64) iter.Seq[reward.Event] {
	return traffic.Generate(traffic.Options{
		Accounts: 60, Events: 12_000, Seed: seed, Program: Everyday(), Disorder: 50, Duplicates: 20, OverRefunds: 100, ReturnShare: 200,
	})
}

// Settled is a purchase, at merchant m1, of minor units.
func Settled(day, account, id string, amount int64, category string) reward.Event {
	return Money(reward.TransactionSettled, day, reward.Event{Account: account, Transaction: id, Amount: amount, Merchant: "m1", Category: category})
}

// Refunded is a refund, unlinked if it is of "".
func Refunded(day, account, id string, amount int64, of string) reward.Event {
	return Money(reward.RefundPosted, day, reward.Event{Account: account, Fact: id, Amount: amount, Transaction: of})
}

// Money makes an event one with an amount.
func Money(kind reward.Type, day string, e reward.Event) reward.Event {
	e.Type, e.HasAmount, e.Currency = kind, true, "USD"
	return At(day, e)
}

// At dates an event at the start of a day.
func At(day string, e reward.Event) reward.Event {
	t, err := time.Parse(time.DateOnly, day)
	if err != nil {
		panic(err)
	}
	e.Time = reward.At(t)
	return e
}

// MCC reads a code of four digits.
func MCC(code string) reward.MCC {
	m, ok := reward.ParseMCC(code)
	if !ok {
		panic("labtest: no code: " + code)
	}
	return m
}

// Compared compares designs, and Recoup.
func Compared(t testing.TB, p *reward.Program, events compare.Stream, designs ...design.Design) *compare.Comparison {
	t.Helper()
	c, err := compare.Designs(context.Background(), p, events, designs)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Figures returns the row of a design.
func Figures(t testing.TB, c *compare.Comparison, name string) compare.Figures {
	t.Helper()
	for _, f := range c.Designs {
		if f.Design == name {
			return f
		}
	}
	t.Fatalf("no design %q in the comparison", name)
	return compare.Figures{}
}

// WantTable writes a table, looks for parts of it, and returns it.
func WantTable(t testing.TB, table interface{ WriteTable(io.Writer) error }, lines ...string) (text string) {
	t.Helper()
	var out strings.Builder
	if err := table.WriteTable(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range lines {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	return out.String()
}
