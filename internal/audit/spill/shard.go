package spill

import "math/bits"

// shardOf returns the shard among n, from 0 to n-1, of an account of that hash; 0 if n is less
// than two. It is a promise: every machine reads all exports and keeps the accounts of its
// shard, and their versions may differ. It goes by the hash's upper bits; stretches go by the
// lower ones, so that the accounts of one shard fill them all.
func shardOf(hash uint64, n int) int {
	shard, _ := bits.Mul64(hash, uint64(max(n, 1)))
	return int(shard)
}

// hash is FNV-1a (64 bits) of the account's bytes and then the final mix of MurmurHash3,
// without which the upper bits of similar accounts are alike. It has no seed.
func hash(account string) uint64 {
	h := uint64(0xcbf29ce484222325)
	for i := range len(account) {
		h = (h ^ uint64(account[i])) * 0x100000001b3
	}
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}
