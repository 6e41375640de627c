package gaps_test

import (
	"strings"
	"testing"

	"recoup/internal/kit/labtest"
	"recoup/internal/lab/gaps"
)

// Every row G shows a defect of the literal algorithms, in no row is there
// anything that Recoup does otherwise than it must.
func TestGapRows(t *testing.T) {
	gaps := gapTable(t)
	if len(gaps.Rows) != 13+23 {
		t.Errorf("%d rows, want G1 to G13 and M1 to M23", len(gaps.Rows))
	}
	for _, row := range gaps.Rows {
		if len(row.Cases) == 0 {
			t.Errorf("%s: no scenario shows it", row.ID)
			continue
		}
		if row.ID[0] == 'G' && row.Cases[0].Defect.Amount <= 0 {
			t.Errorf("%s: %s shows no defect of the literal algorithms", row.ID, row.Cases[0].Scenario)
		}
		for _, c := range row.Cases {
			if c.Recoup.NetReward > c.Entitlement {
				t.Errorf("%s, %s: Recoup has %d, entitled to %d", row.ID, c.Scenario, c.Recoup.NetReward, c.Entitlement)
			}
		}
	}
	for _, failure := range gaps.Failures() {
		t.Errorf("Recoup: %s", failure)
	}
}

// The figures of docs/semantics.md, section 9: what the literal algorithms have, on
// what net spend, and what is wrong with it; and what Recoup has.
func TestGapFigures(t *testing.T) {
	type figures struct {
		literal, netSpend int64
		kind              gaps.DefectKind
		defect            int64
		recoup            int64
	}
	want := map[string]figures{
		"g01-refund-before-and-after-close":      {1_20, 0, gaps.Leaks, 1_20, 0},
		"g02-return-shipping":                    {5_00, 0, gaps.Leaks, 5_00, 0},
		"g02-two-refunds-above-price":            {2_00, 0, gaps.Leaks, 2_00, 0},
		"g03-refund-before-settlement":           {5_00, 0, gaps.Leaks, 5_00, 0},
		"g04-settlement-again":                   {5_00, 0, gaps.Leaks, 5_00, 0},
		"g05-refund-again":                       {1_00, 60_00, gaps.ShortPays, 2_00, 3_00},
		"g06-granted-live-refunded-same-cycle":   {5_00, 0, gaps.Leaks, 5_00, 0},
		"g07-refunded-before-close-then-bounced": {0, 100_00, gaps.ShortPays, 5_00, 5_00},
		"g08-negative-redemption":                {15_00, 100_00, gaps.Leaks, 10_00, 5_00},
		"g08-redemption-again":                   {10_00, 200_00, gaps.PaysOut, 4_00, 10_00},
		"g09-chargeback-after-part-refund":       {3_00, 0, gaps.Leaks, 3_00, 0},
		"g09-refund-after-part-chargeback":       {3_00, 0, gaps.Leaks, 3_00, 0},
		"g09-dispute-lost":                       {0, 100_00, gaps.ShortPays, 5_00, 5_00},
		"g10-residual-window":                    {0, 0, gaps.PaysOut, 5_00, 0},
		"g11-cap-room-to-kept-purchase":          {0, 1000_00, gaps.ShortPays, 50_00, 50_00},
		// Without a way to take a refund back there is none to overrun the cap.
		"g12-bounced-refund-under-cap": {0, 1000_00, gaps.ShortPays, 50_00, 50_00},
		"g13-walk-away":                {0, 0, gaps.PaysOut, 5_00, 0},

		"m01-linked-after-unlinked":      {5_00, 0, gaps.Leaks, 5_00, 0},
		"m02-one-refund-for-two":         {10_00, 0, gaps.Leaks, 10_00, 0},
		"m03-dearest-first":              {6_00, 100_00, gaps.Leaks, 5_00, 1_00},
		"m04-capped-decoy":               {50_00, 0, gaps.Leaks, 50_00, 0},
		"m05-other-category":             {5_00, 0, gaps.Leaks, 5_00, 0},
		"m06-unlinked-before-purchase":   {5_00, 0, gaps.Leaks, 5_00, 0},
		"m07-undo-before-refund":         {0, 100_00, gaps.ShortPays, 5_00, 5_00},
		"m08-never-posted":               {5_00, 100_00, gaps.PaysOut, 5_00, 5_00},
		"m09-unknown-purchase":           {5_00, 0, gaps.Leaks, 5_00, 0},
		"m10-clearing-withdrawn":         {5_00, 0, gaps.Leaks, 5_00, 0},
		"m11-own-purchase-arrives-later": {6_00, 100_00, gaps.Leaks, 5_00, 1_00},
		"m12-then-refunded":              {5_00, 0, gaps.Leaks, 5_00, 0},
		// Right in the end, though by no path of its own.
		"m13-chargeback-lost-after-refund": {1_00, 100_00, "", 0, 1_00},
		"m14-two-clearings-one-refund":     {5_00, 0, gaps.Leaks, 5_00, 0},
		"m15-says-nothing":                 {60_00, 1000_00, gaps.Leaks, 50_00, 10_00},
		"m15-returns-desk":                 {60_00, 1000_00, gaps.Leaks, 50_00, 10_00},
		"m16-ten-refunds":                  {70_00, 2000_00, gaps.Leaks, 50_00, 20_00},
		"m16-one-refund":                   {70_00, 2000_00, gaps.Leaks, 50_00, 20_00},
		"m16-half-say-nothing":             {70_00, 2000_00, gaps.Leaks, 50_00, 20_00},
		"m17-last-months-bonus":            {11_00, 200_00, gaps.Leaks, 5_00, 6_00},
		"m18-parked-then-redeemed":         {5_00, 0, gaps.Leaks, 5_00, 0},
		// Algorithm 2 has no refund numbers to mix up.
		"m19-two-shops-one-number":          {0, 0, "", 0, 0},
		"m20-posted-again-after-bounce":     {0, 100_00, gaps.ShortPays, 5_00, 5_00},
		"m21-chargeback-of-two-clearings":   {5_00, 0, gaps.Leaks, 5_00, 0},
		"m22-fuel-that-says-fuel":           {8_40, 160_00, gaps.Leaks, 40, 8_00},
		"m23-january-delivered-in-february": {50_00, 2000_00, gaps.ShortPays, 50_00, 100_00},
	}
	cases := gapCases(t)
	for name, w := range want {
		c, ok := cases[name]
		if !ok {
			t.Errorf("%s is no case", name)
			continue
		}
		if got := (figures{c.Ends.NetReward, c.NetSpend, c.Defect.Kind, c.Defect.Amount, c.Recoup.NetReward}); got != w {
			t.Errorf("%s: %+v, want %+v", name, got, w)
		}
	}
}

// Where the published state machine is at fault, the states tell.
func TestGapStates(t *testing.T) {
	for name, want := range map[string][2]string{
		"g07-refunded-before-close-then-bounced": {"PENDING", "SETTLED"},
		"g09-chargeback-after-part-refund":       {"PART_REF", "CHARGEBACK"},
		"g09-dispute-lost":                       {"CHARGEBACK", "SETTLED"},
	} {
		c := gapCases(t)[name]
		if got := [2]string{c.Ends.States["t1"], c.Recoup.States["t1"]}; got != want {
			t.Errorf("%s: t1 is %s, at Recoup %s, want %s and %s", name, got[0], got[1], want[0], want[1])
		}
	}
}

func TestGapsWithoutAPath(t *testing.T) {
	for name, want := range map[string]string{
		"g09-dispute-lost":       "undo chargeback c1",
		"m07-undo-before-refund": "undo refund r1",
		"m08-never-posted":       "announce p1 100.00 of t1",
		"m10-clearing-withdrawn": "withdraw t1",
		"g02-return-shipping":    "",
	} {
		if got := strings.Join(gapCases(t)[name].Defect.NoPath, ", "); got != want {
			t.Errorf("%s: no path for %q, want %q", name, got, want)
		}
	}
}

// The literal algorithms run with the timing of the scenario's program.
func TestGapTiming(t *testing.T) {
	for name, want := range map[string]string{
		"g01-refund-before-and-after-close":    "Literal (statement)",
		"g02-return-shipping":                  "Literal (instant)",
		"g06-granted-live-refunded-same-cycle": "Literal (hybrid)",
		"g10-residual-window":                  "Literal (statement)",
	} {
		if got := gapCases(t)[name].Literal; got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

func TestGapTableForPeople(t *testing.T) {
	text := labtest.WantTable(t, gapTable(t),
		"│ G1  │ Part refunded before the close, the rest after",
		"│ leaks $1.20 ",
		"│ short-pays $5.00 after undo refund r1; t1 PENDING, not SETTLED; no path: undo refund r1 │",
		"│ pays out $5.00, owed now ",
		"│ short-pays $50.00 after refund r1 1000.00 of t1 ",
		"│ M14 │ One refund for two clearings",
		"│ M23 │ A January purchase that is delivered in February",
	)
	if strings.Contains(text, " × ") {
		t.Errorf("Recoup is not right everywhere:\n%s", text)
	}
}

func gapTable(t *testing.T) *gaps.Table {
	t.Helper()
	gaps, err := gaps.Play()
	if err != nil {
		t.Fatal(err)
	}
	return gaps
}

func gapCases(t *testing.T) map[string]gaps.Case {
	t.Helper()
	byName := map[string]gaps.Case{}
	for _, row := range gapTable(t).Rows {
		for _, c := range row.Cases {
			byName[c.Scenario] = c
		}
	}
	return byName
}
