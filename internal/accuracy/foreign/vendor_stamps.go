package foreign

import (
	"time"

	"recoup/internal/issuer"
)

// vendorStampCard is a coffee chain's stamp card in its app. It counts visits, not money,
// and has nothing that hears of returns: a stamp once given stays, and so does the credit
// for a full card. That is its flaw.
type vendorStampCard struct {
	now   time.Time
	cards map[string]*vendorStamps
}

type vendorStamps struct {
	book   vendorBook
	known  map[string]bool
	stamps int
	day    string
	today  int
}

const (
	vendorStampsFull   = 10
	vendorStampsADay   = 3
	vendorStampsCredit = 500
	vendorStampsLeast  = 400
)

func vendorNewStampCard() Engine { return &vendorStampCard{cards: map[string]*vendorStamps{}} }

// Open gives an empty card.
func (e *vendorStampCard) Open(account string) error {
	if account == "" {
		return errVendorID
	}
	if e.cards[account] != nil {
		return errVendorOpen
	}
	e.cards[account] = &vendorStamps{known: map[string]bool{}}
	return nil
}

// SetClock moves the clock.
func (e *vendorStampCard) SetClock(now time.Time) error {
	if now.Before(e.now) {
		return errVendorClock
	}
	e.now = now.UTC()
	return nil
}

func (e *vendorStampCard) card(account string) (*vendorStamps, error) {
	c := e.cards[account]
	if c == nil {
		return nil, errVendorAccount
	}
	return c, nil
}

// Settle stamps the card.
func (e *vendorStampCard) Settle(s issuer.Settlement) error {
	c, err := e.card(s.Account)
	if err != nil {
		return err
	}
	if s.Transaction == "" {
		return errVendorID
	}
	if s.Amount <= 0 || c.known[s.Transaction] {
		return nil
	}
	c.known[s.Transaction] = true
	if s.Amount < vendorStampsLeast || !vendorIn("DINING", s.Category, s.MCC) {
		return nil
	}
	if day := e.now.Format("2006-01-02"); day != c.day {
		c.day, c.today = day, 0
	}
	if c.today == vendorStampsADay {
		return nil
	}
	c.today++
	c.stamps++
	if c.stamps == vendorStampsFull {
		c.stamps = 0
		c.book.post(e.now, Earned, vendorStampsCredit, s.Transaction, "", "card is full")
	}
	return nil
}

// Refund has no effect on stamps.
func (e *vendorStampCard) Refund(r issuer.Refund) error {
	_, err := e.card(r.Account)
	return err
}

// Chargeback has none either.
func (e *vendorStampCard) Chargeback(c issuer.Chargeback) error {
	_, err := e.card(c.Account)
	return err
}

// CloseStatement does nothing: there are no statements.
func (e *vendorStampCard) CloseStatement(account string) error {
	_, err := e.card(account)
	return err
}

// Redeem takes whole credits of 5.00 only.
func (e *vendorStampCard) Redeem(r issuer.Redemption) (bool, error) {
	c, err := e.card(r.Account)
	if err != nil || r.Amount%vendorStampsCredit != 0 {
		return false, err
	}
	return c.book.pay(r, c.book.balance()), nil
}

// Balance is the credits of full cards.
func (e *vendorStampCard) Balance(account string) (issuer.Balance, error) {
	c, err := e.card(account)
	if err != nil {
		return issuer.Balance{}, err
	}
	return issuer.Balance{Balance: c.book.balance(), Redeemable: c.book.balance()}, nil
}

// Postings are the credits.
func (e *vendorStampCard) Postings(account string) []Posting {
	if c := e.cards[account]; c != nil {
		return append([]Posting(nil), c.book.posts...)
	}
	return nil
}

var vendorStampsDesign = Design{
	Name:   "vendor-stamp-card",
	Source: "digital stamp cards: one stamp per qualifying purchase above a minimum, limits per day, credit when the card is full (rewardloyalty.co/docs/stamp-cards/faq; support.yoyowallet.com on stamps)",
	Published: "One stamp for each DINING purchase (MCC 5812) of $4.00 or more, at most three stamps per calendar day (UTC, by the day the purchase reaches us). The tenth stamp fills the card: $5.00 of credit post at once, and the next stamp begins a new card." +
		" Credit can be redeemed at once, in steps of $5.00. Stamps and credit do not expire. Stamps are for purchases that you keep: a returned purchase does not count.",
	How:      "A counter of stamps per account. There is no handler for returns at all: refunds and chargebacks are taken and have no effect, neither on stamps nor on the credit of a full card. Duplicates of a purchase are stamped once.",
	Class:    "V1",
	Leak:     "Ten purchases of $4.00 over four days fill a card; redeem $5.00 and return all ten. Net purchases of nothing, no stamp is taken: $5.00 ahead per ten purchases.",
	Currency: "USD",
	New:      vendorNewStampCard,
}
