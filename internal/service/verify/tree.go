package verify

import (
	"crypto/sha256"

	"golang.org/x/mod/sumdb/tlog"
)

// Leaf is what a checkpoint covers of an account: its first Sequence events,
// by the hash of their chain.
type Leaf struct {
	Name     Hash // what the chain begins with: of the account, and nothing to tell it from
	Sequence int64
	Chain    Hash
}

// hash returns the hash of a leaf: of its name, the sequence as a 64-bit integer,
// big-endian, and the chain's hash.
func (l *Leaf) hash() Hash { return Hash(tlog.RecordHash(l.appendTo(nil))) }

// Tree is a Merkle tree with the hashing of RFC 6962, of which it keeps only
// what its root needs: one hash for each power of two in the number of leaves.
type Tree struct {
	size  int64
	roots []tlog.Hash // of whole subtrees, the largest first
}

// Add adds the next leaf; leaves come in byte order of their names.
func (t *Tree) Add(l *Leaf) { t.add(l.hash()) }

func (t *Tree) add(leaf Hash) {
	h := tlog.Hash(leaf)
	for n := t.size; n&1 == 1; n >>= 1 {
		last := len(t.roots) - 1
		h, t.roots = tlog.NodeHash(t.roots[last], h), t.roots[:last]
	}
	t.roots = append(t.roots, h)
	t.size++
}

// Size returns the number of leaves.
func (t *Tree) Size() int64 { return t.size }

// Root returns the root over the leaves so far.
func (t *Tree) Root() Hash {
	if t.size == 0 {
		return sha256.Sum256(nil)
	}
	h := t.roots[len(t.roots)-1]
	for i := len(t.roots) - 2; i >= 0; i-- {
		h = tlog.NodeHash(t.roots[i], h)
	}
	return Hash(h)
}
