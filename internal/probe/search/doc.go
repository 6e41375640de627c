// Package search looks for sequences of documented moves that take money out of
// a program and that the catalogue of package scenario does not have.
//
// It makes sequences by chance, plays each in a fresh account, and lets time
// pass until everything that waits has been posted. What the account then shows
// is compared with what Recoup shows after the same moves under the same terms.
// A difference is a defect if it is more than rounding: a unit for each fact.
//
// A sequence with a defect is played again, and then shrunk: moves are left out,
// amounts made round, waits shortened, as long as a defect of the same kind
// stays. What is left is told step by step, as a scenario file and as a script
// for curl. Two sequences that shrink to the same moves are one find, and a find
// that shrinks to the same moves as a scenario of the catalogue says so.
//
// The same seed makes the same sequences at a program that answers alike.
package search
