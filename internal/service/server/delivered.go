package server

import (
	"context"
	"errors"

	"recoup/internal/engine"
	"recoup/internal/service/approval"
	"recoup/reward"
)

// What people decide can be delivered as an event, too. Each is weighed as its account
// stands, and applied before all others of its request, as long as the account stands so.
// There is no proposal of what its sender may not do alone.

// deliver applies an event that says what somebody decided, or notes why not.
func (s *Server) deliver(ctx context.Context, e *reward.Event, p Principal) (n note, err error) {
	n.event = *e
	for range approval.Weighings {
		var want *approval.Proposal
		switch _, logged, err := s.ledger.Logged(ctx, e.Account, e.Source, e.ID); {
		case err != nil:
			return n, err
		case !logged:
			var problem *Problem
			if want, problem = s.weigh(ctx, e, p); problem == nil && want != nil {
				problem = s.mayAlone(ctx, want)
			}
			if problem != nil {
				n.refused = refused{code: problem.Code, detail: problem.Detail}
				return n, nil
			}
		}
		r, _, err := s.applier.Decide(want.Weighed(ctx), *e)
		switch {
		case errors.Is(err, engine.ErrMoved):
			s.released(ctx, want)
			continue
		case err == nil && (r.Outcome == reward.Rejected || r.Outcome == reward.Ignored):
			s.released(ctx, want)
		}
		n.decided = &r
		return n, err
	}
	n.refused = refused{code: "account_busy", detail: kinds["account_busy"].advice}
	return n, nil
}

// deliverAll applies the events of a mould that say what somebody decided, and notes what
// became of each.
func (s *Server) deliverAll(ctx context.Context, m *mould, p Principal) error {
	done := make(map[int]note)
	for i := range m.events {
		if !s.weighs(m.events[i].Type) {
			continue
		}
		n, err := s.deliver(ctx, &m.events[i], p)
		if apart := (*engine.AsideError)(nil); errors.As(err, &apart) {
			n.aside, err = apart.First(), nil
		}
		if err != nil {
			return err
		}
		done[i] = n
	}
	m.note(done)
	return nil
}

// note moves events from those to be applied to those that have no result.
func (m *mould) note(done map[int]note) {
	if len(done) == 0 {
		return
	}
	var notes []note
	left, before := 0, m.notes
	for i := 0; i <= len(m.events); i++ {
		for ; len(before) > 0 && before[0].before == i; before = before[1:] {
			n := before[0]
			n.before = left
			notes = append(notes, n)
		}
		if i == len(m.events) {
			break
		}
		if n, is := done[i]; is {
			n.before = left
			notes = append(notes, n)
			continue
		}
		m.events[left] = m.events[i]
		left++
	}
	m.events, m.notes = m.events[:left], notes
}
