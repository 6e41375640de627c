package durable

import (
	"recoup/ledger"
	"recoup/reward"
)

// What is read of accounts, as people and programs outside ask for it. Amounts
// are minor units, of Units.Reward but for those of purchases and refunds; a zero instant is none.

// AccountView is an account as of the moment of reading: what is over by then has
// ended, though no event has said so.
type AccountView struct {
	Account string
	Program string
	reward.Units
	Version int64 // how many events are logged; every change raises it
	Closed  bool
	Latest  reward.Instant // the account's latest time, that of its events

	Balance     int64 // negative: a debt
	Held        int64 // of the balance, not redeemable yet
	Reserved    int64 // authorised and not captured yet
	Available   int64 // balance − held − reserved; may be negative
	Redeemable  int64 // the most that a redemption would pay out
	Redeemed    int64
	Adjustments int64
	Expired     int64 // not used in time, less what of that is back
	// Expiring are what expires unless it is used, what is first first; nil where no
	// version of the program has rewards expire.
	Expiring []reward.ExpiringState
	NetSpend int64 // of the currency: posted less reversed less what rests unmatched
	// NotBefore is the moment that all redemptions have to wait for, the end of a grace
	// hold; zero where there is none, or it has ended.
	NotBefore reward.Instant
	// Holds say why Held is held, those that end first first, those without an
	// end last. They add up to Held unless MoreHolds says that some are left out.
	Holds     []Hold
	MoreHolds bool
	// MaturesAt is when the next amount matures, Matures how much of Held that
	// releases; zero where nothing waits.
	MaturesAt reward.Instant
	Matures   int64
	// Reservations are what Reserved is, those that end first first, all of them unless
	// MoreReservations says that some are left out.
	Reservations     []reward.ReservationState
	MoreReservations bool
	// Bonuses are those of the program, in file order, each of the period that it is now.
	Bonuses []reward.BonusState
}

// Hold is a part of an account's balance that cannot be redeemed yet.
type Hold = reward.Hold

// HoldReason is why an amount is held.
type HoldReason = reward.HoldReason

// The reasons of holds.
const (
	HeldForMaturity        = reward.HeldForMaturity
	HeldForDeferredRefund  = reward.HeldForDeferredRefund
	HeldForAnnouncedRefund = reward.HeldForAnnouncedRefund
)

// StatementView is the statement of a cycle that is closed or, at the top of the
// list, of the one that is open.
type StatementView struct {
	ledger.Statement
	Open bool
	// From is the cycle's first instant, by the program's zone and statement day, and To
	// the first that is not in it.
	From, To reward.Instant
}

// ReviewFilter selects from the review list. Zero members select everything.
type ReviewFilter struct {
	Account string
	Kind    reward.ReviewKind
	Before  reward.Instant // on the list since before this
	// MinAmount leaves out what is of a smaller amount, or of none that is known.
	MinAmount int64
	// Certain: refunds that can be of one purchase only are among the others, where Kind
	// selects none.
	Certain bool
}

// ReviewView is something that is open for review.
type ReviewView struct {
	reward.Review
	Part     PartKey // what a resolution is about: a refund, chargeback or transaction
	Currency string  // of the amount; of a redemption what rewards are in
	Version  int64   // of the account, as AccountView has it; zero: it is on none
}

// LoggedView is an event of the log with what became of it.
type LoggedView struct {
	Number   int64 // in the log, unique in the database
	Event    reward.Event
	Received reward.Instant
	// Principal is the id of who sent it; see EventRow.
	Principal string
	Result    reward.Result
	Postings  []reward.Posting
}

// EntryView is a posting of an account's journal.
type EntryView struct {
	reward.Posting
	// Principal is the id of who sent the event that caused it; see EventRow.
	Principal string
	Cause     *reward.Event
}
