package pebble

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
)

// What is deleted or written over stays in files until these are merged, and in logs that
// are kept to be written over. Purge has that done at once.

// near is how far apart numbers of events may be that are merged at once: what lies
// between them is written again.
const near = 1 << 10

// Purge implements durable.Driver. It merges what may still have something of the account:
// what it had under its name, the indexes of all accounts, the records, and the files of
// the log in which its events lie. The list of files that the library keeps names keys at
// their borders; older ones go when the folder has been opened twice.
func (db *DB) Purge(ctx context.Context, account string, numbers []int64) error {
	if err := db.enter(); err != nil {
		return err
	}
	defer db.gate.leave()
	db.disk.anew.Add(1)
	defer db.disk.anew.Add(-1)
	return db.disk.outlive(func() error {
		for _, span := range purged(account, numbers) {
			if err := db.tree.Compact(ctx, span[0], span[1], false); err != nil {
				return failure(err)
			}
		}
		// A log is kept to be used again until as many have been ended as may be kept.
		for range memTables + 3 {
			if err := db.tree.Flush(); err != nil {
				return failure(err)
			}
		}
		return ctx.Err()
	})
}

// purged are the spans of keys that may have something of an account.
func purged(account string, numbers []int64) (spans [][2]key) {
	under := func(k key) { spans = append(spans, [2]key{k, k.after()}) }
	for _, space := range []byte{accountSpace, historySpace} {
		under(key{space}.text(account))
	}
	for _, space := range []byte{dueSpace, nameSpace, reviewSpace, statementSpace, recordSpace} {
		under(key{space})
	}
	if numbers == nil {
		under(key{eventSpace})
	}
	numbers = slices.Sorted(slices.Values(numbers))
	for from := 0; from < len(numbers); {
		to := from + 1
		for to < len(numbers) && numbers[to]-numbers[to-1] <= near {
			to++
		}
		spans = append(spans, [2]key{key{}.event(numbers[from]), key{}.event(numbers[to-1]).after()})
		from = to
	}
	return spans
}

// purge is what the holder of a folder is asked to purge.
type purge struct {
	Account string  `json:"account"`
	Numbers []int64 `json:"numbers"`
}

// Purge implements durable.Driver.
func (a *Attached) Purge(ctx context.Context, account string, numbers []int64) error {
	answer, err := a.post(ctx, "/purge", purge{account, numbers})
	if err != nil {
		return err
	}
	return answer.Body.Close()
}

func (c *control) purge(w http.ResponseWriter, r *http.Request) {
	var wanted purge
	err := json.NewDecoder(r.Body).Decode(&wanted)
	if err == nil {
		err = c.db.Purge(r.Context(), wanted.Account, wanted.Numbers)
	}
	if err != nil {
		refuse(w, err)
	}
}
