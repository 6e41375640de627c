package tabular_test

import (
	"errors"
	"strings"
	"testing"

	"recoup/internal/kit/tabular"
)

func TestNumbersStandToTheRight(t *testing.T) {
	var b strings.Builder
	table := tabular.New(&b, "Design", ">net reward")
	table.AppendRow(tabular.Row{"A", "$5.00"})
	table.AppendRow(tabular.Row{"none of them", 12345})
	table.AppendFooter(tabular.Row{"total", "-$1.00"})
	table.Render()
	const want = `
┌──────────────┬────────────┐
│ Design       │ net reward │
├──────────────┼────────────┤
│ A            │      $5.00 │
│ none of them │      12345 │
├──────────────┼────────────┤
│ total        │     -$1.00 │
└──────────────┴────────────┘
`
	if got := "\n" + b.String(); got != want {
		t.Errorf("the table is%swant%s", got, want)
	}
}

func TestJSONIsTheSameEveryTime(t *testing.T) {
	value := struct {
		Zone   string           `json:"zone"`
		Totals map[string]int64 `json:"totals"`
		Alpha  []string         `json:"alpha"`
		None   []string         `json:"none"`
	}{"z", map[string]int64{"c": 3, "a": 1 << 62, "b": -2}, []string{"<b>"}, nil}
	const want = `{
  "zone": "z",
  "totals": {
    "a": 4611686018427387904,
    "b": -2,
    "c": 3
  },
  "alpha": [
    "<b>"
  ],
  "none": []
}
`
	for range 5 {
		var b strings.Builder
		if err := tabular.WriteJSON(&b, value); err != nil {
			t.Fatal(err)
		}
		if b.String() != want {
			t.Fatalf("the JSON is\n%swant\n%s", &b, want)
		}
	}
}

// full is a writer without room.
type full struct{}

var errFull = errors.New("no space left")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestAFullDiskIsAnError(t *testing.T) {
	if err := tabular.WriteJSON(full{}, 1); !errors.Is(err, errFull) {
		t.Errorf("error %v, want %v", err, errFull)
	}
}
