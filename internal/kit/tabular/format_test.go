package tabular

import (
	"strings"
	"testing"
)

type keyed struct {
	Name string `json:"name"`
	Key  string `json:"key,omitempty"`
}

var keyedListing = Listing[keyed]{Name: "keys", Columns: []string{"name", "?key"}, Cells: func(k *keyed) Row { return Row{k.Name, k.Key} }}

// A list is printed in either format; a column that nothing is in is left out.
func TestListing(t *testing.T) {
	for _, c := range []struct {
		format      Format
		list        []keyed
		want, never string
	}{
		{"json", nil, `"keys": []`, "null"},
		{"json", []keyed{{"a", ""}}, `"name": "a"`, `"key":`},
		{"table", []keyed{{"a", ""}, {"b", ""}}, "name", "key"},
		{"table", []keyed{{"a", ""}, {"b", "secret"}}, "key", "?"},
	} {
		var b strings.Builder
		if err := keyedListing.Write(&b, c.format, c.list); err != nil {
			t.Fatal(err)
		}
		if got := b.String(); !strings.Contains(got, c.want) || strings.Contains(got, c.never) {
			t.Errorf("%s of %v has no %q, or %q:\n%s", c.format, c.list, c.want, c.never, got)
		}
	}
	if err := Format("yaml").Check(); err == nil || err.Error() != `--output "yaml": expected table or json` {
		t.Errorf("yaml: %v", err)
	}
}
