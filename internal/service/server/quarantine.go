package server

import (
	"context"
	"fmt"

	"recoup/internal/store/durable"
	"recoup/reward"
)

// cardNumber is the code of what may have the number of a card.
const cardNumber = "card_number"

// quarantined is the outcome of an event that was kept apart.
const quarantined = "quarantined"

// keepApart has the events of a mould kept apart that may have the number of a card, and
// notes what became of them. It does so before the others are applied, so that who is
// not answered sends all of them again.
func (s *Server) keepApart(ctx context.Context, m *mould) error {
	var suspects []durable.Suspect
	var of []int
	for i := range m.notes {
		if n := &m.notes[i]; n.refused.member != "" {
			suspects, of = append(suspects, durable.Suspect{Event: n.event, Member: n.refused.member}), append(of, i)
		}
	}
	if len(suspects) == 0 {
		return nil
	}
	if err := s.ledger.KeepApart(ctx, suspects); err != nil {
		return err
	}
	for i := range suspects {
		m.notes[of[i]].refused.fate = suspects[i].Fate
	}
	return nil
}

// appendSuspect answers for an event that may have the number of a card, which is masked
// by then: where answers are kept nobody here knows.
func appendSuspect(b []byte, masked *reward.Event, why refused) []byte {
	outcome, code, detail := reward.Rejected.String(), cardNumber, ""
	switch why.fate {
	case durable.KeptApart:
		outcome = quarantined
		detail = "it looks like the number of a card, so the event is kept apart, with no effect, until somebody lets it in or dismisses it (GET /v1/reviews?kind=card_number). Send a token of the card instead. If it is an id, have the member of this source exempted (POST /v1/exemptions)."
	case durable.NoRoom:
		detail = fmt.Sprintf("it looks like the number of a card, and %d events of this account are kept apart for that already, so this one is not kept. Send it again once somebody has decided about those.", durable.MaxRefused)
	case durable.Dismissed:
		detail = "it looks like the number of a card, and somebody has dismissed the event. Send a token of the card instead, under a new id."
	case durable.LetIn:
		return appendOutcome(b, masked, reward.Result{Outcome: reward.Duplicate})
	case durable.OtherLetIn:
		return appendOutcome(b, masked, reward.Result{Outcome: reward.Rejected, Code: reward.IDReused})
	}
	b = appendIdentity(b, masked)
	b = append(b, `,"outcome":"`...)
	b = append(b, outcome...)
	b = append(b, `","code":"`...)
	b = append(b, code...)
	b = append(b, `","member":`...)
	b = appendText(b, why.member)
	b = append(b, `,"detail":`...)
	b = appendText(b, why.member+": "+detail)
	return append(b, '}')
}
