package access

import (
	"fmt"
	"strings"

	"recoup/internal/service/scope"
)

// Role is what somebody is to a program, in one word. A role is a name for scopes
// and nothing more: what anybody may do is asked of the scopes, and a key that was
// made with scopes has the strongest role that they add up to.
//
//	viewer    read                       looks, and changes nothing
//	operator  read, operate              works reviews, and proposes adjustments
//	approver  read, operate, approve     decides about adjustments that others propose
//	admin     all                        everything, and the terms of programs
//
// Keys that only deliver events or redeem have no role: they are programs', not
// people's.
type Role uint8

// The roles, from the weakest to the strongest. The zero Role is none.
const (
	Viewer Role = iota + 1
	Operator
	Approver
	Administrator
)

var roles = [...]struct {
	name   string
	scopes scope.Set
}{
	Viewer:        {"viewer", scope.Read},
	Operator:      {"operator", scope.Read | scope.Operate},
	Approver:      {"approver", scope.Read | scope.Operate | scope.Approve},
	Administrator: {"admin", scope.Admin},
}

// ParseRole returns the role with a name: viewer, operator, approver or admin.
func ParseRole(name string) (Role, error) {
	for r := Viewer; r <= Administrator; r++ {
		if roles[r].name == name {
			return r, nil
		}
	}
	var names []string
	for r := Viewer; r <= Administrator; r++ {
		names = append(names, roles[r].name)
	}
	return 0, fmt.Errorf("role %q: expected one of %s", name, strings.Join(names, ", "))
}

// RoleOf returns the strongest role all of whose scopes are in the set; ok is false
// if there is none.
func RoleOf(scopes scope.Set) (r Role, ok bool) {
	for r := Administrator; r >= Viewer; r-- {
		if scopes.Has(roles[r].scopes) {
			return r, true
		}
	}
	return 0, false
}

// Scopes returns what the role may do; none for what is no role.
func (r Role) Scopes() scope.Set {
	if int(r) >= len(roles) {
		return 0
	}
	return roles[r].scopes
}

// String returns the name, as ParseRole reads it; "none" for what is no role.
func (r Role) String() string {
	if r == 0 || int(r) >= len(roles) {
		return "none"
	}
	return roles[r].name
}
