// Package demo makes up the sample data that `recoup serve --demo` starts with:
// nine months of seven reward programs and about 300 accounts, up to the present
// moment.
//
// Most of it is the crowd, whose spending package traffic makes up, so that
// charts and lists have something to show. Some accounts have names: each of them
// is a story that shows one idea (see Cast). What nobody has worked off yet waits
// on the review list (see openEnds).
//
// Everything is dated from the moment that the data is loaded at: whole months
// back where a story needs a month, days back where it needs an age. The same
// moment gives the same data. It goes through the engine as any event does, with
// a clock that goes along, so that also the programs' versions, the receipts and
// the closes of cycles are where a real service would have them.
package demo
