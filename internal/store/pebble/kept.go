package pebble

import (
	"bytes"
	"context"
	"fmt"

	lsm "github.com/cockroachdb/pebble/v2"

	"recoup/internal/kit/packed"
	"recoup/internal/store/durable"
	"recoup/reward"
)

// Kept implements durable.Inspector. It goes along the space of accounts and that of
// histories side by side.
func (r *reader) Kept(ctx context.Context, first, last string, f func(*durable.Kept) error) (err error) {
	defer func() {
		if first == last && lsm.IsCorruptionError(err) {
			err = damaged(first, err)
		}
	}()
	var k keeper
	for i, of := range []byte{accountSpace, historySpace} {
		o := lsm.IterOptions{LowerBound: key{of}.text(first), UpperBound: key{of + 1}}
		if last != "" {
			o.UpperBound = key{of}.text(last).after()
		}
		side := &k.sides[i]
		if side.Iterator, err = r.from.NewIter(&o); err != nil {
			return failure(err)
		}
		defer side.Close() // its errors have been returned
		if err := side.at(side.First()); err != nil {
			return err
		}
	}
	for k.next() {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := k.read(); err != nil {
			return err
		}
		if err := f(&k.kept); err != nil {
			return err
		}
	}
	return nil
}

// keeper gathers what is kept of one account after the other.
type keeper struct {
	sides [2]side
	owner []byte // the account at hand, as it is in keys
	kept  durable.Kept
	row   durable.AccountRow
	data  []byte // of the parts
}

// side is a place in a space of keys.
type side struct {
	*lsm.Iterator
	owner []byte // the account that the key is of, as it is in keys; nil at the end
}

// at takes note of where the iterator has come to.
func (s *side) at(ok bool) error {
	before := s.owner
	if s.owner = nil; !ok {
		if err := s.Error(); err != nil {
			return ofAccount(append(key{historySpace}, before...), err)
		}
		return nil
	}
	k := s.Key()
	if before != nil && bytes.HasPrefix(k[1:], before) {
		s.owner = before
		return nil
	}
	if s.owner = ownerOf(k); s.owner == nil {
		return failure(fmt.Errorf("key %q: %w", k, errDamaged))
	}
	return nil
}

// ownerOf is the account that a key is of, as it is in keys; nil if it is of none.
func ownerOf(k []byte) []byte {
	for at := 1; ; {
		end := bytes.IndexByte(k[at:], 0)
		if end < 0 || at+end+1 >= len(k) {
			return nil
		}
		if at += end + 2; k[at-1] == 1 {
			return bytes.Clone(k[1:at])
		}
	}
}

// next goes on to the next account.
func (k *keeper) next() bool {
	a, h := k.sides[0].owner, k.sides[1].owner
	if k.owner = a; a == nil || h != nil && bytes.Compare(h, a) < 0 {
		k.owner = h
	}
	return k.owner != nil
}

// read gathers what is kept of the account at hand.
func (k *keeper) read() error {
	s := scanner{packed.Reader{Left: k.owner}}
	k.kept = durable.Kept{
		Account: s.text(), Apart: true,
		Parts: k.kept.Parts[:0], Statements: k.kept.Statements[:0], Identities: k.kept.Identities[:0],
	}
	k.data = k.data[:0]
	for i := range k.sides {
		side := &k.sides[i]
		for side.owner != nil && bytes.Equal(side.owner, k.owner) {
			v, err := side.ValueAndErr()
			if err != nil {
				return ofAccount(side.Key(), err)
			}
			if err := k.take(side.Key()[1+len(k.owner):], v); err != nil && k.kept.Damage == nil {
				k.kept.Damage = err
			}
			if err := side.at(side.Next()); err != nil {
				return err
			}
		}
	}
	return nil
}

// take takes what is under a key of the account at hand, without the account. It says
// what cannot be read.
func (k *keeper) take(rest, v []byte) error {
	if len(rest) == 0 {
		return errDamaged
	}
	kept := &k.kept
	s := scanner{packed.Reader{Left: rest[1:]}}
	switch tag := rest[0]; tag {
	case headTag:
		row, err := readRow(kept.Account, v, -1)
		if err != nil {
			return err
		}
		k.row = row
		kept.Row = &k.row
	case workingTag, restingTag:
		at := durable.PartKey{Account: kept.Account, Kind: reward.PartKind(s.Byte()), ID: s.rest()}
		from := len(k.data)
		k.data = append(k.data, v...)
		p, err := k.part(at, tag == workingTag, k.data[from:])
		if err != nil || at.Kind < reward.TransactionPart || at.Kind > reward.LastPart {
			return damagedPart(at, errDamaged)
		}
		kept.Parts = append(kept.Parts, p)
	case statementTag:
		st, _, err := readStatement(kept.Account, reward.Cycle(s.int()), v)
		if err != nil || s.Bad {
			return damaged(kept.Account, fmt.Errorf("a statement: %w", errDamaged))
		}
		kept.Statements = append(kept.Statements, st)
	case identityTag:
		ref, err := readReference(v)
		at := durable.Reference{Source: s.text(), ID: s.rest(), Number: ref.number, Sequence: ref.sequence}
		if err != nil || s.Bad {
			return damaged(kept.Account, fmt.Errorf("an identity: %w", errDamaged))
		}
		kept.Identities = append(kept.Identities, at)
	case bucketTag, settledTag, reviewTag:
	default:
		return damaged(kept.Account, fmt.Errorf("a key of an unknown kind, %d", tag))
	}
	return nil
}

// part reads a part whose data stays where it is.
func (k *keeper) part(at durable.PartKey, working bool, v []byte) (reward.Part, error) {
	s := scanner{packed.Reader{Left: v}}
	p := reward.Part{
		Kind: at.Kind, ID: at.ID, Working: working,
		Bucket: s.Int(), Settled: reward.Instant(s.Int()), ReviewSince: reward.Instant(s.Int()),
	}
	p.Data = s.Left[:len(s.Left):len(s.Left)]
	return p, s.err()
}
