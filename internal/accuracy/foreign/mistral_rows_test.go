package foreign

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestMistralRows plays the same small story everywhere: 900.00 online on 10 February,
// 500.00 of it returned on 20 March, 100.00 returned of nobody knows what on 25 March; 5,000.00
// online on 7 December, 3,000.00 of it returned after the cheque, on 6 April. The rows are what a reader of the five ledgers sees.
func TestMistralRows(t *testing.T) {
	day := func(n int) time.Time { return mistralStart.AddDate(0, 0, n) }
	want := map[string]string{
		"mistral-fjord": "2025-02-10 earned 450 p; 2025-03-20 reversed -2000 r1; " +
			"2025-03-25 reversed -400 r2; 2025-04-12 adjusted 2099; 2025-12-07 earned 2500 q; " +
			"2026-04-06 reversed -12000 r3; 2026-04-12 adjusted 10500",
		"mistral-sakura": "2025-03-03 earned 900 p; 2025-03-10 earned 900 p; 2025-03-17 earned 900 p; " +
			"2025-03-20 reversed -1500 p r1; 2025-04-24 adjusted -300 r2; " +
			"2025-12-28 earned 1666 q; 2026-01-04 earned 1667 q; 2026-01-11 earned 1667 q",
		"mistral-marken": "2025-02-11 earned 600; 2025-02-11 reversed -600; 2025-02-11 earned 400; " +
			"2025-03-26 adjusted -200; 2025-12-08 earned 600; 2026-03-01 adjusted -400",
		"mistral-dividend": "2025-04-01 earned 300; 2026-01-01 earned 5000; 2026-02-01 earned 5300; " +
			"2026-03-15 paid -10600; 2026-04-06 reversed -8300 r3",
		"mistral-souq": "2025-02-11 earned 1800; 2025-03-21 reversed -1000; 2025-03-26 reversed -500; " +
			"2025-12-08 earned 10000; 2026-04-07 reversed -6000",
	}
	for _, d := range mistralDesigns {
		facts := []mistralFact{
			{at: day(0), kind: "settle", id: "p", cat: "ONLINE", amount: 90000},
			{at: day(38), kind: "refund", id: "1", of: "p", amount: 50000, returned: true},
			{at: day(43), kind: "refund", id: "2", of: "p", amount: 10000, returned: true, unlinked: true},
			{at: day(300), kind: "settle", id: "q", cat: "ONLINE", amount: 500000},
			{at: day(420), kind: "refund", id: "3", of: "q", amount: 300000, returned: true},
		}
		r := mistralPlay(t, d, facts, true, day(430))
		var got []string
		for _, p := range r.e.Postings("a") {
			row := fmt.Sprint(p.At.In(mistralOslo).Format(time.DateOnly), " ", p.Kind, " ", p.Amount, " ", p.Transaction, " ", p.Refund)
			got = append(got, strings.Join(strings.Fields(row), " "))
		}
		if g := strings.Join(got, "; "); g != want[d.Name] {
			t.Errorf("%s:\n got %s\nwant %s", d.Name, g, want[d.Name])
		}
	}
}
