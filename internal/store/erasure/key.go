package erasure

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"recoup/internal/store/record"
	"recoup/reward"
)

// Table has the keys of the accounts, by record.Key of the account, in the lanes of the
// accounts. They are not sealed: who has a copy of a database with a key in it has the
// texts in it too.
const Table = "erasure_keys"

// Key is the key of an account. The nil Key is that of an account that has none, such as
// one that was forgotten: its texts stand for themselves.
type Key [32]byte

// NewKey draws a key.
func NewKey() *Key {
	k := new(Key)
	rand.Read(k[:]) // never fails
	return k
}

// Record is the key as it is kept of an account.
func (k *Key) Record(account string) (record.Record, error) {
	b := k[:]
	return record.Table[[]byte](Table).Record(record.Key(account), &b)
}

// Gone is the record that destroys the key of an account.
func Gone(account string) record.Record {
	return record.Record{Table: Table, Key: record.Key(account)}
}

// KeyOf returns the key of an account, nil if it has none.
func KeyOf(ctx context.Context, r record.Reader, account string) (*Key, error) {
	text, ok, err := r.Get(ctx, Table, record.Key(account))
	if err != nil || !ok {
		return nil, err
	}
	return parse(text)
}

// Kept is what the table has of an account: a key, or what is wrong with it.
type Kept struct {
	Key    *Key
	Damage error
}

// KeysOf returns the keys of a span of accounts, by record.Key of the account.
func KeysOf(ctx context.Context, r record.Reader, accounts record.Span) (map[string]Kept, error) {
	of := make(map[string]Kept)
	err := r.Scan(ctx, Table, accounts, func(name string, text []byte) (bool, error) {
		k, err := parse(text)
		of[name] = Kept{k, err}
		return true, nil
	})
	if err != nil {
		return nil, fmt.Errorf("reading the keys of accounts: %w", err)
	}
	return of, nil
}

func parse(text []byte) (*Key, error) {
	var b []byte
	if err := json.Unmarshal(text, &b); err != nil || len(b) != len(Key{}) {
		return nil, fmt.Errorf("table %s: expected a key of %d bytes, found a record of another form", Table, len(Key{}))
	}
	return (*Key)(b), nil
}

// accountPrefix begins the names of forgotten accounts.
const accountPrefix = "forgotten-"

// Pseudonym is what an account is called once it is forgotten, which is the same text for
// the chain before: of an account without a key its id.
func (k *Key) Pseudonym(account string) string {
	if k == nil {
		return account
	}
	text, _ := jsontext.AppendQuote(nil, account) // invalid UTF-8 is replaced, and no account has any
	return string(k.Eraser().token(nil, []byte(subject), text[1:len(text)-1]))
}

// Eraser returns what replaces the texts of the account.
func (k *Key) Eraser() *Eraser {
	if k == nil {
		return &Eraser{}
	}
	return &Eraser{mac: hmac.New(sha256.New, k[:])}
}

// token appends the token of a text of a member, as it stands between quotes: 128 bits in
// the base64 of addresses.
func (e *Eraser) token(dst, member, text []byte) []byte {
	e.mac.Reset()
	e.mac.Write(append(append(append(e.sum[:0], member...), ':'), text...))
	e.sum = e.mac.Sum(e.sum[:0])
	if string(member) == subject {
		dst = append(dst, accountPrefix...)
	} else {
		dst = append(dst, reward.ErasedPrefix...)
	}
	return base64.RawURLEncoding.AppendEncode(dst, e.sum[:16])
}
