package durable

import (
	"context"
	"errors"
	"slices"

	"recoup/reward"
)

// reviewsIn returns what is open about parts that a snapshot has, some of which were read.
// Parts of accounts that are not there are left out. The accounts are opened together, and
// what they turn out to lack is read together: with a server, what costs is how often it is
// asked.
func (s *Store) reviewsIn(ctx context.Context, r Reader, parts []PartKey, read map[PartKey][]byte) (map[PartKey][]ReviewView, error) {
	t := &together{Reader: r, read: make(map[PartKey][]byte)}
	theirs := make(map[string][]PartKey)
	var ids []string
	for _, k := range parts {
		if theirs[k.Account] == nil {
			ids = append(ids, k.Account)
		}
		theirs[k.Account] = append(theirs[k.Account], k)
		if data, known := read[k]; known {
			t.read[k] = data
			t.fresh = append(t.fresh, Part{k.Account, reward.Part{Kind: k.Kind, ID: k.ID, Data: data}})
		} else {
			t.lack(k)
		}
	}
	slices.Sort(ids)
	rows, err := t.exchange(ctx, ids)
	if err != nil {
		return nil, err
	}
	found := make(map[PartKey][]ReviewView)
	for len(rows) > 0 {
		rows = slices.DeleteFunc(rows, func(row AccountRow) bool {
			if err != nil {
				return false
			}
			var lacking bool
			lacking, err = s.lookInto(ctx, t, &row, theirs[row.Account], found)
			return !lacking
		})
		if err != nil {
			return nil, err
		}
		if _, err = t.exchange(ctx, nil); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// lookInto finds what is open about parts of an account, unless it lacks some of what it
// needs.
func (s *Store) lookInto(ctx context.Context, t *together, row *AccountRow, parts []PartKey, found map[PartKey][]ReviewView) (lacking bool, err error) {
	defer func() {
		if errors.Is(err, errLacking) {
			lacking, err = true, nil
		}
	}()
	defer recoverUnreadable(&err)
	program, err := s.programOf(ctx, row)
	if err != nil {
		return false, err
	}
	e, err := openEntry(ctx, row, program, t.working[row.Account], t, t.read)
	if err != nil {
		return false, err
	}
	for _, k := range parts {
		found[k] = nil
		for _, v := range e.account.ReviewsIn(k.Kind, k.ID) {
			found[k] = append(found[k], ReviewView{v, k, currencyOf(e.account.Program(), &v), e.version})
		}
	}
	return false, nil
}

// together reads for several accounts. What one of them lacks is noted, and read with what
// the others lack; after some rounds of that each reads for itself.
type together struct {
	Reader
	working map[string][]reward.Part
	read    map[PartKey][]byte // what was asked for; nil: there is no such part
	fresh   []Part             // of what was read, those of which it was not looked yet what they lead to
	lacks   []PartKey
	rounds  int
}

// mostRounds is how often what is lacking is read for all together. A refund leads to its
// purchase, and that to what else lies on it.
const mostRounds = 3

// errLacking says that an account has to be opened again once more of it was read.
var errLacking = errors.New("more of the account has to be read first")

func (t *together) lack(k PartKey) {
	if _, asked := t.read[k]; !asked {
		t.read[k] = nil
		t.lacks = append(t.lacks, k)
	}
}

// Find implements finder.
func (t *together) Find(ctx context.Context, q Query) ([]Part, error) {
	if len(q.IDs) == 0 || t.rounds > mostRounds {
		return t.Reader.Find(ctx, q)
	}
	for _, id := range q.IDs {
		t.lack(PartKey{q.Account, q.Kind, id})
	}
	return nil, errLacking
}

// exchange reads what is lacking, and accounts.
func (t *together) exchange(ctx context.Context, accounts []string) (rows []AccountRow, err error) {
	t.rounds++
	if len(accounts)+len(t.lacks) == 0 {
		return nil, nil
	}
	rows, parts, err := t.Opened(ctx, accounts, t.lacks)
	if err != nil {
		return nil, err
	}
	t.lacks = nil
	if t.working == nil {
		t.working = make(map[string][]reward.Part)
	}
	for i := range parts {
		p := &parts[i]
		if t.read[keyOf(p)] = p.Data; p.Working && len(accounts) > 0 {
			t.working[p.Account] = append(t.working[p.Account], p.Part)
		}
	}
	parts, t.fresh = append(parts, t.fresh...), nil
	return rows, readLeads(ctx, t.Reader, parts, false, t.read)
}
