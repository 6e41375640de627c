package verify_test

import (
	"context"
	"testing"

	"recoup/verify"
)

// check runs a check that can be done.
func check(t testing.TB, db verify.Database, o verify.Options) *verify.Report {
	t.Helper()
	report, err := verify.Run(context.Background(), db, o)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func TestAnUntouchedDatabaseHasNoDifferences(t *testing.T) {
	p, events := spending(300, 20_000)
	db := newMemory(t, p, events)
	report := check(t, db, verify.Options{Programs: programs{p}})
	for _, d := range report.Differences {
		t.Error(d)
	}
	if int(report.Accounts) != len(db.rows) || int(report.Events) != len(db.byNumber) || report.Postings == 0 {
		t.Errorf("%d accounts with %d events and %d postings were checked; there are %d with %d", report.Accounts, report.Events, report.Postings, len(db.rows), len(db.byNumber))
	}
}
