package design

import (
	"fmt"
	"maps"
	"slices"

	"recoup/internal/issuer"
	"recoup/reward"
)

// Architecture says which of the paper's algorithms run on an event and which
// wait for the statement close (section 6, figure "Algorithm interaction paths").
type Architecture uint8

// The architectures.
const (
	// EventDriven runs Algorithm 1 on every settlement and Algorithm 2 on every
	// refund; Algorithm 4 runs at the close all the same.
	EventDriven Architecture = iota
	// BatchCycle has no live handlers: purchases stay PENDING and refunds wait
	// until Algorithm 4 runs.
	BatchCycle
	// Hybrid runs Algorithm 1 on every settlement and leaves refunds to
	// Algorithm 4, whose PENDING guard is there for such systems.
	Hybrid
)

// String returns the paper's word for the architecture.
func (a Architecture) String() string {
	return [...]string{EventDriven: "event-driven", BatchCycle: "batch cycle", Hybrid: "hybrid"}[a]
}

// LiteralOptions are what the paper leaves to the issuer, and switches for its
// three tiers of defence (section 7.3).
type LiteralOptions struct {
	Architecture   Architecture
	GraceDays      int   // Δ_grace
	MinimumBalance int64 // B_min, in minor units

	// WithoutPrevention takes tier 1 away: there is no Algorithm 2, on events or
	// called from Algorithm 4.
	WithoutPrevention bool
	// WithoutTemporal takes tier 2 away: no Algorithm 4 and no grace hold. Refunds
	// go to Algorithm 2 as they come, and a system that grants at the close runs
	// Algorithm 1 on whatever is PENDING then.
	WithoutTemporal bool
	// WithoutRecovery takes tier 3 away: balances stop at zero, and accounts close
	// whatever they owe.
	WithoutRecovery bool
}

// Literal is the paper's Algorithms 1 to 4 and nothing else: no refund ids, no
// memory of deliveries, no path for what names no purchase. Its flaws are the
// pseudocode's (the rows G of docs/semantics.md, section 9).
//
// The pseudocode calculates with real numbers, an issuer in minor units. A
// reward is rounded down, as Lemma 1 needs; a clawback is rounded to the nearest
// unit, halves up, as Lemma 2 has it equal to the refunded share. Nothing is
// clamped: the paper recommends that for production, and the algorithms do not.
type Literal struct {
	book[user]
	journal
	options LiteralOptions
	closing bool // a statement close is running
}

// user is the paper's u with the records that the algorithms keep of it. Its
// zero value is a new one.
type user struct {
	id             string
	balance        int64        // B[u]
	period         reward.Cycle // CurPeriod(u); zero until the clock is set
	monthlyUsed    []int64      // MonthlyUsed[u, ·] of the period, by rule
	holdUntil      reward.Instant
	transactions   []transaction
	index          map[string]int
	waitingRefunds []waitingRefund
	closed         bool
}

// transaction is the paper's t, its rule standing for the category t.c that
// selects rate and cap.
type transaction struct {
	id            string
	rule          int
	amount        int64        // t.a
	period        reward.Cycle // t.n; zero until it has posted
	status        status
	reward        int64 // R[id]
	original      int64 // R_orig[id]
	totalRefunded int64 // TotalRefunded[id]
	eligible      int64 // t.eligible, within one run of Algorithm 4
}

// waitingRefund is a refund that Algorithm 4 has not dealt with.
type waitingRefund struct {
	transaction string
	amount      int64
}

// status is the paper's t.status.
type status uint8

const (
	pending status = iota
	settled
	partRef
	refunded
	chargeback
)

var statusNames = [...]string{pending: "PENDING", settled: "SETTLED", partRef: "PART_REF", refunded: "REFUNDED", chargeback: "CHARGEBACK"}

// NewLiteral opens an issuer that runs the paper's algorithms.
func NewLiteral(p *reward.Program, o LiteralOptions) *Literal {
	return &Literal{book: book[user]{program: p}, options: o}
}

// Interfaces that the literal algorithms have something to say to. They have no
// way back from a refund or a dispute, none to withdraw a clearing, and no word
// on announced refunds.
var (
	_ issuer.Issuer     = (*Literal)(nil)
	_ issuer.Authorizer = (*Literal)(nil)
	_ issuer.Closer     = (*Literal)(nil)
	_ Cloner            = (*Literal)(nil)
)

// user returns an account with every statement closed that is over.
func (l *Literal) user(id string) (*user, error) {
	u, err := l.find(id)
	if err != nil {
		return nil, err
	}
	if u.period == 0 {
		u.id, u.period = id, l.cycle
	}
	for ; u.period < l.cycle; u.period++ {
		l.closing = true
		l.closePeriod(u)
		l.closing = false
		clear(u.monthlyUsed)
	}
	return u, nil
}

// closePeriod is the statement close of the account's period.
func (l *Literal) closePeriod(u *user) {
	if !l.options.WithoutTemporal {
		l.statementCycleReconcile(u, u.period)
		return
	}
	for i := range u.transactions {
		if t := &u.transactions[i]; t.period == u.period && t.status == pending {
			l.rewardOnSettlement(u, t)
		}
	}
}

// logRewardEvent is the paper's LogRewardEvent: the journal is told of it.
func (l *Literal) logRewardEvent(u *user, t *transaction, kind PostingKind, amount int64) {
	at := l.now
	if l.closing {
		at = u.period.End()
	}
	l.note(Posting{u.id, t.id, kind, amount, at, l.closing})
}

// transaction returns the record of a purchase, a PENDING one if there is none.
func (l *Literal) transaction(u *user, id string) *transaction {
	i, ok := u.index[id]
	if !ok {
		if u.index == nil {
			u.index = make(map[string]int)
			u.monthlyUsed = make([]int64, l.mostRules())
		}
		i = len(u.transactions)
		u.index[id] = i
		u.transactions = append(u.transactions, transaction{id: id, rule: reward.NoRule})
	}
	return &u.transactions[i]
}

// lookUp returns the record of a purchase, or nil.
func (u *user) lookUp(id string) *transaction {
	if i, ok := u.index[id]; ok {
		return &u.transactions[i]
	}
	return nil
}

// describe fixes what a purchase is. What a settlement leaves out was said by
// the authorisation.
func (t *transaction) describe(s *issuer.Settlement, rule int) {
	t.amount = s.Amount
	if t.rule == reward.NoRule || s.Merchant != "" || s.MCC != "" || s.Category != "" {
		t.rule = rule
	}
}

// Authorize makes a PENDING transaction.
func (l *Literal) Authorize(s issuer.Settlement) error {
	u, rule, err := l.purchase(&s)
	if err != nil {
		return err
	}
	if t := l.transaction(u, s.Transaction); t.period == 0 && t.status == pending {
		t.describe(&s, rule)
	}
	return nil
}

// Cancel is the edge from PENDING to REFUNDED, which involves no rewards.
func (l *Literal) Cancel(account, id string) error {
	u, err := l.user(account)
	if err != nil {
		return err
	}
	if t := u.lookUp(id); t != nil && t.period == 0 && t.status == pending {
		t.status = refunded
	}
	return nil
}

// Settle is OnSettled(t). Amount, rule and period are those of the first
// delivery, for they do not change any more (section 3.2); the handler runs
// again at each.
func (l *Literal) Settle(s issuer.Settlement) error {
	u, rule, err := l.purchase(&s)
	if err != nil {
		return err
	}
	t := l.transaction(u, s.Transaction)
	if t.period == 0 {
		t.describe(&s, rule)
		t.period = u.period
	}
	if l.options.Architecture != BatchCycle {
		l.rewardOnSettlement(u, t)
	}
	return nil
}

// purchase checks a purchase and returns its user and rule.
func (l *Literal) purchase(s *issuer.Settlement) (*user, int, error) {
	u, err := l.user(s.Account)
	if err != nil {
		return nil, reward.NoRule, err
	}
	if err := checkAmount("purchase", s.Transaction, s.Amount); err != nil {
		return nil, reward.NoRule, err
	}
	rule, err := ruleFor(l.program.In(u.period), s)
	return u, rule, err
}

// Refund is OnRefund(t, x): Algorithm 2 at once, or Algorithm 4's to find. It
// needs a t, so an unlinked refund comes to nothing.
func (l *Literal) Refund(r issuer.Refund) error {
	u, err := l.user(r.Account)
	if err != nil {
		return err
	}
	if err := checkAmount("refund", r.Refund, r.Amount); err != nil {
		return err
	}
	if r.Transaction == "" {
		return nil
	}
	if l.options.Architecture != EventDriven && !l.options.WithoutTemporal {
		u.waitingRefunds = append(u.waitingRefunds, waitingRefund{r.Transaction, r.Amount})
	} else if t := u.lookUp(r.Transaction); t != nil {
		l.rewardOnRefund(u, t, r.Amount)
	}
	return nil
}

// Chargeback is the callback of assumption A5, in every architecture: at once,
// the same logic as for a refund. The state machine has one edge to CHARGEBACK,
// from SETTLED: there is no chargeback of a purchase in any other state. From
// CHARGEBACK there is none out, and Algorithm 2 takes no more from it.
func (l *Literal) Chargeback(c issuer.Chargeback) error {
	u, err := l.user(c.Account)
	if err != nil {
		return err
	}
	if err := checkAmount("chargeback", c.Chargeback, c.Amount); err != nil {
		return err
	}
	t := u.lookUp(c.Transaction)
	if t == nil || t.status != settled {
		return nil
	}
	amount := c.Amount
	if amount == 0 {
		amount = t.amount
	}
	l.rewardOnRefund(u, t, amount)
	t.status = chargeback
	return nil
}

// CloseStatement has nothing to do: statements close by the clock.
func (l *Literal) CloseStatement(account string) error {
	_, err := l.user(account)
	return err
}

// Redeem is the caller of Algorithm 3, who debits when it says true. That a
// closed account pays nothing is all that is added.
func (l *Literal) Redeem(r issuer.Redemption) (bool, error) {
	u, err := l.user(r.Account)
	if err != nil {
		return false, err
	}
	if err := checkAmount("redemption", r.Redemption, r.Amount); err != nil {
		return false, err
	}
	if u.closed || !l.canRedeem(u, r.Amount) {
		return false, nil
	}
	u.balance -= r.Amount
	return true, nil
}

// Balance shows B[u], and the largest amount that Algorithm 3 lets go.
func (l *Literal) Balance(account string) (issuer.Balance, error) {
	u, err := l.user(account)
	if err != nil {
		return issuer.Balance{}, err
	}
	shown := issuer.Balance{Balance: u.balance}
	if most := u.balance - l.options.MinimumBalance; most > 0 && !u.closed && l.canRedeem(u, most) {
		shown.Redeemable = most
	}
	return shown, nil
}

// CloseAccount refuses while B[u] < 0 (assumption A4).
func (l *Literal) CloseAccount(account string) (bool, error) {
	u, err := l.user(account)
	if err != nil || u.balance < 0 && !l.options.WithoutRecovery {
		return false, err
	}
	u.closed = true
	return true, nil
}

// Record is what the algorithms keep of one transaction, in minor units.
type Record struct {
	Status   string // as the paper writes it, such as "PART_REF"
	Amount   int64  // t.a
	Refunded int64  // TotalRefunded[id]
	Original int64  // R_orig[id]
	Retained int64  // R[id]
}

// Record shows the records of a transaction: the columns of the paper's
// walkthrough table.
func (l *Literal) Record(account, id string) (Record, error) {
	u, err := l.user(account)
	if err != nil {
		return Record{}, err
	}
	t := u.lookUp(id)
	if t == nil {
		return Record{}, fmt.Errorf("lab: account %q has no transaction %q", account, id)
	}
	return Record{statusNames[t.status], t.amount, t.totalRefunded, t.original, t.reward}, nil
}

// Clone copies the issuer.
func (l *Literal) Clone() issuer.Issuer {
	return &Literal{book: l.clone((*user).clone), options: l.options}
}

func (u *user) clone() *user {
	c := *u
	c.monthlyUsed = slices.Clone(u.monthlyUsed)
	c.transactions = slices.Clone(u.transactions)
	c.index = maps.Clone(u.index)
	c.waitingRefunds = slices.Clone(u.waitingRefunds)
	return &c
}
