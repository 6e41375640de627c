package verify

import (
	"context"
	"errors"
	"fmt"
	"io"

	"recoup/internal/store"
	"recoup/internal/store/durable"
)

// Lack is what a database has less than a checkpoint covers.
type Lack struct {
	Accounts int64
	Events   int64
	First    string // the first of the accounts
}

// Lacks compares how many events the accounts say that they have with how many a
// checkpoint covers: so it is quick, and finds what was lost, such as with the end of a
// log that was cut, but not what was changed, which is what Run is for.
func Lacks(ctx context.Context, db Database, leaves *LeafReader) (l Lack, err error) {
	list := make([]Leaf, 0, accountsAtATime)
	for more := true; more; {
		list = list[:0]
		for more && len(list) < accountsAtATime {
			leaf, err := leaves.Read()
			if more = !errors.Is(err, io.EOF); more {
				if err != nil {
					return l, err
				}
				list = append(list, leaf)
			}
		}
		if err := l.add(ctx, db, list); err != nil {
			return l, fmt.Errorf("comparing the accounts with a checkpoint: %w", err)
		}
	}
	return l, nil
}

// add compares the accounts of some leaves. More accounts may lie between them.
func (l *Lack) add(ctx context.Context, db Database, list []Leaf) error {
	return db.View(ctx, func(r durable.Reader) error {
		var rows []accountRow
		for i := range list {
			leaf := &list[i]
			for len(rows) > 0 && rows[0].Account < leaf.Account {
				rows = rows[1:]
			}
			if len(rows) == 0 {
				var err error
				if rows, err = readRow(ctx, r, leaf.Account); err != nil && !store.IsDamage(err) {
					return err
				}
				next, err := readRows(ctx, r, leaf.Account, accountsAtATime)
				if err != nil && !store.IsDamage(err) {
					return err
				}
				rows = append(rows, next...)
			}
			have := int64(0)
			if len(rows) > 0 && rows[0].Account == leaf.Account {
				if have = rows[0].Version; rows[0].damage != nil {
					continue // it is not lost; Run says what is wrong
				}
			}
			if have < leaf.Sequence {
				if l.Accounts == 0 {
					l.First = leaf.Account
				}
				l.Accounts++
				l.Events += leaf.Sequence - have
			}
		}
		return nil
	})
}
