package verify

import (
	"context"
	"fmt"

	"recoup/internal/store/durable"
	"recoup/internal/store/erasure"
	"recoup/internal/store/record"
)

// Lack is what a database has less than a checkpoint covers.
type Lack struct {
	Accounts int64
	Events   int64
	First    string // the first of the accounts; "": none of them is there
}

// Lacks compares how many events the accounts say that they have with how many a
// checkpoint covers: so it is quick, and finds what was lost, such as with the end of a
// log that was cut, but not what was changed, which is what Run is for.
func Lacks(ctx context.Context, db Database, leaves *LeafReader) (l Lack, err error) {
	c, _, err := newCovered(leaves, "")
	if err != nil {
		return l, err
	}
	defer c.close()
	for after, more := "", true; more && err == nil; {
		err = db.View(ctx, func(r durable.Reader) error {
			rows, err := readRows(ctx, r, after, accountsAtATime)
			if more = len(rows) > 0; err != nil || !more {
				return err
			}
			last := rows[len(rows)-1].Account
			keys, err := erasure.KeysOf(ctx, r, accountSpan(after, last))
			for i := 0; i < len(rows) && err == nil; i++ {
				err = l.add(c, &rows[i], keys[record.Key(rows[i].Account)].Key)
			}
			after = last
			return err
		})
	}
	if err == nil {
		err = c.missed(func(leaf *Leaf) {
			l.Accounts++
			l.Events += leaf.Sequence
		})
	}
	if err != nil {
		return l, fmt.Errorf("comparing the accounts with a checkpoint: %w", err)
	}
	return l, nil
}

// add compares an account with its leaf. One that cannot be read is not lost; Run says what
// is wrong.
func (l *Lack) add(c *covered, row *accountRow, key *erasure.Key) error {
	leaf, err := c.find(nameOf(row.Account, key))
	if err != nil || leaf == nil || row.damage != nil || row.Version >= leaf.Sequence {
		return err
	}
	if l.Accounts == 0 {
		l.First = row.Account
	}
	l.Accounts++
	l.Events += leaf.Sequence - row.Version
	return nil
}
