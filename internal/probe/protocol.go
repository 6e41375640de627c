package probe

import (
	"fmt"
	"time"

	"recoup/reward"
)

// Limits of the protocol, for both sides.
const (
	// MaxBody is the size of a request or an answer, in bytes.
	MaxBody = 64 << 10
	// MaxID is the length of an identifier, in bytes.
	MaxID = 256
)

// StatementClose says how a target's statements close.
type StatementClose string

// What a target may say of its statements.
const (
	ClosesByClock StatementClose = "clock" // by its clock
	ClosesByCall  StatementClose = "call"  // by POST /statements/close, after the clock has moved past the end
	ClosesNot     StatementClose = "none"  // the sandbox has no way to close one
)

// Capabilities is what a target can do: the answer to GET /capabilities.
type Capabilities struct {
	// Currency is an ISO 4217 code. All amounts are in its minor units.
	Currency string `json:"currency"`
	// CanSetClock: POST /clock moves the target's time.
	CanSetClock bool `json:"can_set_clock"`
	Chargebacks bool `json:"chargebacks"`
	// PartialRefunds: refunds and chargebacks may be of less than the purchase.
	PartialRefunds bool           `json:"partial_refunds"`
	StatementClose StatementClose `json:"statement_close"`

	// The rest may be left out.

	// UnlinkedRefunds: refunds may name no purchase. Nil means that they may.
	UnlinkedRefunds *bool `json:"unlinked_refunds,omitempty"`
	// MCC: settlements and refunds may have a merchant category code.
	MCC bool `json:"mcc,omitzero"`
	// RefundCategory: refunds may have a category.
	RefundCategory bool `json:"refund_category,omitzero"`
	// Dates: settlements, refunds and chargebacks that come late say when they
	// happened.
	Dates bool `json:"dates,omitzero"`
	// Categories are the names of categories in which the program pays something of its
	// own. Nil: those that cards usually have are tried.
	Categories []string `json:"categories,omitzero"`
	// WholeChargebacks: a chargeback without an amount takes back the whole
	// purchase, also one that has not been settled yet.
	WholeChargebacks bool `json:"whole_chargebacks,omitzero"`
	// Authorizations: the program is told of purchases before they clear, and of those
	// that will not.
	Authorizations bool `json:"authorizations,omitzero"`
}

// unlinked reports whether refunds may name no purchase.
func (c *Capabilities) unlinked() bool { return c.UnlinkedRefunds == nil || *c.UnlinkedRefunds }

// check says what is wrong with what a target says of itself.
func (c *Capabilities) check() error {
	if len(c.Currency) != 3 {
		return fmt.Errorf("currency: expected an ISO 4217 code such as USD, found %q", c.Currency)
	}
	const most = 100
	if len(c.Categories) > most {
		return fmt.Errorf("categories: expected at most %d, found %d", most, len(c.Categories))
	}
	switch c.StatementClose {
	case ClosesByClock, ClosesByCall, ClosesNot:
		return nil
	}
	return fmt.Errorf("statement_close: expected clock, call or none, found %q", c.StatementClose)
}

// OfAccount is the body of POST /accounts, which opens an account, and of POST
// /statements/close, which closes the statement that is due.
type OfAccount struct {
	Account string `json:"account"`
}

// Clock is the body of POST /clock, and of its answer, in which Now may be left out: what
// the target's time is after the call.
type Clock struct {
	Now time.Time `json:"now,omitzero"`
}

// Settlement is the body of POST /settlements, the clearing of a purchase, and of POST
// /authorizations, before it clears.
type Settlement struct {
	Account     string    `json:"account"`
	Transaction string    `json:"transaction"`
	Amount      int64     `json:"amount"`
	Merchant    string    `json:"merchant"` // may be empty, as may the category
	Category    string    `json:"category"`
	MCC         string    `json:"mcc,omitzero"` // see Capabilities.MCC
	At          time.Time `json:"at,omitzero"`  // see Capabilities.Dates
}

// Cancellation is the body of POST /authorizations/cancel: the purchase will not clear.
type Cancellation struct {
	Account     string `json:"account"`
	Transaction string `json:"transaction"`
}

// Refund is the body of POST /refunds: a refund that has posted.
type Refund struct {
	Account     string    `json:"account"`
	Refund      string    `json:"refund"`
	Transaction string    `json:"transaction,omitzero"` // left out: of no purchase that is known
	Amount      int64     `json:"amount"`
	Merchant    string    `json:"merchant,omitzero"`
	Category    string    `json:"category,omitzero"` // see Capabilities.RefundCategory
	MCC         string    `json:"mcc,omitzero"`      // see Capabilities.MCC
	At          time.Time `json:"at,omitzero"`       // see Capabilities.Dates
}

// Chargeback is the body of POST /chargebacks: a dispute that the cardholder won.
type Chargeback struct {
	Account     string    `json:"account"`
	Chargeback  string    `json:"chargeback"`
	Transaction string    `json:"transaction"`
	Amount      int64     `json:"amount,omitzero"` // left out only as Capabilities.WholeChargebacks says
	At          time.Time `json:"at,omitzero"`     // see Capabilities.Dates
}

// Redemption is the body of POST /redemptions: rewards are to be paid out. The
// amount may be zero or less, which a program should refuse.
type Redemption struct {
	Account    string `json:"account"`
	Redemption string `json:"redemption"`
	Amount     int64  `json:"amount"`
}

// Decision is the answer to a redemption.
type Decision struct {
	Accepted bool `json:"accepted"`
}

// Account is the answer to GET /accounts/{account}: what the cardholder sees.
type Account struct {
	Balance    int64 `json:"balance"`    // negative: rewards owed
	Redeemable int64 `json:"redeemable"` // what a redemption could take now
	// PaidOut may be left out by a program that pays only when it is asked to. It
	// is the sum of all that it has paid of its own accord, such as a credit on
	// each statement.
	PaidOut int64 `json:"paid_out,omitzero"`
}

// check says what no account can show.
func (a *Account) check() error {
	if a.Redeemable < 0 {
		return fmt.Errorf("redeemable: expected what a redemption could take now, zero or more, found %d", a.Redeemable)
	}
	for _, m := range []struct {
		name   string
		amount int64
	}{{"balance", a.Balance}, {"redeemable", a.Redeemable}, {"paid_out", a.PaidOut}} {
		if m.amount > reward.MaxAmount || m.amount < -reward.MaxAmount {
			return fmt.Errorf("%s: expected an amount of at most %d minor units either way, found %d", m.name, reward.MaxAmount, m.amount)
		}
	}
	return nil
}

// Failure is the body of any 4xx.
type Failure struct {
	Error string `json:"error"`
}
