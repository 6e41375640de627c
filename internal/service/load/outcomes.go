package load

import (
	"cmp"
	"io"
	"maps"
	"slices"

	"recoup/internal/kit/tabular"
	"recoup/reward"
)

// row is how often there was a result.
type row struct {
	Outcome string  `json:"outcome"`
	Code    *string `json:"code"`
	Events  int64   `json:"events"`
}

var listing = tabular.Listing[row]{
	Name: "outcomes", Columns: []string{"outcome", "code", ">events"},
	Cells: func(r *row) tabular.Row {
		code := ""
		if r.Code != nil {
			code = *r.Code
		}
		return tabular.Row{r.Outcome, code, r.Events}
	},
}

// Write writes how often there was which result.
func (o Outcomes) Write(w io.Writer, format tabular.Format) error {
	var rows []row
	for _, r := range slices.SortedFunc(maps.Keys(o), func(x, y reward.Result) int {
		return cmp.Or(cmp.Compare(x.Outcome, y.Outcome), cmp.Compare(x.Code, y.Code))
	}) {
		v := row{Outcome: r.Outcome.String(), Events: o[r]}
		if r.Code != reward.NoCode {
			code := r.Code.String()
			v.Code = &code
		}
		rows = append(rows, v)
	}
	return listing.Write(w, format, rows)
}
