package run

import (
	"testing"

	"recoup/internal/service/access"
	"recoup/internal/service/server"
)

// What a key may be used for is what the server asks for.
func TestScopesOfKeysAreThoseOfTheServer(t *testing.T) {
	for scope, want := range map[access.Scopes]server.Scopes{
		access.Ingest: server.Ingest, access.Redeem: server.Redeem, access.Read: server.Read, access.Admin: server.Admin,
		access.Operate: server.Operate, access.Approve: server.Approve,
	} {
		if server.Scopes(scope) != want {
			t.Errorf("%v of a key is %v to the server, want %v", scope, server.Scopes(scope), want)
		}
	}
}
