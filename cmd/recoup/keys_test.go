package main

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"recoup/internal/cli"
	"recoup/internal/service/access"
	"recoup/internal/service/scope"
)

// keys runs recoup keys at the database keys in the current folder.
func keys(args ...string) (stdout, stderr string, err error) {
	return recoup(append(append([]string{"keys"}, args...), "--db", "keys")...)
}

// keyList is what keys prints as JSON.
type keyList struct {
	Keys []struct {
		ID, Name, Role, Key string
		Scopes              []string
		Created             time.Time  `json:"created_at"`
		Revoked             *time.Time `json:"revoked_at"`
	}
}

func keysJSON(t *testing.T, args ...string) keyList {
	t.Helper()
	stdout, _, err := keys(append(args, "--output", "json")...)
	if err != nil {
		t.Fatalf("recoup keys %s: %v", strings.Join(args, " "), err)
	}
	var list keyList
	if err := json.Unmarshal([]byte(stdout), &list); err != nil {
		t.Fatalf("recoup keys %s prints %s: %v", strings.Join(args, " "), stdout, err)
	}
	return list
}

func TestKeysAreShownOnceAndLetInUntilRevoked(t *testing.T) {
	t.Chdir(t.TempDir())
	made := keysJSON(t, "create", "--source", "*", "--scope", "ingest", "--scope", "read", "--name", "core banking")
	if len(made.Keys) != 1 || made.Keys[0].Name != "core banking" || strings.Join(made.Keys[0].Scopes, " ") != "ingest read" {
		t.Fatalf("made is %+v", made)
	}
	key := made.Keys[0]
	authenticate := func() (access.Principal, error) {
		db, err := openOrCreate(context.Background(), "keys")
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		return access.New(db, time.Now).Authenticate(context.Background(), "Bearer "+key.Key)
	}
	if p, err := authenticate(); err != nil || p.ID != key.ID || !p.May(scope.Ingest) || p.May(scope.Redeem) {
		t.Errorf("the key is of %+v, %v", p, err)
	}

	stdout, _, err := keys("list")
	if err != nil || !strings.Contains(stdout, key.ID) || !strings.Contains(stdout, "ingest, read") || strings.Contains(stdout, key.Key[16:]) {
		t.Errorf("the list, which must have no secrets, is (%v)\n%s", err, stdout)
	}
	if gone := keysJSON(t, "revoke", key.ID); len(gone.Keys) != 1 || gone.Keys[0].Revoked == nil || gone.Keys[0].Key != "" {
		t.Errorf("revoked is %+v", gone)
	}
	if _, err := authenticate(); err != access.Revoked {
		t.Errorf("a revoked key gets %v", err)
	}
	if list := keysJSON(t, "list"); len(list.Keys) != 1 || list.Keys[0].Revoked == nil {
		t.Errorf("the list is %+v", list)
	}
}

func TestKeysOfPeopleHaveARole(t *testing.T) {
	t.Chdir(t.TempDir())
	for role, scopes := range map[string]string{
		"viewer": "read", "operator": "read operate", "approver": "read operate approve", "admin": "admin",
	} {
		made := keysJSON(t, "create", "--role", role, "--name", "a "+role)
		if len(made.Keys) != 1 || made.Keys[0].Role != role || strings.Join(made.Keys[0].Scopes, " ") != scopes {
			t.Errorf("made by --role %s is %+v, want the scopes %s", role, made, scopes)
		}
	}
	keysJSON(t, "create", "--source", "*", "--scope", "ingest", "--name", "core banking")
	for _, key := range keysJSON(t, "list").Keys {
		if want := strings.TrimPrefix(key.Name, "a "); key.Role != want && !(want == "core banking" && key.Role == "") {
			t.Errorf("the list has %q with the role %q", key.Name, key.Role)
		}
	}
	if stdout, _, err := keys("list"); err != nil || !strings.Contains(stdout, "approver") || !strings.Contains(stdout, "read, operate, approve") {
		t.Errorf("the list, which must show roles, is (%v)\n%s", err, stdout)
	}
}

func TestKeysCreateSaysToKeepTheKey(t *testing.T) {
	t.Chdir(t.TempDir())
	stdout, stderr, err := keys("create", "--source", "*", "--scope", "admin", "--name", "operator")
	if err != nil || !strings.Contains(stdout, "rk_") || !strings.Contains(stderr, "cannot be shown again") {
		t.Errorf("prints %q and says %q (%v)", stdout, stderr, err)
	}
}

func TestKeysBadUsage(t *testing.T) {
	t.Chdir(t.TempDir())
	tests := []struct {
		args []string
		want string
	}{
		{[]string{"create", "--name", "x"}, `at least one of the flags in the group [role scope] is required`},
		{[]string{"create", "--role", "viewer", "--scope", "read", "--name", "x"}, `if any flags in the group [role scope] are set none of the others can be`},
		{[]string{"create", "--role", "auditor", "--name", "x"}, `--role: role "auditor": expected one of viewer, operator, approver, admin`},
		{[]string{"create", "--role", "", "--name", "x"}, `--role: role ""`},
		{[]string{"create", "--scope", "read"}, `"name" not set`},
		{[]string{"create", "--scope", "write", "--name", "x"}, `--scope: scope "write": expected one of ingest, redeem, feed, read, notices, operate, approve, admin`},
		{[]string{"create", "--scope", "read", "--name", ""}, "expected a name that can be seen"},
		{[]string{"create", "--scope", "ingest", "--name", "x"}, "--source: a key that delivers events needs the sources that they may have"},
		{[]string{"create", "--scope", "admin", "--name", "x"}, "--source: "},
		{[]string{"create", "--scope", "read", "--name", "x", "--expires-in", "-1h"}, "end of a key: expected a time to come"},
		{[]string{"rotate", "nosuchkey"}, `rotating key "nosuchkey": there is no such key`},
		{[]string{"revoke"}, "expected one argument, the id of the key"},
		{[]string{"revoke", "nosuchkey"}, `key "nosuchkey": there is no such key`},
		{[]string{"list", "--output", "xml"}, `--output "xml": expected table or json`},
	}
	for _, tt := range tests {
		stdout, _, err := keys(tt.args...)
		if err == nil || cli.ExitCode(err) != cli.BadInput || !strings.Contains(err.Error(), tt.want) || stdout != "" {
			t.Errorf("recoup keys %s: prints %q, %v; want %q in the error", strings.Join(tt.args, " "), stdout, err, tt.want)
		}
	}
}

// atKeys runs a command at the database keys in the current folder.
func atKeys(t *testing.T, args ...string) string {
	t.Helper()
	stdout, stderr, err := recoup(append(args, "--db", "keys")...)
	if err != nil {
		t.Fatalf("recoup %s: %v\n%s", strings.Join(args, " "), err, stderr)
	}
	return stdout
}

// A key of a role is somebody's, and so are others that are linked to them; who changed
// what is in the security log.
func TestKeysBelongToPeople(t *testing.T) {
	t.Chdir(t.TempDir())
	key := keysJSON(t, "create", "--role", "approver", "--name", "Anna\u200b").Keys[0]
	next := keysJSON(t, "rotate", key.ID, "--overlap", "1h").Keys[0]
	var list struct {
		People []struct {
			ID, Name   string
			Principals []string
		}
	}
	people := func() {
		t.Helper()
		if err := json.Unmarshal([]byte(atKeys(t, "people", "list", "--output", "json")), &list); err != nil {
			t.Fatal(err)
		}
	}
	people()
	if len(list.People) != 1 || list.People[0].Name != "Anna" || strings.Join(list.People[0].Principals, " ") != key.ID+" "+next.ID {
		t.Fatalf("the people are %+v", list)
	}
	atKeys(t, "people", "link", list.People[0].ID, "oidc:https://id.example.com#anna@example.com")
	atKeys(t, "people", "unlink", next.ID)
	people()
	if strings.Join(list.People[0].Principals, " ") != key.ID+" "+access.Subject("https://id.example.com", "anna@example.com") {
		t.Errorf("Anna is %+v", list)
	}
	if _, _, err := recoup("people", "add", "--db", "keys", "--name", "ANNA"); err == nil || !strings.Contains(err.Error(), "somebody else has that name") {
		t.Errorf("a second Anna: %v", err)
	}
	keysJSON(t, "revoke", key.ID)
	log := atKeys(t, "security-log")
	for n, want := range []string{`"what":"key_made"`, `"what":"key_rotated"`, `"what":"person_changed"`, `"what":"person_changed"`, `"what":"key_revoked"`} {
		lines := strings.Split(log, "\n")
		if len(lines) != 6 || !strings.Contains(lines[n], want) || !strings.Contains(lines[n], `"principal":"local:`) {
			t.Errorf("line %d of the security log is not %s:\n%s", n+1, want, log)
		}
	}
	if sessions := atKeys(t, "sessions", "list", "--output", "json"); !strings.Contains(sessions, `"sessions": []`) && !strings.Contains(sessions, `"sessions":[]`) {
		t.Errorf("the sessions are %s", sessions)
	}
	if _, _, err := recoup("sessions", "end", "--db", "keys", "nobody"); err == nil || !strings.Contains(err.Error(), "there is no session") {
		t.Errorf("ending nobody's: %v", err)
	}
}
