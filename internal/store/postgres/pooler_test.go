package postgres_test

import (
	"context"
	"strings"
	"testing"

	"recoup/internal/kit/pgtest"
	"recoup/internal/store/postgres"
)

// The suite runs in a schema that only the transaction's settings name: a pooler passes
// nothing on of what a session is set to.
func TestDriverThroughAPooler(t *testing.T) {
	direct := pgtest.NewSchema(t)
	suite(t, open(t, pgtest.Pooled(t, direct), postgres.Options{Migrate: true, Pooler: true}), connect(t, direct))
}

func TestAPoolerThatIsNotExpectedIsRefused(t *testing.T) {
	url := pgtest.Pooled(t, pgtest.Shared(t).NewDatabase(t))
	if _, err := postgres.Open(context.Background(), url, postgres.Options{Migrate: true}); err == nil || !strings.Contains(err.Error(), "--pg-pooler") {
		t.Errorf("Open: %v, want what to do", err)
	}
}

func TestStatusThroughAPooler(t *testing.T) {
	direct := pgtest.NewSchema(t)
	open(t, direct, postgres.Options{Migrate: true})
	list, err := postgres.Status(context.Background(), pgtest.Pooled(t, direct), "")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range list {
		if m.Applied.IsZero() {
			t.Errorf("%+v is said to be missing", m)
		}
	}
}
