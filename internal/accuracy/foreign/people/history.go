// Package people makes up what cardholders do to a reward program: buying, returning
// and redeeming, over years. It knows nothing of any program, ours or another's, and of
// each return it knows which purchase it was really of, whatever the program is told.
//
// A history is the same for the same seed. It was written from what people and merchants
// do, not from what a tool looks for.
package people

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"
)

// Kind is what somebody does.
type Kind uint8

// The kinds.
const (
	// Buy is the clearing of a purchase as it arrives.
	Buy Kind = iota
	// Return is a refund as it arrives, Dispute a chargeback.
	Return
	Dispute
	// Redeem asks for a share of what can be redeemed.
	Redeem
	// Authorize is the authorisation of a purchase, for what may clear, and Cancel the end
	// of one that never does.
	Authorize
	Cancel
)

// Move is one thing that somebody does, and how the program is told.
type Move struct {
	Delivered time.Time
	Kind      Kind
	Account   string
	ID        string // of the purchase, refund, dispute or redemption
	Amount    int64  // minor units
	// Purchase is the one that was really returned, Told what the program is told of
	// it: the same, or nothing.
	Purchase, Told          string
	Merchant, MCC, Category string
	// Happened is when a late fact was, zero for one that is told of at once.
	Happened time.Time
	// Percent is how much of what can be redeemed is asked for.
	Percent int64
	// Again says that this fact was delivered before.
	Again bool
}

// When is when it happened.
func (m *Move) When() time.Time {
	if m.Happened.IsZero() {
		return m.Delivered
	}
	return m.Happened
}

// History is what some people do, in the order in which a program hears of it.
type History struct {
	Accounts []string
	Opened   map[string]time.Time
	Moves    []Move
	// End is long after the last move: whatever waits, waits no longer.
	End time.Time
}

// Options say how much is made up.
type Options struct {
	// Each is how many people there are of each way of life.
	Each int
	// Seed is what chance begins with.
	Seed uint64
	// Days is for how long people buy.
	Days int
}

// start is the first day; quiet is how long nobody does anything at the end, so that
// what is pending for a year or is written off at its end has been.
var start = time.Date(2023, time.February, 3, 0, 0, 0, 0, time.UTC)

const quiet = 800

// Make makes a history up.
func Make(o Options) *History {
	h := &History{Opened: map[string]time.Time{}, End: start.AddDate(0, 0, o.Days+quiet)}
	for life, way := range ways {
		for i := range o.Each {
			p := &person{
				Rand:    rand.New(rand.NewPCG(o.Seed, uint64(life)<<32|uint64(i))),
				account: fmt.Sprintf("%s-%02d", way.name, i+1), nth: i, days: o.Days,
			}
			p.opened = p.between(0, 40)
			way.live(p)
			h.Accounts = append(h.Accounts, p.account)
			h.Opened[p.account] = p.at(p.opened, 0)
			h.Moves = append(h.Moves, p.moves...)
		}
	}
	slices.SortStableFunc(h.Moves, func(a, b Move) int { return cmp.Compare(a.Delivered.UnixNano(), b.Delivered.UnixNano()) })
	return h
}

// Kept is the same history without what was returned: every purchase is of what was
// kept of it, once, and there are no refunds, nor authorisations, which buy nothing.
func (h *History) Kept() *History {
	returned := make(map[string]int64)
	for _, m := range h.Moves {
		if m.TakesBack() {
			returned[m.Purchase] += m.Amount
		}
	}
	kept := *h
	kept.Moves = nil
	for _, m := range h.Moves {
		switch {
		case m.Kind == Redeem:
			kept.Moves = append(kept.Moves, m)
		case m.Kind == Buy && !m.Again && m.Amount > returned[m.ID]:
			m.Amount -= returned[m.ID]
			kept.Moves = append(kept.Moves, m)
		}
	}
	return &kept
}

// Named is the same history with every refund naming the purchase that it is of.
func (h *History) Named() *History {
	named := *h
	named.Moves = slices.Clone(h.Moves)
	for i := range named.Moves {
		named.Moves[i].Told = named.Moves[i].Purchase
	}
	return &named
}

// Apart are the histories of the accounts, in their order, each by itself.
func (h *History) Apart() []*History {
	list, by := make([]*History, len(h.Accounts)), make(map[string]*History)
	for i, account := range h.Accounts {
		list[i] = &History{Accounts: h.Accounts[i : i+1], Opened: h.Opened, End: h.End}
		by[account] = list[i]
	}
	for _, m := range h.Moves {
		of := by[m.Account]
		of.Moves = append(of.Moves, m)
	}
	return list
}

// Until is what was delivered by a time.
func (h *History) Until(by time.Time) *History {
	until := *h
	n, _ := slices.BinarySearchFunc(h.Moves, by, func(m Move, by time.Time) int {
		if m.Delivered.After(by) {
			return 1
		}
		return -1
	})
	until.Moves = h.Moves[:n]
	return &until
}

// TakesBack says whether a move takes a purchase back that was not taken back by it before.
func (m *Move) TakesBack() bool { return (m.Kind == Return || m.Kind == Dispute) && !m.Again }
