// Package judge holds one account's history against the published terms of its program: what
// the account was entitled to, what it got, and, refund by refund, what became of the reward.
//
// Data flows one way:
//
//   - facts.go lists purchases and refunds.
//   - struck.go makes one row of what is struck out and granted anew.
//   - follow.go goes through the rows. owe.go notes what each fact is owed, which play.go asks
//     the core of Recoup: no rule of the terms is known here. credit.go, grant.go, debit.go and
//     sum.go find out what each reward row is for, by what is owed; debt.go notes how debts
//     end, before.go what the terms come to before anything was returned.
//   - simulate.go plays what Recoup would have done, with what moves the balance.
//   - cases.go says what became of each refund; readings.go and bends.go say what the terms leave
//     open; figures.go and months.go add up, and redeemed.go goes through redemptions.
//   - neglect.go tells from the account's sums which refunds are left out, where rows do not.
//   - signs*.go look for flaws that a single refund, purchase or redemption shows by an amount
//     or a time, and story.go spells them out. Which kinds of refunds take nothing is told from
//     all accounts, in package audit.
//
// Exports are noisy: rows are late, people adjust balances by hand, refunds do not name their
// purchase. Where rows allow more than one reading, the one is taken that speaks for the
// program, or there is no sign at all. What leaked in sum does not depend on any reading.
package judge
