package server

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"recoup/event"
	"recoup/reward"
	"recoup/store/durable"
)

// Review is something that somebody may want to look into.
type Review struct {
	ID          string `json:"id" doc:"For its resolution"`
	Account     string `json:"account"`
	Kind        string `json:"kind" enum:"waits_for_transaction,waits_for_fact,unmatched,matched_without_link,over_refunded,conflict"`
	About       string `json:"about" enum:"refund,chargeback,transaction" doc:"What a resolution is about"`
	Fact        string `json:"fact,omitempty" doc:"The refund or chargeback"`
	Transaction string `json:"transaction,omitempty"`
	Amount      int64  `json:"amount" doc:"In minor units; 0 where it is not known"`
	Currency    string `json:"currency"`
	Since       string `json:"since" format:"date-time"`
	Age         int64  `json:"age_seconds"`
}

// ReviewList is a page of the review list.
type ReviewList struct {
	Reviews []Review `json:"reviews" nullable:"false" doc:"The oldest first"`
	Paged
}

type reviewsInput struct {
	Page
	Account   string `query:"account" maxLength:"256" doc:"Only of this account"`
	Kind      string `query:"kind" enum:"waits_for_transaction,waits_for_fact,unmatched,matched_without_link,over_refunded,conflict" doc:"Only of this kind"`
	OlderThan int    `query:"older_than" minimum:"0" maximum:"36500" doc:"Only what has been on the list for more days than this"`
	MinAmount int64  `query:"min_amount" minimum:"0" maximum:"1000000000000000" doc:"Only of this amount or more, in minor units"`
}

type reviewsOutput struct {
	Links
	Body ReviewList
}

func (s *Server) reviews(ctx context.Context, in *reviewsInput) (*reviewsOutput, error) {
	now := s.instant()
	filter := durable.ReviewFilter{Account: in.Account, Kind: reviewKind(in.Kind), MinAmount: in.MinAmount}
	others := url.Values{}
	if in.OlderThan > 0 {
		filter.Before = now - reward.Instant(in.OlderThan)*reward.Day
		others.Set("older_than", strconv.Itoa(in.OlderThan))
	}
	if in.MinAmount > 0 {
		others.Set("min_amount", strconv.FormatInt(in.MinAmount, 10))
	}
	for name, value := range map[string]string{"account": in.Account, "kind": in.Kind} {
		if value != "" {
			others.Set(name, value)
		}
	}
	var after durable.ReviewPlace
	if in.Cursor != "" {
		p := parseCursor('r', in.Cursor)
		after = durable.ReviewPlace{Since: reward.Instant(p.number()), Account: p.text(), Kind: reward.PartKind(p.number()), ID: p.text()}
		if !p.whole() {
			return nil, errCursor
		}
	}
	list, place, more, err := s.ledger.Reviews(ctx, filter, after, in.Limit)
	if err != nil {
		return nil, s.failure(ctx, err)
	}
	var next cursor
	if more {
		next = newCursor('r').number(int64(place.Since)).text(place.Account).number(int64(place.Kind)).text(place.ID)
	}
	out := &reviewsOutput{Body: ReviewList{Reviews: make([]Review, len(list))}}
	for i := range list {
		out.Body.Reviews[i] = reviewOf(&list[i], now)
	}
	out.Body.Paged, out.Links = in.onward(next, others)
	return out, nil
}

// reviewKinds are all kinds by their names.
var reviewKinds = func() map[string]reward.ReviewKind {
	kinds := make(map[string]reward.ReviewKind)
	for k := reward.WaitsForTransaction; k <= reward.ForeignCurrency; k++ {
		kinds[k.String()] = k
	}
	return kinds
}()

func reviewKind(name string) reward.ReviewKind { return reviewKinds[name] }

// abouts are the parts that reviews are about.
var abouts = map[reward.PartKind]string{
	reward.RefundPart: "refund", reward.ChargebackPart: "chargeback", reward.TransactionPart: "transaction",
}

func reviewOf(v *durable.ReviewView, now reward.Instant) Review {
	return Review{
		ID:      newCursor('v').number(int64(v.Part.Kind)).text(v.Part.Account).text(v.Part.ID).String(),
		Account: v.Account, Kind: v.Kind.String(), About: abouts[v.Part.Kind], Fact: v.Fact, Transaction: v.Transaction,
		Amount: v.Amount, Currency: v.Currency, Since: v.Since.String(), Age: int64(max(0, now-v.Since) / 1e9),
	}
}

// ResolutionRequest says what is to become of a review.
type ResolutionRequest struct {
	Action      string `json:"action" enum:"link,dismiss" doc:"link: the refund is of this transaction; dismiss: it is as it should be"`
	Transaction string `json:"transaction,omitempty" maxLength:"256" doc:"To link the refund to"`
	Reason      string `json:"reason" minLength:"1" maxLength:"256" doc:"Why; it is in the journal"`
	Actor       string `json:"actor,omitempty" maxLength:"256" doc:"Who decided it; by default the name of the API key"`
}

// ResolutionDecision is what became of a review. Linking undoes the earlier
// placement of the refund and posts the right one in one step.
type ResolutionDecision struct {
	Decision
	Action      string `json:"action" enum:"link,dismiss"`
	About       string `json:"about" enum:"refund,chargeback,transaction"`
	ID          string `json:"id" doc:"Of the refund, chargeback or transaction"`
	Transaction string `json:"transaction,omitempty" doc:"That the refund was linked to"`
}

type resolveInput struct {
	Review string `path:"review" maxLength:"1100" doc:"The id of the review, as GET /v1/reviews has it"`
	MayHaveKey
	Body body[ResolutionRequest]
}

type resolveOutput struct {
	Status int
	Replay
	Body ResolutionDecision
}

func (s *Server) resolve(ctx context.Context, in *resolveInput) (*resolveOutput, error) {
	ask := in.Body.value
	ask.Actor = cmp.Or(ask.Actor, principalOf(ctx).Name)
	p := parseCursor('v', in.Review)
	part := durable.PartKey{Kind: reward.PartKind(p.number()), Account: p.text(), ID: p.text()}
	if !p.whole() || abouts[part.Kind] == "" || len(part.Account) > event.MaxText || len(part.ID) > event.MaxText {
		return nil, problem("review_unknown", "").at("review")
	}
	if refused := first(in.Body.refused, checkKey(in.Key, false), allGiven("reason", ask.Reason, "actor", ask.Actor)); refused != nil {
		return nil, refused
	}
	e, refused := resolution(&ask, part)
	if refused != nil {
		return nil, refused
	}
	e.ID = idFrom("resolution", in.Key)
	d, err := s.decide(ctx, e)
	if err != nil {
		return nil, err
	}
	currency, err := s.currency(ctx, e.Account)
	if err != nil {
		return nil, err
	}
	return &resolveOutput{d.status(), d.replay(), ResolutionDecision{
		Decision: d.decision(currency), Action: ask.Action, About: abouts[part.Kind], ID: part.ID, Transaction: ask.Transaction,
	}}, nil
}

// resolution returns the event that a resolution is.
func resolution(ask *ResolutionRequest, part durable.PartKey) (reward.Event, *Problem) {
	e := reward.Event{Account: part.Account, Reason: ask.Reason, Actor: ask.Actor, Fact: part.ID}
	switch {
	case ask.Action == "link" && part.Kind == reward.RefundPart:
		e.Type, e.Transaction = reward.RefundLinked, ask.Transaction
		return e, given("transaction", ask.Transaction)
	case ask.Action == "link":
		return e, problemf("invalid_request", "action: expected dismiss: only a refund can be linked to another transaction, and this review is about a %s.", abouts[part.Kind]).at("action")
	case ask.Action != "dismiss":
		return e, problemf("invalid_request", "action: expected link or dismiss, found %s.", shown(ask.Action)).at("action")
	case ask.Transaction != "":
		return e, problem("invalid_request", "transaction: a dismissal names none.").at("transaction")
	}
	switch part.Kind {
	case reward.RefundPart:
		e.Type = reward.RefundDismissed
	case reward.ChargebackPart:
		e.Type = reward.ChargebackDismissed
	default:
		e.Type, e.Fact, e.Transaction = reward.TransactionDismissed, "", part.ID
	}
	return e, nil
}

func (s *Server) reviewRoutes() {
	register(s, huma.Operation{
		OperationID: "list-reviews", Method: http.MethodGet, Path: "/v1/reviews",
		Tags: []string{"Reviews"}, Summary: "What somebody may want to look into, the oldest first",
		Description: "What waits for its transaction, found no spend, was placed without a link, or exceeds its purchase. A page may be short of its limit although there is a next one.",
	}, Read, []string{"invalid_cursor", "invalid_request"}, s.reviews)
	register(s, huma.Operation{
		OperationID: "resolve-review", Method: http.MethodPost, Path: "/v1/reviews/{review}/resolution", DefaultStatus: http.StatusCreated,
		Tags: []string{"Reviews"}, Summary: "Link a refund to its transaction, or dismiss a review",
		Description: "An event in the log, with reason and actor. Linking undoes the refund's earlier placement and posts the right one in one step.",
	}, Operate, []string{"review_unknown", "account_unknown", "transaction_unknown", "refund_unknown", "chargeback_unknown", "refund_conflict", "chargeback_conflict", "transaction_conflict",
		"already_final", "already_reversed", "account_closed", "idempotency_key_reused", "card_number", "invalid_request"}, s.resolve)
}
