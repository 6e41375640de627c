package reward

import "iter"

// Shelf is where an account finds the parts of itself that are not at hand. A
// store implements it for accounts that it keeps in a database. A shelf that
// cannot read must not return: it panics, and whoever called Apply recovers, and
// forgets the account, which is then in no state to go on.
type Shelf interface {
	// Find returns the data of a part of the account, nil if there is none.
	Find(kind PartKind, id string) []byte
	// Ranking returns the transactions whose Part.Bucket is the one given.
	Ranking(bucket int64) []Part
	// Settled returns the transactions whose Part.Settled is at or after from and
	// before to.
	Settled(from, to Instant) []Part
	// All returns every part of the account.
	All() []Part
}

// kept is what an account that lives on a shelf has handed out for change: what
// an event names, and what it leads to. All of that is written down anew.
type kept struct {
	account      string // its id
	shelf        Shelf
	transactions []*transaction
	refunds      []*refund
	chargebacks  []*chargeback
	buckets      []*bucket
	baskets      []*basket
	rungs        []rungOf
	attributes   bool
	facts        []fact
	glimpses     []glimpse // until something changes
}

// fact names a redemption or an adjustment.
type fact struct {
	kind PartKind
	id   string
}

// hand hands a transaction out for change.
func (a *Account) hand(t *transaction) {
	if a.kept != nil && !t.is(handed) {
		t.set(handed)
		a.kept.transactions = append(a.kept.transactions, t)
	}
}

func (a *Account) handRefund(r *refund) {
	if a.kept != nil && !r.handed {
		r.handed = true
		a.kept.refunds = append(a.kept.refunds, r)
	}
}

func (a *Account) handChargeback(c *chargeback) {
	if a.kept != nil && !c.handed {
		c.handed = true
		a.kept.chargebacks = append(a.kept.chargebacks, c)
	}
}

func (a *Account) handFact(kind PartKind, id string) {
	if a.kept != nil {
		a.kept.facts = append(a.kept.facts, fact{kind, id})
	}
}

// handBucket is for a bucket. Those of the open cycle are in the head.
func (a *Account) handBucket(b *bucket) {
	if b.cycle < a.cycle {
		a.writeDown(b)
	}
}

func (a *Account) writeDown(b *bucket) {
	if a.kept != nil && !b.handed {
		b.handed = true
		a.kept.buckets = append(a.kept.buckets, b)
	}
}

// find hands out the transaction of that id for change, or nil, with the hash of
// the id.
func (a *Account) find(id string) (*transaction, uint64) {
	t, hash := a.lookup(id)
	if t != nil {
		a.hand(t)
	}
	return t, hash
}

// lookup returns the transaction of that id, or nil, and the hash of the id.
func (a *Account) lookup(id string) (*transaction, uint64) {
	t, hash := a.transactions.find(id)
	if t == nil && a.kept != nil {
		if data := a.kept.shelf.Find(TransactionPart, id); data != nil {
			t = a.readTransaction(id, data)
		}
	}
	return t, hash
}

// findRefund hands out a refund for change, or nil.
func (a *Account) findRefund(id string) *refund {
	r := a.lookupRefund(id)
	if r != nil {
		a.handRefund(r)
	}
	return r
}

func (a *Account) lookupRefund(id string) *refund {
	r := a.refunds[id]
	if r == nil && a.kept != nil {
		if data := a.kept.shelf.Find(RefundPart, id); data != nil {
			r = a.readRefund(id, data)
		}
	}
	return r
}

// findChargeback hands out a chargeback for change, or nil.
func (a *Account) findChargeback(id string) *chargeback {
	c := a.lookupChargeback(id)
	if c != nil {
		a.handChargeback(c)
	}
	return c
}

func (a *Account) lookupChargeback(id string) *chargeback {
	c := a.chargebacks[id]
	if c == nil && a.kept != nil {
		if data := a.kept.shelf.Find(ChargebackPart, id); data != nil {
			c = a.readChargeback(id, data)
		}
	}
	return c
}

func (a *Account) findRedemption(id string) *redemption {
	r := a.redemptions[id]
	if r == nil && a.kept != nil {
		if data := a.kept.shelf.Find(RedemptionPart, id); data != nil {
			r = a.readRedemption(id, data)
		}
	}
	return r
}

func (a *Account) findCorrection(id string) (x correction, seen bool) {
	x, seen = a.corrections[id]
	if !seen && a.kept != nil {
		if data := a.kept.shelf.Find(AdjustmentPart, id); data != nil {
			return a.readCorrection(id, data), true
		}
	}
	return x, seen
}

// findBucket returns the bucket of a rule in a cycle, or nil.
func (a *Account) findBucket(rule int32, cycle Cycle) *bucket {
	for b := a.latest; b != nil && b.cycle >= cycle; b = b.before {
		if b.number == rule && b.cycle == cycle {
			return b
		}
	}
	if a.kept == nil || cycle == a.cycle {
		return nil // those of the open cycle are all at hand
	}
	if data := a.kept.shelf.Find(BucketPart, bucketID(rule, cycle)); data != nil {
		return a.readBucket(rule, cycle, data)
	}
	return nil
}

// shelve puts a bucket in its place among the account's, the newest first.
func (a *Account) shelve(b *bucket) {
	at := &a.latest
	for *at != nil && (*at).cycle >= b.cycle {
		at = &(*at).before
	}
	b.before, *at = *at, b
}

// readRanking has the whole ranking of a capped bucket at hand.
func (a *Account) readRanking(b *bucket) {
	if !b.unread {
		return
	}
	b.unread = false
	e := b.edges()
	for _, p := range a.kept.shelf.Ranking(b.code()) {
		t := a.read(p)
		if t.is(ranked) {
			e.ranking = append(e.ranking, t)
		}
	}
	b.findEdge()
}

// settledBetween yields the posted transactions of a span of settlement times.
func (a *Account) settledBetween(from, to Instant) iter.Seq[*transaction] {
	if a.kept != nil && from < to {
		for _, p := range a.kept.shelf.Settled(from, to) {
			a.read(p)
		}
	}
	return func(yield func(*transaction) bool) {
		for t := range a.transactions.all() {
			if t.is(posted) && t.settledAt >= from && t.settledAt < to && !yield(t) {
				return
			}
		}
	}
}

// readAll has all of the account at hand.
func (a *Account) readAll() {
	if a.kept == nil {
		return
	}
	for _, p := range a.kept.shelf.All() {
		switch p.Kind {
		case TransactionPart:
			a.read(p)
		case BucketPart:
			if !isBucket(p.ID) {
				continue // baskets come with their transactions, attributes with the account
			}
			r := a.reader(BucketPart, p.ID, p.Data)
			a.findBucket(int32(r.int()), Cycle(r.int()))
		case RefundPart:
			a.lookupRefund(p.ID)
		case ChargebackPart:
			a.lookupChargeback(p.ID)
		case RedemptionPart:
			a.findRedemption(p.ID)
		case AdjustmentPart:
			a.findCorrection(p.ID)
		}
	}
	for _, b := range a.baskets {
		b.unread = false
	}
	if a.lots != nil {
		a.pastLots()
	}
}

// read returns the transaction of a part, as it is at hand if it is.
func (a *Account) read(p Part) *transaction {
	if t, _ := a.transactions.find(p.ID); t != nil {
		return t
	}
	return a.readTransaction(p.ID, p.Data)
}

// Trim lets go of the parts that are at hand and that no event touches without
// naming them. They must be in what the shelf has by now. An account that has
// unlinked money to place keeps all it has, for it would have to read most of it
// again.
func (a *Account) Trim() {
	if a.moving() || !a.opened {
		return
	}
	own := make(own)
	var working []Part
	for p := range a.Parts() {
		own[fact{p.Kind, p.ID}] = p.Data
		if p.Working {
			working = append(working, p)
		}
	}
	shelf := a.kept.shelf
	trimmed, err := Open(a.id, a.newest, a.AppendHead(nil), working, own)
	if err != nil {
		panic(err) // it was written a moment ago
	}
	*a = *trimmed
	a.kept.shelf = shelf
}

// own is a shelf of what an account has at hand itself.
type own map[fact][]byte

func (o own) Find(kind PartKind, id string) []byte { return o[fact{kind, id}] }
func (own) Ranking(int64) []Part                   { return nil }
func (own) Settled(Instant, Instant) []Part        { return nil }
func (own) All() []Part                            { return nil }
