package server

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"

	"recoup/event"
	"recoup/reward"
	"recoup/store/durable"
)

// A command is something that somebody decides, and has done or refused at once:
// a redemption, an adjustment, what becomes of a review. It becomes one event,
// with the source "api" and an id that follows from the idempotency key. So the
// log of events, which recognises a redelivery by its identity, recognises a
// repeated request, in whichever process and however long after; and the answer,
// which follows from what was logged, is the same again.

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
type decided struct {
	durable.LoggedView
	replayed bool // it was decided by an earlier request
}

// decide has a command's event applied, or finds what became of it when it came
// before. The event has all but its source, and its time unless it is of a
// fact that has one. An account must be there
// already: a mistyped id must not make one.
func (s *Server) decide(ctx context.Context, e reward.Event) (*decided, error) {
	e.Source = apiSource
	own := e.Time == 0
	if own {
		e.Time = s.instant()
	}
	if member, is := event.CardNumber(&e); is {
		return nil, problem("card_number", "").at(member)
	}
	if _, err := s.currency(ctx, e.Account); err != nil {
		return nil, err
	}
	result, postings, err := s.applier.Decide(ctx, e)
	if err != nil {
		return nil, s.failure(ctx, err)
	}
	s.counter.Answered([]reward.Result{result})
	d := &decided{LoggedView: durable.LoggedView{Event: e, Result: result, Postings: postings}}
	switch {
	case result.Outcome == reward.Duplicate, result.Code == reward.IDReused:
		// Its identity was logged before, or the rules know what it is about by another.
		if d, err = s.decidedBefore(ctx, &e, own, d); err != nil {
			return nil, err
		}
	case result.LeavesNoTrace():
		return nil, problem(result.Code.String(), "")
	}
	if d.Result.Outcome == reward.Rejected || d.Result.Outcome == reward.Ignored {
		p := problem("internal", "")
		if _, known := kinds[d.Result.Code.String()]; known {
			p = problem(d.Result.Code.String(), "")
		}
		return nil, &denial{p, d.replayed}
	}
	return d, nil
}

// decidedBefore is what became of a command whose event the log recognised, if it is the
// same command. now is what the engine says of it.
func (s *Server) decidedBefore(ctx context.Context, e *reward.Event, own bool, now *decided) (*decided, error) {
	logged, ok, err := s.ledger.Logged(ctx, e.Account, e.Source, e.ID)
	switch {
	case err != nil:
		return nil, s.failure(ctx, err)
	case !ok && now.Result.LeavesNoTrace():
		return nil, problem(now.Result.Code.String(), "")
	case !ok:
		s.explain(ctx, fmt.Errorf("a command was applied (%v) but is not in the log", now.Result.Outcome))
		return nil, problem("internal", "")
	}
	was := logged.Event
	if own {
		was.Time = e.Time // what differs when a request is sent again
	}
	if was != *e {
		return nil, problem("idempotency_key_reused", "")
	}
	return &decided{logged, logged.Result != now.Result}, nil
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

// currency returns the currency of an account that is there.
func (s *Server) currency(ctx context.Context, account string) (string, error) {
	currency, ok, err := s.ledger.Currency(ctx, account)
	switch {
	case err != nil:
		return "", s.failure(ctx, err)
	case !ok:
		return "", problem("account_unknown", "").at("account")
	}
	return currency, nil
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
	if d.replayed {
		return Replay{"true"}
	}
	return Replay{}
}

// Decision is the answer to a command. It follows from the log alone, so it is the
// same again.
type Decision struct {
	Account     string `json:"account"`
	Outcome     string `json:"outcome" enum:"applied,duplicate,parked" doc:"applied, or duplicate where the same was done under another key"`
	Time        string `json:"time" format:"date-time" doc:"When it was decided"`
	Change      *int64 `json:"change" doc:"What it did to the balance, in minor units; null for a duplicate"`
	Balance     *int64 `json:"balance" doc:"The balance after it, in minor units; null for a duplicate"`
	Explanation string `json:"explanation,omitempty" doc:"What the journal says of it"`
}
