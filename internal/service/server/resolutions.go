package server

import (
	"cmp"
	"context"
	"errors"
	"net/http"

	"recoup/event"
	"recoup/internal/store/durable"
	"recoup/internal/store/seal"
	"recoup/reward"
)

// ResolutionRequest says what is to become of a review.
type ResolutionRequest struct {
	Action      string `json:"action" enum:"link,count,admit,dismiss" doc:"link: the refund is of this transaction; count: what does not count counts after all; admit: an event that was kept apart has no card number and is let in; dismiss: it is as it should be"`
	Transaction string `json:"transaction,omitempty" maxLength:"256" doc:"To link the refund to"`
	As          string `json:"as,omitempty" maxLength:"256" doc:"To count: the id that the refund is to have; by default the id under which it came with ~2, or the next number that is free"`
	Amount      *int64 `json:"amount,omitempty" minimum:"1" maximum:"1000000000000000" doc:"To have a refused fact count: its amount in minor units of the account's currency"`
	Currency    string `json:"currency,omitempty" maxLength:"3" doc:"And that currency"`
	Reason      string `json:"reason" minLength:"1" maxLength:"256" doc:"Why; it is in the journal"`
	Actor       string `json:"actor,omitempty" maxLength:"256" doc:"Who decided it: who sends this, and nobody else; by default they are"`
}

// ResolutionDecision is what became of a review. Linking undoes the earlier
// placement of the refund and posts the right one in one step.
type ResolutionDecision struct {
	Decision
	Action      string `json:"action" enum:"link,count,admit,dismiss"`
	About       string `json:"about" enum:"refund,chargeback,transaction,redemption,attribute,refused"`
	ID          string `json:"id" doc:"Of the refund, chargeback, transaction, redemption or attribute"`
	Transaction string `json:"transaction,omitempty" doc:"That the refund was linked to"`
	As          string `json:"as,omitempty" doc:"The id under which it counts"`
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
	misnamed := s.actor(principalOf(ctx), ask.Actor, "")
	ask.Actor = cmp.Or(ask.Actor, principalOf(ctx).Name)
	p := parseCursor('v', in.Review)
	part := durable.PartKey{Kind: reward.PartKind(p.Int()), Account: p.text(), ID: p.text()}
	if !p.Whole() || abouts[part.Kind] == "" || len(part.Account) > event.MaxText || len(part.ID) > event.MaxText {
		return nil, problem("review_unknown", "").at("review")
	}
	if refused := first(in.Body.refused, checkKey(in.Key, false), misnamed, allGiven("reason", ask.Reason, "actor", ask.Actor)); refused != nil {
		return nil, refused
	}
	if refused := s.touches(ctx, principalOf(ctx), part.Account); refused != nil {
		return nil, refused
	}
	key := idFrom("resolution", in.Key)
	if part.Kind == durable.RefusedFact {
		return s.resolveRefused(ctx, &ask, part, key)
	}
	if ask.Amount != nil || ask.Currency != "" {
		return nil, problem("invalid_request", "amount, currency: are of use where a fact that was refused for its currency is to count; this one has an amount.").at("amount")
	}
	if err := s.chooseID(ctx, &ask, part, key); err != nil {
		return nil, err
	}
	e, refused := resolution(&ask, part)
	if refused != nil {
		return nil, refused
	}
	e.ID = key
	d, err := s.decide(ctx, e)
	if err != nil {
		return nil, err
	}
	return &resolveOutput{d.status(), d.replay(), ResolutionDecision{
		Decision: s.decision(d), Action: ask.Action, About: abouts[part.Kind], ID: part.ID, Transaction: ask.Transaction, As: ask.As,
	}}, nil
}

// chooseID chooses the id under which a refund is to count, where the request does not:
// the same as before where the request comes again.
func (s *Server) chooseID(ctx context.Context, ask *ResolutionRequest, part durable.PartKey, key string) error {
	if ask.Action != "count" || ask.As != "" || part.Kind != reward.RefundPart {
		return nil
	}
	before, ok, err := s.ledger.Logged(ctx, part.Account, apiSource, key)
	switch {
	case err != nil:
	case ok && before.Event.Type == reward.RefundCounted && before.Event.Fact == part.ID:
		ask.As = before.Event.As
	default:
		ask.As, err = s.ledger.FreeRefundID(ctx, part.Account, part.ID)
	}
	if err != nil {
		return s.failure(ctx, err)
	}
	return nil
}

// resolution returns the event that a resolution is.
func resolution(ask *ResolutionRequest, part durable.PartKey) (reward.Event, *Problem) {
	e := reward.Event{Account: part.Account, Reason: ask.Reason, Actor: ask.Actor, Fact: part.ID}
	switch {
	case ask.Action != "count" && ask.As != "":
		return e, problem("invalid_request", "as: is of use only where a refund is to count.").at("as")
	case ask.Action == "link" && part.Kind == reward.RefundPart:
		e.Type, e.Transaction = reward.RefundLinked, ask.Transaction
		return e, given("transaction", ask.Transaction)
	case ask.Action == "link":
		return e, problemf("invalid_request", "action: expected dismiss: only a refund can be linked to another transaction, and this review is about a %s.", abouts[part.Kind]).at("action")
	case ask.Action == "count" && part.Kind != reward.RefundPart:
		return e, problemf("invalid_request", "action: expected dismiss: what came under the id of a refund can count as another refund, and this review is about a %s.", abouts[part.Kind]).at("action")
	case ask.Transaction != "":
		return e, problemf("invalid_request", "transaction: expected none where the action is %s.", shown(ask.Action)).at("transaction")
	case ask.Action == "count":
		e.Type, e.As = reward.RefundCounted, ask.As
		return e, given("as", ask.As)
	case ask.Action != "dismiss":
		return e, problemf("invalid_request", "action: expected link, count or dismiss, found %s.", shown(ask.Action)).at("action")
	}
	switch part.Kind {
	case reward.RefundPart:
		e.Type = reward.RefundDismissed
	case reward.ChargebackPart:
		e.Type = reward.ChargebackDismissed
	case reward.RedemptionPart:
		e.Type = reward.RedemptionDismissed
	case reward.AttributePart:
		e.Type = reward.AttributeDismissed
	default:
		e.Type, e.Fact, e.Transaction = reward.TransactionDismissed, "", part.ID
	}
	return e, nil
}

// admitKept lets in an event that was kept apart, as it was sent. It is taken off the
// list last, as in resolveRefused.
func (s *Server) admitKept(ctx context.Context, ask *ResolutionRequest, r *durable.Refused) (*resolveOutput, error) {
	e, err := s.ledger.AsSent(r)
	missing := (*seal.MissingKeyError)(nil)
	switch {
	case errors.Is(err, durable.ErrMasked):
		return nil, problem("event_masked", "")
	case errors.As(err, &missing):
		return nil, problem("secrets_key_missing", "")
	case err != nil:
		return nil, s.failure(ctx, err)
	case s.approvals != nil && decides(e.Type): // nobody has weighed it
		return nil, problem("approval_needed", "A decision is not let in: dismiss this, and have it sent again without the number.")
	}
	result, _, err := s.applier.Decide(ctx, e)
	if err != nil {
		return nil, s.failure(ctx, err)
	}
	s.counter.Answered([]reward.Result{result})
	if result.LeavesNoTrace() && result.Outcome != reward.Duplicate {
		return nil, problem(result.Code.String(), "")
	}
	if _, err := s.ledger.DecideRefused(ctx, r, ask.Action, ask.Actor, ask.Reason); err != nil {
		return nil, s.failure(ctx, err)
	}
	out := &resolveOutput{Status: http.StatusCreated, Body: ResolutionDecision{Action: ask.Action, About: "refused", ID: r.Event.Fact}}
	if result.Outcome == reward.Duplicate {
		out.Status = http.StatusOK
	}
	out.Body.Decision = Decision{Account: r.Event.Account, Outcome: result.Outcome.String(), Time: s.instant().String()}
	if result.Code != reward.NoCode {
		out.Body.Explanation = "The rules say of it: " + result.Code.String() + "."
	}
	return out, nil
}

// resolveRefused decides about a fact that was refused for its currency, or an event that
// was kept apart. To count it is
// delivered again, with the amount in the account's currency, as of its own time. It is
// taken off the list last: who is interrupted before does it again, and the fact is a
// duplicate then.
func (s *Server) resolveRefused(ctx context.Context, ask *ResolutionRequest, part durable.PartKey, key string) (*resolveOutput, error) {
	switch {
	case ask.Action != "count" && ask.Action != "admit" && ask.Action != "dismiss":
		return nil, problem("invalid_request", "action: expected count or dismiss: a fact that was refused is on no account, and cannot be linked yet.").at("action")
	case ask.Transaction != "" || ask.As != "":
		return nil, problem("invalid_request", "transaction, as: expected neither: the fact counts as it was sent, but for its amount.").at("transaction")
	case ask.Action != "count" && (ask.Amount != nil || ask.Currency != ""):
		return nil, problem("invalid_request", "amount: only where a fact is to count there is one.").at("amount")
	}
	r, ok, err := s.ledger.Refused(ctx, part.Account, part.ID)
	switch {
	case err != nil:
		return nil, s.failure(ctx, err)
	case !ok:
		return nil, problem("review_unknown", "").at("review")
	case r.Decision != "" && r.Decision != ask.Action:
		return nil, problem("already_final", "")
	case ask.Action == "count" && r.Member != "":
		return nil, problem("invalid_request", "action: expected admit or dismiss: the event was kept apart for what may be the number of a card.").at("action")
	case ask.Action == "admit" && r.Member == "":
		return nil, problem("invalid_request", "action: expected count or dismiss: the fact was refused for its currency.").at("action")
	case ask.Action == "admit":
		return s.admitKept(ctx, ask, &r)
	}
	out := &resolveOutput{Body: ResolutionDecision{Action: ask.Action, About: "refused", ID: r.Event.Fact}}
	if ask.Action == "count" {
		if p := money(ask.Amount, ask.Currency); p != nil {
			return nil, p
		}
		units, err := s.units(ctx, part.Account)
		if err != nil {
			return nil, err
		}
		if units.Currency != ask.Currency { // or this would be a refused fact too
			return nil, problem("currency_mismatch", "").at("currency")
		}
		e := r.Event
		e.ID, e.Amount, e.Currency = key, *ask.Amount, ask.Currency
		d, err := s.decideScreened(ctx, e) // for numbers of cards it was looked at when it was sent
		if err != nil {
			return nil, err
		}
		out.Status, out.Replay, out.Body.Decision = d.status(), d.replay(), s.decision(d)
	}
	open, err := s.ledger.DecideRefused(ctx, &r, ask.Action, ask.Actor, ask.Reason)
	if err != nil {
		return nil, s.failure(ctx, err)
	}
	if ask.Action == "dismiss" {
		now := s.instant()
		out.Status, out.Body.Decision = 201, Decision{Account: part.Account, Outcome: reward.Applied.String(), Time: now.String()}
		if !open {
			out.Status, out.Body.Outcome = 200, reward.Duplicate.String()
		}
	}
	return out, nil
}
