package judge_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"recoup/internal/audit/judge"
	"recoup/internal/flaw"
	"recoup/internal/intake/history"
	"recoup/internal/issuer"
	"recoup/internal/lab/design"
	"recoup/internal/traffic"
	"recoup/reward"
)

// played is a design with its customers, and what its exports would say.
type played struct {
	issuer    issuer.Issuer
	program   *reward.Program
	rows      map[string][]history.Row
	accounts  []string
	worth     map[string]int64 // balance and payouts, as last seen
	redeemed  map[string]int64
	amounts   map[string]int64 // of purchases
	facts     map[string]int64 // refunds and chargebacks
	now       reward.Instant
	end       reward.Instant // of the month
	paid      int
	t         testing.TB
	redeemAll bool
}

// exports plays traffic against a design: customers redeem all that they can at the
// end of each month. Each change of the balance after a call is a reward row.
func exports(t testing.TB, d design.Design, p *reward.Program, o traffic.Options) *played {
	t.Helper()
	x := &played{
		issuer: d.New(p), program: p, rows: map[string][]history.Row{}, worth: map[string]int64{}, redeemed: map[string]int64{},
		amounts: map[string]int64{}, facts: map[string]int64{}, t: t, redeemAll: true,
	}
	for e := range traffic.Generate(o) {
		x.advance(e.Time)
		x.event(&e)
	}
	x.advance(x.end)
	x.advance(x.end)
	x.check(x.issuer.SetClock((x.end - 1).Time()))
	x.now = x.end - 1
	return x
}

func (x *played) check(err error) {
	if err != nil {
		x.t.Fatal(err)
	}
}

func (x *played) advance(to reward.Instant) {
	if x.end == 0 {
		x.end = reward.CycleAt(to).End()
	}
	for to >= x.end {
		x.clock(x.end - 1)
		if x.redeemAll {
			for _, a := range x.accounts {
				x.redeem(a)
			}
		}
		x.clock(x.end)
		x.end = reward.CycleAt(x.end).End()
		for _, a := range x.accounts {
			x.check(x.issuer.CloseStatement(a))
			x.look(a)
		}
	}
	x.clock(max(to, x.now))
}

func (x *played) clock(to reward.Instant) {
	x.now = to
	x.check(x.issuer.SetClock(to.Time()))
}

func (x *played) add(r history.Row) {
	r.At = x.now
	x.rows[r.Account] = append(x.rows[r.Account], r)
}

func (x *played) look(a string) {
	b, err := x.issuer.Balance(a)
	x.check(err)
	paidOut, err := issuer.PaidOut(x.issuer, a)
	x.check(err)
	worth := b.Balance + x.redeemed[a] + paidOut
	if d := worth - x.worth[a]; d != 0 {
		x.add(history.Row{Kind: history.Reward, Account: a, Amount: d})
		x.worth[a] = worth
	}
	if d := paidOut - x.facts["paid "+a]; d != 0 {
		x.add(history.Row{Kind: history.Redemption, Account: a, Amount: d})
		x.facts["paid "+a] = paidOut
	}
}

func (x *played) redeem(a string) {
	b, err := x.issuer.Balance(a)
	x.check(err)
	if b.Redeemable <= 0 {
		return
	}
	x.paid++
	ok, err := x.issuer.Redeem(issuer.Redemption{Account: a, Redemption: fmt.Sprint("d", x.paid), Amount: b.Redeemable})
	x.check(err)
	if ok {
		x.redeemed[a] += b.Redeemable
		x.add(history.Row{Kind: history.Redemption, Account: a, Amount: b.Redeemable})
	}
}

func (x *played) event(e *reward.Event) {
	a := e.Account
	if !slices.Contains(x.accounts, a) {
		x.accounts = append(x.accounts, a)
		x.check(x.issuer.Open(a))
	}
	r := history.Row{Account: a, ID: e.Fact, Transaction: e.Transaction, Amount: e.Amount, Merchant: e.Merchant, MCC: e.MCC, Category: e.Category}
	switch e.Type {
	case reward.TransactionSettled:
		r.Kind, r.ID, r.Transaction = history.Purchase, e.Transaction, ""
		x.amounts[e.Transaction] = e.Amount
		x.add(r)
		x.check(x.issuer.Settle(issuer.Settlement{Account: a, Transaction: e.Transaction, Amount: e.Amount, Merchant: e.Merchant, MCC: e.MCC.String(), Category: e.Category}))
	case reward.RefundPosted:
		r.Kind = history.Refund
		x.facts[e.Fact] = e.Amount
		x.add(r)
		x.check(x.issuer.Refund(issuer.Refund{Account: a, Refund: e.Fact, Transaction: e.Transaction, Amount: e.Amount, Merchant: e.Merchant, MCC: e.MCC.String(), Category: e.Category}))
	case reward.ChargebackPosted:
		r.Kind = history.Chargeback
		if r.Amount == 0 {
			r.Amount = x.amounts[e.Transaction]
		}
		x.facts[e.Fact] = r.Amount
		x.add(r)
		x.check(x.issuer.Chargeback(issuer.Chargeback{Account: a, Chargeback: e.Fact, Transaction: e.Transaction, Amount: e.Amount}))
	case reward.RefundReversed, reward.ChargebackReversed:
		undoer, ok := x.issuer.(issuer.Undoer)
		if !ok {
			return
		}
		r.Amount = x.facts[e.Fact]
		r.Kind = history.RefundReversed
		undo := undoer.ReverseRefund
		if e.Type == reward.ChargebackReversed {
			r.Kind, undo = history.ChargebackReversed, undoer.ReverseChargeback
		}
		x.add(r)
		x.check(undo(a, e.Fact))
	case reward.TransactionReversed:
		withdrawer, ok := x.issuer.(issuer.Withdrawer)
		if !ok || x.amounts[e.Transaction] == 0 {
			return
		}
		r.Kind, r.ID, r.Amount = history.Refund, "withdrawal-"+e.Transaction, x.amounts[e.Transaction]
		x.add(r)
		x.check(withdrawer.Withdraw(a, e.Transaction))
	default:
		return
	}
	x.look(a)
}

// tally is what all accounts come to.
type tally struct {
	figures  judge.Figures
	outcomes [3][9]int // by Place, of linked refunds
	shown    map[flaw.Code]int
	could    map[flaw.Code]int
	examples map[flaw.Code]*judge.Example
	grants   [3]int64
	accounts int
	floored  int
}

func (x *played) judge(options judge.Options) *tally {
	x.t.Helper()
	j := judge.New(x.program, options)
	s := &tally{shown: map[flaw.Code]int{}, could: map[flaw.Code]int{}, examples: map[flaw.Code]*judge.Example{}}
	for _, id := range x.accounts {
		h := &history.History{Account: id, Rows: slices.Clone(x.rows[id])}
		history.Sort(h.Rows)
		a, err := j.Account(h)
		x.check(err)
		s.add(a)
	}
	return s
}

func (s *tally) add(a *judge.Account) {
	s.accounts++
	f := &s.figures
	f.Entitlement += a.Figures.Entitlement
	f.NetSpend += a.Figures.NetSpend
	f.NetReward += a.Figures.NetReward
	f.Leakage += a.Figures.Leakage
	f.ShortPaid += a.Figures.ShortPaid
	f.Debt += a.Figures.Debt
	f.Purchases += a.Figures.Purchases
	for _, c := range a.Refunds {
		if c.Linked {
			s.outcomes[c.Place][c.Outcome]++
		}
		if c.Floored {
			s.floored++
		}
	}
	for _, sign := range a.Signs {
		s.could[sign.Flaw]++
		if sign.Shown {
			s.shown[sign.Flaw]++
			if sign.Example != nil {
				s.examples[sign.Flaw] = sign.Example
			}
		}
	}
	s.grants[0] += a.GrantsAtOnce
	s.grants[1] += a.GrantsAtClose
	s.grants[2] += a.GrantsOther
}

func (s *tally) String() string {
	var b strings.Builder
	f := &s.figures
	fmt.Fprintf(&b, "%d accounts, %d purchases; entitlement %d, net reward %d, leakage %d, short %d, debt %d; grants %v of %v\n", s.accounts, f.Purchases, f.Entitlement, f.NetReward, f.Leakage, f.ShortPaid, f.Debt, s.grants, f.Purchases)
	for place, name := range []string{"same", "later", "early"} {
		fmt.Fprintf(&b, "  %s:", name)
		for o, n := range s.outcomes[place] {
			if n > 0 {
				fmt.Fprintf(&b, " %s %d,", outcomeNames[o], n)
			}
		}
		fmt.Fprintln(&b)
	}
	for _, code := range codes() {
		if s.could[code] > 0 {
			fmt.Fprintf(&b, "  %s %d/%d", code, s.shown[code], s.could[code])
		}
	}
	return b.String()
}

func codes() []flaw.Code {
	var list []flaw.Code
	for _, f := range flaw.Catalogue() {
		list = append(list, f.Code)
	}
	return list
}
