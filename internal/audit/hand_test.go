package audit_test

import (
	"fmt"
	"testing"
	"time"

	"recoup/internal/audit"
	"recoup/internal/audit/judge"
	"recoup/internal/flaw"
	"recoup/program"
	"recoup/reward"
)

// day is a moment of 2026: so many days after the fifth of January, at ten.
func day(n int) reward.Instant {
	return reward.At(time.Date(2026, 1, 5, 10, 0, 0, 0, time.UTC)) + reward.Instant(n)*reward.Day
}

// book is a set of accounts made by hand, one for each thing that is added.
type book []*judge.Account

func (b *book) account() *judge.Account {
	a := &judge.Account{ID: fmt.Sprintf("a%04d", len(*b))}
	*b = append(*b, a)
	return a
}

// refunds adds refunds of whole purchases that name them, with such an outcome;
// the balance covers them.
func (b *book) refunds(n int, place judge.Place, o judge.Outcome) *book {
	return b.cases(n, judge.RefundCase{Linked: true, Place: place, Outcome: o, Balance: 500})
}

// cases adds refunds of such a kind, of $100 that had earned $5.
func (b *book) cases(n int, c judge.RefundCase) *book {
	for range n {
		c := c
		c.Purchase, c.Amount, c.Bought, c.Expected = "t", 100_00, 100_00, 500
		c.PurchasedAt = day(0)
		c.RefundedAt = day(10)
		if c.Place == judge.LaterCycle {
			c.RefundedAt = day(40)
		}
		switch c.Outcome {
		case judge.Netted:
			c.Taken, c.TakenAt = 500, c.RefundedAt
		case judge.AtOnce:
			c.Granted, c.Taken, c.TakenAt = 500, 500, c.RefundedAt
		case judge.WithinCycle:
			c.Granted, c.Taken, c.TakenAt = 500, 500, c.RefundedAt+3*reward.Day
		case judge.AtClose:
			c.Granted, c.Taken, c.TakenAt = 500, 500, reward.CycleAt(c.RefundedAt).End()
		case judge.Late:
			c.Granted, c.Taken, c.TakenAt = 500, 500, reward.CycleAt(c.RefundedAt).End()+40*reward.Day
		case judge.Partly:
			c.Granted, c.Taken, c.TakenAt, c.Unrecovered = 500, 200, c.RefundedAt, 300
		case judge.Never, judge.TooEarly:
			c.Granted, c.Unrecovered = 500, 500
		case judge.NothingAtStake:
			c.Expected = 0
		}
		a := b.account()
		c.ID = a.ID
		a.Refunds, a.Figures.TakenBack = append(a.Refunds, c), c.Taken
	}
	return b
}

// partial adds refunds of half of a purchase, for half of its reward.
func (b *book) partial(n int, place judge.Place, o judge.Outcome) *book {
	return b.refunds(n, place, o).halved(n)
}

// parts adds refunds like this one, of half of their purchase.
func (b *book) parts(n int, c judge.RefundCase) *book { return b.cases(n, c).halved(n) }

// halved makes the last refunds ones of half of their purchase.
func (b *book) halved(n int) *book {
	for _, a := range (*b)[len(*b)-n:] {
		r := &a.Refunds[0]
		r.Amount, r.Expected, r.Taken, r.Unrecovered = r.Amount/2, r.Expected/2, r.Taken/2, r.Unrecovered/2
	}
	return b
}

// grants adds purchases that were rewarded at settlement and at the close.
func (b *book) grants(atOnce, atClose int64) *book {
	a := b.account()
	a.GrantsAtOnce, a.GrantsAtClose = atOnce, atClose
	return b
}

// signs adds opportunities for a flaw, of which some show it, at $5 each.
func (b *book) signs(code flaw.Code, shown, could int) *book {
	a := b.account()
	for i := range could {
		s := judge.Sign{Flaw: code, At: day(i)}
		if i < shown {
			s.Shown, s.Amount = true, 500
			s.Example = &judge.Example{Account: a.ID, Purchase: fmt.Sprintf("t%d", i), Amount: 500}
		}
		a.Signs = append(a.Signs, s)
	}
	return b
}

func (b *book) report(t testing.TB) *audit.Report {
	t.Helper()
	return b.tally().Report()
}

func (b *book) tally() *audit.Tally {
	tally := audit.NewTally(program.Everyday())
	for _, a := range *b {
		tally.Add(a, nil)
	}
	return tally
}
