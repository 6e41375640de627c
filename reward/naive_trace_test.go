package reward_test

import (
	"fmt"
	"slices"
	"time"

	"pgregory.net/rapid"

	"recoup/reward"
)

// traceTypes are the types of a trace's events, each as often as its weight.
var traceTypes = func() []reward.Type {
	var types []reward.Type
	for _, w := range []struct {
		kind   reward.Type
		weight int
	}{
		{reward.TransactionSettled, 32}, {reward.RefundPosted, 28}, {reward.TransactionAuthorized, 5},
		{reward.TransactionCanceled, 3}, {reward.TransactionReversed, 3},
		{reward.RefundPending, 7}, {reward.RefundCanceled, 3}, {reward.RefundReversed, 7},
		{reward.ChargebackPosted, 6}, {reward.ChargebackReversed, 4},
		{reward.RedemptionRequested, 6}, {reward.RedemptionReversed, 2},
		{reward.RedemptionAuthorized, 6}, {reward.RedemptionCaptured, 5}, {reward.RedemptionReleased, 2},
		{reward.AdjustmentPosted, 3}, {reward.CycleClosed, 2}, {reward.AccountClosed, 1}, {reward.AccountOpened, 1},
		{reward.RefundLinked, 5}, {reward.RefundCounted, 4},
		{reward.RefundDismissed, 2}, {reward.ChargebackDismissed, 1}, {reward.RedemptionDismissed, 1}, {reward.TransactionDismissed, 1},
	} {
		types = append(types, slices.Repeat([]reward.Type{w.kind}, w.weight)...)
	}
	return types
}()

// guessTypes are those of a trace in which unlinked money crowds on few purchases.
var guessTypes = slices.Concat(traceTypes,
	slices.Repeat([]reward.Type{reward.TransactionSettled}, 60),
	slices.Repeat([]reward.Type{reward.RefundPosted}, 80))

// useTypes are what crowds where rewards expire.
var useTypes = []reward.Type{
	reward.RedemptionRequested, reward.RedemptionAuthorized, reward.RedemptionCaptured, reward.RedemptionReversed,
	reward.RedemptionReleased, reward.AdjustmentPosted, reward.CycleClosed,
}

// traceDraw is what a drawn trace has mentioned so far.
type traceDraw struct {
	t       *rapid.T
	program *reward.Program
	clock   reward.Instant
	mostly  []reward.Type // what fresh events are, drawn for the whole trace
	linked  int           // of a hundred refunds, those that name their purchase
	events  []reward.Event
	items   bool // purchases may have items
}

// drawTrace draws n deliveries: of few accounts, shops and amounts, so that
// they meet; in disorder, repeated, contradicting one another, and about things
// that come later or never.
func drawTrace(t *rapid.T, program *reward.Program, n int) []reward.Event {
	return drawTraceOf(t, program, n, false)
}

// drawItemTrace is the same with purchases that have line items.
func drawItemTrace(t *rapid.T, program *reward.Program, n int) []reward.Event {
	return drawTraceOf(t, program, n, true)
}

func drawTraceOf(t *rapid.T, program *reward.Program, n int, items bool) []reward.Event {
	tr := &traceDraw{t: t, program: program, items: items, clock: reward.At(time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC))}
	tr.mostly, tr.linked = traceTypes, 50
	if pick(t, "trace", "mixed", "mixed", "guesses") == "guesses" {
		tr.mostly, tr.linked = guessTypes, 20
	}
	if items {
		tr.mostly = slices.Concat(tr.mostly, slices.Repeat([]reward.Type{reward.TransactionItemized}, len(tr.mostly)/12))
	}
	if program.Layers != nil {
		tr.mostly = slices.Concat(tr.mostly, slices.Repeat(attributeTypes, 3+len(tr.mostly)/60))
	}
	for p := program; p != nil; p = p.Earlier {
		if p.ExpiryMonths > 0 {
			tr.mostly = slices.Concat(tr.mostly, slices.Repeat(useTypes, 1+len(tr.mostly)/40))
			break
		}
	}
	for i := range n {
		tr.pass()
		id := fmt.Sprintf("e%d", i)
		var e reward.Event
		switch again := tr.roll("again"); {
		case i > 0 && again >= 96:
			e = tr.redeliver(id)
		case i > 0 && again >= 88:
			e = tr.retell(id)
		default:
			e = tr.fresh(id)
		}
		tr.events = append(tr.events, e)
	}
	return tr.events
}

// hundred has the numbers from 0 to 99.
var hundred = func() []int {
	var numbers []int
	for i := range 100 {
		numbers = append(numbers, i)
	}
	return numbers
}()

// roll draws from 0 to 99; rare things are at the top, away from what a
// failing trace shrinks to.
func (tr *traceDraw) roll(label string) int { return pick(tr.t, label, hundred...) }

// pass lets time go by: mostly by whole and half days, now and then to the end
// of a period or to the turn of a month.
func (tr *traceDraw) pass() {
	switch how := tr.roll("time"); {
	case how >= 90 && how < 94 && len(tr.events) > 0:
		since := rapid.SampledFrom(tr.events).Draw(tr.t, "since").Time
		tr.clock = max(tr.clock, since+tr.term()-reward.Instant(pick(tr.t, "before the term", 0, 1)))
	case how < 60:
		tr.clock += reward.Day / 2 * reward.Instant(pick(tr.t, "half days", 0, 1, 2, 3, 4, 8))
	case how < 90:
		tr.clock += reward.Instant(rapid.IntRange(1, 100_000).Draw(tr.t, "seconds")) * reward.Instant(time.Second)
	case how < 96:
		tr.clock = reward.CycleAt(tr.clock).End() - reward.Instant(pick(tr.t, "before the turn", 0, 1))
	default:
		tr.clock += reward.Day * reward.Instant(rapid.IntRange(10, 70).Draw(tr.t, "days"))
	}
}

// when is an event's time: now, or earlier where delivery was slow.
func (tr *traceDraw) when() reward.Instant {
	if tr.roll("late") < 80 {
		return tr.clock
	}
	return tr.clock - reward.Day/2*reward.Instant(rapid.IntRange(1, 90).Draw(tr.t, "late by"))
}

// term is one of the program's periods.
func (tr *traceDraw) term() reward.Instant {
	p := tr.program
	return naiveDays(pick(tr.t, "term", 7, p.Refunds.MatchDays, p.Refunds.WindowDays, p.Refunds.FirmDays,
		p.Refunds.PendingDays, p.Refunds.ParkDays, p.MaturityDays, p.Redemption.GraceDays))
}

// redeliver repeats an event under its own id, sometimes with other content.
func (tr *traceDraw) redeliver(id string) reward.Event {
	e := rapid.SampledFrom(tr.events).Draw(tr.t, "redelivered")
	if tr.roll("altered") >= 70 {
		original := e
		e = tr.fresh(id)
		e.Source, e.ID, e.Account = original.Source, original.ID, original.Account
	}
	return e
}

// retell reports an earlier event's fact under a new event id, sometimes
// contradicting it.
func (tr *traceDraw) retell(id string) reward.Event {
	e := rapid.SampledFrom(tr.events).Draw(tr.t, "retold")
	e.ID, e.Time = id, tr.when()
	if tr.roll("contradicts") < 50 {
		return e
	}
	if e.HasAmount {
		e.Amount++
	}
	if e.Type == reward.RefundPosted || e.Type == reward.RefundPending || e.Type == reward.ChargebackPosted {
		e.Transaction = tr.transactionOf(e.Account)
	}
	return e
}

func (tr *traceDraw) fresh(id string) reward.Event {
	e := reward.Event{
		Source: pick(tr.t, "source", "core", "shop"), ID: id,
		Account: pick(tr.t, "account", "a1", "a1", "a1", "a2"),
		Time:    tr.when(), Type: pick(tr.t, "type", tr.mostly...),
	}
	if tr.justAnnounced(e.Account) && tr.roll("redeemed at once") >= 75 {
		e.Type = pick(tr.t, "at once", reward.RedemptionRequested, reward.RedemptionAuthorized)
	}
	switch e.Type {
	case reward.TransactionAuthorized, reward.TransactionSettled:
		e.Transaction = tr.unpostedOf(e.Account)
		tr.price(&e, tr.amount())
		tr.shop(&e)
		tr.occasion(&e)
		tr.receipt(&e, 50)
		tr.overseas(&e)
	case reward.TransactionItemized:
		e.Transaction = tr.transactionOf(e.Account)
		e.Amount = tr.boughtFor(e.Account, e.Transaction)
		tr.receipt(&e, 100)
		e.Amount = 0
	case reward.TransactionCanceled, reward.TransactionReversed:
		e.Transaction = tr.transactionOf(e.Account)
	case reward.RefundPending:
		e.Fact = tr.factOf(e.Account, "r", e.Type)
		e.Transaction = tr.transactionOf(e.Account)
		tr.price(&e, tr.returned(e.Account, e.Transaction))
	case reward.RefundPosted:
		e.Fact = tr.factOf(e.Account, "r", e.Type)
		if announced := tr.announcedTo(e.Account); announced != nil && tr.roll("announced") >= 80 {
			e.Transaction, e.Amount, e.HasAmount, e.Currency = announced.Transaction, announced.Amount, true, tr.program.Currency
			break
		}
		of := tr.transactionOf(e.Account)
		tr.price(&e, tr.returned(e.Account, of))
		if tr.roll("linked") < tr.linked {
			e.Transaction = of
			tr.guess(&e)
			tr.slip(&e)
		} else {
			tr.desk(&e, of)
			tr.atWindowEnd(&e)
		}
		tr.overseas(&e)
	case reward.ChargebackPosted:
		e.Fact = tr.factOf(e.Account, "c", e.Type)
		e.Transaction = tr.transactionOf(e.Account)
		if tr.roll("part charged back") >= 50 {
			e.Amount, e.HasAmount = tr.returned(e.Account, e.Transaction), true
		}
	case reward.RefundCanceled, reward.RefundReversed:
		e.Fact = tr.factOf(e.Account, "r", e.Type)
	case reward.ChargebackReversed:
		e.Fact = tr.factOf(e.Account, "c", e.Type)
	case reward.RedemptionRequested:
		e.Fact = tr.factOf(e.Account, "d", e.Type)
		tr.price(&e, pick[int64](tr.t, "redeemed", 1, 50, 500))
		tr.inUnit(&e)
	case reward.RedemptionAuthorized:
		e.Fact = tr.factOf(e.Account, "d", e.Type)
		tr.price(&e, pick[int64](tr.t, "authorised", 1, 50, 500))
		tr.inUnit(&e)
		e.Expires = tr.expiry(e.Time)
	case reward.RedemptionCaptured:
		e.Fact = tr.factOf(e.Account, "d", e.Type)
		if tr.roll("part captured") >= 60 {
			e.Amount, e.HasAmount = pick[int64](tr.t, "captured", 1, 20, 50, 60, 0), true
		}
	case reward.RedemptionReversed, reward.RedemptionReleased:
		e.Fact = tr.factOf(e.Account, "d", e.Type)
	case reward.AdjustmentPosted:
		e.Fact = tr.factOf(e.Account, "j", e.Type)
		tr.price(&e, pick[int64](tr.t, "adjusted", 200, 1, -200, -2_000))
		tr.inUnit(&e)
		e.Reason, e.Actor = "goodwill", "operator"
	default:
		tr.decide(&e)
	}
	return e
}

// overseas has some money be in another currency where it was spent, at the rate of a day.
func (tr *traceDraw) overseas(e *reward.Event) {
	if e.Type == reward.TransactionAuthorized || e.Amount <= 0 || tr.roll("abroad") < 75 {
		return
	}
	e.MerchantCurrency = pick(tr.t, "currency abroad", "EUR", "EUR", "JPY")
	e.MerchantAmount = max(1, e.Amount*pick[int64](tr.t, "exchange rate", 93, 90, 100, 15_000, 1)/100)
}

// guess has some links be guesses, of which some do not fit.
func (tr *traceDraw) guess(e *reward.Event) {
	if tr.roll("guessed") < 60 {
		return
	}
	e.LinkedBy = pick(tr.t, "linked by", reward.LinkedByProcessor, reward.LinkedByInference, reward.LinkedByPerson)
	tr.desk(e, e.Transaction)
	tr.atWindowEnd(e)
}

// expiry is when an authorisation ends, mostly as it may, and 0 for what is usual.
func (tr *traceDraw) expiry(from reward.Instant) reward.Instant {
	switch how := tr.roll("expires"); {
	case how < 40:
		return 0
	case how < 90:
		return from + naiveDays(rapid.IntRange(1, 20).Draw(tr.t, "expires after"))
	}
	return from + pick(tr.t, "expires at", naiveDays(30), 1, naiveDays(30)+1, 0)
}

// atWindowEnd moves some unlinked refunds to where a purchase just comes into
// or falls out of reach.
func (tr *traceDraw) atWindowEnd(e *reward.Event) {
	if tr.roll("at window end") < 85 {
		return
	}
	near := rapid.SampledFrom(append(slices.Clone(tr.events), *e)).Draw(tr.t, "near").Time
	terms := tr.program.Refunds
	e.Time = max(reward.EarliestInstant, near+pick(tr.t, "window end", naiveDays(terms.WindowDays), -naiveDays(terms.MatchDays))+
		reward.Instant(pick(tr.t, "beyond", 0, 1)))
	tr.clock = max(tr.clock, e.Time)
}

// announcedTo is the latest announcement of a refund to the account, if any.
func (tr *traceDraw) announcedTo(account string) *reward.Event {
	for i := range slices.Backward(tr.events) {
		if e := &tr.events[i]; e.Account == account && e.Type == reward.RefundPending {
			return e
		}
	}
	return nil
}

// price sets an amount, and rarely one that the rules refuse.
func (tr *traceDraw) price(e *reward.Event, amount int64) {
	e.Amount, e.HasAmount, e.Currency = amount, true, tr.program.Currency
	switch tr.roll("bad price") {
	case 98:
		e.Amount = 0
	case 99:
		e.Currency = "EUR"
	}
}

// shop says where money was spent or came back from.
func (tr *traceDraw) shop(e *reward.Event) {
	e.Merchant = pick(tr.t, "merchant", "m1", "m2", "m1", "m3", "")
	e.Category = pick(tr.t, "category", "", "GROCERY", "OTHER")
	if code := pick(tr.t, "mcc", "", "5411", "5541", "5812", "5999"); code != "" {
		e.MCC, _ = reward.ParseMCC(code)
	}
}

func (tr *traceDraw) amount() int64 {
	if tr.roll("round amount") < 60 {
		return pick[int64](tr.t, "amount", 10_000, 100, 2_500, 1)
	}
	return rapid.Int64Range(1, 30_000).Draw(tr.t, "amount")
}

// returned is an amount that relates to the purchase: all of it, a part, more.
func (tr *traceDraw) returned(account, transaction string) int64 {
	for _, e := range slices.Backward(tr.events) {
		if e.Account != account || e.Transaction != transaction || e.Type > reward.TransactionSettled {
			continue
		}
		switch how := tr.roll("returned"); {
		case how < 40:
			return max(1, e.Amount)
		case how < 60:
			return max(1, e.Amount/2)
		case how < 75:
			return max(1, e.Amount/3)
		case how < 90:
			return max(1, e.Amount+e.Amount/20)
		}
		break
	}
	return tr.amount()
}

// transactionOf names a purchase of the account: one already named, or else
// one that may still come.
func (tr *traceDraw) transactionOf(account string) string {
	return tr.name(account, "t", func(e *reward.Event) string { return e.Transaction }, 12)
}

// unpostedOf names a purchase that has not settled, new more often than not.
func (tr *traceDraw) unpostedOf(account string) string {
	settled := map[string]bool{}
	for _, e := range tr.events {
		if e.Account == account && e.Type == reward.TransactionSettled {
			settled[e.Transaction] = true
		}
	}
	return tr.name(account, "t", func(e *reward.Event) string {
		if settled[e.Transaction] {
			return ""
		}
		return e.Transaction
	}, 60)
}

// factOf names a refund, chargeback, redemption or adjustment. What begins
// something is mostly new; what ends it is mostly not.
func (tr *traceDraw) factOf(account, letter string, kind reward.Type) string {
	fresh := 10
	switch kind {
	case reward.RefundPending, reward.ChargebackPosted, reward.RedemptionRequested, reward.RedemptionAuthorized, reward.AdjustmentPosted, reward.AttributeSet:
		fresh = 85
	case reward.RefundPosted:
		fresh = 80
	}
	return tr.name(account, letter, func(e *reward.Event) string {
		for _, id := range []string{e.As, e.Fact} {
			if id != "" && id[:1] == letter {
				return id
			}
		}
		return ""
	}, fresh)
}

// name draws one of the account's names in use, or in so many of a hundred
// draws a new one.
func (tr *traceDraw) name(account, letter string, of func(*reward.Event) string, fresh int) string {
	var used []string
	for i := range tr.events {
		if e := &tr.events[i]; e.Account == account {
			if name := of(e); name != "" && !slices.Contains(used, name) {
				used = append(used, name)
			}
		}
	}
	if len(used) == 0 || tr.roll("new "+letter) >= 100-fresh {
		return fmt.Sprintf("%s%d", letter, len(tr.events))
	}
	slices.Reverse(used)
	return rapid.SampledFrom(used).Draw(tr.t, letter)
}
