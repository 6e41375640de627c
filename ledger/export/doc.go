// Package export writes the journal of rewards as double entry for accountants:
// for hledger, for Beancount and as CSV.
//
// # The chart
//
// Nine accounts, of which three divide what the ledger behind a balance knows as
// one, the liability to cardholders:
//
//   - liabilities:cardholder rewards:pending is what is held: rewards that have
//     not matured, and what a refund that was delivered or announced is about to
//     take back.
//   - liabilities:cardholder rewards:available is the rest of what is owed to
//     cardholders whose balance is above zero. Where more is held of a cardholder
//     than there is left, it falls below zero by the difference.
//   - assets:receivable from cardholders is what those owe whose balance is below
//     zero.
//   - expenses:rewards, expenses:adjustments, income:expired rewards and
//     assets:redemption clearing are the other side.
//
// So pending is the sum of what is held, both liabilities together are the sum of
// all balances above zero, and liabilities less receivable are the sum of all
// balances.
//
// # Where it comes from
//
// What is held is in no posting; it follows from the events. So each account's
// log is applied to an account that begins empty, by the same rules, and its
// balance and its held amount are looked at after each step. The postings that
// this gives must be those in the log; if they are not, the export stops with a
// *Difference.
//
// Every posting becomes a balanced transaction that says why. What moves between
// pending and available without a posting, or beyond what the postings of the
// same step explain, is a transaction of its own.
//
// # Dates
//
// Dates are UTC. A posting has its own. A reward that matures and an announced
// refund that was not heard of again are dated when that happened, although an
// account only learns of it with its next event. The exception is an account that
// had work for a close and slept over the ends of two cycles or more: it does that
// work as of the last close, and what ended in the cycles between is dated there
// too. (A service closes the cycles of such accounts on time.) Nothing happens
// after an account's last event unless Options.Until moves it on.
//
// # Order and size
//
// Transactions come by account, and within one by time. Nothing is sorted by
// date, so the memory needed is that of the largest accounts, however long the
// log. hledger and Beancount order by date themselves.
//
// # What comes from outside
//
// Ids, merchants and reasons are text that anybody may have chosen. Each format
// writes it such that it cannot end the field it is in; see escape.go.
package export
