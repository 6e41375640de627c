// Package risk works out, from the log of events alone, what a program stands to lose
// and has lost: what was paid out on purchases that can still come back, who redeems
// and returns again and again, how old debts are, how much of them ever comes back,
// and what is gone for good.
//
// The log of an account is read from its beginning, and what it says is kept in
// memory, a Book an account. It is read again when the account has had an event
// since. Amounts are minor units of what the account's rewards are in.
package risk
