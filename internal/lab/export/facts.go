package export

import (
	"strconv"

	"recoup/internal/lab/compare"
	"recoup/reward"
)

// facts is the world that an export is of: what was bought and what came
// back, each once. It writes the rows and tells the reference, from which come
// the entitlements.
type facts struct {
	rows      *rows
	reference *compare.Single
	noise     *noise
	told      int // facts that the reference was told

	accounts  map[string]*factSpan
	order     []string // of accounts, by their first facts
	sales     map[key]*sale
	returns   map[key]*giveBack
	announced map[key]string // the purchase of a refund that has not posted
}

// key names a purchase, a refund (kind "refund") or a chargeback.
type key struct{ account, kind, id string }

// factSpan is when an account's first and last facts were.
type factSpan struct{ first, last reward.Instant }

// sale is what is known of a purchase.
type sale struct {
	terms            reward.Terms
	amount           int64
	posted, canceled bool
	withdrawn        bool
	waiting          []*giveBack // for the amount
}

// giveBack is a refund, a chargeback or a withdrawn clearing.
type giveBack struct {
	account, id, kind string
	transaction       string // as the row has it
	terms             reward.Terms
	amount            int64
	at                reward.Instant // zero: has not come
	undone            reward.Instant // zero: stands
	written           bool
}

func newFacts(rows *rows, reference *compare.Single, n *noise) *facts {
	return &facts{
		rows: rows, reference: reference, noise: n,
		accounts: make(map[string]*factSpan), sales: make(map[key]*sale),
		returns: make(map[key]*giveBack), announced: make(map[key]string),
	}
}

// last is when the account's last fact was, -1 for none.
func (f *facts) last(account string) reward.Instant {
	if s := f.accounts[account]; s != nil {
		return s.last
	}
	return -1
}

func (f *facts) sale(account, transaction string) *sale {
	key := key{account: account, id: transaction}
	s := f.sales[key]
	if s == nil {
		s = new(sale)
		f.sales[key] = s
	}
	return s
}

func (f *facts) giveBack(account, kind, id string) *giveBack {
	key := key{account, kind, id}
	g := f.returns[key]
	if g == nil {
		g = &giveBack{account: account, id: id, kind: kind}
		f.returns[key] = g
	}
	return g
}

// unlink makes a linked refund one that says where the purchase was instead.
func (f *facts) unlink(e *reward.Event) {
	t := f.termsOf(e)
	e.Transaction, e.Merchant, e.MCC, e.Category = "", t.Merchant, t.MCC, t.Category
}

// termsOf are a refund's merchant data, or its purchase's if it has none.
func (f *facts) termsOf(e *reward.Event) reward.Terms {
	t := reward.Terms{Merchant: e.Merchant, MCC: e.MCC, Category: e.Category}
	if s := f.sales[key{account: e.Account, id: e.Transaction}]; s != nil && t == (reward.Terms{}) {
		return s.terms
	}
	return t
}

// record takes an event in.
func (f *facts) record(e *reward.Event) error {
	switch e.Type {
	case reward.TransactionAuthorized:
		if s := f.sale(e.Account, e.Transaction); !s.posted && !s.canceled {
			s.terms = reward.Terms{Merchant: e.Merchant, MCC: e.MCC, Category: e.Category}
		}
	case reward.TransactionCanceled:
		if s := f.sale(e.Account, e.Transaction); !s.posted {
			s.canceled = true
		}
	case reward.TransactionSettled:
		return f.settle(e)
	case reward.TransactionReversed:
		return f.withdraw(e)
	case reward.RefundPending:
		f.announced[key{e.Account, "refund", e.Fact}] = e.Transaction
	case reward.RefundPosted:
		return f.refund(e)
	case reward.ChargebackPosted:
		return f.chargeback(e)
	case reward.RefundReversed:
		return f.undo(e, "refund")
	case reward.ChargebackReversed:
		return f.undo(e, "chargeback")
	}
	return nil
}

func (f *facts) settle(e *reward.Event) error {
	s := f.sale(e.Account, e.Transaction)
	if s.posted {
		return nil
	}
	s.posted, s.amount = true, e.Amount
	if e.Merchant != "" {
		s.terms.Merchant = e.Merchant
	}
	if e.MCC != 0 {
		s.terms.MCC = e.MCC
	}
	if e.Category != "" {
		s.terms.Category = e.Category
	}
	merged := *e
	merged.Merchant, merged.MCC, merged.Category = s.terms.Merchant, s.terms.MCC, s.terms.Category
	f.rows.transaction(e.Account, e.Transaction, e.Amount, s.terms, e.Time)
	if err := f.tell(merged); err != nil {
		return err
	}
	for _, g := range s.waiting {
		g.amount = s.amount
		f.write(g)
	}
	s.waiting = nil
	return nil
}

// refund takes a refund in. It is of the purchase that it names or that its
// announcement named.
func (f *facts) refund(e *reward.Event) error {
	key := key{e.Account, "refund", e.Fact}
	g := f.giveBack(e.Account, "refund", e.Fact)
	if g.at != 0 {
		return nil
	}
	told := *e
	if told.Transaction == "" {
		told.Transaction = f.announced[key]
	}
	delete(f.announced, key)
	g.at, g.amount, g.transaction = e.Time, e.Amount, told.Transaction
	g.terms = reward.Terms{Merchant: e.Merchant, MCC: e.MCC, Category: e.Category}
	if g.transaction != "" && f.noise.chance(f.noise.shares.UnlinkPermille) {
		f.noise.done.UnlinkedRefunds++
		g.terms, g.transaction = f.termsOf(&told), ""
	}
	f.write(g)
	return f.tell(told)
}

func (f *facts) chargeback(e *reward.Event) error {
	g := f.giveBack(e.Account, "chargeback", e.Fact)
	if g.at != 0 {
		return nil
	}
	g.at, g.amount, g.transaction = e.Time, e.Amount, e.Transaction
	f.writeOrWait(g)
	return f.tell(*e)
}

// withdraw takes a withdrawn clearing in, for which the form has a refund.
func (f *facts) withdraw(e *reward.Event) error {
	s := f.sale(e.Account, e.Transaction)
	if s.withdrawn {
		return nil
	}
	s.withdrawn = true
	f.writeOrWait(&giveBack{
		account: e.Account, id: "withdrawal-" + e.Transaction, kind: "refund", transaction: e.Transaction, at: e.Time,
	})
	return f.tell(*e)
}

// writeOrWait writes a row that may first have to learn its purchase's amount.
func (f *facts) writeOrWait(g *giveBack) {
	if s := f.sale(g.account, g.transaction); g.amount == 0 && !s.posted {
		s.waiting = append(s.waiting, g)
	} else if g.amount == 0 {
		g.amount = s.amount
	}
	f.write(g)
}

func (f *facts) undo(e *reward.Event, kind string) error {
	g := f.giveBack(e.Account, kind, e.Fact)
	if g.undone != 0 {
		return nil
	}
	g.undone = e.Time
	if g.written {
		f.writeUndo(g)
	}
	return f.tell(*e)
}

// write writes the row of what has come and has an amount, and of its undo if
// that came before.
func (f *facts) write(g *giveBack) {
	if g.amount == 0 {
		return
	}
	g.written = true
	f.rows.refund(g.account, g.id, g.amount, g.kind, g.transaction, g.terms, g.at)
	if g.undone != 0 {
		f.writeUndo(g)
	}
}

func (f *facts) writeUndo(g *giveBack) {
	f.rows.refund(g.account, g.id, g.amount, g.kind+"_reversed", g.transaction, g.terms, g.undone)
}

// tell tells the reference, under an identity of its own: the stream's may have
// been used before for something else.
func (f *facts) tell(e reward.Event) error {
	f.told++
	e.Source, e.ID = "export", strconv.Itoa(f.told)
	known := f.accounts[e.Account]
	if known == nil {
		known = &factSpan{first: e.Time}
		f.accounts[e.Account] = known
		f.order = append(f.order, e.Account)
	}
	known.last = e.Time
	return f.reference.Happen(e)
}
