package scope_test

import (
	"slices"
	"testing"

	"recoup/internal/service/scope"
)

func TestScopeNames(t *testing.T) {
	all, err := scope.Parse([]string{"admin", "read", "approve", "redeem", "ingest", "operate", "read"})
	if want := []string{"ingest", "redeem", "read", "operate", "approve", "admin"}; err != nil || !slices.Equal(all.Names(), want) {
		t.Errorf("all scopes are %q (%v), want %q", all.Names(), err, want)
	}
	for _, names := range [][]string{nil, {""}, {"write"}, {"read", "Admin"}, {"read,admin"}} {
		if s, err := scope.Parse(names); err == nil {
			t.Errorf("%q are the scopes %v", names, s)
		}
	}
}
