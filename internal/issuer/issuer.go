// Package issuer is the port to anything that behaves like a reward program:
// what it can be asked to do, and nothing of how it does it. The designs of
// the lab stand behind it, Recoup itself among them, and so can somebody
// else's program over HTTP.
//
// Amounts are integer minor units of the program's currency. Every call is
// about one account and takes effect at the issuer's clock.
package issuer

import (
	"errors"
	"time"

	"recoup/reward"
)

// ErrUnsupported says that this issuer has no such move. A scenario that needs
// it cannot be played there.
var ErrUnsupported = errors.New("issuer: not supported")

// Issuer is a reward program as its customers and its card network see it. An
// error means that the call could not be made (or ErrUnsupported); a refusal
// that the program may give is an answer, not an error.
type Issuer interface {
	// Open creates an account with nothing on it.
	Open(account string) error
	// SetClock moves the issuer's time to now, never back. An issuer that closes
	// statements by its own clock closes those that are over.
	SetClock(now time.Time) error
	// Settle delivers the clearing of a purchase.
	Settle(Settlement) error
	// Refund delivers a refund that has posted.
	Refund(Refund) error
	// Chargeback delivers a chargeback: a dispute that the cardholder won.
	Chargeback(Chargeback) error
	// CloseStatement runs the statement close that is due at the issuer's clock,
	// where it has not run by itself; otherwise it does nothing.
	CloseStatement(account string) error
	// Redeem asks for a payout of rewards and says whether it was paid.
	Redeem(Redemption) (accepted bool, err error)
	// Balance shows what the cardholder sees.
	Balance(account string) (Balance, error)
}

// Balance is what an issuer shows of an account, in minor units.
type Balance struct {
	Balance    int64 // negative: rewards owed
	Redeemable int64 // what a redemption could take now; never negative
}

// Settlement is the clearing of one purchase.
type Settlement struct {
	Account, Transaction string
	Amount               int64
	Merchant             string // the rest is optional
	MCC                  string // four digits
	Category             string
	At                   time.Time // when it happened; zero: at the issuer's clock
	// Labels are texts that terms may ask for, Items the lines of the receipt.
	Labels reward.Labels
	Items  []reward.Item
}

// Refund is a refund of a purchase, or of none that its sender knows.
type Refund struct {
	Account, Refund string
	Transaction     string // empty: unlinked
	Amount          int64
	Merchant        string // the rest is optional
	MCC             string
	Category        string
	At              time.Time
	Labels          reward.Labels
	Items           []reward.Item // those that came back, if its sender says
}

// Chargeback takes a purchase back; an Amount of zero means all of it.
type Chargeback struct {
	Account, Chargeback, Transaction string
	Amount                           int64
	At                               time.Time
}

// Redemption pays rewards out. Amount may be zero or less: a program should
// refuse that.
type Redemption struct {
	Account, Redemption string
	Amount              int64
}

// The moves below are ones that not every program can be asked for.

// Authorizer also sees purchases before they clear.
type Authorizer interface {
	Authorize(Settlement) error
	// Cancel releases an authorisation that will not clear.
	Cancel(account, transaction string) error
}

// Withdrawer takes back a clearing that the acquirer withdraws, whole.
type Withdrawer interface {
	Withdraw(account, transaction string) error
}

// Undoer takes reversals back: a refund that bounced, a dispute that was lost.
type Undoer interface {
	ReverseRefund(account, refund string) error
	ReverseChargeback(account, chargeback string) error
}

// Announcer hears of refunds that the merchant has authorised but not paid.
type Announcer interface {
	AnnounceRefund(Refund) error
	CancelRefund(account, refund string) error
}

// Reviewer has a list of what somebody should look into: facts that have had no
// effect, or one that is a guess.
type Reviewer interface {
	// UnderReview names the refunds, chargebacks and purchases on the account's
	// list, each once.
	UnderReview(account string) ([]string, error)
}

// Resolver lets somebody decide what is under review.
type Resolver interface {
	// CountRefund has a refund that was not counted under its own name, since that
	// had been used before, count under another.
	CountRefund(account, refund, as string) error
}

// Closer closes accounts at the cardholder's wish and says whether it did.
type Closer interface {
	CloseAccount(account string) (closed bool, err error)
}

// Member is an issuer whose terms go by what is known of a cardholder: an offer that was
// activated, a category that was chosen.
type Member interface {
	SetAttribute(Attribute) error
	WithdrawAttribute(account, attribute string) error
}

// Attribute is a fact about a cardholder.
type Attribute struct {
	Account, Attribute string
	Name, Value        string
	At                 time.Time
}

// Itemizer takes in the lines of a receipt after its purchase.
type Itemizer interface {
	Itemize(account, transaction string, items []reward.Item) error
}

// Promoter shows what bonuses, which are of no single purchase, have paid so far.
type Promoter interface {
	// Bonus is what the bonus has paid in all periods, in minor units.
	Bonus(account, bonus string) (int64, error)
}

// Payer is an issuer that also pays rewards out by itself, without being asked
// by Redeem.
type Payer interface {
	// PaidOut is the sum of all such payouts of the account so far, in minor
	// units. Redemptions that were accepted are not in it.
	PaidOut(account string) (int64, error)
}

// PaidOut asks an issuer for what it paid out by itself: nothing if it is no Payer.
func PaidOut(i Issuer, account string) (int64, error) {
	if p, ok := i.(Payer); ok {
		return p.PaidOut(account)
	}
	return 0, nil
}
