// Package judge holds one account's history against the published terms of its
// program: what the account was entitled to, what it got, and, refund by refund,
// what became of the reward.
//
// A Judge goes over a history in four steps, each in a file or a few of its own.
//
//   - terms.go plays the facts through the core of Recoup under the program as it
//     is written. Its entitlement is the account's, and what it would have granted,
//     held and refused is the simulation.
//   - trace*.go find out which purchase each reward row was granted for and which
//     refund each clawback was of, be they named or not, one by one or in a sum.
//   - refund.go makes a case of each refund; month.go, wait.go, round.go and figures.go
//     add up.
//   - signs*.go look for flaws: one Sign for each opportunity that a flaw had.
//
// Exports are noisy: rows are late, people adjust balances by hand, refunds do not
// name their purchase. Where rows allow more than one reading, the one is taken
// that speaks for the program, or there is no sign at all. What leaked in sum does
// not depend on any reading.
package judge
