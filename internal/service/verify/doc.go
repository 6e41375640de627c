// Package verify checks a database independently of the store that wrote it,
// and makes it evident when somebody changed it behind the engine's back.
//
// # The check
//
// [Run] takes nothing from the store's own aggregates. For each account it reads
// the log of events and replays it through a fresh reward.Account: outcome, code
// and postings must come out as they were logged, byte for byte. The journal,
// which is the postings in the log, must by itself add up: numbers without gaps,
// the running balance, double entry, statements that tie out. All invariants of
// package reward must hold. What the store keeps besides the log, the account's
// row, its parts and its statements, must be what the replay ends with, nothing
// missing and nothing more. Each [Difference] is named.
//
// # The evidence
//
// Whoever can write to the database can change an event and all that follows
// from it, and no recomputation will notice. Therefore the events of an account
// form a chain of hashes (see [Chain]). [Seal] follows the log in the background
// and keeps the end of each chain; a [Checkpoint] is the root of a Merkle tree
// over the ends of all chains, signed, to be kept where those who can write to
// the database cannot. docs/verify.md says what each of them can and cannot show.
package verify
