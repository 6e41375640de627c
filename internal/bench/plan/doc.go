// Package plan works out how many servers a load takes, before anybody buys them: a
// simulation of shards on servers, fed with figures that were measured on one machine.
//
// Accounts are of very different activity, so shards are: Shares deals out accounts,
// whose activity falls with their rank by a power, to buckets by a hash, and buckets to
// shards. A Model then has events arrive at random, at each shard as often as its share
// says. Each process has one lane for each shard. A lane does one commit after the other:
// it takes what waits, up to a limit, applies it, has a processor of the shard's server
// work on it, waits for that server's disk, and for the standby. One sync of the disk is
// for all commits of a server that are ready when it begins, as PostgreSQL does it.
//
// What is not in the model: accounts that several lanes want at the same moment, memory
// that is too small, checkpoints, and a network that is full. Tests compare it with the
// closed forms of queues that it can be reduced to.
package plan
