package design

import (
	"recoup/internal/issuer"
	"recoup/reward"
)

// Journaler is an issuer that tells of its reward postings, as its own ledger
// has them. Nothing that is found out about a design from outside may use it.
type Journaler interface {
	issuer.Issuer
	// Journal has f told of every posting from now on; nil ends it. Copies tell
	// nobody.
	//
	// At any time the postings of an account add up to its balance and what was
	// redeemed. An account is up to date after it was asked for: statements that
	// are over by then are closed by then, and what their closes post is dated at
	// the close.
	Journal(f func(Posting))
}

// Posting is one change of an account's reward balance that is no redemption.
type Posting struct {
	Account string
	// Transaction is the purchase whose reward it is, empty where it is of none.
	Transaction string
	Kind        PostingKind
	// Amount is in minor units, below zero where the balance falls, never zero.
	Amount int64
	// At is the issuer's clock; of what a statement close posts, the end of the
	// cycle that it closes. Recoup closes several cycles at once, as of the last.
	At reward.Instant
	// Close says whether a statement close posted it.
	Close bool
}

// PostingKind is the reason of a posting.
type PostingKind string

// The kinds.
const (
	Granted      PostingKind = "grant"
	ClawedBack   PostingKind = "clawback"
	Restored     PostingKind = "restore"      // a reversal was undone
	Reallocated  PostingKind = "reallocation" // the reward moved because of another purchase
	Expired      PostingKind = "expiry"
	Revived      PostingKind = "expiry_restored"
	WrittenOff   PostingKind = "write-off" // a debt was forgotten
	StatementPay PostingKind = "payout"    // paid out by the issuer of its own accord; below zero
)

// Interfaces that all designs implement.
var (
	_ Journaler = (*bank)(nil)
	_ Journaler = (*Literal)(nil)
	_ Journaler = (*Recoup)(nil)
)

// journal is who is told of postings; its zero value is nobody.
type journal struct{ tell func(Posting) }

// Journal implements Journaler.
func (j *journal) Journal(f func(Posting)) { j.tell = f }

// note tells of a posting, unless it changes nothing.
func (j *journal) note(p Posting) {
	if j.tell != nil && p.Amount != 0 {
		j.tell(p)
	}
}

// postingKinds are the kinds of the engine's postings that are of rewards. What
// customers redeem is no posting here, and the lab adjusts nothing by hand.
var postingKinds = map[reward.Kind]PostingKind{
	reward.Grant: Granted, reward.Clawback: ClawedBack, reward.Restore: Restored, reward.Reallocation: Reallocated,
	reward.Expiry: Expired, reward.ExpiryRestored: Revived,
}

// PostingsTo returns an observer of the engine that tells f.
func PostingsTo(f func(Posting)) func(*reward.Event, []reward.Posting) {
	if f == nil {
		return nil
	}
	return func(_ *reward.Event, postings []reward.Posting) {
		for i := range postings {
			p := &postings[i]
			if kind, ok := postingKinds[p.Kind]; ok {
				// What a close posts is on the statement of the cycle before.
				f(Posting{p.Account, p.Transaction, kind, p.Amount, p.At, p.Cycle < reward.CycleAt(p.At)})
			}
		}
	}
}
