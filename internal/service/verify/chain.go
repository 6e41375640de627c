package verify

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"

	"recoup/internal/store/durable"
	"recoup/internal/store/erasure"
)

// Hash is a SHA-256 hash.
type Hash [sha256.Size]byte

// String returns the hash in base64, as checkpoints show it.
func (h Hash) String() string { return base64.StdEncoding.EncodeToString(h[:]) }

// The tags keep what is hashed for one purpose from being taken for another.
// They name the version of the format: other bytes, another tag.
const (
	accountTag = "recoup account 1\n"
	eventTag   = "recoup event 1\n"
	sentTag    = "recoup event 2\n"
)

// Chain is the hash chain over the events of one account:
//
//	h(0) = SHA-256("recoup account 1\n" pseudonym)
//	h(i) = SHA-256("recoup event 1\n" h(i−1) row(i))            of an event without a principal
//	h(i) = SHA-256("recoup event 2\n" h(i−1) principal row(i))  of one with
//
// A row is all that the log has of an event besides its account: number,
// sequence, before and received as 64-bit integers, then source, id, type,
// outcome and code by their names on the wire, the event's line and its
// postings, each after its length as a 32-bit integer; all integers big-endian.
// Of an account with a key the line and the postings are those that package erasure makes,
// with tokens in place of what is personal, and the pseudonym is a token as well; of one
// without, such as one that was forgotten, they are what is stored, and the account's id.
// So the chain of an account is the same before and after it is forgotten.
// Number and before are covered since they are how statements and readers refer
// to events. The principal is who sent the event, after its length as a 32-bit
// integer; one that is taken away changes the tag, so events of before there were
// principals verify as they were, and nobody can be made one of them.
type Chain struct {
	hash   Hash
	key    *erasure.Key
	eraser *erasure.Eraser // of the key, as soon as it is needed
	room
}

// room is what a chain works in.
type room struct{ scratch, text []byte }

// Start begins the chain of an account, whose key is nil if it has none.
func (c *Chain) Start(account string, key *erasure.Key) { c.Resume(nameOf(account, key), key) }

// nameOf is what the chain of an account begins with, and what checkpoints call it.
func nameOf(account string, key *erasure.Key) Hash {
	return sha256.Sum256([]byte(accountTag + key.Pseudonym(account)))
}

// Resume continues a chain after the event that it was at.
func (c *Chain) Resume(at Hash, key *erasure.Key) { c.hash, c.key, c.eraser = at, key, nil }

// Add adds the account's next event.
func (c *Chain) Add(row *durable.EventRow) {
	if c.eraser == nil {
		c.eraser = c.key.Eraser()
	}
	tag := eventTag
	if row.Principal != "" {
		tag = sentTag
	}
	b := append(append(c.scratch[:0], tag...), c.hash[:]...)
	if row.Principal != "" {
		b = append(binary.BigEndian.AppendUint32(b, uint32(len(row.Principal))), row.Principal...)
	}
	for _, n := range [...]int64{row.Number, row.Sequence, row.Before, int64(row.Received)} {
		b = binary.BigEndian.AppendUint64(b, uint64(n))
	}
	for _, s := range [...]string{row.Source, row.ID, row.Type, row.Outcome.String(), row.Code.String()} {
		b = append(binary.BigEndian.AppendUint32(b, uint32(len(s))), s...)
	}
	c.text = c.eraser.AppendLine(c.text[:0], row.Event)
	b = append(binary.BigEndian.AppendUint32(b, uint32(len(c.text))), c.text...)
	c.text = c.eraser.AppendPostings(c.text[:0], row.Postings)
	b = append(binary.BigEndian.AppendUint32(b, uint32(len(c.text))), c.text...)
	c.hash, c.scratch = sha256.Sum256(b), b
}

// Hash returns the hash after the last event that was added.
func (c *Chain) Hash() Hash { return c.hash }
