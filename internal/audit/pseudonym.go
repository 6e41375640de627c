package audit

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"hash"
	"strings"

	"recoup/internal/audit/history"
)

// leastKey is how many bytes the key of pseudonyms must have.
const leastKey = 16

// pseudonyms replaces ids by keyed hashes: HMAC-SHA-256 of the kind and the id,
// of which 80 bits are kept, in base32. Who has the key can tell which id a
// pseudonym is of, nobody else. The same id has the same pseudonym in all rows,
// and in all runs with the same key. It is for one worker.
type pseudonyms struct {
	mac    hash.Hash
	digest [sha256.Size]byte
	// transactions are those of the account at hand: each is met in several rows.
	transactions map[string]string
}

func newPseudonyms(key []byte) *pseudonyms {
	return &pseudonyms{mac: hmac.New(sha256.New, key), transactions: map[string]string{}}
}

// The kinds of ids, as pseudonyms begin.
const (
	accountID     = "acct-"
	transactionID = "tx-"
	refundID      = "refund-" // refunds and chargebacks
)

var letters = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// of returns the pseudonym of an id; of none, none.
func (p *pseudonyms) of(kind, id string) string {
	if id == "" {
		return ""
	}
	p.mac.Reset()
	p.mac.Write([]byte(kind))
	p.mac.Write([]byte(id))
	return kind + letters.EncodeToString(p.mac.Sum(p.digest[:0])[:10])
}

func (p *pseudonyms) transaction(id string) string {
	if known, ok := p.transactions[id]; ok {
		return known
	}
	pseudonym := p.of(transactionID, id)
	p.transactions[id] = pseudonym
	return pseudonym
}

// refund returns the pseudonym of a refund or chargeback. The refund by which the
// native format tells that a clearing was withdrawn goes on saying so.
func (p *pseudonyms) refund(id string) string {
	const withdrawal = "withdrawal-"
	if transaction, ok := strings.CutPrefix(id, withdrawal); ok {
		return withdrawal + p.transaction(transaction)
	}
	return p.of(refundID, id)
}

// replace replaces all ids of a history. It is done before anything is looked at,
// so that no text can have them.
func (p *pseudonyms) replace(h *history.History) {
	clear(p.transactions)
	h.Account = p.of(accountID, h.Account)
	for i := range h.Rows {
		r := &h.Rows[i]
		r.Account = h.Account
		if r.Kind == history.Purchase {
			r.ID = p.transaction(r.ID)
		} else {
			r.ID = p.refund(r.ID)
		}
		r.Transaction = p.transaction(r.Transaction)
	}
}

// mark tells keys apart without telling anything of them.
func (p *pseudonyms) mark() string { return p.of("key-", "mark") }

// keyOf returns the key of the pseudonyms that the options ask for, nil for none.
func keyOf(o *Options) ([]byte, error) {
	switch {
	case !o.Pseudonymise:
		if len(o.Key) > 0 {
			return nil, errors.New("audit: a key is given, but no pseudonyms are asked for")
		}
		return nil, nil
	case len(o.Key) == 0 && o.Of > 1:
		return nil, errors.New("audit: pseudonyms in shards need a key that is the same for all of them")
	case len(o.Key) == 0:
		key := make([]byte, sha256.Size)
		rand.Read(key) // never fails
		return key, nil
	case len(o.Key) < leastKey:
		return nil, errors.New("audit: the key of pseudonyms is too short: expected 16 bytes or more")
	}
	return o.Key, nil
}
