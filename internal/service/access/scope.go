package access

import (
	"fmt"
	"strings"
)

// Scopes is a set of things that a key may be used for.
type Scopes uint8

// The scopes. Admin implies all others.
const (
	Ingest  Scopes = 1 << iota // deliver events
	Redeem                     // redeem, and reverse redemptions
	Read                       // read accounts, programs and reviews
	Admin                      // everything else too: adjustments, programs, webhooks
	Operate                    // work reviews, and propose adjustments
	Approve                    // decide about adjustments that somebody else proposed
	Notices                    // fetch the notices of all accounts
)

// scopeNames has the scopes in the order in which people are told of them, from
// what allows least to what allows everything. They are stored by name, so the
// order of the bits is nobody's business.
var scopeNames = []struct {
	scope Scopes
	name  string
}{{Ingest, "ingest"}, {Redeem, "redeem"}, {Read, "read"}, {Notices, "notices"}, {Operate, "operate"}, {Approve, "approve"}, {Admin, "admin"}}

// ParseScopes returns the set of the named scopes. None at all is an error, and
// so is a name that is no scope.
func ParseScopes(names []string) (Scopes, error) {
	var set Scopes
	for _, name := range names {
		s := scopeOf(name)
		if s == 0 {
			return 0, fmt.Errorf("scope %q: expected one of %s", name, strings.Join(allScopes(), ", "))
		}
		set |= s
	}
	if set == 0 {
		return 0, fmt.Errorf("a key without a scope is of no use: expected one or more of %s", strings.Join(allScopes(), ", "))
	}
	return set, nil
}

// Has reports whether the set allows all of the scopes.
func (s Scopes) Has(scopes Scopes) bool { return s&Admin != 0 || s&scopes == scopes }

// Names returns the scopes of the set, as ParseScopes reads them.
func (s Scopes) Names() []string {
	var names []string
	for _, n := range scopeNames {
		if s&n.scope != 0 {
			names = append(names, n.name)
		}
	}
	return names
}

// String returns the names with commas between them, as they are stored.
func (s Scopes) String() string { return strings.Join(s.Names(), ",") }

// stored reads what String wrote. A scope that a later version may have added
// allows nothing here.
func stored(text string) Scopes {
	var set Scopes
	for name := range strings.SplitSeq(text, ",") {
		set |= scopeOf(name)
	}
	return set
}

func scopeOf(name string) Scopes {
	for _, n := range scopeNames {
		if n.name == name {
			return n.scope
		}
	}
	return 0
}

func allScopes() []string {
	return (Ingest | Redeem | Read | Notices | Operate | Approve | Admin).Names()
}
