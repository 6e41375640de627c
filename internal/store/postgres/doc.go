// Package postgres is the durable store's driver for PostgreSQL, which any
// number of processes may use at once.
//
// # One unit of work
//
// A unit of work is two exchanges with the server, however many accounts and
// events it has. The first begins the transaction, locks the rows of its
// accounts in byte order and reads what it needs; the second writes everything
// and commits. So rows are locked for about as long as one commit takes.
//
// READ COMMITTED is enough, since all that a unit of work decides by belongs to
// the accounts that it has locked. Each statement sees what was committed when
// it began; locking comes first, and waits for whoever has the account; from
// then on nobody else changes that account or its parts. A row that is not there
// cannot be locked: two transactions may both find an account new, and then the
// primary key of accounts lets one of them have it, and the other begins again
// and finds it. Every write of an account also names the version that it is
// based on, so that a change that was made without the lock is a conflict and
// not a lost update. A stricter level would add failures to retry and no safety.
//
// A row is waited for no longer than a commit should ever take (see stuck.go). Then it is
// looked at who has the rows: where the same transaction still holds some a moment later,
// the unit of work ends with a failure that names these accounts, so that whoever made it
// can do without them. A busy peer is another transaction by then, and the unit begins
// again. Where a table or the schema is locked as a whole, nothing can be written.
//
// What is retried is what is known to have left nothing: serialisation failures,
// deadlocks, conflicts, and connections that were lost before the commit was
// sent. A connection lost after that leaves open whether the transaction was
// committed: Update returns ErrOutcomeUnknown, and whoever sends the same events
// again finds those that were committed in the log.
//
// # Records
//
// What is beside the accounts lies in one table by name and key. A unit of work writes
// its records with all else. Whoever changes records otherwise does so under a lock of
// the schema's, one after the other, in every process; reading takes no lock.
//
// # Connections
//
// Units of work have their own connections, whose plans are pinned to index
// look-ups: they only ever look rows up by key, and a plan that was made while a
// table was empty must not be kept when it has grown. Reading uses others, which plan
// as usual, so a long read does not hold up the writers.
//
// Sessions are set up when they are opened, and have their statements prepared. Behind
// a pooler that hands out connections by transaction neither would last: with
// Options.Pooler each transaction is set up in the exchange that begins it, and each
// statement is parsed where it is sent. No lock here outlasts its transaction.
//
// When the server is gone, or says that it takes no changes any more, its connections
// are closed and others are made: with the same server, or with the one of the URL's
// hosts that takes changes by then. Each new connection is asked whether what the
// server acknowledges is kept, since it may be another server.
package postgres
