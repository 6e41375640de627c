// Package spill brings the rows of an account together. Exports come in order of time, or in
// none; an audit looks at one account at a time. A Store takes rows from any number of
// senders at once, and then hands out every account with all its rows, in memory that does
// not grow with the exports.
//
// Rows are piled up in memory as bytes. A pile that is large enough is sorted and written as
// a table of Pebble's, while the next one grows. The first tables and the last stay in
// memory, so that small exports never touch the disk. Each walks over all tables with an
// iterator of Pebble's, which merges them. An account that does not fit is loaded all the same.
//
// Rows of an account come in the order of history.Sort: by time, then kind, and those of one
// moment and kind as they were added. Rows of one sender keep their order; rows that
// different senders add at once come in any order among each other, and so do accounts.
//
// Rows are account data. The temporary file can be read by its owner only, and has no name
// any more as soon as it is open: however the process ends, the system frees it. Every block
// of a table has a checksum; one that does not come back as it was written is an error. The
// folder should be on a disk: on many systems /tmp is kept in memory.
package spill
