package compare

import "time"

// Comparison is what programs of different designs made of one stream of events.
// Amounts are in minor units and sums over all accounts.
type Comparison struct {
	Program  string    `json:"program"`
	Currency string    `json:"currency"`
	From     time.Time `json:"from"` // the earliest event's time
	To       time.Time `json:"to"`   // the latest's
	Events   int64     `json:"events"`
	Accounts int64     `json:"accounts"`
	// Refunds counts those that posted, as delivered, and UnlinkedRefunds those of
	// them that name no purchase.
	Refunds         int64 `json:"refunds"`
	UnlinkedRefunds int64 `json:"unlinked_refunds"`
	// LeftOut counts, by type, the events that no design was given.
	LeftOut map[string]int64 `json:"left_out"`
	// Purchased is the sum of the purchases that posted, NetSpend what is left of
	// it after all reversals.
	Purchased int64 `json:"purchased"`
	NetSpend  int64 `json:"net_spend"`
	// Entitlement is what the published terms promise on the net spend: what every
	// design is judged by.
	Entitlement int64     `json:"entitlement"`
	Judged      Judged    `json:"judged"`
	Designs     []Figures `json:"designs"`
	// NotSupported are the designs that cannot say the program's terms.
	NotSupported []string `json:"not_supported,omitempty"`
	// Of designs that were not told the links: Recoup as it ends if it is told all of
	// them from the start, and if somebody resolves its reviews.
	Told        *Figures     `json:"told,omitempty"`
	Resolutions []Resolution `json:"resolutions,omitempty"`
}

// Judged says by whose reckoning designs have too much or too little.
type Judged struct {
	// LinksWithheld: the designs were given refunds without the links by which they
	// are judged.
	LinksWithheld bool `json:"links_withheld"`
	// Refunds of which what was returned is asked, and Unlinked those of them, with
	// their amount, that name no purchase there either.
	Refunds        int64 `json:"refunds"`
	Unlinked       int64 `json:"unlinked"`
	UnlinkedAmount int64 `json:"unlinked_amount"`
	// ByReckoning is how much of the entitlement Recoup takes away by its own
	// reckoning, told all links: for refunds without one, and for what refunds
	// exceed their purchase by. Zero: the links alone say what is due.
	ByReckoning int64 `json:"by_reckoning"`
}

// Figures are what one design made of the stream, seen from outside. Amounts are
// in minor units.
type Figures struct {
	Design string `json:"design"`
	Title  string `json:"title"`
	// Granted and ClawedBack are by how much the sum of balance and payouts of an
	// account rose and fell, call by call.
	Granted    int64 `json:"granted"`
	ClawedBack int64 `json:"clawed_back"`
	// Redeemed is what was paid out, asked for or not.
	Redeemed int64 `json:"redeemed"`
	// NetReward is balance and redeemed together (paper, equation 2).
	NetReward int64 `json:"net_reward"`
	// Leakage is what accounts have above their entitlement, and AccountsAbove
	// how many do. What others lack is not set off against it: that is ShortPaid.
	Leakage       int64 `json:"leakage"`
	AccountsAbove int64 `json:"accounts_above"`
	ShortPaid     int64 `json:"short_paid"`
	AccountsBelow int64 `json:"accounts_below"`
	// Shortfall is what of ShortPaid is not the rounding down of each purchase's
	// reward, which no program can help, and AccountsShort whom it concerns.
	Shortfall     int64 `json:"shortfall"`
	AccountsShort int64 `json:"accounts_short"`
	// Debt is what accounts with a negative balance owe in the end. It is not
	// leakage as long as somebody may earn it back; from those who have left for
	// good it is a loss all the same.
	Debt         int64 `json:"debt"`
	AccountsOwed int64 `json:"accounts_in_debt"`
	// NoPath counts, by type, the events for which the design has no move.
	NoPath map[string]int64 `json:"no_path,omitempty"`
}
