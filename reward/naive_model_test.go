package reward_test

import (
	"math"

	"recoup/reward"
)

// naive is a second, deliberately slow reading of what a reward engine must do.
// It keeps the facts of every account as they arrived and computes the rest from
// them each time it is asked: no running totals, nothing remembered between
// events that can be derived. It exists to disagree with the engine.
type naive struct {
	program *reward.Program
	books   []*naiveBook // one an account, in order of their first events
}

func newNaive(program *reward.Program) *naive { return &naive{program: program} }

// naiveBook has the facts of one account. What stands in it beside what was
// delivered is what the rules make a fact of its own: grants, levels posted so
// far, places that became firm, and refunds that gave up waiting.
type naiveBook struct {
	latest  *reward.Program
	account string
	events  []reward.Event

	now       reward.Instant
	openCycle reward.Cycle
	holdUntil reward.Instant
	closed    bool

	transactions []*naiveTransaction // in order of their first mention
	posted       []*naiveTransaction // in posting order
	refunds      []*naiveRefund      // in order of their first mention
	chargebacks  []*naiveChargeback
	withdrawn    []string // transactions whose posting was withdrawn
	attributes   []*naiveAttribute
	paid         map[naivePot]int64 // bonuses, as levelled so far
	redemptions  []*naivePayment
	promises     []*naivePromise
	adjustments  []*naivePayment

	lifetimes map[naivePot][]naiveDated

	dismissed map[naiveMatter]int // how many refusals were known of it by then
}

// terms are what the account's own periods and timings are taken from; what a
// purchase earns is told by the terms of its own cycle instead.
func (b *naiveBook) terms() *reward.Program { return b.latest.In(naiveCycle(b.latest, b.now)) }

type naiveTransaction struct {
	id             string
	authorisation  *reward.Event // the last one
	authorisations []*reward.Event
	canceled       bool

	naiveRefusals

	settlement *reward.Event // nil until it posts
	postedAt   reward.Instant
	cycle      reward.Cycle
	terms      *reward.Program // in force in its cycle
	merchant   string
	kind       string
	shares     []*naiveShare // of the rules that it is under, by layer
	bonuses    []*naiveShare
	tiers      []*naiveShare // for which it qualifies
	counts     bool          // it was posted before the account closed
	pastClose  bool          // a statement closed since it posted

	granted bool
	base    int64

	naiveItems
}

func (t *naiveTransaction) method() reward.ClawbackMethod { return t.terms.Method }

type naiveRefund struct {
	id           string
	announcement *reward.Event  // refund.pending
	holdsUntil   reward.Instant // for pending_days of the terms as it was announced
	canceled     bool
	posting      *reward.Event // refund.posted
	postedAt     reward.Instant
	reversed     bool
	linkedTo     string // by hand
	naiveRefusals

	doubted bool // its link was a guess that did not fit
	gaveUp  bool // waited too long for its transaction
	firm    bool
	places  []naivePlace // of a firm one
}

// naivePlace is a part of an unlinked refund on the purchase that it reverses.
type naivePlace struct {
	on     *naiveTransaction
	amount int64
}

type naiveChargeback struct {
	id       string
	posting  *reward.Event // nil while only its undo is known
	reversed bool
	naiveRefusals
}

// naivePayment is a redemption or an adjustment.
type naivePayment struct {
	id       string
	amount   int64
	reversed bool
	cycle    reward.Cycle
}

// apply answers one delivered event.
func (n *naive) apply(e *reward.Event) reward.Result {
	book := n.book(e.Account)
	if book != nil {
		for i := range book.events {
			if earlier := &book.events[i]; earlier.Source == e.Source && earlier.ID == e.ID {
				if *earlier == *e {
					return reward.Result{Outcome: reward.Duplicate}
				}
				return naiveRejected(reward.IDReused)
			}
		}
	}
	if naiveBadAmount(e) {
		return naiveRejected(reward.InvalidAmount)
	}
	currency := n.program.Currency
	if unit := n.program.Reward.Name; unit != "" && (e.Type == reward.RedemptionRequested || e.Type == reward.RedemptionAuthorized || e.Type == reward.AdjustmentPosted) {
		currency = unit
	}
	if e.Currency != "" && e.Currency != currency {
		return naiveRejected(reward.CurrencyMismatch)
	}
	if e.Type == reward.RedemptionAuthorized && e.Expires != 0 && (e.Expires <= e.Time || e.Expires > e.Time+naiveDays(30)) {
		return naiveRejected(reward.InvalidTime)
	}
	if (e.Type == reward.TransactionAuthorized || e.Type == reward.TransactionSettled) && e.Purchased > e.Time {
		return naiveRejected(reward.InvalidTime)
	}
	if naiveBadItems(e) {
		return naiveRejected(reward.InvalidItems)
	}
	if book == nil && e.Type == reward.AccountOpened && e.Fact != "" && e.Fact != n.program.ID {
		return naiveRejected(reward.ProgramUnknown) // nothing to open
	}
	if book == nil {
		book = &naiveBook{latest: n.program, account: e.Account, now: e.Time, openCycle: naiveCycle(n.program, e.Time), holdUntil: noHold, dismissed: map[naiveMatter]int{}}
		n.books = append(n.books, book)
	}
	event := *e
	book.events = append(book.events, event)
	book.advance(e.Time)
	return book.take(&event)
}

// advance moves the time of every account, as nothing but time passing would.
func (n *naive) advance(to reward.Instant) {
	for _, book := range n.books {
		book.advance(to)
	}
}

func (n *naive) book(account string) *naiveBook {
	for _, b := range n.books {
		if b.account == account {
			return b
		}
	}
	return nil
}

// noHold is before all instants: the hold of an account that has closed no cycle.
const noHold reward.Instant = math.MinInt64

func naiveBadAmount(e *reward.Event) bool {
	switch e.Type {
	case reward.AdjustmentPosted:
		return e.Amount == 0
	case reward.TransactionAuthorized, reward.TransactionSettled, reward.RefundPending, reward.RefundPosted, reward.RedemptionRequested, reward.RedemptionAuthorized:
		return e.Amount <= 0
	}
	return e.HasAmount && e.Amount <= 0
}

func naiveRejected(code reward.Code) reward.Result {
	return reward.Result{Outcome: reward.Rejected, Code: code}
}

func naiveDays(n int) reward.Instant { return reward.Instant(n) * reward.Day }
