package server

import (
	"cmp"
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"recoup/internal/service/scope"
	"recoup/reward"
)

// RedemptionRequest asks for rewards to be paid out.
type RedemptionRequest struct {
	Redemption string `json:"redemption,omitempty" maxLength:"256" doc:"Id of the redemption; by default it follows from the Idempotency-Key"`
	Amount     *int64 `json:"amount" required:"true" minimum:"1" maximum:"1000000000000000" doc:"In minor units"`
	Currency   string `json:"currency" minLength:"3" maxLength:"3" example:"USD"`
	Method     string `json:"method,omitempty" maxLength:"256" example:"statement_credit" doc:"How it is paid out"`
	Capture    *bool  `json:"capture,omitempty" default:"true" doc:"false: the amount is authorised and reserved, to be captured or released later"`
	Expires    string `json:"expires,omitempty" format:"date-time" doc:"Where capture is false, when the authorisation ends by itself: after now and at most 30 days from now; by default in 7 days"`
}

// RedemptionDecision is a redemption that was paid out.
type RedemptionDecision struct {
	Decision
	Redemption string `json:"redemption"`
	Amount     int64  `json:"amount" doc:"In minor units"`
	Currency   string `json:"currency"`
	Method     string `json:"method,omitempty"`
	Expires    string `json:"expires,omitempty" format:"date-time" doc:"Of one that was authorised and not captured: when it ends by itself"`
}

// AdjustmentRequest asks for a balance to be changed by hand.
type AdjustmentRequest struct {
	Adjustment string `json:"adjustment,omitempty" maxLength:"256" doc:"Id of the adjustment; by default it follows from the Idempotency-Key"`
	Amount     *int64 `json:"amount" required:"true" minimum:"-1000000000000000" maximum:"1000000000000000" doc:"In minor units; negative lowers the balance"`
	Currency   string `json:"currency" minLength:"3" maxLength:"3" example:"USD"`
	Reason     string `json:"reason" minLength:"1" maxLength:"256" doc:"Why; the cardholder may see it"`
	Actor      string `json:"actor,omitempty" maxLength:"256" doc:"Who decided it: who sends this, and nobody else; by default they are"`
	Approver   string `json:"approver,omitempty" maxLength:"256" doc:"Of no use but in a service that is open: whoever agrees sends that themselves"`
}

// AdjustmentDecision is an adjustment that was made.
type AdjustmentDecision struct {
	Decision
	Adjustment string `json:"adjustment"`
	Amount     int64  `json:"amount" doc:"In minor units"`
	Currency   string `json:"currency"`
	Reason     string `json:"reason"`
	Actor      string `json:"actor"`
	Approver   string `json:"approver,omitempty"`
}

// ReversalDecision is a redemption that came back.
type ReversalDecision struct {
	Decision
	Redemption string `json:"redemption"`
}

// WithKey and MayHaveKey are the idempotency keys of commands. They are
// checked by hand: huma would say less.
type WithKey struct {
	Key string `header:"Idempotency-Key" doc:"Required: 8 to 255 printable ASCII characters. The same request under the same key is done once and answered alike"`
}

// MayHaveKey is the header of a request that may be made idempotent.
type MayHaveKey struct {
	Key string `header:"Idempotency-Key" doc:"8 to 255 printable ASCII characters. With one, a request that was refused is answered alike when it comes again"`
}

type redeemInput struct {
	OfAccount
	WithKey
	Body body[RedemptionRequest]
}

type redeemOutput struct {
	Status int
	Replay
	Body RedemptionDecision
}

func (s *Server) redeem(ctx context.Context, in *redeemInput) (*redeemOutput, error) {
	ask := in.Body.value
	ask.Redemption = cmp.Or(ask.Redemption, idFrom("redemption", in.Key))
	if p := first(in.Body.refused, checkKey(in.Key, true), allGiven("account", in.Account, "redemption", ask.Redemption, "method", cmp.Or(ask.Method, "-")), money(ask.Amount, ask.Currency)); p != nil {
		return nil, p
	}
	e := reward.Event{
		ID: idFrom("redemption", in.Key), Account: in.Account, Type: reward.RedemptionRequested,
		Fact: ask.Redemption, Amount: *ask.Amount, HasAmount: true, Currency: ask.Currency, Method: ask.Method,
	}
	if p := inPhases(&ask, &e); p != nil {
		return nil, p
	}
	d, err := s.decide(ctx, e)
	if err != nil {
		return nil, err
	}
	out := &redeemOutput{d.status(), d.replay(), RedemptionDecision{
		Decision: s.decision(d), Redemption: ask.Redemption, Amount: *ask.Amount, Currency: ask.Currency, Method: ask.Method,
	}}
	if e.Type == reward.RedemptionAuthorized {
		out.Body.Expires = d.Event.ReservedUntil().String()
	}
	return out, nil
}

type reverseInput struct {
	OfAccount
	MayHaveKey
	Redemption string `path:"redemption" maxLength:"256" doc:"The redemption"`
}

type reverseOutput struct {
	Status int
	Replay
	Body ReversalDecision
}

func (s *Server) reverse(ctx context.Context, in *reverseInput) (*reverseOutput, error) {
	if p := first(checkKey(in.Key, false), allGiven("account", in.Account, "redemption", in.Redemption)); p != nil {
		return nil, p
	}
	d, err := s.decide(ctx, reward.Event{
		ID: idFrom("reversal", in.Key), Account: in.Account, Type: reward.RedemptionReversed, Fact: in.Redemption,
	})
	if err != nil {
		return nil, err
	}
	return &reverseOutput{d.phaseStatus(), d.replay(), ReversalDecision{s.decision(d), in.Redemption}}, nil
}

type adjustInput struct {
	OfAccount
	WithKey
	Body body[AdjustmentRequest]
}

type adjustOutput struct {
	Status int
	Replay
	Body AdjustmentDecision
}

func (s *Server) adjust(ctx context.Context, in *adjustInput) (*adjustOutput, error) {
	ask := in.Body.value
	ask.Adjustment = cmp.Or(ask.Adjustment, idFrom("adjustment", in.Key))
	misnamed := s.actor(principalOf(ctx), ask.Actor, ask.Approver)
	ask.Actor = cmp.Or(ask.Actor, principalOf(ctx).Name)
	if p := first(in.Body.refused, checkKey(in.Key, true), misnamed, money(ask.Amount, ask.Currency),
		allGiven("account", in.Account, "adjustment", ask.Adjustment, "reason", ask.Reason, "actor", ask.Actor, "approver", cmp.Or(ask.Approver, "-"))); p != nil {
		return nil, p
	}
	d, err := s.decide(ctx, reward.Event{
		ID: idFrom("adjustment", in.Key), Account: in.Account, Type: reward.AdjustmentPosted,
		Fact: ask.Adjustment, Amount: *ask.Amount, HasAmount: true, Currency: ask.Currency,
		Reason: ask.Reason, Actor: ask.Actor, Approver: ask.Approver,
	})
	if err != nil {
		return nil, err
	}
	return &adjustOutput{d.status(), d.replay(), AdjustmentDecision{
		Decision: s.decision(d), Adjustment: ask.Adjustment, Amount: *ask.Amount, Currency: ask.Currency,
		Reason: ask.Reason, Actor: ask.Actor, Approver: d.Event.Approver,
	}}, nil
}

// decision is what the log says of a command.
func (s *Server) decision(d *decided) Decision {
	v := Decision{Account: d.Event.Account, Outcome: d.Result.Outcome.String(), Time: d.Event.Time.String()}
	if len(d.Postings) > 0 {
		var change int64
		for i := range d.Postings {
			change += d.Postings[i].Amount
		}
		last := &d.Postings[len(d.Postings)-1]
		v.Change, v.Balance = &change, &last.Balance
		v.Explanation = last.Explain(s.telling(last.Program))
	}
	return v
}

// first returns the first problem that there is.
func first(problems ...*Problem) *Problem { return cmp.Or(problems...) }

func (s *Server) redemptionRoutes() {
	denials := []string{"account_unknown", "account_closed", "idempotency_key_reused", "invalid_amount", "currency_mismatch", "card_number", "invalid_request"}
	register(s, huma.Operation{
		OperationID: "redeem", Method: http.MethodPost, Path: "/v1/accounts/{account}/redemptions", DefaultStatus: http.StatusCreated,
		Tags: []string{"Redemptions"}, Summary: "Redeem rewards",
		Description: "Decided and executed in one atomic step, or with capture: false only authorised: the amount is reserved until it is captured, released, or expires. A denied redemption is denied again under the same key; to try again, use a new one.",
	}, scope.Redeem, append([]string{"insufficient_balance", "grace_hold", "redemption_conflict", "invalid_time", "authorization_limit", "authorization_expired", "already_reversed"}, denials...), s.redeem)
	register(s, huma.Operation{
		OperationID: "reverse-redemption", Method: http.MethodPost, Path: "/v1/accounts/{account}/redemptions/{redemption}/reversal", DefaultStatus: http.StatusCreated,
		Tags: []string{"Redemptions"}, Summary: "Put a redemption back whose payout failed",
		Description: "The amount is back on the balance, and counts against limits: above what one may have put back alone somebody else has to approve. The id of the redemption stays used. One that was authorised and not captured is released.",
	}, scope.Redeem, append([]string{"redemption_unknown", "already_final", "approval_needed", "proposal_rejected", "proposals_full"}, denials...), s.reverse)
	s.phaseRoutes(denials)
	register(s, huma.Operation{
		OperationID: "adjust", Method: http.MethodPost, Path: "/v1/accounts/{account}/adjustments", DefaultStatus: http.StatusCreated,
		Tags: []string{"Accounts"}, Summary: "Change a balance by hand",
		Description: "With a reason, and who decided it; both are in the journal.",
	}, scope.Admin, append([]string{"adjustment_conflict", "limit_exceeded", "actor_refused", "approval_needed", "proposal_rejected", "proposals_full"}, denials...), s.adjust)
}
