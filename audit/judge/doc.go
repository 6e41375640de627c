// Package judge holds one account's history against the published terms of its
// program: what the account was entitled to, what it got, and, refund by refund,
// what became of the reward.
package judge
