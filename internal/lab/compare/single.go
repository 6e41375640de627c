package compare

import (
	"fmt"

	"recoup/internal/lab/design"
	"recoup/reward"
)

// Single is a comparison of one design with what its customers are entitled to, in
// which somebody says event by event what the design is given and what really
// happened.
type Single struct {
	comparing
	design, reference *field
}

// NewSingle begins one. The design has to be a Journaler. Posted is told of its
// postings, and redeemed of the redemptions that it pays.
func NewSingle(p *reward.Program, d design.Design, posted func(design.Posting), redeemed func(account, redemption string, amount int64, at reward.Instant)) (*Single, error) {
	side, err := journalled(p, d, posted)
	if err != nil {
		return nil, err
	}
	s := &Single{comparing: comparing{program: p, recoup: newEngineSide(p), sofar: newComparison(p), designs: 1}}
	s.recoup.truth = newEntitled(p)
	s.reference = newField(s.recoup, p, Figures{})
	s.design = newField(&watched{side: side, redeemed: redeemed}, p, Figures{Design: d.Name, Title: d.Title})
	s.told, s.toldField, s.fields = s.recoup, s.reference, []*field{s.design, s.reference}
	return s, nil
}

// journalled opens a design whose postings f is told of.
func journalled(p *reward.Program, d design.Design, f func(design.Posting)) (side, error) {
	if !d.CanSay(p) {
		return nil, fmt.Errorf("lab: export: design %s cannot say the terms of program %s: expected rules with a rate and a monthly cap, or another design", d.Name, p.ID)
	}
	switch i := d.New(p).(type) {
	case *design.Recoup:
		// The engine itself is the same without looking at every account at every
		// tick of the clock.
		s := newEngineSide(i.Program())
		s.store.Observe(design.PostingsTo(f))
		return s, nil
	case design.Journaler:
		i.Journal(f)
		return portSide{i}, nil
	}
	return nil, fmt.Errorf("lab: export: design %s does not tell its postings", d.Name)
}

// watched is a side of which somebody is told the redemptions that it pays.
type watched struct {
	side
	redeemed func(account, redemption string, amount int64, at reward.Instant)
	now      reward.Instant
}

func (w *watched) setClock(now reward.Instant) error {
	w.now = now
	return w.side.setClock(now)
}

func (w *watched) redeem(account, redemption string, amount int64) (bool, error) {
	paid, err := w.side.redeem(account, redemption, amount)
	if paid {
		w.redeemed(account, redemption, amount, w.now)
	}
	return paid, err
}

// Admit picks the events of a batch that a design can be given, and counts them and
// the others.
func (s *Single) Admit(batch []reward.Event) ([]reward.Event, error) { return s.admit(batch, true) }

// LeaveOut counts an admitted event among those that the design was not given.
func (s *Single) LeaveOut(e *reward.Event) { s.sofar.LeftOut[e.Type.String()]++ }

// Deliver gives the design an event.
func (s *Single) Deliver(e reward.Event) error { return s.design.play([]reward.Event{e}) }

// Happen takes in what really happened, which entitles customers.
func (s *Single) Happen(e reward.Event) error { return s.reference.play([]reward.Event{e}) }

// Finish lets time pass until nothing waits any more, and adds up.
func (s *Single) Finish() (*Comparison, error) { return s.judge(s.fields) }
