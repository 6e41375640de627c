// Package scope has what an API key or a person may be used for, as sets. The server, the console
// and what keeps keys ask it alone.
package scope

import (
	"fmt"
	"strings"
)

// Set is a set of things that a key may be used for, or that somebody may do.
type Set uint8

// The scopes. Admin implies all others.
const (
	Ingest  Set = 1 << iota // deliver events
	Redeem                  // redeem, and reverse redemptions
	Read                    // read accounts, programs and reviews
	Admin                   // everything else too: adjustments, programs, webhooks
	Operate                 // work reviews, and propose adjustments
	Approve                 // decide about adjustments that somebody else proposed
	Notices                 // fetch the notices of all accounts
	Feed                    // read accounts as their holders see them, and make tokens for that
)

// named has the scopes in the order in which people are told of them, from
// what allows least to what allows everything. They are stored by name, so the
// order of the bits is nobody's business.
var named = []struct {
	scope Set
	name  string
}{{Ingest, "ingest"}, {Redeem, "redeem"}, {Feed, "feed"}, {Read, "read"}, {Notices, "notices"}, {Operate, "operate"}, {Approve, "approve"}, {Admin, "admin"}}

// Parse returns the set of the named scopes. None at all is an error, and
// so is a name that is no scope.
func Parse(names []string) (Set, error) {
	var set Set
	for _, name := range names {
		s := one(name)
		if s == 0 {
			return 0, fmt.Errorf("scope %q: expected one of %s", name, strings.Join(all(), ", "))
		}
		set |= s
	}
	if set == 0 {
		return 0, fmt.Errorf("a key without a scope is of no use: expected one or more of %s", strings.Join(all(), ", "))
	}
	return set, nil
}

// Has reports whether the set allows all of the scopes.
func (s Set) Has(scopes Set) bool { return s&Admin != 0 || s&scopes == scopes }

// Names returns the scopes of the set, as Parse reads them.
func (s Set) Names() []string {
	var names []string
	for _, n := range named {
		if s&n.scope != 0 {
			names = append(names, n.name)
		}
	}
	return names
}

// String returns the names with commas between them, as they are stored.
func (s Set) String() string { return strings.Join(s.Names(), ",") }

// Stored reads what String wrote. A scope that a later version may have added
// allows nothing here.
func Stored(text string) Set {
	var set Set
	for name := range strings.SplitSeq(text, ",") {
		set |= one(name)
	}
	return set
}

func one(name string) Set {
	for _, n := range named {
		if n.name == name {
			return n.scope
		}
	}
	return 0
}

func all() []string {
	return (Ingest | Redeem | Feed | Read | Notices | Operate | Approve | Admin).Names()
}
