package audit

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base32"
	"hash"
	"strings"

	"recoup/internal/audit/history"
)

// pseudonyms replaces ids by keyed hashes: HMAC-SHA-256 of the kind and the id,
// of which 80 bits are kept, in base32. Who has the key can tell which id a
// pseudonym is of, nobody else. The same id has the same pseudonym in all rows,
// and in all runs with the same key. It is for one worker; nil replaces nothing.
type pseudonyms struct {
	mac    hash.Hash
	digest [sha256.Size]byte
	// transactions are those of the account at hand: each is met in several rows.
	transactions map[string]string
}

// newPseudonyms returns the pseudonyms of a key; of none, none.
func newPseudonyms(key []byte) *pseudonyms {
	if key == nil {
		return nil
	}
	return &pseudonyms{mac: hmac.New(sha256.New, key), transactions: map[string]string{}}
}

var letters = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// of returns the pseudonym of an id, which begins with its kind; of none, none.
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
	pseudonym, known := p.transactions[id]
	if !known {
		pseudonym = p.of("tx-", id)
		p.transactions[id] = pseudonym
	}
	return pseudonym
}

// refund returns the pseudonym of a refund or chargeback. The refund by which the
// native format tells that a clearing was withdrawn goes on saying so.
func (p *pseudonyms) refund(id string) string {
	const withdrawal = "withdrawal-"
	if transaction, ok := strings.CutPrefix(id, withdrawal); ok {
		return withdrawal + p.transaction(transaction)
	}
	return p.of("refund-", id)
}

// replace replaces all ids of a history. It is done before anything is looked at,
// so that no text can have them.
func (p *pseudonyms) replace(h *history.History) {
	if p == nil {
		return
	}
	clear(p.transactions)
	h.Account = p.of("acct-", h.Account)
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
func (p *pseudonyms) mark() string {
	if p == nil {
		return ""
	}
	return p.of("key-", "mark")
}
