package attack_test

import (
	"bytes"
	"context"
	"reflect"
	"slices"
	"strings"
	"testing"

	"recoup/internal/lab/attack"
	"recoup/internal/lab/design"
)

// The paper's table "Illustrative annual reward leakage" (section 7.2), and the
// same from what the search takes.
func TestImpact(t *testing.T) {
	const million = 1_000_000_00
	want := []attack.LeakageRow{
		{Permille: 1, Yearly: []int64{6 * million / 100, 6 * million / 10, 6 * million}},
		{Permille: 10, Yearly: []int64{6 * million / 10, 6 * million, 60 * million}},
		{Permille: 50, Yearly: []int64{3 * million, 30 * million, 300 * million}},
	}
	b := attack.DefaultBounds()
	b.Cycles = 1
	attacked, err := attack.All(context.Background(), design.All(), b)
	if err != nil {
		t.Fatal(err)
	}
	impact := attack.NewImpact(attacked)
	if impact.Paper.PerYear != 600_00 || !reflect.DeepEqual(impact.Paper.Rows, want) {
		t.Errorf("the paper's table is %+v, want %+v", impact.Paper, want)
	}
	for _, l := range impact.Designs {
		switch l.Design {
		case "A", "B", "V3(a)", "Literal (hybrid)":
			if l.PerYear != 600_00 || !reflect.DeepEqual(l.Rows, want) {
				t.Errorf("%s: %+v, want the paper's table", l.Design, l)
			}
		case "Literal (statement)":
			if got := l.Rows[1].Yearly[1]; got != 1_500_000_00 {
				t.Errorf("%s: %d for 1 %% of a million users, want $1.5 million", l.Design, got)
			}
		default:
			if l.PerYear != 0 || slices.Max(l.Rows[2].Yearly) != 0 {
				t.Errorf("%s: %+v, want nothing", l.Design, l)
			}
		}
	}
}

func TestImpactTableReadsAsInThePaper(t *testing.T) {
	impact := attack.NewImpact(&attack.Report{Currency: "USD", Designs: []attack.Exposure{
		{Design: "C"}, {Design: "G1", PerYear: 150_00}, {Design: "A", PerYear: 600_00}, {Design: "cents", PerYear: 1},
	}})
	var table bytes.Buffer
	if err := impact.WriteTable(&table); err != nil {
		t.Fatal(err)
	}
	rows := strings.Fields(strings.NewReplacer("│", "", "┤", "", "├", "", "┼", "", "─", "").Replace(table.String()))
	for _, want := range []string{
		"$600.00 0.1% 0.06 0.6 6.0 1.0% 0.6 6.0 60.0 5.0% 3.0 30.0 300.0",
		"$150.00 0.1% 0.015 0.15 1.5",
		"$0.01 0.1% 0.000001 0.00001 0.0001",
		"$0.00 0.1% 0.0 0.0 0.0",
		"$600.00: the paper, A", "$0.00: C",
	} {
		if !strings.Contains(strings.Join(rows, " "), want) {
			t.Errorf("the table lacks %q:\n%s", want, &table)
		}
	}
}
