package server

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"

	"recoup/event"
	"recoup/internal/engine"
	"recoup/internal/service/approval"
	"recoup/internal/service/command"
	"recoup/program"
	"recoup/reward"
)

// A command, as package command has it, becomes one event, with the source "api" and an id
// that follows from the idempotency key.

// Bounds of an idempotency key, in characters.
const (
	shortestKey = 8
	longestKey  = 255
)

// checkKey checks an Idempotency-Key; an empty one is for who may do without.
func checkKey(key string, required bool) *Problem {
	const expected = "expected 8 to 255 printable ASCII characters that nobody else makes up, such as a UUID."
	if key == "" {
		if required {
			return problem("invalid_request", "Idempotency-Key: missing; "+expected+" A request that is sent again under the same key is not done again.").at("Idempotency-Key")
		}
		return nil
	}
	ok := len(key) >= shortestKey && len(key) <= longestKey
	for i := range len(key) {
		ok = ok && key[i] >= ' ' && key[i] <= '~'
	}
	if !ok {
		return problem("invalid_request", "Idempotency-Key: "+expected).at("Idempotency-Key")
	}
	return nil
}

// idFrom derives an id from an idempotency key: the same from the same key. Without
// a key it is one that was never there before. Keys are not stored: they could be
// anything.
func idFrom(what, key string) string {
	if key == "" {
		return what + "-" + rand.Text()
	}
	sum := sha256.Sum256([]byte(key))
	return what + "-" + hex.EncodeToString(sum[:16])
}

// decided is what was logged of a command.
type decided struct{ command.Decided }

// decide has a command's event applied, or finds what became of it when it came
// before. The event has all but its source, and its time unless it is of a
// fact that has one. An account must be there
// already: a mistyped id must not make one.
func (s *Server) decide(ctx context.Context, e reward.Event) (*decided, error) {
	if member, is := event.CardNumber(&e, event.Names(e.Type)); is {
		return nil, problem(cardNumber, "").at(member)
	}
	return s.decideScreened(ctx, e)
}

// decideScreened is decide for what has no number of a card, or nobody minds.
func (s *Server) decideScreened(ctx context.Context, e reward.Event) (*decided, error) {
	e.Source = apiSource
	own := e.Time == 0
	if own {
		e.Time = s.instant()
	}
	if e.Account == approval.TermsAccount { // nobody's balance
		return nil, problem("account_unknown", "").at("account")
	}
	if _, err := s.units(ctx, e.Account); err != nil {
		return nil, err
	}
	for range approval.Weighings {
		want, d, err := s.asked(ctx, &e)
		if d != nil || err != nil {
			return d, err
		}
		found, err := s.desk.Decide(want.Weighed(ctx), e, own)
		if !errors.Is(err, engine.ErrMoved) {
			return s.concluded(ctx, want, found, err)
		}
		s.released(ctx, want)
	}
	return nil, problem("account_busy", "")
}

// concluded answers for a command that was found decided, or was not: err says why. want is
// what was counted of it.
func (s *Server) concluded(ctx context.Context, want *approval.Proposal, found command.Decided, err error) (*decided, error) {
	switch {
	case errors.Is(err, command.ErrReused):
		s.counter.Answered([]reward.Result{{Outcome: reward.Rejected, Code: reward.IDReused}})
		s.released(ctx, want)
		return nil, problem("idempotency_key_reused", "")
	case err != nil: // it may be done: what was counted stays
		return nil, s.failure(ctx, err)
	}
	d := &decided{found}
	answered := d.Result
	if d.Replayed {
		answered = reward.Result{Outcome: reward.Duplicate}
	}
	s.counter.Answered([]reward.Result{answered})
	if !d.Replayed && d.Result.Outcome != reward.Applied && d.Result.Outcome != reward.Parked {
		s.released(ctx, want)
	}
	if d.Result.Outcome == reward.Rejected || d.Result.Outcome == reward.Ignored {
		p := undone(d.Result)
		if d.Result.LeavesNoTrace() {
			return nil, p
		}
		return nil, &denial{p, d.Replayed}
	}
	return d, nil
}

// asked is ask for what somebody decides; redemptions are decided by the balance.
func (s *Server) asked(ctx context.Context, e *reward.Event) (*approval.Proposal, *decided, error) {
	switch e.Type {
	case reward.AdjustmentPosted, reward.RefundLinked, reward.RefundCounted, reward.RedemptionReversed:
		return s.ask(ctx, *e)
	case reward.RefundPosted, reward.TransactionSettled: // it was refused, and counts by what somebody says it is worth
		want, err := s.countable(ctx, e)
		return want, nil, err
	}
	return nil, nil, nil
}

// undone is the problem of what the rules do not do.
func undone(r reward.Result) *Problem {
	if _, known := kinds[r.Code.String()]; known {
		return problem(r.Code.String(), "")
	}
	return problem("internal", "")
}

// denial is the problem of a command that the rules refused.
type denial struct {
	*Problem
	replayed bool
}

// GetHeaders adds to those of the problem whether it was refused before.
func (d *denial) GetHeaders() http.Header {
	h := d.Problem.GetHeaders()
	if d.replayed {
		h.Set("Idempotency-Replayed", "true")
	}
	return h
}

// Unwrap returns the problem.
func (d *denial) Unwrap() error { return d.Problem }

// units returns what the amounts of an account that is there are in.
func (s *Server) units(ctx context.Context, account string) (reward.Units, error) {
	units, ok, err := s.ledger.Units(ctx, account)
	switch {
	case err != nil:
		return units, s.failure(ctx, err)
	case !ok:
		return units, problem("account_unknown", "").at("account")
	}
	return units, nil
}

// RewardUnit is what rewards are in, as answers say it.
type RewardUnit struct {
	Unit     string `json:"reward_unit" example:"USD" doc:"What rewards are in, and so balances, redemptions and adjustments: the currency, or points of the program's own"`
	Decimals int    `json:"reward_decimals" doc:"Of an amount in reward_unit, which is in its minor units"`
}

func rewardUnit(u reward.Units) RewardUnit {
	return RewardUnit{u.Reward.Name, program.Decimals(u.Reward)}
}

// OfAccount is the parameter of everything about one account. It is exported, as
// the other parts of inputs and outputs are, because huma passes over what is not.
type OfAccount struct {
	Account string `path:"account" maxLength:"256" doc:"The account"`
}

// Replay says of an answer to a command whether it was given before.
type Replay struct {
	Replayed string `header:"Idempotency-Replayed" doc:"true: an earlier request under the same key was answered like this"`
}

// status is created for a command that was applied, and 200 for one that found it
// done.
func (d *decided) status() int {
	if d.Result.Outcome == reward.Applied {
		return http.StatusCreated
	}
	return http.StatusOK
}

func (d *decided) replay() Replay {
	if d.Replayed {
		return Replay{"true"}
	}
	return Replay{}
}

// Decision is the answer to a command. It follows from the log alone, so it is the
// same again.
type Decision struct {
	Account     string `json:"account"`
	Outcome     string `json:"outcome" enum:"applied,duplicate,parked,ignored,rejected" doc:"applied, or duplicate where the same was done under another key; of an event that was let in, whatever the rules say of it"`
	Time        string `json:"time" format:"date-time" doc:"When it was decided"`
	Change      *int64 `json:"change" doc:"What it did to the balance, in minor units; null for a duplicate"`
	Balance     *int64 `json:"balance" doc:"The balance after it, in minor units; null for a duplicate"`
	Explanation string `json:"explanation,omitempty" doc:"What the journal says of it"`
}
