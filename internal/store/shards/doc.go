// Package shards keeps one ledger in many PostgreSQL schemas, on one server or on many:
// each is a shard, has some of the accounts, and is a lane of its durable.Database.
//
// # Who is where
//
// An account's bucket is a hash of its id that never changes; which shard has a bucket is
// said by the placements at home, which is one schema more. That is the one place that
// decides. The [File] that people pass around says where home is and repeats the rest, so
// that nobody starts on a copy that is out of date; and each schema knows its ledger, its
// number and its epoch, so that nobody writes to one that has been left.
//
// # Moving
//
// See [Mover]. A shard that is moved is copied while it works. Then its schema is closed:
// every transaction asks whether its schema is open and of the epoch that it was opened
// at, so what is committed before is copied and nothing is committed after. When the
// copy is proved, one commit at home places the shard at its new schema with the next
// epoch. Whoever is refused asks home, and goes on there; see [lane].
//
// A schema is closed in the name of a move, by a token. Whoever finds one closed for too
// long takes the move away from the mover, at home, where the mover would have to find it
// to finish; then the schema can be opened again. So a mover may die, or hang, at any point.
package shards
