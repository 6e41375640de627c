// Package judge holds one account's history against the published terms of its
// program: what the account was entitled to, what it got, and, refund by refund,
// what became of the reward.
//
// Data flows one way, each step in a file or a few of its own:
//
//   - facts.go lists purchases and refunds.
//   - play.go plays the facts through the core of Recoup: what was owed after each fact,
//     by the published terms, and on wish what Recoup would have done. No rule of the
//     terms is known here: steps, caps of any period, bonuses, tiers and statement days
//     are the core's. owe.go notes of which purchase and refund that is, and before.go
//     holds the terms against what came before anything was returned.
//   - trace.go goes through the rows; credit.go, debit.go, late.go and sum.go find out
//     which purchase each reward row was granted for and which refund each clawback was
//     of, be they named or not, one by one or in a sum, by what is owed. debt.go notes
//     how debts end.
//   - refund.go makes a case of each refund; month.go, wait.go, round.go and figures.go
//     add up.
//   - signs*.go look for flaws that a single refund, redemption or purchase shows by an
//     amount or a time. Which kinds of refunds take nothing is told from all accounts, in
//     package audit.
//
// Exports are noisy: rows are late, people adjust balances by hand, refunds do not
// name their purchase. Where rows allow more than one reading, the one is taken
// that speaks for the program, or there is no sign at all. What leaked in sum does
// not depend on any reading.
package judge
