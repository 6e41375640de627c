// Package audit finds out from a reward program's exports whether refunds took the rewards back:
// what leaked, to whom, through which flaw. The way of the data is one way:
//
//	files → intake (rows in one form) → spill (by account, on disk)
//	      → judge (one account at a time) → Tally (sums that add up) → Report
//
// Tallies of parts of the accounts add up to the tally of all, so that exports
// can be audited on several machines and merged.
package audit
