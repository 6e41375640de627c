package programs_test

import (
	"os"
	"strings"
	"testing"

	"recoup/internal/service/programs"
	"recoup/internal/store/durable"
	"recoup/internal/store/pebble/pebbletest"
)

const terms = "id: house\ncurrency: EUR\nrules: [{id: base, rate: 1%}]\n"

// A file is put once; the same file again changes nothing, and other terms under its id are
// refused, for new versions are published.
func TestFilesArePutOnce(t *testing.T) {
	t.Chdir(t.TempDir())
	db := durable.One(pebbletest.Open(t))
	defer db.Close()
	put := func(text string) error {
		t.Helper()
		if err := os.WriteFile("house.yaml", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		given, err := programs.ReadFiles([]string{"house.yaml"})
		if err != nil {
			t.Fatal(err)
		}
		_, err = programs.OpenWith(t.Context(), db, given, false)
		return err
	}
	if _, err := programs.OpenWith(t.Context(), db, nil, false); err == nil || !strings.Contains(err.Error(), "has no program: give one with --program FILE") {
		t.Errorf("without a program: %v", err)
	}
	for range 2 {
		if err := put(terms); err != nil {
			t.Fatal(err)
		}
	}
	if err := put(strings.Replace(terms, "1%", "2%", 1)); err == nil || !strings.Contains(err.Error(), `program "house" is in the database with other terms: publish new ones with PUT`) {
		t.Errorf("with other terms: %v", err)
	}
	all, err := programs.Open(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(all.Versions("house")); n != 1 {
		t.Errorf("it has %d versions", n)
	}
}

func TestADatabaseMayHaveTheEverydayProgram(t *testing.T) {
	db := durable.One(pebbletest.Open(t))
	defer db.Close()
	all, err := programs.OpenWith(t.Context(), db, nil, true)
	if err != nil {
		t.Fatal(err)
	}
	if p, ok := all.Default(); !ok || p.ID != "everyday" {
		t.Errorf("its program is %v", p)
	}
}
