package verify_test

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"recoup/internal/kit/pgtest"
)

// What PostgreSQL does not let be looked at is said, and is no difference.
func TestWhatCannotBeLookedAtIsSaid(t *testing.T) {
	v := postgresVault{pgtest.Shared(t).NewDatabase(t)}
	db := v.open(t)
	defer db.Close()
	serve(t, db).apply(eventful("golden"))
	report := checkStored(t, db)
	expectOnly(t, report)
	said := strings.Join(report.Unchecked, "; ")
	if !strings.Contains(said, "as it keeps no checksums") || !strings.Contains(said, "the extension amcheck is not there") {
		t.Errorf("said is %q", said)
	}

	admin, err := pgx.Connect(t.Context(), v.url)
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close(t.Context())
	if _, err := admin.Exec(t.Context(), "CREATE EXTENSION amcheck"); err != nil {
		t.Skip(err)
	}
	report = checkStored(t, db)
	expectOnly(t, report)
	if said := strings.Join(report.Unchecked, "; "); strings.Contains(said, "amcheck") {
		t.Errorf("with the extension said is %q", said)
	}
	// An index whose order is not that of its values, as after a new version of a collation.
	for _, change := range []string{
		"CREATE TABLE astray (number INT8)", "CREATE INDEX astray_index ON astray (number)", "INSERT INTO astray VALUES (1), (2)",
		"SET allow_system_table_mods = on",
		"UPDATE pg_index SET indoption = '3' WHERE indexrelid = 'astray_index'::REGCLASS",
	} {
		if _, err := admin.Exec(t.Context(), change); err != nil {
			t.Fatal(err)
		}
	}
	expectFound(t, checkStored(t, db), `files and indexes: expected what was written, and nothing else, found index astray_index: `)
}
