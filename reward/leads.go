package reward

// Leads calls f with the parts that are read where a part of an account is had at hand, as
// far as the part says; whole: and with the refunds that are read where somebody looks at the
// purchase that it is. A store that asks for all of them together asks less often than a shelf
// is asked, one after the other. What it says may not be there: a bucket of the open cycle is
// in the head. Damaged data is a CorruptError that it panics with, as a shelf does.
func Leads(account string, p *Part, whole bool, f func(kind PartKind, id string)) {
	switch p.Kind {
	case TransactionPart:
		leadsOfTransaction(newReader(account, p.Kind, p.ID, p.Data), whole, f)
	case RefundPart:
		leadsOfRefund(newReader(account, p.Kind, p.ID, p.Data), f)
	case ChargebackPart:
		r := newReader(account, p.Kind, p.ID, p.Data)
		var named bool
		r.flags(new(bool), new(bool), new(bool), &named)
		if named {
			f(TransactionPart, r.text())
		}
	}
}

func leadsOfTransaction(r *reader, whole bool, f func(PartKind, string)) {
	var t transaction
	t.readFigures(r)
	var earns, linked bool
	r.flags(&earns, &linked)
	if earns {
		f(BucketPart, bucketID(t.rule, t.cycle))
	}
	if !linked {
		return
	}
	for range r.count() {
		if id := r.text(); whole {
			f(RefundPart, id)
		}
	}
	for range r.count() {
		f(ChargebackPart, r.text())
	}
	for range r.count() {
		f(RefundPart, r.text())
		r.int()
		r.int()
	}
}

func leadsOfRefund(in *reader, f func(PartKind, string)) {
	var named bool
	ignored := new(bool)
	in.flags(ignored, ignored, ignored, ignored, ignored, ignored, ignored, ignored, ignored, &named)
	if named {
		f(TransactionPart, in.text())
	}
	in.skip() // its merchant, and that one's code
	in.int()
	in.skip() // its category, and what was sent
	in.skip()
	const numbers = 10
	for range numbers {
		in.int()
	}
	for range 2 { // places, and firm ones
		for range in.count() {
			f(TransactionPart, in.text())
			in.int()
		}
	}
}
