package risk

import (
	"time"

	"recoup/reward"
)

// Figures are those of all accounts. They are not to be changed.
type Figures struct {
	AsOf time.Time
	Took time.Duration
	Options
	// Accounts were read, Unread cannot be: they are in none of the figures.
	Accounts, Unread int64
	Currencies       []Currency // by code
}

// Of returns the figures of a currency.
func (f *Figures) Of(code string) Currency {
	for _, c := range f.Currencies {
		if c.Currency == code {
			return c
		}
	}
	return Currency{Currency: code}
}

// Currency has the figures of the accounts whose rewards are in one currency or unit.
type Currency struct {
	Currency string
	Accounts int64
	// Exposed is what cardholders would owe besides if all purchases of the last
	// ReturnDays came back today: what was paid out of their rewards. Exposing counts
	// the accounts.
	Exposed, Exposing int64
	Days              []DayExposure  // of purchases, today last, with none left out
	Rules             []RuleExposure // the largest first
	// Dippers redeemed and returned more than once, those from whom most was taken first,
	// at most MostDippers of Repeaters. Dips and Taken are of all accounts.
	Dippers                []Dipper
	Repeaters, Dips, Taken int64
	Ages                   []DebtAge
	Closed                 DebtAge // of accounts that are closed, which are in no age
	Recovery               []Recovered
	// Forgiven is what debts were repaid with by hand, Stranded what closed accounts owe:
	// both are lost for good.
	Forgiven, Stranded int64
	Months             []Month // the earliest first
}

// Lost is what is gone for good.
func (c *Currency) Lost() int64 { return c.Forgiven + c.Stranded }

// Debt is what all accounts owe.
func (c *Currency) Debt() (sum int64) {
	for _, a := range c.Ages {
		Increase(&sum, a.Debt)
	}
	Increase(&sum, c.Closed.Debt)
	return sum
}

// Provision is what of the debts will be lost, if it goes on as it has.
func (c *Currency) Provision() (sum int64) {
	for _, a := range c.Ages {
		Increase(&sum, a.Provision)
	}
	Increase(&sum, c.Closed.Provision)
	return sum
}

// DayExposure is what is exposed of the purchases of a day, which is one of UTC.
type DayExposure struct {
	Day    reward.Instant
	Amount int64
}

// RuleExposure is what is exposed under a rule or bonus.
type RuleExposure struct {
	Program, Rule string
	Amount        int64
	Rewards       int64 // how many rewards of purchases that is
}

// MostDippers is how many dippers of a currency are named.
const MostDippers = 500

// Dipper is an account that redeemed and returned again and again.
type Dipper struct {
	Account, Program string
	Times            int
	Latest           reward.Instant // when the last refund was sent
	Paid, Taken      int64          // by the payouts, and of the rewards back
	Owes             int64
	// Bought and Returned are the pattern: how many days, in the middle, lay between
	// purchase and payout, and between payout and refund.
	Bought, Returned int
	Dips             []Dip // the latest first
}

// DebtAge adds up accounts that owe, by the age of the oldest posting that is not repaid.
type DebtAge struct {
	From, To       int // whole days, both included; To is zero for the last
	Accounts, Debt int64
	// Permille of it is expected to be lost; Provision is that, rounded up.
	Permille, Provision int64
}

// Recovered is how much of the debts that arose at least so many days ago was repaid
// within as many days: by rewards, not by hand.
type Recovered struct {
	Days                  int
	Debts, Arisen, Repaid int64
	// Share is how much of a debt is repaid within that time, in thousandths, rounded down.
	// It follows from all debts that are old enough for each step on the way there, so it
	// never falls, though those of each step are others.
	Share  int64
	before int64 // what of Repaid was repaid by the step before
	owed   int64 // what of a debt is still owed then, in parts of wholeDebt
}

// wholeDebt is all of a debt.
const wholeDebt = 1_000_000_000

// Month is where all accounts stood at the end of a calendar month of UTC, or stand in
// the one that is not over.
type Month struct {
	Month            reward.Cycle
	Owed, Debt, Lost int64
	// Arisen, Repaid and Forgiven are of debts: Repaid by rewards, Forgiven by hand.
	// Dips and Taken are of refunds that month.
	Arisen, Repaid, Forgiven int64
	Dips, Taken              int64
}
