// Package pebble keeps accounts in a folder of files that are only ever written once:
// a log-structured merge tree, by the library of the same name. It is a driver of
// store/durable; docs/storage.md shows its keys and gives the reasons for them.
//
// A unit of work holds a lock in memory on each of its accounts from Load until it has
// ended, so one process holds the folder, and says so in it. What a unit writes is one
// batch, in the log of the tree and synced before Update returns. A reader has a
// snapshot. It shows what is committed, of which the very latest may still be on its
// way to the disk.
//
// When something cannot be written, it is unknown what of it is on the disk. The
// database then stops: see disk.
package pebble
