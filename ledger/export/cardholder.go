package export

import "recoup/reward"

// cardholder is one account as its log is applied to it again.
type cardholder struct {
	*replay
	account  *reward.Account
	currency Currency // that rewards are in
	telling  reward.Telling
	due      agenda
	stands   position
	cause    reward.Type      // of the event at work, whatever its steps are
	sender   string           // of the event at work: its principal
	journal  []reward.Posting // of the event at work
	shares   []int64          // of its postings in what is held
	before   Sums             // what the books came to before the exported period
	past     bool             // the account's time has passed the exported period
}

// apply applies a logged event, and compares what comes of it with the log.
func (c *cardholder) apply(e *Entry) error {
	r, err := c.move(&e.Event, e.Principal)
	if err != nil || c.past {
		return err
	}
	return e.compare(r, c.journal)
}

// move applies an event step by step: first, at their own instants, what ends
// before it and the close of the cycle that is over, each as an event that only
// moves the account on; then the event. The account ends as if it had been
// applied at once. The sender is the event's principal.
func (c *cardholder) move(e *reward.Event, sender string) (r reward.Result, err error) {
	c.cause, c.sender, c.journal = e.Type, sender, c.journal[:0]
	p := c.account.Program()
	if now := c.account.Now(); c.account.Exists() && e.Time > now {
		// An account does its work for all cycles that are over as of the last
		// close, so if it has any it must not be moved on to a cycle in between.
		if end := p.CycleEnd(p.CycleAt(now)); e.Time >= end && !c.idle(now, e.Time) {
			if err := c.endings(e, end-1); err != nil {
				return r, err
			}
			if _, err := c.step(passing(e, p.CycleStart(p.CycleAt(e.Time))), ending{}); err != nil {
				return r, err
			}
		}
		if err := c.endings(e, e.Time); err != nil {
			return r, err
		}
	}
	c.due.note(e, max(c.account.Now(), e.Time), p)
	return c.step(e, ending{})
}

// idle reports whether closing the cycles between two instants one by one is the
// same as closing them at once: there is no work for a close, and the version
// that says what a close does stays the same.
func (c *cardholder) idle(from, to reward.Instant) bool {
	p := c.account.Program()
	return c.account.Due() == 0 && p.In(p.CycleAt(from)) == p.In(p.CycleAt(to))
}

// endings moves the account on to each ending up to an instant.
func (c *cardholder) endings(e *reward.Event, until reward.Instant) error {
	for {
		end, ok := c.due.take(until)
		if !ok {
			return nil
		}
		if _, err := c.step(passing(e, end.at), end); err != nil {
			return err
		}
	}
}

// passing is an event that moves an account on to an instant that another event
// passes. What it posts is the other's doing.
func passing(e *reward.Event, at reward.Instant) *reward.Event {
	return &reward.Event{
		Source: e.Source, ID: e.ID, Account: e.Account, Time: at, Type: reward.CycleClosed,
		Reason: e.Reason, Actor: e.Actor, Approver: e.Approver,
	}
}

// step applies one event that passes nothing by, and writes what it moved. After
// the end of the exported period it does neither.
func (c *cardholder) step(e *reward.Event, end ending) (reward.Result, error) {
	at := max(c.account.Now(), e.Time)
	if c.options.To != 0 && at >= c.options.To {
		c.past = true
	}
	if c.past {
		return reward.Result{}, nil
	}
	first := len(c.journal)
	var r reward.Result
	r, c.journal = c.account.Apply(e, c.journal)
	s := c.account.Summary()
	to := position{s.Balance, s.Held, s.Reserved}
	if at < c.options.From {
		c.before, c.stands = sumsOf(c.account), to
		return r, nil
	}
	c.write(at, e, end, c.journal[first:], to)
	return r, nil
}

// write writes the postings of a step, and what moved without one.
func (c *cardholder) write(at reward.Instant, e *reward.Event, end ending, postings []reward.Posting, to position) {
	t, told := &c.transaction, c.telling
	if end == (ending{}) {
		told.Cause = e
	}
	c.apportion(postings, to.held-c.stands.held)
	for i := range postings {
		next := position{c.stands.balance + postings[i].Amount, c.stands.held + c.shares[i], c.stands.reserved}
		if postings[i].Kind == reward.RedemptionPaid { // a capture takes of what is reserved
			next.reserved += max(postings[i].Amount, min(to.reserved-c.stands.reserved, 0))
		}
		t.ofPosting(&postings[i], c.cause, c.stands, next, told)
		t.Principal = c.sender
		c.put(t)
		c.stands = next
	}
	// What is held and what is reserved move apart, each with its own reason.
	for _, next := range [...]position{{to.balance, to.held, c.stands.reserved}, to} {
		if c.stands != next {
			t.ofMove(at, e, end, c.stands, next, c.telling.Reward)
			t.Type, t.Principal = c.cause, c.sender
			c.put(t)
			c.stands = next
		}
	}
}

// apportion says how much of a step's change of what is held goes with each of
// its postings, for an account tells only the whole. A posting takes what goes in
// its own direction: rewards of purchases that have not matured first, then the
// others in order.
func (c *cardholder) apportion(postings []reward.Posting, change int64) {
	c.shares = append(c.shares[:0], make([]int64, len(postings))...)
	take := func(i int) {
		share := int64(0)
		switch amount := postings[i].Amount - c.shares[i]; {
		case amount > 0 && change > 0:
			share = min(amount, change)
		case amount < 0 && change < 0:
			share = max(amount, change)
		}
		c.shares[i] += share
		change -= share
	}
	if len(postings) > 1 && change > 0 {
		immature := c.due.purchases()
		for i := range postings {
			if immature[postings[i].Transaction] {
				take(i)
			}
		}
	}
	for i := range postings {
		take(i)
	}
}
