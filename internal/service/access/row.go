package access

import (
	"encoding/hex"

	"github.com/go-json-experiment/json"

	"recoup/internal/service/scope"
	"recoup/internal/store/record"
	"recoup/reward"
)

// table has the keys, by id. Revoked ones stay, so that people can see who had one.
const table record.Table[row] = "keys"

// row is a key as it is kept. Times are nanoseconds since 1970.
type row struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Scopes  string `json:"scopes"` // their names, with commas between them
	Hash    string `json:"hash"`   // the digest, in hexadecimal
	Created int64  `json:"created_at"`
	Revoked int64  `json:"revoked_at,omitzero"` // 0: it is not

	Expires  int64    `json:"expires_at,omitzero"` // 0: never
	Used     int64    `json:"used_at,omitzero"`    // 0: not that anybody noted
	Sources  []string `json:"sources,omitzero"`
	Programs []string `json:"programs,omitzero"`
	Accounts []string `json:"accounts,omitzero"`
	Rate     int      `json:"rate,omitzero"`
	Follows  string   `json:"follows,omitzero"`
}

func rowOf(k *Key, d digest) *row {
	return &row{
		ID: k.ID, Name: k.Name, Scopes: k.Scopes.String(), Hash: hex.EncodeToString(d[:]),
		Created: int64(k.Created), Revoked: int64(k.Revoked), Expires: int64(k.Expires), Used: int64(k.Used),
		Sources: k.Sources, Programs: k.Programs, Accounts: k.Accounts, Rate: k.Rate, Follows: k.Follows,
	}
}

func (r *row) key() Key {
	return Key{
		ID: r.ID, Name: r.Name, Scopes: scope.Stored(r.Scopes), Created: reward.Instant(r.Created), Revoked: reward.Instant(r.Revoked),
		Expires: reward.Instant(r.Expires), Used: reward.Instant(r.Used), Follows: r.Follows,
		Limits: Limits{Sources: r.Sources, Programs: r.Programs, Accounts: r.Accounts, Rate: r.Rate},
	}
}

// parseEntry reads what requests are checked against, and when the key was revoked; ok is
// false for what is damaged. It does not use table.Each, which goes no further than
// that: a damaged row opens nothing, and shuts nobody else out.
func parseEntry(value []byte) (e entry, revoked reward.Instant, ok bool) {
	var r row
	if json.Unmarshal(value, &r) != nil {
		return entry{}, 0, false
	}
	hash, err := hex.DecodeString(r.Hash)
	if err != nil || len(hash) != len(e.hash) {
		return entry{}, 0, false
	}
	copy(e.hash[:], hash)
	key := r.key()
	e.Principal, e.revoked, e.expires = Principal{ID: key.ID, Name: key.Name, Scopes: key.Scopes, Limits: key.Limits}, key.Revoked != 0, key.Expires
	return e, key.Revoked, true
}
