package pebble

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"

	"recoup/internal/kit/packed"
	"recoup/internal/store/durable"
	"recoup/reward"
)

// What an account has is also found by other keys: a part by its id, bucket, settlement or
// review, an account by when it is due, a statement by its cycle. They follow from what
// they lead to, so they are checked against that: keys that should be there and keys that
// are there are the same, however many there are of them, if the sums of their hashes are.
// The hashes are of this process alone, so nobody can make other keys with the same sum.

// indexes say what is found by the keys of a kind: those of a space, and those among the
// history of an account by their tag.
var indexes = [256]string{
	dueSpace:       "accounts by when their cycle is to be closed",
	nameSpace:      "parts by their ids",
	reviewSpace:    "the review list",
	statementSpace: "statements by their cycles",
	bucketTag:      "the parts of a bucket",
	settledTag:     "parts by when they settled",
	reviewTag:      "the reviews of an account",
}

// entry is a key of an index: one that should be there or, if it is found, is.
type entry struct {
	kind    byte
	found   bool
	account string
	key     key
	value   []byte // of statements
}

// expect calls f with the keys that a part is found by.
func (e *entry) expect(p *reward.Part, f func(*entry)) {
	at := durable.PartKey{Account: e.account, Kind: p.Kind, ID: p.ID}
	put := func(kind byte, k key) {
		e.kind, e.key = kind, k
		f(e)
	}
	if p.Kind <= reward.ChargebackPart {
		put(nameSpace, withoutEra(e.key[:0].name(0, at)))
	}
	if p.Bucket != 0 {
		put(bucketTag, e.key[:0].bucket(at, p.Bucket))
	}
	if p.Settled != 0 {
		put(settledTag, e.key[:0].settled(at, p.Settled))
	}
	if p.ReviewSince != 0 {
		place := durable.ReviewPlace{Since: p.ReviewSince, Account: e.account, Kind: p.Kind, ID: p.ID}
		put(reviewSpace, e.key[:0].review(place))
		put(reviewTag, e.key[:0].reviewOf(place))
	}
}

// withoutEra leaves out of a name when the part got it, which the part does not say.
func withoutEra(k key) key {
	const era = 8
	if len(k) < 1+era {
		return k
	}
	return append(k[:1], k[1+era:]...)
}

// eachEntry calls f with every key that an index should have, and every one that it has.
func (r *reader) eachEntry(ctx context.Context, f func(*entry)) error {
	var e entry
	var owner []byte // of e.account
	k := new(keeper)
	of := func(k []byte) (rest []byte, err error) { // what comes after the account
		if owner == nil || len(k) < 1+len(owner) || string(k[1:1+len(owner)]) != string(owner) {
			if owner = ownerOf(k); owner == nil {
				return nil, failure(fmt.Errorf("key %q: %w", k, errDamaged))
			}
			s := scanner{packed.Reader{Left: owner}}
			e.account = s.text()
		}
		return k[1+len(owner):], nil
	}
	for _, space := range []byte{accountSpace, historySpace} {
		err := r.scan(ctx, key{space}, key{space + 1}, func(at, v []byte) (bool, error) {
			rest, err := of(at)
			if err != nil {
				return false, err
			}
			if len(rest) == 0 || rest[0] != headTag && len(rest) == 1 {
				return true, nil // no such key is written; who reads the account names it
			}
			e.found, e.value = false, nil
			switch tag := rest[0]; tag {
			case headTag:
				row, err := readRow(e.account, v, -1)
				if err != nil {
					return true, nil // so that its keys are astray
				}
				if row.Due != 0 {
					e.kind, e.key = dueSpace, e.key[:0].due(row.Due, e.account)
					f(&e)
				}
			case workingTag, restingTag:
				p, err := k.part(durable.PartKey{Account: e.account, Kind: reward.PartKind(rest[1]), ID: string(rest[2:])}, tag == workingTag, v)
				if err == nil {
					e.expect(&p, f)
				}
			case statementTag:
				s := scanner{packed.Reader{Left: rest[1:]}}
				e.kind, e.key, e.value = statementSpace, e.key[:0].statement(reward.Cycle(s.int()), e.account), v
				f(&e)
			case bucketTag, settledTag, reviewTag:
				e.kind, e.found, e.key = tag, true, append(e.key[:0], at...)
				f(&e)
			}
			return true, nil
		})
		if err != nil {
			return err
		}
	}
	for _, space := range []byte{dueSpace, nameSpace, reviewSpace, statementSpace} {
		err := r.scan(ctx, key{space}, key{space + 1}, func(at, v []byte) (bool, error) {
			e = entry{kind: space, found: true, key: append(e.key[:0], at...)}
			if space == nameSpace {
				e.key = withoutEra(e.key)
			}
			if space == statementSpace {
				e.value = v
			}
			f(&e)
			return true, nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// mostApart is how many keys are told apart at a time.
const mostApart = 4 << 20

// checkIndexes calls astray with each key of an index that is missing or leads nowhere.
func (r *reader) checkIndexes(ctx context.Context, astray func(error) error) error {
	seeds := [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}
	hash := func(e *entry, seed maphash.Seed) uint64 {
		if e.value == nil {
			return maphash.Bytes(seed, e.key)
		}
		return maphash.Bytes(seed, append(e.key, e.value...))
	}
	var sums [256][2]uint64
	keys := 0
	err := r.eachEntry(ctx, func(e *entry) {
		keys++
		for i, seed := range seeds {
			if h := hash(e, seed); e.found {
				sums[e.kind][i] -= h
			} else {
				sums[e.kind][i] += h
			}
		}
	})
	if err != nil || sums == [256][2]uint64{} {
		return err
	}
	// Some are astray: they are those that are left when each is crossed off by its other.
	parts := uint64(1 + keys/mostApart)
	for part := range parts {
		left := make(map[uint64]int)
		err := r.eachEntry(ctx, func(e *entry) {
			h := hash(e, seeds[0])
			if sums[e.kind] == [2]uint64{} || h%parts != part {
				return
			}
			if e.found {
				left[h]--
			} else {
				left[h]++
			}
			if left[h] == 0 {
				delete(left, h)
			}
		})
		if err != nil {
			return err
		}
		var failed error
		err = r.eachEntry(ctx, func(e *entry) {
			if n, is := left[hash(e, seeds[0])]; is && failed == nil && e.found == (n < 0) {
				failed = astray(e.astray())
			}
		})
		if err != nil || failed != nil {
			return errors.Join(err, failed)
		}
	}
	return nil
}

// astray says of a key that it is missing, or leads nowhere.
func (e *entry) astray() error {
	account := e.account
	if e.found {
		s := keyOf(e.key)
		switch e.kind {
		case dueSpace, reviewSpace, statementSpace:
			s.int()
		case nameSpace:
			s.text()
		}
		account = s.text()
		return damaged(account, fmt.Errorf("index of %s: key %q leads to what is not there", indexes[e.kind], e.key))
	}
	return damaged(account, fmt.Errorf("index of %s: key %q is missing", indexes[e.kind], e.key))
}
