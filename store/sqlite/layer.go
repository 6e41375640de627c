package sqlite

import (
	"recoup/reward"
	"recoup/store/durable"
)

// layer has in memory what a run of consecutive rows of the backlog holds. Of
// what changed several times it has every version, for readers on older
// snapshots. It grows until it is sealed; then it is filed and dropped.
type layer struct {
	first, last int64 // rows of the backlog, last is first-1 while it is empty
	accounts    map[string]*accountVersion
	parts       map[durable.PartKey]*partVersion
	latest      map[string]*partVersion // by account, the part that changed last
	identities  map[durable.Identity]int64
	changes     int // versions and identities
	bytes       int // of the rows
}

// accountVersion is an account as a commit left it.
type accountVersion struct {
	durable.AccountRow
	commit int64 // row of the backlog
	older  *accountVersion
}

// partVersion is a part as a commit left it.
type partVersion struct {
	durable.Part
	commit int64
	older  *partVersion // the same part
	before *partVersion // whichever part of the account changed before
}

func newLayer(first int64) *layer {
	return &layer{
		first: first, last: first - 1,
		accounts:   make(map[string]*accountVersion),
		parts:      make(map[durable.PartKey]*partVersion),
		latest:     make(map[string]*partVersion),
		identities: make(map[durable.Identity]int64),
	}
}

// add adds the next row of the backlog, which must not be changed any more, and
// what is in it to a filter unless that is nil.
func (l *layer) add(row []byte, f *filter) error {
	commit := l.last + 1
	err := readChanges(row,
		func(a durable.AccountRow) {
			l.accounts[a.Account] = &accountVersion{a, commit, l.accounts[a.Account]}
			l.changes++
		},
		func(p durable.Part) {
			key := keyOf(&p)
			v := &partVersion{p, commit, l.parts[key], l.latest[p.Account]}
			l.parts[key], l.latest[p.Account] = v, v
			if f != nil {
				f.add(f.hashPart(key))
			}
			l.changes++
		},
		func(id durable.Identity, number int64) {
			l.identities[id] = number
			if f != nil {
				f.add(f.hashIdentity(id))
			}
			l.changes++
		})
	if err != nil {
		return err
	}
	l.last = commit
	l.bytes += len(row)
	return nil
}

func keyOf(p *durable.Part) durable.PartKey {
	return durable.PartKey{Account: p.Account, Kind: p.Kind, ID: p.ID}
}

// overlay is what the backlog has for one snapshot: it goes over what the tables
// have. The layers are in order, the newest last; what was committed after upTo
// is not looked at.
type overlay struct {
	backlog *backlog
	layers  []*layer
	upTo    int64
}

// account returns the account as it is in the backlog, nil if it is not there.
func (o *overlay) account(id string) *durable.AccountRow {
	o.backlog.mu.RLock()
	defer o.backlog.mu.RUnlock()
	for i := len(o.layers) - 1; i >= 0; i-- {
		for v := o.layers[i].accounts[id]; v != nil; v = v.older {
			if v.commit <= o.upTo {
				return &v.AccountRow
			}
		}
	}
	return nil
}

// part returns the part as it is in the backlog, nil if it is not there.
func (o *overlay) part(key durable.PartKey) *durable.Part {
	o.backlog.mu.RLock()
	defer o.backlog.mu.RUnlock()
	for i := len(o.layers) - 1; i >= 0; i-- {
		for v := o.layers[i].parts[key]; v != nil; v = v.older {
			if v.commit <= o.upTo {
				return &v.Part
			}
		}
	}
	return nil
}

// identity returns the number of the event that was logged under the identity, 0
// if it is not in the backlog. Only units of work ask, who see all of it.
func (o *overlay) identity(id durable.Identity) int64 {
	o.backlog.mu.RLock()
	defer o.backlog.mu.RUnlock()
	for i := len(o.layers) - 1; i >= 0; i-- {
		if number := o.layers[i].identities[id]; number != 0 {
			return number
		}
	}
	return 0
}

// partsOf returns the parts of an account and of a kind that are in the backlog,
// by id; of all kinds if kind is 0.
func (o *overlay) partsOf(account string, kind reward.PartKind) partSet {
	o.backlog.mu.RLock()
	defer o.backlog.mu.RUnlock()
	var found partSet
	for i := len(o.layers) - 1; i >= 0; i-- {
		for v := o.layers[i].latest[account]; v != nil; v = v.before {
			if v.commit <= o.upTo && (kind == 0 || v.Kind == kind) {
				found.add(&v.Part)
			}
		}
	}
	return found
}

// allParts returns all parts that are in the backlog.
func (o *overlay) allParts() partSet {
	o.backlog.mu.RLock()
	defer o.backlog.mu.RUnlock()
	var found partSet
	for i := len(o.layers) - 1; i >= 0; i-- {
		for _, v := range o.layers[i].parts {
			for v != nil && v.commit > o.upTo {
				v = v.older
			}
			if v != nil {
				found.add(&v.Part)
			}
		}
	}
	return found
}

// partsNamed returns the keys of all parts that are in the backlog and have the
// id, in no order and perhaps some twice.
func (o *overlay) partsNamed(id string) (keys []durable.PartKey) {
	o.backlog.mu.RLock()
	defer o.backlog.mu.RUnlock()
	for _, l := range o.layers {
		for key, v := range l.parts {
			if key.ID != id {
				continue
			}
			for v != nil && v.commit > o.upTo {
				v = v.older
			}
			if v != nil {
				keys = append(keys, key)
			}
		}
	}
	return keys
}

// allAccounts returns all accounts that are in the backlog.
func (o *overlay) allAccounts() map[string]*durable.AccountRow {
	o.backlog.mu.RLock()
	defer o.backlog.mu.RUnlock()
	found := make(map[string]*durable.AccountRow)
	for i := len(o.layers) - 1; i >= 0; i-- {
		for id, v := range o.layers[i].accounts {
			for v != nil && v.commit > o.upTo {
				v = v.older
			}
			if v != nil && found[id] == nil {
				found[id] = &v.AccountRow
			}
		}
	}
	return found
}

// partSet has parts, the newest version of each: they are added newest first.
type partSet map[durable.PartKey]*durable.Part

func (s *partSet) add(p *durable.Part) {
	if *s == nil {
		*s = make(partSet)
	}
	key := keyOf(p)
	if (*s)[key] == nil {
		(*s)[key] = p
	}
}

// has reports whether a part is in the set. A set without parts has none.
func (s partSet) has(key durable.PartKey) bool { return s[key] != nil }
