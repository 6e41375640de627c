package approval

import (
	"fmt"

	"recoup/internal/store/record"
	"recoup/reward"
)

// The tables. A proposal lies under its number, and again in each list that it belongs
// to: the lists are of proposals rather than of their numbers, so that a page is read in
// one scan. Nothing but write changes them, so they are of one mind.
const (
	proposals    record.Table[row]   = "proposals"            // by number
	opened       record.Table[row]   = "proposals_open"       // by number
	decided      record.Table[row]   = "proposals_decided"    // by number
	ofAccount    record.Table[row]   = "proposals_of"         // by account and number
	byAdjustment record.Table[int64] = "proposals_adjustment" // numbers, by the adjustment's id
	counter      record.Table[int64] = "proposals_last"       // the number given last, under last
	// begun are the numbers of open ones that somebody has begun to decide, by number.
	begun record.Table[int64] = "proposals_begun"
)

const last = "number"

// row is a proposal as it is kept. Times are nanoseconds since 1970.
type row struct {
	Number     int64  `json:"number"`
	Account    string `json:"account"`
	Adjustment string `json:"adjustment"`
	Amount     int64  `json:"amount"`
	Currency   string `json:"currency"`
	Reason     string `json:"reason"`
	// Of what is no adjustment: the type of the event that it becomes, and what that has.
	Action      string `json:"action,omitzero"`
	About       string `json:"about,omitzero"`
	Transaction string `json:"transaction,omitzero"`
	As          string `json:"as,omitzero"`
	Digest      string `json:"digest,omitzero"`
	Proposer    person `json:"proposer"`
	Proposed    int64  `json:"proposed_at"`
	State       string `json:"state"` // the state's name
	Decider     person `json:"decider,omitzero"`
	Decided     int64  `json:"decided_at,omitzero"`
	Note        string `json:"note,omitzero"`
}

type person struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

func rowOf(p *Proposal) *row {
	r := &row{
		Number: p.Number, Account: p.Account, Adjustment: p.Adjustment, Amount: p.Amount, Currency: p.Currency, Reason: p.Reason,
		Proposer: person(p.Proposer), Proposed: int64(p.Proposed), State: p.State.String(),
		Decider: person(p.Decider), Decided: int64(p.Decided), Note: p.Note,
		Transaction: p.Transaction, As: p.As, Digest: p.Digest,
	}
	if p.Action != reward.AdjustmentPosted || p.About != p.Adjustment {
		r.Action, r.About = p.Action.String(), p.About
	}
	return r
}

func (r *row) proposal() (Proposal, error) {
	state := Open
	for state.String() != r.State {
		if state++; state > Rejected {
			return Proposal{}, fmt.Errorf("proposal %d has the state %q: it is damaged, or of a later version of recoup", r.Number, r.State)
		}
	}
	action, about := reward.AdjustmentPosted, r.Adjustment
	if r.Action != "" {
		var known bool
		if action, known = reward.ParseType(r.Action); !known {
			return Proposal{}, fmt.Errorf("proposal %d is of %q: it is damaged, or of a later version of recoup", r.Number, r.Action)
		}
		about = r.About
	}
	return Proposal{
		Action: action, About: about, Transaction: r.Transaction, As: r.As, Digest: r.Digest,
		Number: r.Number, Account: r.Account, Adjustment: r.Adjustment, Amount: r.Amount, Currency: r.Currency, Reason: r.Reason,
		Proposer: Person(r.Proposer), Proposed: reward.Instant(r.Proposed), State: state,
		Decider: Person(r.Decider), Decided: reward.Instant(r.Decided), Note: r.Note,
	}, nil
}

// write writes a proposal and puts it into the lists that it belongs to.
func write(tx record.Tx, p *Proposal) error {
	r, key := rowOf(p), record.Key(p.Number)
	list, other := opened, decided
	if p.State != Open {
		list, other = other, list
		begun.Delete(tx, key)
	}
	other.Delete(tx, key)
	if err := proposals.Put(tx, key, r); err != nil {
		return err
	}
	if err := list.Put(tx, key, r); err != nil {
		return err
	}
	return ofAccount.Put(tx, record.Key(p.Account, p.Number), r)
}
