package phrase_test

import (
	"testing"

	"recoup/internal/console/phrase"
)

// The cells of a table whose rows may stand below each other say which column they are of;
// other tables are left as they are.
func TestHead(t *testing.T) {
	const other = `<table><thead><tr><th scope="col">A</th></tr></thead><tbody><tr><td>1</td></tr></tbody></table>`
	source := `<table class="rows"><thead><tr><th scope="col">Id</th><th scope="col">When</th><th scope="col">{{.Title}}</th>{{if .May}}<th scope="col">Again</th>{{end}}</tr></thead>` +
		`<tbody>{{range .}}<tr><th scope="row">{{.ID}}</th><td class="w">{{.At}}</td><td>{{.X}}</td>{{if .May}}<td><b>{{.Y}}</b></td>{{end}}</tr>{{end}}</tbody></table>` + other
	want := `<table class="rows" role="table"><thead><tr role="row"><th scope="col" role="columnheader">Id</th><th scope="col" role="columnheader">When</th><th scope="col" role="columnheader">{{.Title}}</th>{{if .May}}<th scope="col" role="columnheader">Again</th>{{end}}</tr></thead>` +
		`<tbody>{{range .}}<tr role="row"><th scope="row" role="rowheader">{{.ID}}</th><td class="w" role="cell" data-head="When">{{.At}}</td><td role="cell">{{.X}}</td>{{if .May}}<td role="cell" data-head="Again"><b>{{.Y}}</b></td>{{end}}</tr>{{end}}</tbody></table>` + other
	if got := phrase.Head(source); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
