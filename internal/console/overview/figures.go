package overview

import (
	"time"

	"recoup/internal/console/risk"
	"recoup/internal/store/durable"
	"recoup/reward"
)

// Figures are those of all programs as of a moment. They are not to be changed.
// Amounts are minor units; sums that 63 bits do not hold stop at the largest
// number that they do.
type Figures struct {
	AsOf time.Time
	Took time.Duration // how long the reading took
	// Accounts counts all accounts, and Events what is logged of them.
	Accounts, Events int64
	Currencies       []Currency // by code
	Programs         []Program  // by id
	Reviews          Reviews
	Refunds          Refunds
	Listing          *Listing
	// Risk is what the log says of what may be lost; nil until it was read first.
	Risk     *risk.Figures
	Webhooks Webhooks
	Checks   Checks
}

// Currency has the figures of the accounts whose rewards are in one currency, or in one
// unit of programs' own.
type Currency struct {
	Currency string // or the unit
	Accounts int64
	Owed     int64 // Σ of the balances above zero: what is owed to cardholders
	Debt     int64 // Σ of those below zero, without sign: what cardholders owe
	Held     int64 // of the balances, what may not be redeemed yet
	Owning   int64 // accounts whose balance is above zero
	// HeldMonths are the months in which what was held is known, the earliest first.
	HeldMonths []HeldMonth
	// Cycles are the last cycles, the earliest first, with none left out.
	Cycles []Cycle
	// Calendar is a program by whose zone and statement day those begin and close; nil
	// where programs of the currency differ in that, and each counts in its own.
	Calendar *reward.Program
	Debts    Debts
	// Holders are the accounts that hold most, at most MostHolders of
	// HoldingAccounts.
	Holders         []Holder
	HoldingAccounts int64
}

// Cycle adds up the statements of a billing cycle.
type Cycle struct {
	Cycle reward.Cycle
	// Accounts have a statement of the cycle, which is to say a posting in it.
	Accounts int64
	// Granted, ClawedBack, Redeemed, Expired and Adjusted are as in ledger.Statement.
	Granted, ClawedBack, Redeemed, Expired, Adjusted int64
}

// Debts are the balances below zero, by their age.
type Debts struct {
	Accounts int64 // that owe
	// Ages add up the debtors that were examined.
	Ages []DebtAge
	// Debtors are those who were examined, those who owe most first; at most
	// MostDebtors.
	Debtors []Debtor
	// Unexamined counts the accounts that owe and are in none of the ages, and
	// UnexaminedDebt what they owe: they are too many and owe less than all
	// others, or their journal cannot be read, which is in the log.
	Unexamined, UnexaminedDebt int64
}

// DebtAge adds up the debts that are so many whole days old.
type DebtAge struct {
	From, To int // days, both included; To is zero for the last, without an end
	Accounts int64
	Debt     int64
}

// Debtor is an account that owes.
type Debtor struct {
	Account, Program string
	Closed           bool
	Debt             int64          // above zero
	Since            reward.Instant // of the oldest posting that is not repaid
	Days             int            // whole days since then
	Latest           reward.Instant // the account's latest time
}

// Holder is an account that has rewards which may not be redeemed yet.
type Holder struct {
	Account, Program string
	Held             int64 // above zero
	Balance          int64
	Latest           reward.Instant // the account's latest time
}

// Program is a program with its versions in force and to come.
type Program struct {
	ID       string
	Accounts int64
	InForce  durable.ProgramVersion
	// Upcoming are the versions that are published and not in force yet, the next
	// one first.
	Upcoming []durable.ProgramVersion
}

// Webhooks are the outgoing deliveries.
type Webhooks struct {
	Due, Dead           int64 // yet to be made, and given up
	Endpoints, Disabled int64 // endpoints, and how many of them are disabled
}

// Checks are what the last checks found.
type Checks struct {
	Verify     Verification
	Checkpoint Checkpoint
	Sealed     int64 // events that are sealed, of Figures.Events
}

// Verification is the last `recoup verify`.
type Verification struct {
	At                            time.Time // zero: there was none
	Accounts, Events, Differences int64
}

// Checkpoint is the last `recoup checkpoint`.
type Checkpoint struct {
	At               time.Time // zero: there was none
	Origin           string
	Accounts, Events int64
}
