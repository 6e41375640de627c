package main

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recoup/internal/cli"
	"recoup/internal/service/secrets"
	"recoup/program"
)

// lies reports whether a text is in a file below a folder.
func lies(t *testing.T, folder, text string) (is bool) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(path)
		is = is || strings.Contains(string(content), text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return is
}

// TestSecretsLieSealed: with a key, nobody who has the database has the secrets of
// endpoints, and the key can be replaced.
func TestSecretsLieSealed(t *testing.T) {
	t.Chdir(t.TempDir())
	run := func(args ...string) process { t.Helper(); return end(t, runs(t, args...)) }
	done := func(args ...string) process {
		t.Helper()
		p := run(args...)
		if p.code != 0 {
			t.Fatalf("%v: %d %s", args, p.code, p.stderr)
		}
		return p
	}
	done("keys", "create", "--db", "data", "--name", "k", "--scope", "read")
	done("secrets", "new", "keys")
	if info, err := os.Stat("keys"); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file of keys is %v, %v", info.Mode(), err)
	}
	add := func(more ...string) (id, secret string) {
		t.Helper()
		p := done(append([]string{"webhooks", "add", "--db", "data", "--output", "json", "https://example.com/x"}, more...)...)
		var out hookOutput
		if err := json.Unmarshal([]byte(p.stdout), &out); err != nil {
			t.Fatal(err)
		}
		return out.Endpoints[0].ID, out.Endpoints[0].Secret
	}
	sealed, secret := add("--secrets-key", "keys")
	if lies(t, "data", secret) {
		t.Error("the secret is in the folder as it is")
	}
	if _, plain := add(); !lies(t, "data", plain) {
		t.Error("a secret that is not sealed is not found: this test finds nothing")
	}
	if p := run("webhooks", "rotate", "--db", "data", sealed); p.code != cli.BadInput || !strings.Contains(p.stderr, "--secrets-key") {
		t.Errorf("without the key: %d %s", p.code, p.stderr)
	}
	done("secrets", "new", "keys")
	if p := done("secrets", "rotate", "--db", "data", "--secrets-key", "keys"); !strings.Contains(p.stderr, "2 webhook endpoints") {
		t.Errorf("rotated: %s", p.stderr)
	}
	text, err := os.ReadFile("keys")
	if err != nil {
		t.Fatal(err)
	}
	newest, _, _ := strings.Cut(string(text), "\n")
	cmd := runs(t, "webhooks", "rotate", "--db", "data", sealed)
	cmd.Env = append(cmd.Env, secrets.Variable+"="+newest)
	if p := end(t, cmd); p.code != 0 {
		t.Errorf("with the new key alone: %d %s", p.code, p.stderr)
	}
	var list struct{ Sealed []secrets.Sealed }
	if err := json.Unmarshal([]byte(done("secrets", "list", "--db", "data", "--output", "json").stdout), &list); err != nil || len(list.Sealed) != 1 || list.Sealed[0].Count != 2 || list.Sealed[0].Key == "" {
		t.Errorf("sealed are %+v, %v", list, err)
	}
	if err := os.WriteFile("program.yaml", program.EverydayDocument(), 0o600); err != nil {
		t.Fatal(err)
	}
	if p := run("serve", "--db", "data", "--program", "program.yaml", "--listen", "127.0.0.1:0"); p.code != cli.BadInput || !strings.Contains(p.stderr, "name the file that has it with --secrets-key") {
		t.Errorf("a service without the key: %d %s", p.code, p.stderr)
	}
	for _, wrong := range [][]string{
		{"secrets", "rotate", "--db", "data"}, {"secrets", "rotate", "--db", "data", "--secrets-key", "none"}, {"secrets", "new"},
	} {
		if p := run(wrong...); p.code != cli.BadInput || strings.Contains(p.stderr, newest) {
			t.Errorf("%v: %d %s", wrong, p.code, p.stderr)
		}
	}
}

func TestExemptionsAreMadeAndListed(t *testing.T) {
	t.Chdir(t.TempDir())
	if _, _, err := recoup("migrate", "up", "--db", "data"); err != nil {
		t.Fatal(err)
	}
	set := []string{"--db", "data", "--source", "core", "--member", "data.transaction", "--reason", "a sequence number", "--actor", "maria"}
	succeed(t, append([]string{"exemptions", "add"}, set...)...)
	if list := succeed(t, "exemptions", "list", "--db", "data"); !strings.Contains(list, "data.transaction") || !strings.Contains(list, "maria") {
		t.Errorf("in force:\n%s", list)
	}
	succeed(t, append([]string{"exemptions", "remove"}, set...)...)
	if list := succeed(t, "exemptions", "list", "--db", "data"); strings.Contains(list, "maria") {
		t.Errorf("in force:\n%s", list)
	}
	if list := succeed(t, "exemptions", "list", "--db", "data", "--history"); strings.Count(list, "maria") != 2 {
		t.Errorf("on record:\n%s", list)
	}
}
