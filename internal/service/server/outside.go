package server

import (
	"context"

	"recoup/reward"
)

// outside takes the events of a mould out of those to be applied whose accounts are of
// programs that the sender's key is not for. Each account is asked about once, while the
// request holds no processor.
func (s *Server) outside(ctx context.Context, m *mould, p Principal) error {
	if p.Limits == nil || !p.Limits.Confined() {
		return nil
	}
	asked := make(map[string]bool)
	var accounts []string
	ask := func(e *reward.Event) {
		if !asked[e.Account] {
			asked[e.Account] = true
			accounts = append(accounts, e.Account)
		}
	}
	for i := range m.events {
		ask(&m.events[i])
	}
	for i := range m.notes {
		if m.notes[i].refused.member != "" {
			ask(&m.notes[i].event)
		}
	}
	programs, err := s.ledger.ProgramsOf(ctx, accounts)
	if err != nil {
		return err
	}
	for i := range m.notes {
		if n := &m.notes[i]; n.refused.member != "" && !s.isOf(p, &n.event, programs) {
			n.refused = strangers
		}
	}
	done := make(map[int]note)
	for i := range m.events {
		e := &m.events[i]
		if !s.isOf(p, e, programs) {
			done[i] = note{event: *e, refused: strangers}
		} else if programs[e.Account] == "" {
			programs[e.Account] = s.programFor(e) // of which the event makes it
		}
	}
	m.note(done)
	return nil
}

// programOf reports whether the account of an event is of a program that a key is for.
func (s *Server) programOf(ctx context.Context, p Principal, e *reward.Event) (bool, error) {
	if p.Limits == nil || !p.Limits.Confined() {
		return true, nil
	}
	programs, err := s.ledger.ProgramsOf(ctx, []string{e.Account})
	return s.isOf(p, e, programs), err
}

func (s *Server) isOf(p Principal, e *reward.Event, programs map[string]string) bool {
	id := programs[e.Account]
	if id == "" {
		id = s.programFor(e)
	}
	return id == "" || p.Limits.OfProgram(id)
}

// programFor is the program of the account that an event makes if there is none.
func (s *Server) programFor(e *reward.Event) string {
	if e.Type == reward.AccountOpened {
		return e.Fact
	}
	standard, ok := s.programs.Default()
	if !ok {
		return ""
	}
	return standard.ID
}
