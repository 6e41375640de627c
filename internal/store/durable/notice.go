package durable

import (
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"
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
	// Journal has all postings told, too, in as many notices as it takes.
	Journal bool
	// Velocity is of a quick return; nil: it is none.
	Velocity *velocityNotice
}

// noticesOf returns what outgoing webhooks tell of an event, in the order of
// outbox.Choices. The same event gives the same bytes.
func noticesOf(u *eventNotice) (list []outbox.Notice, err error) {
	add := func(kind string, data any) {
		if err != nil {
			return
		}
		n := outbox.Notice{
			Event: u.Number, Sequence: u.Sequence, Place: int64(len(list)), Account: u.Event.Account, Type: kind, Created: int64(u.Received),
		}
		if n.Body, err = bodyOf(kind, u.Event.Time, data); err == nil {
			list = append(list, n)
		}
	}
	of, sums := u.about(), sums{u.Balance, u.Available}
	if len(u.Postings) > 0 {
		shown := u.Postings[:min(len(u.Postings), maxNoticePostings)]
		add(outbox.RewardPosted, postedNotice{of, ledger.AppendPostings(nil, shown), len(u.Postings) - len(shown), sums})
	}
	if asksForPayment(u.Event.Type) && u.Result.Outcome == reward.Rejected && !u.Result.LeavesNoTrace() {
		denied := deniedNotice{of, u.Event.Fact, nil, sums}
		if u.Event.HasAmount {
			denied.Amount = &u.Event.Amount
		}
		add(outbox.RedemptionDenied, denied)
	}
	for i := range u.Reviews {
		r := &u.Reviews[i]
		add(outbox.ReviewOpened, reviewNotice{of, r.Kind.String(), known(r.Fact), known(r.Transaction), known(r.Amount), r.Since.String()})
	}
	if u.Before >= 0 && u.Balance < 0 {
		add(outbox.BalanceNegative, fellNotice{of, u.Before, sums})
	}
	if u.Authorization != nil {
		for _, kind := range u.phases() {
			add(kind, phaseNotice{of, authorizationOf(u.Event.Fact, u.Authorization), sums})
		}
	}
	if u.Journal {
		for some := range slices.Chunk(u.Postings, maxNoticePostings) {
			add(outbox.JournalPosted, journalNotice{of, ledger.AppendPostings(nil, some)})
		}
	}
	if v := u.Velocity; v != nil {
		v.about, v.sums = of, sums
		for i := range u.Postings {
			if p := &u.Postings[i]; p.Kind == reward.Clawback {
				v.TakenBack -= p.Amount
			}
		}
		add(outbox.VelocityExceeded, v)
	}
	return list, err
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

// about is what all notices say first: whose account, which event and what came of it.
// What there is not is null.
type about struct {
	Account  string      `json:"account"`
	Event    *namedEvent `json:"event"` // nil: time alone
	Outcome  *string     `json:"outcome"`
	Code     *string     `json:"code"`
	Currency *string     `json:"currency"`
	Unit     string      `json:"reward_unit,omitzero"` // what rewards are in where that is not the currency
}

type namedEvent struct {
	Source string `json:"source"`
	ID     string `json:"id"`
	Type   string `json:"type"`
}

func (u *eventNotice) about() about {
	e := u.Event
	return about{
		Account: e.Account, Event: &namedEvent{e.Source, e.ID, e.Type.String()},
		Outcome: known(u.Result.Outcome.String()), Code: known(u.Result.Code.String()), Currency: known(u.Currency), Unit: u.Unit,
	}
}

// sums are what most notices say last.
type sums struct {
	Balance   int64 `json:"balance"`
	Available int64 `json:"available"`
}

type postedNotice struct {
	about
	Postings jsontext.Value `json:"postings"`
	Omitted  int            `json:"postings_omitted"`
	sums
}

type journalNotice struct {
	about
	Postings jsontext.Value `json:"postings"`
}

type deniedNotice struct {
	about
	Redemption string `json:"redemption"`
	Amount     *int64 `json:"amount"` // nil: all that was authorised
	sums
}

type reviewNotice struct {
	about
	Review      string  `json:"review"`
	Fact        *string `json:"fact"`
	Transaction *string `json:"transaction"`
	Amount      *int64  `json:"amount"` // nil: not known
	Since       string  `json:"since"`
}

type fellNotice struct {
	about
	Before int64 `json:"balance_before"`
	sums
}

type phaseNotice struct {
	about
	authorization
	sums
}

type authorization struct {
	Redemption string `json:"redemption"`
	Amount     int64  `json:"amount"`
	Captured   int64  `json:"captured"`
	Expires    string `json:"expires"`
}

func authorizationOf(redemption string, v *reward.Authorization) authorization {
	return authorization{redemption, v.Amount, v.Captured, v.Expires.String()}
}

// known returns where a value lies, nil for zero and "".
func known[T comparable](v T) *T {
	if zero := *new(T); v == zero {
		return nil
	}
	return &v
}

// bodyOf is the text of a notice about a moment. Bad UTF-8, which no decoded event has,
// is replaced.
func bodyOf(kind string, at reward.Instant, data any) ([]byte, error) {
	body, err := json.Marshal(struct {
		Type      string `json:"type"`
		Timestamp string `json:"timestamp"`
		Data      any    `json:"data"`
	}{kind, at.String(), data}, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return nil, fmt.Errorf("writing a notice %s: %w", kind, err)
	}
	return body, nil
}
