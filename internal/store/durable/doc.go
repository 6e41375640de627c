// Package durable keeps accounts in a database. It is one store over a small
// driver interface; the folders pebble and postgres beside it are its drivers, and shards is many of the
// latter.
//
// The log of events is the truth: every event that left a trace, as it was
// delivered, with its outcome and the postings that it caused. It is only ever
// appended to. The rest is what the log adds up to, kept so that an event costs
// the same however long its account's history is: the account's head (its
// aggregates) and its parts (transactions, refunds, chargebacks, redemptions,
// adjustments, buckets of cycles that are over), of which a unit of work reads
// just those that its events touch. `recoup verify` recomputes all of it from
// the log.
//
// An account's row is the lock that serialises its events. The version on it
// counts them, so an account that the process has at hand from an earlier unit
// of work is used again if, and only if, the version is still the same, and the database
// has not been replaced by a copy that lacks the last of what was acknowledged: there the
// same version may be of other events. See Tx.Timeline.
package durable
