package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"recoup/internal/store/durable"
)

// TestMigrateStatus: what there is to say of a schema, or of a folder, whether or not
// somebody has it open.
func TestMigrateStatus(t *testing.T) {
	onEachStore(t, func(t *testing.T, db string) {
		stored(t, db, "acct-1")
		held, err := openDatabase(t.Context(), db)
		if err != nil {
			t.Fatal(err)
		}
		defer held.Close()
		var listed struct{ Migrations []durable.Migration }
		if err := json.Unmarshal([]byte(succeed(t, "migrate", "status", "--db", db, "--output", "json")), &listed); err != nil {
			t.Fatal(err)
		}
		if len(listed.Migrations) == 0 {
			t.Error("nothing is listed")
		}
		for _, m := range listed.Migrations {
			if m.Version == 0 || m.Name == "" || m.Applied.IsZero() {
				t.Errorf("%+v is listed", m)
			}
		}
		if table := succeed(t, "migrate", "status", "--db", db); !strings.Contains(table, listed.Migrations[0].Name) {
			t.Errorf("it prints\n%s", table)
		}
	})
	workspace(t)
	if err := refuse(t, "migrate", "status", "--db", "dtaa"); err != "dtaa is not there" {
		t.Errorf("of a folder that is not there it says %q", err)
	}
	if err := os.Mkdir("newer", 0o700); err != nil {
		t.Fatal(err)
	}
	writeFile(t, "newer/recoup.json", `{"format": 99, "id": "x"}`)
	if err := refuse(t, "migrate", "status", "--db", "newer"); !strings.Contains(err, "format 99") {
		t.Errorf("of a newer folder it says %q", err)
	}
}
