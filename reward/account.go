package reward

import "fmt"

// Account is one cardholder's account with a reward program: the facts that
// were delivered, and the aggregates that keep the cost of one event apart from
// the length of the history. It is not safe for concurrent use.
type Account struct {
	// What nearly every event needs comes first and fits four cache lines.

	id                   string
	program              *Program // the version in force in the open cycle
	now                  Instant  // latest time this account has seen
	cycle                Cycle    // the open billing cycle
	cycleStart, cycleEnd Instant
	posted               int32 // transactions posted so far
	opened               bool  // an event has been applied
	welcomed             bool  // account.opened has been applied
	closed               bool

	balance   int64   // B[U]; negative is a debt
	spend     int64   // Σ amount − reversed over posted transactions
	risk      int64   // Σ retained reward that is about to be clawed back
	held      int64   // Σ what may not be redeemed yet
	volume    int64   // Σ of all amounts ever, bounded by MaxVolume
	entries   int64   // postings so far
	redeemed  int64   // R_red
	holdUntil Instant // grace hold; zero: never set

	transactions index
	latest       *bucket        // the newest; each leads to the one before
	dirty        []*transaction // what levelling has to look at
	maturing     []*transaction // immature, oldest first
	announce     []*refund      // announced and holding, oldest arrival first

	newest      *Program // the latest version, in force or to come
	adjustments int64
	rest        int64 // unlinked refunds that found no spend
	heard       int32 // refunds heard of so far

	refunds     map[string]*refund
	chargebacks map[string]*chargeback
	redemptions map[string]*redemption
	corrections map[string]correction // adjustments by id

	reservations []*redemption // open ones, what ends first first
	reserved     int64         // Σ of them

	lots *lots // nil: none of its rewards expire

	waiting []*transaction // of the open cycle, granted at its close; posting order
	parked  []*refund      // wait for their purchase, oldest arrival first

	loose   []*refund      // unlinked and not firm, or firm with a shortfall; by time, then id
	over    []*transaction // that facts exceed, by the latest that names each
	soft    []*transaction // that movable money lies on, in posting order
	field   *field         // nil until there is unlinked money to place
	spreads []*transaction // with items of which facts do not say which, by the latest that names each
	unsure  bool           // something changed that allocation depends on
	stirred []stirred      // something else is left of these, and nothing else has changed

	foreseen   map[*transaction]int64 // what would be reversed if all were posted, where that is something else
	doubtful   bool                   // something changed that foreseen depends on
	foreseenAt Instant                // the account's time when it was worked out
	forgotten  bool                   // foreseen was not written down, and has to be worked out
	unheld     []*bucket              // pooled buckets whose holds are to be computed anew

	attributes    []*attribute // as they arrived
	baskets       map[basketKey]*basket
	unlevel       []*basket // what levelling has to look at
	unheldBaskets []*basket // whose holds are to be computed anew
	unheldTiers   []*basket // how these would stand if all were posted, too
	unranked      []*basket // of tiers: a level may be reached elsewhere
	apart         []*basket // of tiers that stand otherwise for holds

	broken []Violation // what Apply saw itself that must not be

	kept *kept // nil: all of the account is at hand, and nobody writes it down
}

// NewAccount returns an account with nothing on it, of the program whose latest
// version is given. It is not judged: see Program.Monotone.
func NewAccount(id string, p *Program) *Account { return &Account{id: id, program: p, newest: p} }

// ID returns the account's id.
func (a *Account) ID() string { return a.id }

// Program returns the latest version of the program that the account belongs to.
func (a *Account) Program() *Program { return a.newest }

// Exists reports whether any event has left a trace.
func (a *Account) Exists() bool { return a.opened }

// step is one event at work on an account. It collects the postings.
type step struct {
	*Account
	event   *Event
	at      Instant // the time that postings carry
	on      Cycle   // the cycle on whose statement they are
	closing bool    // they are those of a close that the event merely passes
	journal []Posting
}

// Apply applies one event and appends the postings that it causes to journal.
// It decides everything that docs/semantics.md asks of one event except the event's
// own identity, which the log of events knows. The event must be well formed
// (see package event) and of this account. Each event is applied wholly or,
// where the result is Rejected, not at all beyond moving the account's time.
func (a *Account) Apply(e *Event, journal []Posting) (Result, []Posting) {
	if e.Type.OnRecord() {
		return Result{Outcome: Applied}, journal
	}
	if r := a.admit(e); r.Outcome != 0 {
		return r, journal
	}
	s := step{Account: a, event: e, journal: journal}
	if a.forgotten && !a.heldApart() {
		a.recall()
	}
	s.advance(e.Time)
	switch e.Type {
	case RedemptionRequested, RedemptionAuthorized, RedemptionCaptured, RedemptionReleased, AccountClosed:
		a.foresee() // what time alone has changed counts
	}
	r := Result{Rejected, LimitExceeded}
	if a.bears(e) {
		w := a.watch(e)
		r = s.dispatch()
		s.settleLots()
		a.foresee()
		a.witness(w, r)
	}
	a.foresee()
	if r.Outcome == Applied || r.Outcome == Parked {
		a.bear(e)
	}
	if checking {
		for _, v := range a.Check() {
			panic(fmt.Sprintf("after %v %s: %v", e.Type, e.ID, v))
		}
	}
	return r, s.journal
}

// admit refuses bad input before anything is touched.
func (a *Account) admit(e *Event) Result {
	switch e.Type {
	case TransactionAuthorized, TransactionSettled, RefundPending, RefundPosted, RedemptionRequested, RedemptionAuthorized:
		if e.Amount <= 0 || e.Amount > MaxAmount {
			return Result{Rejected, InvalidAmount}
		}
	case ChargebackPosted, RedemptionCaptured:
		if e.HasAmount && (e.Amount <= 0 || e.Amount > MaxAmount) {
			return Result{Rejected, InvalidAmount}
		}
		return Result{}
	case TransactionItemized:
		if e.Items.total() == 0 {
			return Result{Rejected, InvalidItems}
		}
		return Result{}
	case AccountOpened:
		if !a.opened && e.Fact != "" && e.Fact != a.newest.ID {
			return Result{Rejected, ProgramUnknown}
		}
		return Result{}
	case AdjustmentPosted:
		if e.Amount == 0 || e.Amount > MaxAmount || e.Amount < -MaxAmount {
			return Result{Rejected, InvalidAmount}
		}
	default:
		return Result{}
	}
	currency := a.newest.Currency
	if e.Type == RedemptionRequested || e.Type == RedemptionAuthorized || e.Type == AdjustmentPosted {
		currency = a.newest.RewardUnit()
	}
	if e.Currency != currency {
		return Result{Rejected, CurrencyMismatch}
	}
	if e.Purchased > e.Time || e.Type == RedemptionAuthorized && !e.expiresInTime() {
		return Result{Rejected, InvalidTime}
	}
	if e.Items != "" && e.Items.total() != e.Amount {
		return Result{Rejected, InvalidItems}
	}
	return Result{}
}

// weight is what an event adds to the account's volume. A whole purchase that
// is not known yet counts as the largest there can be.
func (a *Account) weight(e *Event) int64 {
	switch e.Type {
	case ChargebackPosted, TransactionReversed:
		if e.HasAmount {
			return e.Amount
		}
		if t, _ := a.find(e.Transaction); t != nil && t.is(posted) {
			return t.amount
		}
		return MaxAmount
	case TransactionSettled:
		if !a.newest.plain() {
			return a.newest.weight(e.Amount, max(1, e.Items.count()))
		}
	case TransactionItemized:
		if !a.newest.plain() {
			return a.newest.weight(e.Items.total(), e.Items.count())
		}
		return e.Items.total()
	case RedemptionCaptured:
		return 0 // its authorisation has borne it
	}
	return max(e.Amount, -e.Amount)
}

func (a *Account) bears(e *Event) bool { return a.volume <= MaxVolume-a.weight(e) }
func (a *Account) bear(e *Event)       { a.volume += a.weight(e) }

func (s *step) dispatch() Result {
	switch s.event.Type {
	case TransactionAuthorized:
		return s.authorise()
	case TransactionSettled:
		return s.settle()
	case TransactionCanceled:
		return s.cancel()
	case TransactionReversed:
		return s.withdraw()
	case RefundPending:
		return s.announceRefund()
	case RefundPosted:
		return s.refund()
	case RefundCanceled:
		return s.cancelRefund()
	case RefundReversed:
		return s.undoRefund()
	case ChargebackPosted:
		return s.chargeback()
	case ChargebackReversed:
		return s.undoChargeback()
	case RedemptionRequested:
		return s.redeem()
	case RedemptionReversed:
		return s.returnRedemption()
	case RedemptionAuthorized:
		return s.reserve()
	case RedemptionCaptured:
		return s.captureRedemption()
	case RedemptionReleased:
		return s.releaseRedemption()
	case AdjustmentPosted:
		return s.adjust()
	case CycleClosed:
		return Result{Outcome: Applied}
	case AccountClosed:
		return s.close()
	case AccountOpened:
		return s.open()
	case RefundLinked:
		return s.relinkRefund()
	case RefundCounted:
		return s.countRefund()
	case RefundDismissed, ChargebackDismissed, TransactionDismissed, RedemptionDismissed, AttributeDismissed:
		return s.dismiss()
	case TransactionItemized:
		return s.itemise()
	case AttributeSet:
		return s.setAttribute()
	case AttributeWithdrawn:
		return s.withdrawAttribute()
	}
	panic(fmt.Sprintf("reward: event %s has no type", s.event.ID))
}

// advance moves the account's time to the event's, never back. What is over by
// then ends first: the cycle, holds for age, announced refunds, reservations.
func (s *step) advance(to Instant) {
	a := s.Account
	switch {
	case !a.opened:
		a.opened = true
		a.now = to
		a.enter(a.newest.CycleAt(to))
		s.keepLots(a.cycle)
	case to > a.now:
		if to >= a.cycleEnd {
			s.closeCycles(a.newest.CycleAt(to))
		}
		a.now = to
		a.mature()
		a.expire()
		a.lapse()
	}
	s.at, s.on = a.now, a.cycle
	s.settleLots()
}

// enter makes a cycle the open one, under the version in force in it.
func (a *Account) enter(c Cycle) {
	a.cycle, a.cycleStart, a.cycleEnd = c, a.newest.CycleStart(c), a.newest.CycleEnd(c)
	a.turn(c)
}

// turn has the version in force in a cycle apply.
func (a *Account) turn(c Cycle) {
	before := a.program
	a.program = a.newest.In(c)
	if a.program != before {
		a.unsure, a.doubtful = true, true
	}
}

// under returns the version that a posted transaction was posted under.
func (a *Account) under(t *transaction) *Program { return a.newest.In(t.cycle) }

// Adopt makes later versions of its program known to the account.
func (a *Account) Adopt(latest *Program) {
	a.newest = latest
	if a.opened {
		a.program = latest.In(a.cycle)
	} else {
		a.program = latest
	}
}

// know returns the transaction of that id and makes a record of it if there is
// none, so that facts can wait for it.
func (a *Account) know(id string) *transaction {
	t, hash := a.find(id)
	if t == nil {
		t = &transaction{id: id, rule: NoRule}
		a.transactions.add(t, hash)
		a.hand(t)
	}
	return t
}

// post changes the balance and starts the posting that says why, in its place in
// the journal: a posting is large, and every event has one.
func (s *step) post(kind Kind, amount int64) *Posting {
	s.balance += amount
	s.entries++
	s.journal = append(s.journal, Posting{})
	p := &s.journal[len(s.journal)-1]
	p.Account, p.Number, p.At, p.Cycle, p.Kind = s.id, s.entries, s.at, s.on, kind
	p.Source, p.Event, p.Program, p.Version = s.event.Source, s.event.ID, s.program.ID, s.program.Version
	if !s.closing {
		p.Reason, p.Actor, p.Approver = s.event.Reason, s.event.Actor, s.event.Approver
	}
	p.Amount, p.Balance = amount, s.balance
	return p
}
