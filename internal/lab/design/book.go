package design

import (
	"fmt"
	"time"

	"recoup/reward"
)

// book is what every design needs before it is a design: a program, accounts by
// name, and a clock that knows calendar months in UTC. A is what the design
// keeps of an account.
//
// Statements close by the clock, each account's one after the other, when the
// account is next looked at. Accounts do not affect one another, so nobody can
// tell that from closing them on the dot. A fact counts from when it is
// delivered, whenever it happened.
type book[A any] struct {
	program  *reward.Program
	now      reward.Instant
	cycle    reward.Cycle   // the open one; zero until the clock is set
	cycleEnd reward.Instant // when it closes
	accounts map[string]*A
}

// Open creates an account.
func (b *book[A]) Open(account string) error {
	if _, ok := b.accounts[account]; ok {
		return fmt.Errorf("lab: account %q is open already", account)
	}
	if b.accounts == nil {
		b.accounts = make(map[string]*A)
	}
	b.accounts[account] = new(A)
	return nil
}

// rules are those of the program that is in force in a month.
func (b *book[A]) rules(month reward.Cycle) []reward.Rule { return b.program.In(month).Rules }

// mostRules is how many rules there are in any month.
func (b *book[A]) mostRules() int {
	most := 0
	for p := b.program; p != nil; p = p.Earlier {
		most = max(most, len(p.Rules))
	}
	return most
}

// SetClock moves the clock. An earlier time than the clock's leaves it as it is.
func (b *book[A]) SetClock(now time.Time) error {
	if now.Before(reward.EarliestInstant.Time()) || now.After(reward.LatestInstant.Time()) {
		return fmt.Errorf("lab: clock %s: expected a time between %s and %s", now.Format(time.RFC3339), reward.EarliestInstant, reward.LatestInstant)
	}
	b.now = max(b.now, reward.At(now))
	if b.now >= b.cycleEnd {
		b.cycle = reward.CycleAt(b.now)
		b.cycleEnd = b.cycle.End()
	}
	return nil
}

// find returns an account as it was left.
func (b *book[A]) find(account string) (*A, error) {
	a, ok := b.accounts[account]
	if !ok {
		return nil, fmt.Errorf("lab: account %q is not open", account)
	}
	return a, nil
}

// clone copies the book, and each account by copyOf.
func (b *book[A]) clone(copyOf func(*A) *A) book[A] {
	c := *b
	c.accounts = make(map[string]*A, len(b.accounts))
	for id, a := range b.accounts {
		c.accounts[id] = copyOf(a)
	}
	return c
}
