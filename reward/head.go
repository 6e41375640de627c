package reward

import (
	"cmp"
	"slices"
)

// AppendHead appends what is written down of the account itself: its aggregates
// and the buckets of the open cycle.
func (a *Account) AppendHead(dst []byte) []byte {
	w := writer{dst}
	w.int(encoding)
	w.flags(a.welcomed, a.closed)
	w.instant(a.now)
	w.int(int64(a.cycle))
	w.instant(a.holdUntil)
	for _, n := range [...]int64{
		int64(a.posted), int64(a.heard), a.balance, a.spend, a.risk, a.held, a.volume, a.entries, a.redeemed, a.adjustments, a.rest,
	} {
		w.int(n)
	}
	open := 0
	for b := a.latest; b != nil && b.cycle == a.cycle; b = b.before {
		open++
	}
	w.int(int64(open))
	for b := a.latest; b != nil && b.cycle == a.cycle; b = b.before {
		w.int(int64(b.number))
		b.write(&w)
	}
	if a.reserved != 0 || a.lots != nil { // most accounts never have any
		w.int(a.reserved)
	}
	if a.lots != nil {
		a.lots.write(&w)
	}
	return w.b
}

// Open returns an account that lives on a shelf, of the program whose latest
// version is given, from its head, nil for a new account, and its working parts.
// What events need besides is taken from the shelf when it is needed. The error
// is a *CorruptError; whatever else the shelf panics with goes on to the caller.
func Open(id string, p *Program, head []byte, working []Part, shelf Shelf) (a *Account, err error) {
	a = NewAccount(id, p)
	a.kept = &kept{account: id, shelf: shelf}
	if head == nil {
		return a, nil
	}
	defer func() {
		switch p := recover().(type) {
		case nil:
		case *CorruptError:
			a, err = nil, p
		default:
			panic(p)
		}
	}()
	a.readHead(head)
	for _, w := range working {
		switch w.Kind {
		case TransactionPart:
			a.read(w)
		case RefundPart:
			if a.refunds[w.ID] == nil {
				a.readRefund(w.ID, w.Data)
			}
		case RedemptionPart:
			a.readRedemption(w.ID, w.Data)
		case BucketPart:
			if w.ID == attributesID {
				a.readAttributes(w.Data)
			}
		}
	}
	a.relist()
	return a, nil
}

func (a *Account) readHead(head []byte) {
	r := a.reader(0, "", head)
	a.opened = true
	r.flags(&a.welcomed, &a.closed)
	a.now = r.instant()
	a.enter(Cycle(r.int()))
	a.unsure, a.doubtful = false, false
	a.holdUntil = r.instant()
	a.posted, a.heard = int32(r.int()), int32(r.int())
	for _, n := range [...]*int64{&a.balance, &a.spend, &a.risk, &a.held, &a.volume, &a.entries, &a.redeemed, &a.adjustments, &a.rest} {
		*n = r.int()
	}
	for range r.count() {
		a.addBucket(int32(r.int()), a.cycle, r)
	}
	if len(r.b) > 0 {
		a.reserved = r.int()
	}
	if len(r.b) > 0 {
		a.readLots(r)
	}
	r.end()
}

// relist puts the working parts back on the lists that they were on.
func (a *Account) relist() {
	for t := range a.transactions.all() {
		if t.is(immature) {
			a.maturing = append(a.maturing, t)
		}
		if t.is(changed) {
			a.dirty = append(a.dirty, t)
		}
		if a.awaitsClose(t) {
			a.waiting = append(a.waiting, t)
		}
		if t.is(short) && t.bucket != nil {
			e := t.bucket.edges()
			e.waiting = append(e.waiting, t)
		}
		if t.soft() > 0 {
			a.soft = append(a.soft, t)
		}
		if t.excess() > 0 {
			a.over = append(a.over, t)
		}
		if t.spread() > 0 {
			a.spreads = append(a.spreads, t)
		}
	}
	for _, r := range a.refunds {
		if r.holding {
			a.announce = append(a.announce, r)
		}
		if r.waits() {
			a.parked = append(a.parked, r)
		}
		if r.moves() {
			a.loose = append(a.loose, r)
		}
	}
	for _, r := range a.redemptions {
		if r.open() {
			a.reservations = append(a.reservations, r)
		}
	}
	slices.SortFunc(a.reservations, byExpiry)
	slices.SortFunc(a.maturing, func(x, y *transaction) int {
		return cmp.Or(cmp.Compare(a.ripe(x), a.ripe(y)), byOrder(x, y))
	})
	slices.SortFunc(a.waiting, byOrder)
	slices.SortFunc(a.announce, func(x, y *refund) int { return int(x.serial) - int(y.serial) })
	slices.SortFunc(a.parked, func(x, y *refund) int { return cmp.Or(cmp.Compare(x.arrived, y.arrived), cmp.Compare(x.id, y.id)) })
	slices.SortFunc(a.loose, byTime)
	slices.SortFunc(a.over, a.byNamed)
	slices.SortFunc(a.spreads, a.byNamed)
	slices.SortFunc(a.soft, byOrder)
	a.forgotten = true
}

// Due is when the account wants its cycle closed: at the end of the open one if
// there is work for the close, or rewards that a hold is to be set on; else at the end of
// the one with which rewards expire; otherwise zero, never.
func (a *Account) Due() Instant {
	grace := a.program.Redemption.GraceDays > 0 && a.balance > 0
	parked := slices.ContainsFunc(a.parked, (*refund).waits)
	lapsing := a.lots != nil && len(a.reservations) > 0 // what they keep from expiring
	if len(a.waiting)+len(a.dirty) > 0 || parked || a.movable() > 0 || grace || lapsing {
		return a.cycleEnd
	}
	return a.expiryDue()
}

// Now is the latest time that the account has seen; zero for a new one.
func (a *Account) Now() Instant { return a.now }
