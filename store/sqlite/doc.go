// Package sqlite keeps a durable store in one SQLite file: the driver for a
// service that runs on one machine.
//
// A commit costs what it writes: a page for each row that lies apart from the
// others. The log of events only grows at its end, so a thousand events fill some
// 170 pages. But accounts, their parts and the index of identities are in order
// of the account, so a thousand events of a thousand accounts change about three
// thousand pages; writing those to the write-ahead log, syncing them and copying
// them into the file took most of the time.
//
// So a commit writes what it leaves of accounts, parts and identities as one row,
// into the backlog, which only grows at its end too. The backlog is in memory
// besides, in layers, and goes over what the tables have whenever something is
// looked up (part.go, account.go). A layer that is full is filed: written into
// the tables in the order of their keys, a little with each commit, so that a
// page is written once for all rows that it takes (filing.go). All of it is in
// the same file and in the same transactions: after a crash the backlog is read
// from its table, and other processes read there what they have not committed
// themselves (backlog.go).
//
// Nearly all that units of work look up is not there, since events are new. A
// filter says so without looking (filter.go). And SQLite's many small writes to
// the write-ahead log are joined (wal.go), which changes nothing about when
// something is durable: every commit is synced once, before it is answered.
//
// A snapshot is SQLite's snapshot of the tables with those rows of the backlog
// over it that the snapshot contains. Units of work run one after the other, each
// on SQLite's write lock, in whichever process.
package sqlite
