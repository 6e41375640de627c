// Package spill brings the rows of an account together. Exports come in order of
// time, or in none; an audit looks at one account at a time. A Store takes rows
// from any number of senders at once, and then hands out every account with all
// its rows, in memory that does not grow with the exports:
//
//	store, err := spill.New(spill.Options{})
//	defer store.Close()
//	…
//	err = store.Add(rows) // from several goroutines
//	…
//	err = store.Each(ctx, 2, func(worker int, h *history.History) error { … })
//
// # How
//
// Rows are collected in memory. When there are many they are sorted by account, time
// and kind, and written as a table of Pebble's (pile.go), while the next ones are
// collected. The first tables and the last stay in memory, so that small exports never
// touch the disk. Each walks over all tables with an iterator of Pebble's, which merges
// them (each.go). An account whose rows alone do not fit is loaded all the same, since
// nobody can do without them.
//
// Rows of an account come in the order of history.Sort: by time, then kind, and
// those of one moment and kind as they were added. Rows of one sender keep their
// order, so that a file that one sender reads from start to end stays as it is;
// rows that different senders add at once come in any order among each other.
// Accounts come in no particular order.
//
// ShardOf deals accounts out to machines by a hash that never changes and has no
// seed: every machine reads all exports and keeps the accounts of its shard. Span
// counts the rows of all, so that the machines agree on where the exports end.
//
// # On disk
//
// Rows are account data. The temporary file can be read by its owner only, and it
// has no name any more as soon as it is open: however the process ends, the system
// frees it, and nothing of it stays behind. (It shows as space in use that no
// folder accounts for, in lsof as deleted.) Every block of a table has a checksum;
// one that does not come back as it was written is an error. The folder should be
// on a disk: on many systems /tmp is kept in memory, which is just what spilling
// is to spare.
package spill
