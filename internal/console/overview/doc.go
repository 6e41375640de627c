// Package overview works out the figures of a whole program: what it owes and is
// owed, what it granted and took back, how late refunds come, what waits for
// somebody.
//
// They take reading every account, so they are read in the background, now and
// again, and kept in memory with the time as of which they were read. A page
// shows what is there and never waits. What can be remembered from one reading to
// the next is: the sums of cycles that are over, since when an account owes, when
// the purchases of refunds settled.
//
// A reading goes through the accounts a page at a time, so that nobody waits for
// it. While events come in, its pages are therefore of slightly different
// moments: the figures are for people and alerts, the journal is for the books.
package overview
