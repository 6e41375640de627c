// Package drivertest is the conformance suite that every driver of the durable
// store must pass. It goes through durable.Driver alone, on a real database, and
// knows nothing of how a driver locks.
package drivertest

import (
	"testing"

	"recoup/internal/store/durable"
)

// Open returns a driver on an empty, migrated database. It is called once for
// each test, which owns what it returns; what has to be released is released by
// t.Cleanup.
type Open func(t *testing.T) durable.Driver

// Run runs the suite.
func Run(t *testing.T, open Open) {
	for _, c := range []struct {
		name string
		test func(*testing.T, *subject)
	}{
		{"load/what was never written is not there", nothingThere},
		{"load/an account comes back as it was written", accountComesBack},
		{"load/an account at the version held comes without its head", heldAccount},
		{"load/accounts come in byte order", loadedInByteOrder},
		{"load/an identity finds the line that was logged under it", identities},
		{"load/parts of every kind come back as they were written", partsComeBack},
		{"load/working parts come with the head", workingParts},
		{"load/a part that was written again is replaced", partsAreReplaced},
		{"load/numbers rise and are allotted once", numbers},

		{"find/ids", findIDs},
		{"find/working", findWorking},
		{"find/bucket", findBucket},
		{"find/settled", findSettled},
		{"find/pages", findPages},
		{"find/in the transaction that loaded the account", findInTransaction},

		{"write/an error keeps nothing", errorKeepsNothing},
		{"write/a panic keeps nothing and does not wedge the database", panicKeepsNothing},
		{"write/a cancelled context keeps nothing", cancelledKeepsNothing},
		{"write/a conflict is tried again from the beginning", conflictIsRetried},
		{"write/a conflict that stays is an error", conflictThatStays},
		{"write/a row based on an old version is a conflict", oldBase},
		{"write/a row that is new twice is a conflict", newTwice},
		{"write/10,000 events of 2,000 accounts", bigUnit},
		{"write/nothing at all", emptyUnit},
		{"write/twice in one unit of work", writeTwice},
		{"write/records are written with their events", recordsWithEvents},

		{"replace/what is kept of an account, but not its log", replaced},
		{"forget/all that is kept of an account, for another under its numbers", forgotten},

		{"read/one account", readAccount},
		{"read/what several accounts are opened with", readOpened},
		{"read/accounts in byte order, page by page", readAccounts},
		{"read/parts by their id alone, of whichever accounts", readNamed},
		{"read/parts by their id alone, in one snapshot", readNamedSnapshot},
		{"read/accounts that are due, the longest overdue first", readDue},
		{"read/an event by its identity", readEvent},
		{"read/an event by its number", readNumbered},
		{"read/an account's events backwards, page by page", readEvents},
		{"read/all events by account and in order", readEventsOf},
		{"read/all events, stopped by an error", readEventsOfStopped},
		{"read/an account while all events are read", readWithinEventsOf},
		{"read/statements backwards, page by page", readStatements},
		{"read/statements of a cycle", readStatementsOfCycle},
		{"read/sums of statements by cycle and program", readStatementSums},
		{"read/the review list, page by page", readReviews},
		{"read/one snapshot", readSnapshot},
		{"read/the log backwards, by type", logBack},
		{"read/the database answers", ping},
		{"write/the database takes changes", tryWrite},

		{"inspect/census", census},
		{"inspect/the events of an account, whether or not its log leads to them", loose},
		{"inspect/the log by number, whether or not something leads to it", wholeLog},
		{"inspect/what is kept of accounts", kept},

		{"records/what is put is there, and what is deleted is not", recordsComeBack},
		{"records/spans, both ways", scanSpans},
		{"records/a scan ends where it is told to", scanStopped},
		{"records/tables of any names, keys of any bytes", recordsOfAnyBytes},
		{"records/a change reads what it has written", changeReadsItself},
		{"records/a change is kept whole or not at all", changeIsAtomic},
		{"records/changes run one after the other", countedByMany},
		{"records/one snapshot", recordSnapshot},
		{"records/a unit of work reads what is committed", recordsInUnit},

		{"concurrency/units on one account run one after the other", oneAccount},
		{"concurrency/a new account is made once", racingForNewAccounts},
		{"concurrency/accounts loaded in opposite order", oppositeOrder},
		{"concurrency/numbers are allotted once", racingForNumbers},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, &subject{open(t)}) })
	}
}
