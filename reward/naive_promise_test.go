package reward_test

import (
	"fmt"
	"sort"

	"recoup/reward"
)

// naivePromise is a redemption in two phases, by what was delivered of it.
type naivePromise struct {
	id        string
	amount    int64          // authorised; 0: the authorisation has not come
	until     reward.Instant // what was promised ends
	capture   *reward.Event  // the first
	let       bool           // released, or reversed before anything was paid
	returned  bool           // reversed after it was paid
	dismissed bool
	cycle     reward.Cycle // in which it was authorised
}

func (b *naiveBook) promise(id string) *naivePromise {
	for _, p := range b.promises {
		if p.id == id {
			return p
		}
	}
	return nil
}

// paid is what came of a promise.
func (p *naivePromise) paid() int64 {
	switch {
	case p.amount == 0 || p.capture == nil:
		return 0
	case p.capture.HasAmount:
		return p.capture.Amount
	}
	return p.amount
}

// stands reports whether a promise may still be captured.
func (b *naiveBook) stands(p *naivePromise) bool {
	return p.amount > 0 && p.capture == nil && !p.let && b.now < p.until
}

func (b *naiveBook) reserved() int64 {
	var sum int64
	for _, p := range b.promises {
		if b.stands(p) {
			sum += p.amount
		}
	}
	return sum
}

// promised lists what is reserved.
func (b *naiveBook) promised() string {
	list := []reward.ReservationState{}
	for _, p := range b.promises {
		if b.stands(p) {
			list = append(list, reward.ReservationState{Redemption: p.id, Amount: p.amount, Expires: p.until})
		}
	}
	sort.Slice(list, func(i, j int) bool {
		x, y := list[i], list[j]
		return x.Expires < y.Expires || x.Expires == y.Expires && x.Redemption < y.Redemption
	})
	return fmt.Sprint(list)
}

func (b *naiveBook) authoriseRedemption(e *reward.Event) reward.Result {
	p := b.promise(e.Fact)
	switch {
	case naivePaymentIn(b.redemptions, e.Fact) != nil:
		return naiveRejected(reward.RedemptionConflict)
	case p == nil:
	case p.amount == 0 && p.let:
		return naiveGone
	case p.amount == e.Amount:
		return naiveDuplicate
	case p.amount > 0 || p.capture.Amount > e.Amount:
		return naiveRejected(reward.RedemptionConflict)
	}
	until := e.Expires
	if until == 0 {
		until = e.Time + naiveDays(7)
	}
	if until <= b.now {
		return naiveRejected(reward.AuthorizationExpired)
	}
	if code := b.refuses(e.Amount); code != reward.NoCode {
		return naiveRejected(code)
	}
	if p == nil {
		p = &naivePromise{id: e.Fact}
		b.promises = append(b.promises, p)
	}
	p.amount, p.until, p.cycle = e.Amount, until, b.openCycle
	return naiveApplied
}

func (b *naiveBook) captureRedemption(e *reward.Event) reward.Result {
	p := b.promise(e.Fact)
	parked := naiveParked(reward.RedemptionUnknown)
	switch {
	case naivePaymentIn(b.redemptions, e.Fact) != nil:
		return naiveRejected(reward.RedemptionConflict)
	case p == nil:
		b.promises = append(b.promises, &naivePromise{id: e.Fact, capture: e})
		return parked
	case p.let:
		return naiveRejected(reward.AuthorizationReleased)
	case p.capture != nil && (p.amount == 0 && p.capture.Amount == e.Amount || p.amount > 0 && p.paid() == (&naivePromise{amount: p.amount, capture: e}).paid()):
		return naiveDuplicate
	case p.capture != nil:
		return naiveRejected(reward.RedemptionConflict)
	case b.now >= p.until:
		return naiveRejected(reward.AuthorizationExpired)
	case e.Amount > p.amount:
		return naiveRejected(reward.OverCapture)
	}
	p.capture = e
	return naiveApplied
}

func (b *naiveBook) releaseRedemption(e *reward.Event) reward.Result {
	p := b.promise(e.Fact)
	switch {
	case naivePaymentIn(b.redemptions, e.Fact) != nil:
		return naiveFinal
	case p == nil:
		b.promises = append(b.promises, &naivePromise{id: e.Fact, let: true})
		return naiveParked(reward.RedemptionUnknown)
	case p.let:
		return naiveDuplicate
	case !b.stands(p):
		return naiveFinal
	}
	p.let = true
	return naiveApplied
}

// awaits reports whether a promise was captured and not made.
func (p *naivePromise) awaits() bool { return p.capture != nil && p.amount == 0 }

func (b *naiveBook) dismissRedemption(e *reward.Event) reward.Result {
	p := b.promise(e.Fact)
	switch {
	case p == nil && naivePaymentIn(b.redemptions, e.Fact) == nil:
		return naiveRejected(reward.RedemptionUnknown)
	case p != nil && p.dismissed:
		return naiveDuplicate
	case p == nil || !p.awaits():
		return naiveFinal
	}
	p.dismissed = true
	return naiveApplied
}

// returnPromise takes a redemption in two phases back.
func (b *naiveBook) returnPromise(p *naivePromise) reward.Result {
	switch {
	case p.let || p.returned:
		return naiveDuplicate
	case p.amount == 0:
		p.capture, p.let = nil, true
		return naiveParked(reward.RedemptionUnknown)
	case p.paid() > 0:
		p.returned = true
	case b.stands(p):
		p.let = true
	default:
		return naiveFinal
	}
	return naiveApplied
}
