package reward

import "slices"

// refundPart writes a refund down.
func (a *Account) refundPart(r *refund) Part {
	w := writer{make([]byte, 0, 128)}
	w.int(encoding)
	w.flags(r.pending, r.holding, r.posted, r.canceled, r.annulled, r.named, r.unlinked, r.firm, r.dismissed, r.transaction != nil)
	if r.transaction != nil {
		w.text(r.transaction.id)
	}
	w.text(r.merchant)
	w.int(int64(r.mcc))
	w.text(r.category)
	w.text(r.sent)
	for _, n := range [...]int64{int64(r.serial), r.announced, r.amount, int64(r.at), int64(r.arrived), int64(r.heard), int64(r.until), r.rest, r.firmRest, r.shortfall} {
		w.int(n)
	}
	writePlaces(&w, r.places)
	writePlaces(&w, r.firmPlaces)
	w.int(int64(len(r.refusals)))
	for i := range r.refusals {
		r.refusals[i].write(&w)
	}
	more := r.saysMore()
	if r.items != "" || more { // few name any
		w.text(string(r.items))
	}
	if more {
		w.flags(r.doubted)
		w.int(int64(r.linkedBy))
		r.abroad.write(&w)
		for i := range r.refusals {
			w.int(int64(r.refusals[i].linkedBy))
			r.refusals[i].abroad.write(&w)
		}
	}
	p := Part{Kind: RefundPart, ID: r.id, Data: w.b, Working: r.works()}
	p.ReviewSince = since(r.reviews(nil))
	return p
}

// works reports whether an event may touch the refund without naming it.
func (r *refund) works() bool { return r.holding || r.waits() || r.moves() }

// waits reports whether it waits for its purchase to post.
func (r *refund) waits() bool { return r.atHome() && !r.transaction.is(posted) }

// moves reports whether some of its money looks for spend and may move.
func (r *refund) moves() bool { return r.active() && r.unlinked && (!r.firm || r.shortfall > 0) }

func (c contests) write(w *writer) {
	w.int(int64(len(c)))
	for _, x := range c {
		w.int(x.amount)
		w.instant(x.at)
		w.flags(x.undone)
	}
}

func (c *contests) read(r *reader) {
	for range r.count() {
		x := contest{amount: r.int(), at: r.instant()}
		r.flags(&x.undone)
		*c = append(*c, x)
	}
}

func (x *refusal) write(w *writer) {
	w.flags(x.posting, x.done)
	w.text(x.code.String())
	w.int(x.amount)
	w.instant(x.at)
	w.instant(x.arrived)
	w.text(x.sent)
	w.text(x.merchant)
	w.int(int64(x.mcc))
	w.text(x.category)
}

func (x *refusal) read(r *reader) {
	r.flags(&x.posting, &x.done)
	code, known := ParseCode(r.text())
	if !known {
		r.fail("its refusal has an unknown code")
	}
	x.code, x.amount, x.at, x.arrived = code, r.int(), r.instant(), r.instant()
	x.sent, x.merchant, x.mcc, x.category = r.text(), r.text(), MCC(r.int()), r.text()
}

func writePlaces(w *writer, list []placement) {
	w.int(int64(len(list)))
	for _, p := range list {
		w.text(p.on.id)
		w.int(p.amount)
	}
}

// readRefund has a refund at hand, with the transactions that it lies on.
func (a *Account) readRefund(id string, data []byte) *refund {
	in := a.reader(RefundPart, id, data)
	r := &refund{id: id}
	if a.refunds == nil {
		a.refunds = make(map[string]*refund)
	}
	a.refunds[id] = r
	var names bool
	in.flags(&r.pending, &r.holding, &r.posted, &r.canceled, &r.annulled, &r.named, &r.unlinked, &r.firm, &r.dismissed, &names)
	if names {
		// What this leads to may look at the refund before all of it is read, but
		// only at its id.
		r.transaction = a.mustTransaction(in)
	}
	r.merchant, r.mcc, r.category, r.sent = in.text(), MCC(in.int()), in.text(), in.text()
	r.serial = int32(in.int())
	for _, n := range [...]*int64{&r.announced, &r.amount, (*int64)(&r.at), (*int64)(&r.arrived), (*int64)(&r.heard), (*int64)(&r.until), &r.rest, &r.firmRest, &r.shortfall} {
		*n = in.int()
	}
	r.places, r.firmPlaces = a.readPlaces(in), a.readPlaces(in)
	for range in.count() {
		var x refusal
		x.read(in)
		r.refusals = append(r.refusals, x)
	}
	if len(in.b) > 0 {
		r.items = Items(in.text())
	}
	if len(in.b) > 0 {
		in.flags(&r.doubted)
		r.linkedBy, r.abroad = in.linkedBy(), in.abroad()
		for i := range r.refusals {
			r.refusals[i].linkedBy, r.refusals[i].abroad = in.linkedBy(), in.abroad()
		}
	}
	in.end()
	return r
}

// saysMore reports whether anybody said who linked it, or what it is in the merchant's
// currency, now or in what was refused.
func (r *refund) saysMore() bool {
	return r.linkedBy != LinkUnsaid || r.abroad != nil ||
		slices.ContainsFunc(r.refusals, func(x refusal) bool { return x.linkedBy != LinkUnsaid || x.abroad != nil })
}

// write writes it down, also where there is none.
func (x *abroad) write(w *writer) {
	if x == nil {
		w.int(0)
		return
	}
	w.int(x.amount)
	w.text(x.currency)
}

func (r *reader) abroad() *abroad {
	n := r.int()
	if n == 0 {
		return nil
	}
	return &abroad{n, r.text()}
}

// linkedBy reads who says which purchase a refund is of.
func (r *reader) linkedBy() LinkedBy {
	n := r.int()
	if n < 0 || n > int64(LinkedByPerson) {
		r.fail("it is linked by nobody that is known")
	}
	return LinkedBy(n)
}

func (a *Account) readPlaces(r *reader) (list []placement) {
	for range r.count() {
		list = append(list, placement{on: a.mustTransaction(r), amount: r.int()})
	}
	return list
}

// chargebackPart writes a chargeback down.
func (a *Account) chargebackPart(c *chargeback) Part {
	w := writer{make([]byte, 0, 48)}
	w.int(encoding)
	w.flags(c.posted, c.annulled, c.dismissed, c.transaction != nil)
	if c.transaction != nil {
		w.text(c.transaction.id)
	}
	w.int(c.amount)
	w.instant(c.at)
	w.instant(c.arrived)
	c.contests.write(&w)
	p := Part{Kind: ChargebackPart, ID: c.id, Data: w.b}
	p.ReviewSince = since(c.reviews(nil))
	return p
}

func (a *Account) readChargeback(id string, data []byte) *chargeback {
	r := a.reader(ChargebackPart, id, data)
	c := &chargeback{id: id}
	if a.chargebacks == nil {
		a.chargebacks = make(map[string]*chargeback)
	}
	a.chargebacks[id] = c
	var names bool
	r.flags(&c.posted, &c.annulled, &c.dismissed, &names)
	if names {
		c.transaction = a.mustTransaction(r)
	}
	c.amount, c.at, c.arrived = r.int(), r.instant(), r.instant()
	c.contests.read(r)
	r.end()
	return c
}

// factPart writes a redemption, an adjustment or the withdrawal of an attribute down.
func (a *Account) factPart(x fact) Part {
	w := writer{make([]byte, 0, 16)}
	w.int(encoding)
	p := Part{Kind: x.kind, ID: x.id}
	switch x.kind {
	case AdjustmentPart:
		c := a.corrections[x.id]
		w.int(c.amount)
		if c.cycle != 0 { // where rewards expire
			w.int(int64(c.cycle))
		}
	case AttributePart: // what is known of it is with the others
		p.ReviewSince = since(a.attribute(x.id).reviews(nil))
	default:
		r := a.redemptions[x.id]
		w.int(r.amount)
		w.flags(r.returned, r.dismissed)
		if r.phase != atOnce || r.cycle != 0 {
			w.int(int64(r.phase))
			w.int(r.authorised)
			w.instant(r.expires)
			w.instant(r.heard)
		}
		if r.cycle != 0 { // where rewards expire
			w.int(int64(r.cycle))
		}
		p.Working, p.ReviewSince = r.open(), since(r.reviews(nil))
	}
	p.Data = w.b
	return p
}

func (a *Account) readRedemption(id string, data []byte) *redemption {
	in := a.reader(RedemptionPart, id, data)
	r := &redemption{id: id, amount: in.int()}
	in.flags(&r.returned, &r.dismissed)
	if len(in.b) > 0 {
		if r.phase = phase(in.int()); r.phase > voided {
			in.fail("it is in an unknown phase")
		}
		r.authorised, r.expires, r.heard = in.int(), in.instant(), in.instant()
	}
	if len(in.b) > 0 {
		r.cycle = Cycle(in.int())
	}
	in.end()
	if a.redemptions == nil {
		a.redemptions = make(map[string]*redemption)
	}
	a.redemptions[id] = r
	return r
}

func (a *Account) readCorrection(id string, data []byte) correction {
	in := a.reader(AdjustmentPart, id, data)
	x := correction{amount: in.int()}
	if len(in.b) > 0 {
		x.cycle = Cycle(in.int())
	}
	in.end()
	if a.corrections == nil {
		a.corrections = make(map[string]correction)
	}
	a.corrections[id] = x
	return x
}
