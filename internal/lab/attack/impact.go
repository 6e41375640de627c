package attack

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"recoup/internal/kit/tabular"
	"recoup/program"
)

// The parameters of the paper's table "Illustrative annual reward leakage"
// (section 7.2). Neither is estimated from data, there or here.
var (
	// abusePermille is p, the fraction of users who abuse the program.
	abusePermille = []int64{1, 10, 50}
	// populations is |U|.
	populations = []int64{100_000, 1_000_000, 10_000_000}
)

// paperPerYear is what the paper has one abuser take in a year, in minor units:
// the $50 of the cap, twelve times.
const paperPerYear = 600_00

// Impact is the paper's sensitivity analysis, p · |U| · what one abuser takes in
// a year: with the paper's $600, and with what the best attack takes from each
// design. These are bounds and no forecasts.
type Impact struct {
	Currency    string    `json:"currency"`
	Populations []int64   `json:"populations"`
	Paper       Leakage   `json:"paper"`
	Designs     []Leakage `json:"designs"`
}

// Leakage is the yearly loss of one design.
type Leakage struct {
	Design string `json:"design,omitzero"`
	// PerYear is what one abuser takes, in minor units.
	PerYear int64        `json:"per_abuser_and_year"`
	Rows    []LeakageRow `json:"rows"`
}

// LeakageRow is the yearly loss where so many of a thousand users abuse the
// program, for each of the populations, in minor units.
type LeakageRow struct {
	Permille int64   `json:"abuse_permille"`
	Yearly   []int64 `json:"yearly"`
}

// NewImpact works out the table of the paper and that of every design attacked.
func NewImpact(r *Report) *Impact {
	i := &Impact{Currency: r.Currency, Populations: populations, Paper: newLeakage("", paperPerYear)}
	for _, e := range r.Designs {
		i.Designs = append(i.Designs, newLeakage(e.Design, e.PerYear))
	}
	return i
}

func newLeakage(design string, perYear int64) Leakage {
	l := Leakage{Design: design, PerYear: perYear}
	for _, p := range abusePermille {
		row := LeakageRow{Permille: p}
		for _, users := range populations {
			row.Yearly = append(row.Yearly, users*p/1000*perYear)
		}
		l.Rows = append(l.Rows, row)
	}
	return l
}

// WriteTable writes the tables for people, in millions as the paper does. Designs
// that lose the same share one.
func (i *Impact) WriteTable(w io.Writer) error {
	fmt.Fprintf(w, "Yearly leakage in millions of %s: fraction p of users who abuse it, times users |U|, times what one takes in a year.\n", i.Currency)
	columns := []string{">one takes", ">p"}
	for _, users := range i.Populations {
		columns = append(columns, ">|U| = "+strconv.FormatInt(users, 10))
	}
	t := tabular.New(w, columns...)
	var names []string
	for _, l := range i.Distinct() {
		names = append(names, fmt.Sprintf("%s: %s", program.FormatAmount(l.PerYear, i.Currency), strings.Join(i.Losing(l.PerYear), ", ")))
		for j, row := range l.Rows {
			cells := tabular.Row{"", Percent(row.Permille)}
			if j == 0 {
				cells[0] = program.FormatAmount(l.PerYear, i.Currency)
			}
			for _, minor := range row.Yearly {
				cells = append(cells, Millions(minor, i.Currency))
			}
			t.AppendRow(cells)
		}
		t.AppendSeparator()
	}
	t.Render()
	_, err := fmt.Fprintln(w, strings.Join(names, "\n"))
	return err
}

// Distinct returns one leakage of each height: the paper's, and then the others,
// the largest first.
func (i *Impact) Distinct() []Leakage {
	others := slices.Clone(i.Designs)
	slices.SortStableFunc(others, func(a, b Leakage) int { return cmp.Compare(b.PerYear, a.PerYear) })
	list := []Leakage{i.Paper}
	for _, l := range others {
		if !slices.ContainsFunc(list, func(m Leakage) bool { return m.PerYear == l.PerYear }) {
			list = append(list, l)
		}
	}
	return list
}

// Losing names the paper and the designs of which one abuser takes that much.
func (i *Impact) Losing(perYear int64) (names []string) {
	if i.Paper.PerYear == perYear {
		names = append(names, "the paper")
	}
	for _, l := range i.Designs {
		if l.PerYear == perYear {
			names = append(names, l.Design)
		}
	}
	return names
}

// Percent writes a permille as a percentage with one decimal.
func Percent(permille int64) string {
	return fmt.Sprintf("%d.%d%%", permille/10, permille%10)
}

// Millions writes an amount in millions of the currency's major unit, exactly,
// with one decimal or as many as it needs.
func Millions(minor int64, currency string) string {
	decimals, _ := program.MinorUnits(currency)
	digits := fmt.Sprintf("%0*d", decimals+7, minor)
	whole, rest := digits[:len(digits)-decimals-6], strings.TrimRight(digits[len(digits)-decimals-6:], "0")
	if rest == "" {
		rest = "0"
	}
	return whole + "." + rest
}
