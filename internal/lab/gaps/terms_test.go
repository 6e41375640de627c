package gaps_test

import (
	"fmt"
	"strings"
	"testing"

	"recoup/internal/lab/gaps"
	"recoup/internal/scenario"
)

// Every trace of terms is played everywhere. The paper's designs cannot say them; each of
// the vendors' loses somewhere; Recoup does all that the files say.
func TestTerms(t *testing.T) {
	table, err := gaps.PlayTerms()
	if err != nil {
		t.Fatal(err)
	}
	traces := len(scenario.Terms())
	if len(table.Rows) != traces || len(table.Failures()) != 0 {
		t.Errorf("%d rows, want %d, and failures %v", len(table.Rows), traces, table.Failures())
	}
	off := map[string]int{}
	for _, row := range table.Rows {
		for i, net := range row.Net {
			name := table.Designs[i]
			switch {
			case net == nil:
				off[name] = -1
			case *net != row.Entitlement && row.Scenario != "t17-receipt-comes-late":
				off[name]++
			}
		}
	}
	for name, want := range map[string]int{"A": -1, "Literal (hybrid)": -1, "Cap room lost": -1, "Bonus stays": 5, "Level stays": 4, "Expiry goes on": 3, "Items ignored": 3, "Recoup": 0} {
		if off[name] != want {
			t.Errorf("%s ends %d traces elsewhere than at what is due (-1: it cannot say them), want %d", name, off[name], want)
		}
	}
	var page strings.Builder
	if err := table.WriteTable(&page); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"T1 ", "$224.95 !", "-PTS 200", fmt.Sprintf("Not supported by the other designs, but for so many of the %d programs: A (3), B (3)", traces)} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("%q is not in\n%s", want, &page)
		}
	}
}
