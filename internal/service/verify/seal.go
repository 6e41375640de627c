package verify

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"

	"recoup/internal/store/durable"
	"recoup/internal/store/erasure"
	"recoup/internal/store/record"
)

// seal is up to where the events of an account are sealed, and the trail that led
// there.
type seal struct {
	sequence, number int64
	end              Hash
	marks            []byte
}

// markAt reports whether the chain has the seal's mark at that sequence; there
// is none, and so nothing against it, at most sequences of long trails.
func (s *seal) markAt(sequence int64, h Hash) (agrees bool) {
	step := stride(s.sequence)
	if sequence < 1 || sequence > s.sequence || sequence%step != 0 {
		return true
	}
	at := (sequence/step - 1) * markSize
	return bytes.Equal(s.marks[at:at+markSize], h[:markSize])
}

// sealTable has the seals, by record.Key of the account: so those of a span of
// accounts are one scan.
const sealTable = durable.SealTable

// sealRecord is a seal as it lies in the table. Hash is the hash at the end of the
// trail, then the marks.
type sealRecord struct {
	Sequence int64  `json:"sequence"`
	Number   int64  `json:"number"`
	Hash     []byte `json:"hash"`
}

func (s *seal) text() ([]byte, error) {
	return json.Marshal(sealRecord{s.sequence, s.number, append(s.end[:], s.marks...)})
}

// parseSeal reads what text wrote.
func parseSeal(text []byte) (seal, error) {
	var r sealRecord
	if err := json.Unmarshal(text, &r); err != nil {
		return seal{}, err
	}
	if r.Sequence < 1 {
		return seal{}, fmt.Errorf("expected a sequence of 1 or more, found %d", r.Sequence)
	}
	if want := sha256.Size + int(r.Sequence/stride(r.Sequence))*markSize; len(r.Hash) != want {
		return seal{}, fmt.Errorf("expected a hash of %d bytes for %d events, found %d bytes", want, r.Sequence, len(r.Hash))
	}
	return seal{r.Sequence, r.Number, Hash(r.Hash[:sha256.Size]), r.Hash[sha256.Size:]}, nil
}

// keptSeal is what the table has of an account: a seal, or what is wrong with it.
// Who seals leaves a damaged one alone, so that Run can name it.
type keptSeal struct {
	seal
	damage error
}

// accountSpan is the span of the keys of accounts after one and up to another; ""
// for the second is up to the last.
func accountSpan(after, upTo string) (s record.Span) {
	if after != "" {
		s = s.After(record.Key(after))
	}
	if upTo != "" {
		s = s.Until(record.Key(upTo) + "\x00")
	}
	return s
}

// readSeals returns the seals of a span, by their keys.
func readSeals(ctx context.Context, r record.Reader, span record.Span) (map[string]keptSeal, error) {
	seals := make(map[string]keptSeal)
	err := r.Scan(ctx, sealTable, span, func(key string, text []byte) (bool, error) {
		s, err := parseSeal(text)
		seals[key] = keptSeal{s, err}
		return true, nil
	})
	if err != nil {
		return nil, fmt.Errorf("reading seals: %w", err)
	}
	return seals, nil
}

// accountIn returns the account that a key of a table by accounts is of. Accounts
// have no zero bytes in them, so that what ends the key is all that it adds.
func accountIn(key string) string { return strings.TrimSuffix(key, record.Key("")) }

// sealTotal has, under its only key, how many events are sealed in all: kept with each
// change of the seals, since adding up a million of them takes seconds. It also has the
// number up to which the log was read to seal it.
const sealTotal record.Table[sealSum] = "sealed"

const sealTotalKey = "total"

type sealSum struct {
	Events int64 `json:"events"`
	Mark   int64 `json:"mark,omitzero"`
}

// freshSeal is a seal to be written.
type freshSeal struct {
	account string
	key     *erasure.Key // that it was sealed with
	seal
}

// same reports whether an account has the key still: otherwise it was forgotten meanwhile,
// and what there is under its name, if anything, is another account.
func (f *freshSeal) same(ctx context.Context, r record.Reader) (bool, error) {
	key, err := erasure.KeyOf(ctx, r, f.account)
	if err != nil {
		return false, err
	}
	return sameKey(key, f.key), nil
}

func sameKey(a, b *erasure.Key) bool { return a == b || a != nil && b != nil && *a == *b }

// putSeals writes seals, each unless somebody else has sealed further or forgotten the
// account meanwhile, and up to which number the log of the lane was read, if that is above
// what is there.
func putSeals(ctx context.Context, db Database, list []freshSeal, mark int64) error {
	if len(list) == 0 && mark == 0 {
		return nil
	}
	if laned, is := db.(Laned); is {
		return putSealsApart(ctx, laned, list)
	}
	err := db.Change(ctx, func(tx record.Tx) error {
		total, _, err := sealTotal.Get(ctx, tx, sealTotalKey)
		if err != nil {
			return err
		}
		for i := range list {
			if same, err := list[i].same(ctx, tx); err != nil {
				return err
			} else if !same {
				continue
			}
			key := record.Key(list[i].account)
			var before int64
			there, ok, err := tx.Get(ctx, sealTable, key)
			if err != nil {
				return err
			}
			if ok {
				sealed, err := parseSeal(there)
				if err != nil || sealed.sequence >= list[i].sequence {
					continue // a damaged one stays, so that Run can name it
				}
				before = sealed.sequence
			}
			text, err := list[i].text()
			if err != nil {
				return err
			}
			tx.Put(sealTable, key, text)
			total.Events += list[i].sequence - before
		}
		total.Mark = max(total.Mark, mark)
		return sealTotal.Put(tx, sealTotalKey, &total)
	})
	if err != nil {
		return fmt.Errorf("writing seals: %w", err)
	}
	return nil
}
