package server

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"recoup/internal/service/scope"
	"recoup/internal/store/durable"
	"recoup/reward"
)

// Review is something that somebody may want to look into.
type Review struct {
	ID          string `json:"id" doc:"For its resolution"`
	Account     string `json:"account"`
	Kind        string `json:"kind" enum:"waits_for_transaction,waits_for_fact,unmatched,matched_without_link,over_refunded,conflict,matched_certain,already_reversed,currency_mismatch,card_number,waits_for_authorization,link_doubted,attribute_unknown"`
	About       string `json:"about" enum:"refund,chargeback,transaction,redemption,attribute,refused" doc:"What a resolution is about; refused: a fact in another currency, or an event with what may be the number of a card, which is masked; neither left a trace"`
	Fact        string `json:"fact,omitempty" doc:"The refund, chargeback, redemption or attribute"`
	Transaction string `json:"transaction,omitempty"`
	Amount      int64  `json:"amount" doc:"In minor units of the currency; 0 where it is not known"`
	Currency    string `json:"currency" doc:"Of the account, of a redemption what rewards are in; of a refused fact the one that it was sent in"`
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
	Kind      string `query:"kind" enum:"waits_for_transaction,waits_for_fact,unmatched,matched_without_link,over_refunded,conflict,matched_certain,already_reversed,currency_mismatch,card_number,waits_for_authorization,link_doubted,attribute_unknown" doc:"Only of this kind; matched_certain, about which there is nothing to doubt, is listed only if it is asked for"`
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
		after = durable.ReviewPlace{Since: reward.Instant(p.Int()), Account: p.text(), Kind: reward.PartKind(p.Int()), ID: p.text()}
		if !p.Whole() {
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
	for k := reward.WaitsForTransaction; k <= reward.LastReview; k++ {
		kinds[k.String()] = k
	}
	return kinds
}()

func reviewKind(name string) reward.ReviewKind { return reviewKinds[name] }

// abouts are the parts that reviews are about.
var abouts = map[reward.PartKind]string{
	reward.RefundPart: "refund", reward.ChargebackPart: "chargeback", reward.TransactionPart: "transaction", reward.RedemptionPart: "redemption",
	reward.AttributePart: "attribute",
	durable.RefusedFact:  "refused",
}

func reviewOf(v *durable.ReviewView, now reward.Instant) Review {
	return Review{
		ID:      newCursor('v').number(int64(v.Part.Kind)).text(v.Part.Account).text(v.Part.ID).String(),
		Account: v.Account, Kind: v.Kind.String(), About: abouts[v.Part.Kind], Fact: v.Fact, Transaction: v.Transaction,
		Amount: v.Amount, Currency: v.Currency, Since: v.Since.String(), Age: int64(max(0, now-v.Since) / 1e9),
	}
}

func (s *Server) reviewRoutes() {
	register(s, huma.Operation{
		OperationID: "list-reviews", Method: http.MethodGet, Path: "/v1/reviews",
		Tags: []string{"Reviews"}, Summary: "What somebody may want to look into, the oldest first",
		Description: "What waits for its transaction, found no spend, was placed without a link, exceeds its purchase, came again with other content or after it was undone, was refused for its currency, was captured without an authorisation, is an attribute that was withdrawn and never set, or was kept apart for what may be the number of a card. A page may be short of its limit although there is a next one.",
		Metadata:    map[string]any{ofAllAccounts: true},
	}, scope.Read, []string{"invalid_cursor", "invalid_request"}, s.reviews)
	register(s, huma.Operation{
		OperationID: "resolve-review", Method: http.MethodPost, Path: "/v1/reviews/{review}/resolution", DefaultStatus: http.StatusCreated,
		Tags: []string{"Reviews"}, Summary: "Link a refund to its transaction, have something count after all, let an event in, or dismiss a review",
		Description: "An event in the log, with reason and actor. Linking undoes the refund's earlier placement and posts the right one in one step. What came under a refund's id and does not count (conflict, already_reversed) counts as a refund of its own; a refused fact counts with an amount in the account's currency. What was kept apart for a card number (card_number) is let in as it was sent, under its own source and id.",
	}, scope.Operate, []string{"review_unknown", "account_unknown", "transaction_unknown", "refund_unknown", "chargeback_unknown", "redemption_unknown", "attribute_unknown", "refund_conflict", "currency_mismatch", "invalid_amount", "chargeback_conflict", "transaction_conflict",
		"already_final", "already_reversed", "account_closed", "actor_refused", "approval_needed", "proposal_rejected", "proposals_full", "refund_linked", "no_room", "idempotency_key_reused", "card_number", "event_masked", "secrets_key_missing", "id_reused", "limit_exceeded", "invalid_request"}, s.resolve)
}
