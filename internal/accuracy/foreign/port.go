// Package foreign holds reward engines that others wrote from the paper's prose and from
// what card programs publish, without knowledge of the lab, the auditor, the prober or
// the reward engine. What those two tools say of them is measured: of designs that they
// were not made with.
package foreign

import (
	"time"

	"recoup/internal/issuer"
)

// Engine is a reward program of somebody's design, with books that can be exported.
type Engine interface {
	issuer.Issuer
	// Postings are all entries of the account's reward ledger so far, in the order they
	// were made. Their sum, less the redemptions that were accepted, is the balance.
	Postings(account string) []Posting
}

// Posting is one entry of a reward ledger.
type Posting struct {
	At     time.Time
	Kind   Kind
	Amount int64 // minor units; granted above zero, taken back or paid out below
	// Transaction and Refund name what the entry is for, where the engine's books do.
	Transaction, Refund string
	Note                string // as a statement would say it; may be empty
}

// Kind is what an entry is for.
type Kind string

// The kinds.
const (
	Earned   Kind = "earned"
	Reversed Kind = "reversed"
	Adjusted Kind = "adjusted" // by hand, by forgiving, by expiry and the like
	Paid     Kind = "paid"     // paid out by the engine itself, without being asked
)

// Design is one reward program: what it promises, what it does, and what is wrong with it
// by the word of who wrote it.
type Design struct {
	Name   string // short, unique
	Source string // the section of the paper, or whose public rules, with where they stand
	// Published is what cardholders read: rates, caps and their periods, when rewards are
	// granted and can be redeemed, and what a return does.
	Published string
	// How is what the engine really does, in a few sentences.
	How string
	// Class is the paper's (section 4.3): "V1", "V2", "V3(a)", "V3(b)"; "other" for a leak
	// that is none of these, "robust" for a sound design.
	Class string
	// Leak says how a customer comes out ahead, with an example in money; empty if robust.
	Leak     string
	Currency string // ISO 4217
	New      func() Engine
}
