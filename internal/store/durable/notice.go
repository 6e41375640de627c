package durable

import (
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"recoup/internal/store/outbox"
	"recoup/ledger"
	"recoup/reward"
)

// maxNoticePostings bounds how many postings a notice shows, so that a close
// which posts for thousands of purchases at once does not make a body that
// receivers refuse. The rest are in the account's journal.
const maxNoticePostings = 100

// eventNotice is what there is to tell of one event that was applied. Amounts
// are minor units.
type eventNotice struct {
	Number   int64 // of the event in the log
	Sequence int64 // of the event in its account
	Received reward.Instant
	Event    *reward.Event
	Result   reward.Result
	Currency string           // of the account's program; "" where it is not known
	Unit     string           // what rewards are in where that is not the currency
	Postings []reward.Posting // that the event caused
	Reviews  []reward.Review  // that the event opened
	// Before and Balance are the account's balance before and after the event,
	// Available what of it may be redeemed after.
	Before, Balance, Available int64
	// Authorization is of the redemption that the event has changed, if that was authorised.
	Authorization *reward.Authorization
}

// noticesOf returns what outgoing webhooks tell of an event, in the order of
// outbox.NoticeTypes. The same event gives the same bytes.
func noticesOf(u *eventNotice) []outbox.Notice {
	var list []outbox.Notice
	add := func(kind string, data func(*payload)) {
		list = append(list, outbox.Notice{
			Event: u.Number, Sequence: u.Sequence, Place: int64(len(list)), Account: u.Event.Account, Type: kind, Created: int64(u.Received), Body: u.body(kind, data),
		})
	}
	if len(u.Postings) > 0 {
		add(outbox.RewardPosted, u.posted)
	}
	if asksForPayment(u.Event.Type) && u.Result.Outcome == reward.Rejected && !u.Result.LeavesNoTrace() {
		add(outbox.RedemptionDenied, u.denied)
	}
	for i := range u.Reviews {
		add(outbox.ReviewOpened, func(p *payload) { p.review(&u.Reviews[i]) })
	}
	if u.Before >= 0 && u.Balance < 0 {
		add(outbox.BalanceNegative, u.fell)
	}
	if u.Authorization != nil {
		for _, kind := range u.phases() {
			add(kind, u.authorised)
		}
	}
	return list
}

func asksForPayment(t reward.Type) bool {
	return t == reward.RedemptionRequested || t == reward.RedemptionAuthorized || t == reward.RedemptionCaptured
}

// phases are what an event has made of a redemption in two phases. An authorisation is
// captured at once where the capture came first.
func (u *eventNotice) phases() (list []string) {
	if u.Event.Type == reward.RedemptionAuthorized {
		list = append(list, outbox.RedemptionAuthorized)
	}
	switch paid := u.Authorization.Captured > 0; {
	case paid && u.Event.Type != reward.RedemptionReversed:
		list = append(list, outbox.RedemptionCaptured)
	case !paid && u.Event.Type != reward.RedemptionAuthorized:
		list = append(list, outbox.RedemptionReleased)
	}
	return list
}

// body is a notice: the members that all have in common, and those that data
// adds.
func (u *eventNotice) body(kind string, data func(*payload)) []byte {
	e := u.Event
	p := payload(`{"type":`)
	p.quote(kind)
	p = append(p, `,"timestamp":"`...)
	p = e.Time.Time().AppendFormat(p, time.RFC3339Nano)
	p = append(p, `","data":{"account":`...)
	p.quote(e.Account)
	p = append(p, `,"event":{"source":`...)
	p.quote(e.Source)
	p.text("id", e.ID)
	p.text("type", e.Type.String())
	p = append(p, '}')
	p.text("outcome", u.Result.Outcome.String())
	p.optional("code", u.Result.Code.String())
	p.optional("currency", u.Currency)
	p.unit(u.Unit)
	data(&p)
	return append(p, "}}"...)
}

func (u *eventNotice) posted(p *payload) {
	shown := u.Postings[:min(len(u.Postings), maxNoticePostings)]
	p.name("postings")
	*p = ledger.AppendPostings(*p, shown)
	p.number("postings_omitted", int64(len(u.Postings)-len(shown)))
	u.balance(p)
}

func (u *eventNotice) denied(p *payload) {
	p.text("redemption", u.Event.Fact)
	if u.Event.HasAmount {
		p.number("amount", u.Event.Amount)
	} else {
		p.optional("amount", "") // all that was authorised
	}
	u.balance(p)
}

func (u *eventNotice) authorised(p *payload) {
	p.authorization(u.Event.Fact, u.Authorization)
	u.balance(p)
}

func (u *eventNotice) fell(p *payload) {
	p.number("balance_before", u.Before)
	u.balance(p)
}

func (u *eventNotice) balance(p *payload) {
	p.number("balance", u.Balance)
	p.number("available", u.Available)
}

// payload is the JSON text of a notice in the making.
type payload []byte

func (p *payload) review(r *reward.Review) {
	p.text("review", r.Kind.String())
	p.optional("fact", r.Fact)
	p.optional("transaction", r.Transaction)
	if r.Amount == 0 {
		p.optional("amount", "") // not known
	} else {
		p.number("amount", r.Amount)
	}
	p.text("since", r.Since.String())
}

func (p *payload) authorization(redemption string, v *reward.Authorization) {
	p.text("redemption", redemption)
	p.number("amount", v.Amount)
	p.number("captured", v.Captured)
	p.text("expires", v.Expires.String())
}

// unit says what rewards are in, if that is a unit of the program's own.
func (p *payload) unit(name string) {
	if name != "" {
		p.text("reward_unit", name)
	}
}

func (p *payload) number(name string, n int64) {
	p.name(name)
	*p = strconv.AppendInt(*p, n, 10)
}

func (p *payload) text(name, s string) {
	p.name(name)
	p.quote(s)
}

// optional adds a text, or null for none.
func (p *payload) optional(name, s string) {
	if s == "" {
		p.name(name)
		*p = append(*p, "null"...)
		return
	}
	p.text(name, s)
}

func (p *payload) name(name string) {
	*p = append(append(append(*p, ',', '"'), name...), '"', ':')
}

// quote adds a string in quotes. The error it leaves aside is about invalid
// UTF-8, which no decoded event has and which is replaced.
func (p *payload) quote(s string) {
	*p, _ = jsontext.AppendQuote(*p, s)
}
