package reward

import "slices"

// attribute is a fact about the account itself: an offer that was activated, a
// category that was chosen, the product that it is.
type attribute struct {
	id, name, value string
	from            Instant
	withdrawn       bool
	unheard         bool // withdrawn before it came: what it says is not known
	// heard is when it was withdrawn before it came, until it comes; dismissed: somebody
	// has said that it will not.
	heard     Instant
	dismissed bool
}

// openedAttribute is what account.opened counts as.
const (
	openedID    = "account.opened"
	openedName  = "opened"
	openedValue = "yes"
)

// attributeAt is the value of an attribute at an instant, "" for none, and since
// when it has it: that of the active fact with the greatest from, then id.
func (a *Account) attributeAt(name string, at Instant) (value string, from Instant) {
	var best *attribute
	for _, x := range a.attributes {
		if x.name == name && !x.withdrawn && x.from <= at &&
			(best == nil || x.from > best.from || x.from == best.from && x.id > best.id) {
			best = x
		}
	}
	if best == nil {
		return "", 0
	}
	return best.value, best.from
}

func (a *Account) attribute(id string) *attribute {
	i := slices.IndexFunc(a.attributes, func(x *attribute) bool { return x.id == id })
	if i < 0 {
		return nil
	}
	return a.attributes[i]
}

// setAttribute records a fact. What came before it earned stays as it was decided.
func (s *step) setAttribute() Result {
	e := s.event
	from := e.Time
	if e.Purchased != 0 {
		from = e.Purchased
	}
	return s.record(attribute{id: e.Fact, name: e.Category, value: e.Method, from: from})
}

func (s *step) record(x attribute) Result {
	known := s.attribute(x.id)
	switch {
	case known == nil && len(s.attributes) >= maxAttributes:
		return Result{Rejected, LimitExceeded}
	case known == nil:
		s.attributes = append(s.attributes, &x)
		s.handAttributes()
		return Result{Outcome: Applied}
	case known.unheard:
		if known.heard != 0 {
			known.heard = 0
			s.handWithdrawal(known)
		}
		return Result{Ignored, AlreadyReversed}
	case known.name != x.name || known.value != x.value || known.from != x.from:
		return Result{Rejected, AttributeConflict}
	case known.withdrawn:
		return Result{Ignored, AlreadyReversed}
	}
	return Result{Outcome: Duplicate}
}

// maxAttributes is how many facts about itself an account may have.
const maxAttributes = 10_000

// withdrawAttribute takes a fact back, or annuls one that has not arrived.
func (s *step) withdrawAttribute() Result {
	x := s.attribute(s.event.Fact)
	switch {
	case x == nil && len(s.attributes) >= maxAttributes:
		return Result{Rejected, LimitExceeded}
	case x == nil:
		x = &attribute{id: s.event.Fact, withdrawn: true, unheard: true, heard: s.now}
		s.attributes = append(s.attributes, x)
		s.handWithdrawal(x)
		return Result{Parked, AttributeUnknown}
	case x.withdrawn:
		return Result{Outcome: Duplicate}
	}
	x.withdrawn = true
	s.handAttributes()
	return Result{Outcome: Applied}
}

// handWithdrawal is for a fact that was withdrawn before it came, which is on a list of
// its own besides.
func (a *Account) handWithdrawal(x *attribute) {
	a.handAttributes()
	a.handFact(AttributePart, x.id)
}
