package risk

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"recoup/event"
	"recoup/internal/store/durable"
	"recoup/ledger"
	"recoup/reward"
)

// Book is what is kept of an account, as of the last event that was read.
type Book struct {
	version  int64 // events that were read
	read     reward.Instant
	program  string
	currency string
	failed   error // why its log could not be read; nil: it could

	balance int64
	since   reward.Instant // of the oldest posting that is not repaid
	closed  reward.Instant // zero: it is open
	debts   []*Debt
	exposed []exposed // on what can come back, the latest purchase first
	levels  []level   // of the months with postings, the earliest first
	dips    []Dip     // the earliest first
}

// exposed is what of a purchase's reward is paid out.
type exposed struct {
	settled reward.Instant
	rule    string
	amount  int64
}

// level is where an account stood at the end of a calendar month, and after it until
// the next: its balance, and what of it is lost.
type level struct {
	month         reward.Cycle
	balance, lost int64
}

// Dip is a purchase that came back within days of a payout which came after it.
type Dip struct {
	Transaction, Refund   string
	Bought, PaidOut, Sent reward.Instant // Sent is when the refund says it was
	Paid                  int64          // by that payout
	Taken                 int64          // of the reward, back
	redemption            string
}

// Quick is how long after the payout the refund was sent.
func (d Dip) Quick() reward.Instant { return d.Sent - d.PaidOut }

// The bounds of what is kept of an account.
const (
	mostDips    = 200
	shownMonths = 14 // one more than thirteen are shown, for the change of the first
)

// fold reads the log of an account.
type fold struct {
	options *Options
	now     reward.Instant
	book    *Book
	decoder *event.Decoder

	arrears  arrears
	bought   map[string]reward.Instant // purchases, with when they settled
	rewards  map[earned]*kept          // of purchases that can come back, and of bonuses
	payouts  []payout
	refunds  map[string]refund // by id
	account  string
	taken    map[string]int64 // of the rewards of purchases, back
	expired  map[string]int64 // by the cycle whose rewards these were
	postings []reward.Posting
}

// earned names a reward: of a purchase by a rule, or of a rule or bonus alone.
type earned struct{ transaction, rule string }

// kept is what is retained of a reward.
type kept struct {
	earned
	at     reward.Instant // of a bonus, when it was posted last
	amount int64
}

type payout struct {
	id     string
	at     reward.Instant
	amount int64 // what of it did not come back
}

// refund is one that counts, with the purchase that it names or was linked to, and without
// one those that the ledger has it on, the one with most of it first.
type refund struct {
	id, transaction string
	lies            []string
	sent            reward.Instant
}

// purchases are those that a refund is of.
func (r *refund) purchases() []string {
	if r.transaction != "" {
		return []string{r.transaction}
	}
	return r.lies
}

func newFold(o *Options, now reward.Instant, a *Account, decoder *event.Decoder) *fold {
	return &fold{
		options: o, now: now, account: a.ID, book: &Book{program: a.Program, currency: a.Currency, read: now}, decoder: decoder,
		bought: make(map[string]reward.Instant), rewards: make(map[earned]*kept), expired: make(map[string]int64),
		refunds: make(map[string]refund), taken: make(map[string]int64),
	}
}

// take takes up the next event of the log. After an error nothing more is taken.
func (f *fold) take(row *durable.EventRow) {
	b := f.book
	if b.version = row.Sequence; b.failed != nil {
		return
	}
	var err error
	if f.postings, err = ledger.ParsePostings(row.Postings, row.Account, f.postings[:0]); err == nil && row.Outcome == reward.Applied {
		err = f.event(row)
	}
	if err != nil {
		b.failed = fmt.Errorf("event %d of the log: %w", row.Number, err)
		return
	}
	for i := range f.postings {
		f.post(&f.postings[i])
	}
	f.arrears.prune()
}

// event takes up what is not in postings.
func (f *fold) event(row *durable.EventRow) error {
	switch row.Type {
	case "transaction.settled", "refund.posted", "refund.linked", "refund.reversed", "account.closed":
	default:
		return nil
	}
	var e reward.Event
	if err := f.decoder.Decode(row.Event, &e); err != nil {
		return err
	}
	switch e.Type {
	case reward.TransactionSettled:
		if _, again := f.bought[e.Transaction]; !again {
			f.bought[e.Transaction] = e.Time
		}
	case reward.RefundPosted:
		f.refunds[e.Fact] = refund{id: e.Fact, transaction: e.Transaction, sent: e.Time}
	case reward.RefundLinked:
		if r, known := f.refunds[e.Fact]; known {
			r.transaction = e.Transaction
			f.refunds[e.Fact] = r
		}
	case reward.RefundReversed:
		delete(f.refunds, e.Fact)
	case reward.AccountClosed:
		f.book.closed = e.Time
		f.level(e.Time)
	}
	return nil
}

// post takes up a posting.
func (f *fold) post(p *reward.Posting) {
	f.arrears.post(p)
	f.book.balance = p.Balance
	switch p.Kind {
	case reward.RedemptionPaid:
		f.payouts = append(f.payouts, payout{p.Fact, p.At, -p.Amount})
	case reward.RedemptionReturned:
		for i := range f.payouts {
			if f.payouts[i].id == p.Fact {
				f.payouts[i].amount -= p.Amount
			}
		}
	case reward.Expiry, reward.ExpiryRestored:
		f.expired[p.Period] -= p.Amount
	case reward.Adjustment:
	default:
		f.earns(p)
	}
	f.level(p.At)
}

// earns takes up a change of the reward of a purchase, or of a bonus.
func (f *fold) earns(p *reward.Posting) {
	name := earned{p.Transaction, p.Rule}
	k := f.rewards[name]
	if k == nil {
		k = &kept{earned: name}
		f.rewards[name] = k
	}
	k.amount += p.Amount
	if p.Amount > 0 {
		k.at = p.At
	}
	if p.Kind == reward.Clawback || p.Kind == reward.Restore {
		f.taken[p.Transaction] -= p.Amount
	}
}

// unplaced are the refunds that name no purchase and came soon after a payout: the log does
// not say of which purchase they are, but they may be dips.
func (f *fold) unplaced() (ids []string) {
	quick := reward.Instant(f.options.QuickDays) * reward.Day
	for _, r := range f.refunds {
		if r.transaction == "" && slices.ContainsFunc(f.payouts, func(p payout) bool { return p.amount > 0 && p.at <= r.sent && r.sent-p.at <= quick }) {
			ids = append(ids, r.id)
		}
	}
	slices.Sort(ids)
	return ids
}

// leave tells the dips, or has the fold wait among others for what only the ledger knows.
func (f *fold) leave(waiting []*fold) []*fold {
	if len(f.unplaced()) > 0 {
		return append(waiting, f)
	}
	f.book.dips = f.dips()
	return waiting
}

// place has refunds be of the purchases that the ledger has them on, and tells the dips.
func (f *fold) place(on func(account, refund string) ([]string, error)) error {
	for _, id := range f.unplaced() {
		r := f.refunds[id]
		var err error
		if r.lies, err = on(f.account, id); err != nil {
			return err
		}
		f.refunds[id] = r
	}
	f.book.dips = f.dips()
	return nil
}

// dips are the refunds that came quickly after a payout, the earliest first. What was
// taken of a purchase's reward is told with the first of them.
func (f *fold) dips() (list []Dip) {
	slices.SortStableFunc(f.payouts, func(x, y payout) int { return cmp.Compare(x.at, y.at) })
	for _, r := range slices.SortedFunc(maps.Values(f.refunds), func(x, y refund) int {
		return cmp.Or(cmp.Compare(x.sent, y.sent), cmp.Compare(x.id, y.id))
	}) {
		for _, transaction := range r.purchases() {
			if p := f.before(&r, transaction); p != nil {
				list = append(list, Dip{transaction, r.id, f.bought[transaction], p.at, r.sent, p.amount, f.taken[transaction], p.id})
				delete(f.taken, transaction)
				break
			}
		}
	}
	return slices.Clone(list[max(0, len(list)-mostDips):])
}

// before is the last payout that a refund of a purchase came quickly after; nil: there is none.
func (f *fold) before(r *refund, transaction string) *payout {
	bought, known := f.bought[transaction]
	if !known {
		return nil
	}
	after, _ := slices.BinarySearchFunc(f.payouts, r.sent, func(p payout, at reward.Instant) int {
		if p.at <= at {
			return -1
		}
		return 1
	})
	for i := after - 1; i >= 0 && durable.Quick(bought, f.payouts[i].at, r.sent, f.options.QuickDays); i-- {
		if p := &f.payouts[i]; p.amount > 0 {
			return p
		}
	}
	return nil
}

// level notes where the account stands in a month.
func (f *fold) level(at reward.Instant) {
	b := f.book
	now := level{reward.CycleAt(at), b.balance, f.arrears.forgiven()}
	if b.closed != 0 {
		now.lost += max(0, -b.balance)
	}
	if n := len(b.levels); n > 0 && b.levels[n-1].month >= now.month {
		now.month = b.levels[n-1].month
		b.levels[n-1] = now
		return
	}
	b.levels = append(b.levels, now)
}

// close returns the book.
func (f *fold) close() *Book {
	b := f.book
	b.debts = f.arrears.debts
	b.since, _ = f.arrears.since()
	b.exposed = f.exposure()
	first := reward.CycleAt(f.now) - shownMonths
	for len(b.levels) > 1 && b.levels[1].month <= first {
		b.levels = b.levels[1:]
	}
	b.levels = slices.Clone(b.levels)
	return b
}

// exposure is what was paid out of rewards that can still be taken back. The rewards
// that were earned first are paid out first, so what is there is of the latest. What
// expires without a use is not paid out, and its purchase can come back at no cost.
func (f *fold) exposure() (list []exposed) {
	from := f.now - reward.Instant(f.options.ReturnDays)*reward.Day
	for _, k := range f.rewards {
		at := k.at
		if k.transaction != "" {
			at = f.bought[k.transaction]
		}
		if k.amount > 0 && at >= from {
			list = append(list, exposed{at, k.rule, k.amount})
		}
	}
	slices.SortFunc(list, latestFirst)
	there := max(0, f.book.balance)
	if len(list) > 0 {
		first := reward.CycleAt(list[len(list)-1].settled).String()
		for cycle, amount := range f.expired {
			if cycle >= first {
				there += amount
			}
		}
	}
	for i := range list {
		covered := min(there, list[i].amount)
		there -= covered
		list[i].amount -= covered
	}
	return slices.Clip(slices.DeleteFunc(list, func(x exposed) bool { return x.amount == 0 }))
}

func latestFirst(x, y exposed) int {
	return cmp.Or(cmp.Compare(y.settled, x.settled), cmp.Compare(x.rule, y.rule), cmp.Compare(x.amount, y.amount))
}
