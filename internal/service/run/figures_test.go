package run

import (
	"reflect"
	"testing"
	"time"

	"recoup/internal/console/overview"
	"recoup/internal/service/observe"
	"recoup/reward"
)

// The metrics show what the console shows.
func TestMetricsAreTheFiguresOfTheOverview(t *testing.T) {
	at := time.Date(2026, 1, 5, 10, 0, 0, 0, time.UTC)
	f := &overview.Figures{
		Accounts:   3,
		Currencies: []overview.Currency{{Currency: "EUR", Owed: 1}, {Currency: "USD", Owed: 500, Debt: 20, Held: 7}},
		Reviews: overview.Reviews{Open: 9, Kinds: []overview.ReviewKind{
			{Kind: reward.WaitsForTransaction, Open: 2, Oldest: reward.At(at)}, {Kind: reward.FoundNoSpend, Open: 7, Oldest: 1},
		}},
		Webhooks: overview.Webhooks{Due: 4, Dead: 1, Endpoints: 8},
		Checks:   overview.Checks{Verify: overview.Verification{At: at, Differences: 6}},
	}
	want := observe.Figures{
		Accounts: 3, Money: map[string]observe.Money{"EUR": {Balance: 1}, "USD": {Balance: 500, Debt: 20, Held: 7}},
		Parked: 2, ParkedSince: at, Violations: 6, Verified: at, DeliveriesDue: 4, DeliveriesDead: 1,
	}
	if got := measured(f); !reflect.DeepEqual(got, want) {
		t.Errorf("measured is %+v, want %+v", got, want)
	}
	if got := measured(&overview.Figures{}); !got.ParkedSince.IsZero() || !got.Verified.IsZero() {
		t.Errorf("where nothing waits and nobody has verified, measured is %+v", got)
	}
}
