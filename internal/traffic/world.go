package traffic

import (
	"slices"
	"strconv"
	"time"

	"recoup/reward"
)

// Source is the source of all events.
const Source = "traffic"

// world is where things happen, in order of time.
type world struct {
	dice       dice
	market     *market
	terms      terms
	known      []bool // by account, whether it was opened; nil where nobody asks
	unit       string // of rewards
	currency   string
	returns    int // per mille of purchases
	overRefund int // per mille of returns
	rate       reward.Rate

	meanWait reward.Instant // between purchases
	clock    reward.Instant // of the next purchase
	coming   queue[step]

	// earned guesses the rewards of each account, so that redemptions are of
	// sums that are likely to be there.
	earned []int64
	// What was numbered so far.
	events, purchases, facts int64
}

// purchase is what later steps need to know of one.
type purchase struct {
	number          int64
	amount          int64
	account         uint32
	trade, merchant uint16
}

// step is something that will happen.
type step struct {
	what     reward.Type
	unlinked bool // of refunds
	of       purchase
	chased   bool // bought for a bonus
	// item is the line of the receipt that a refund is of, from one; zero is none that it
	// says. asked and value are what an attribute sets.
	item         int8
	asked, value uint8
	fact         int64 // number of the refund, chargeback, redemption or attribute
	amount       int64 // zero: none is sent
}

// A purchase brings about so many events per mille: its settlement, some
// authorisations and what is rare, and so many more for each that comes back.
const (
	eventsPerPurchase = 1635
	eventsPerReturn   = 1580
)

func newWorld(o Options) *world {
	w := &world{
		dice: newDice(o.Seed), market: newMarket(o.Program), currency: "USD", rate: lowestRate(o.Program),
		returns: o.ReturnShare, overRefund: o.OverRefunds, earned: make([]int64, o.Accounts), clock: reward.At(o.Start),
	}
	w.terms, w.unit = newTerms(&o), w.currency
	if p := o.Program; p != nil {
		w.currency, w.unit = p.Currency, p.RewardUnit()
		if p.Layers != nil {
			w.known = make([]bool, o.Accounts)
		}
	}
	perMille := eventsPerPurchase + eventsPerReturn*o.ReturnShare/1000
	w.meanWait = reward.Instant(o.Days) * reward.Day / reward.Instant(o.Events) / 1000 * reward.Instant(perMille)
	return w
}

// lowestRate is what a purchase earns at least where it earns anything.
func lowestRate(p *reward.Program) reward.Rate {
	var lowest reward.Rate
	if p != nil {
		rules := slices.Clone(p.Rules)
		for _, l := range p.Layers {
			rules = append(rules, l.Rules...)
		}
		for _, r := range rules {
			if len(r.Steps) > 0 {
				r.Rate, r.Exact = r.Steps[0].Rate, r.Steps[0].Exact
			}
			if r.Exact.Den > 0 {
				r.Rate = reward.Rate(min(int64(reward.MaxRate), r.Exact.Num*int64(reward.MaxRate)/r.Exact.Den))
			}
			if r.Rate > 0 && (lowest == 0 || r.Rate < lowest) {
				lowest = r.Rate
			}
		}
	}
	if lowest == 0 {
		return reward.MaxRate / 100
	}
	return lowest
}

// next returns the next event.
func (w *world) next() reward.Event {
	for {
		if w.coming.due(w.clock) {
			at, s := w.coming.pop()
			if w.decide(at, &s) {
				return w.event(at, &s)
			}
			continue
		}
		at := w.clock
		w.clock += w.dice.wait(w.meanWait)
		s := w.shop(at)
		if w.known != nil && !w.known[s.of.account] {
			s = w.welcome(at, s)
		}
		if s.what == reward.TransactionSettled {
			w.decide(at, &s)
		}
		return w.event(at, &s)
	}
}

// event writes a step down. Times are whole seconds.
func (w *world) event(at reward.Instant, s *step) reward.Event {
	w.events++
	e := reward.Event{
		Source: Source, ID: numbered("e", w.events), Account: numbered("acct-", int64(s.of.account)+1),
		Time: at - at%reward.Instant(time.Second), Type: s.what,
	}
	if s.amount != 0 {
		e.Amount, e.HasAmount = s.amount, true
		switch s.what {
		case reward.ChargebackPosted:
		case reward.RedemptionRequested, reward.AdjustmentPosted:
			e.Currency = w.unit
		default:
			e.Currency = w.currency
		}
	}
	switch s.what {
	case reward.RedemptionRequested, reward.RedemptionReversed:
		e.Fact = numbered("redemption-", s.fact)
	case reward.AdjustmentPosted:
		e.Fact = numbered("adjustment-", s.fact)
	case reward.ChargebackPosted, reward.ChargebackReversed:
		e.Fact = numbered("chargeback-", s.fact)
	case reward.RefundPending, reward.RefundPosted, reward.RefundCanceled, reward.RefundReversed:
		e.Fact = numbered("refund-", s.fact)
	}
	switch s.what {
	case reward.TransactionAuthorized, reward.TransactionSettled:
		e.Transaction = numbered("t", s.of.number)
		w.sendShop(&e, &s.of)
	case reward.TransactionCanceled, reward.TransactionReversed, reward.RefundPending, reward.ChargebackPosted:
		e.Transaction = numbered("t", s.of.number)
	case reward.RefundPosted:
		if s.unlinked {
			w.sendShop(&e, &s.of)
		} else {
			e.Transaction = numbered("t", s.of.number)
		}
	case reward.RedemptionRequested:
		e.Method = methods[s.fact%int64(len(methods))]
	case reward.AdjustmentPosted:
		e.Reason, e.Actor = "goodwill", "support"
		if s.amount < 0 {
			e.Reason = "correction"
		}
	}
	w.tell(&e, s)
	return e
}

var methods = [...]string{"statement_credit", "bank_transfer", "gift_card"}

func (w *world) sendShop(e *reward.Event, p *purchase) {
	t := &w.market.trades[p.trade]
	e.Merchant, e.MCC, e.Category = t.merchants[p.merchant], t.mcc, t.category
}

func numbered(prefix string, n int64) string {
	var buffer [32]byte
	return string(strconv.AppendInt(append(buffer[:0], prefix...), n, 10))
}
