package audit

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base32"
	"hash"

	"recoup/internal/intake/history"
)

// pseudonyms replaces ids by keyed hashes: HMAC-SHA-256 of the kind and the id,
// of which 80 bits are kept, in base32. Who has the key can tell which id a
// pseudonym is of, nobody else. The same id has the same pseudonym in all rows,
// and in all runs with the same key. It is for one worker; nil replaces nothing.
type pseudonyms struct{ mac hash.Hash }

func newPseudonyms(key []byte) *pseudonyms {
	if len(key) == 0 {
		return nil
	}
	return &pseudonyms{hmac.New(sha256.New, key)}
}

var letters = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// of returns the pseudonym of an id, which begins with its kind; of none, none.
func (p *pseudonyms) of(kind, id string) string {
	if p == nil || id == "" {
		return ""
	}
	p.mac.Reset()
	p.mac.Write([]byte(kind + id))
	return kind + letters.EncodeToString(p.mac.Sum(nil)[:10])
}

// replace replaces all ids of a history. It is done before anything is looked at,
// so that no text can have them.
func (p *pseudonyms) replace(h *history.History) {
	if p == nil {
		return
	}
	h.Account = p.of("acct-", h.Account)
	for i := range h.Rows {
		r := &h.Rows[i]
		r.Account, r.Transaction = h.Account, p.of("tx-", r.Transaction)
		if r.Kind == history.Purchase {
			r.ID = p.of("tx-", r.ID)
		} else {
			r.ID = p.of("refund-", r.ID) // chargebacks too
		}
	}
}
