package shards_test

import (
	"testing"

	"recoup/internal/store/shards"
)

// What a schema is called that nobody has named.
func TestSchemasOfTargets(t *testing.T) {
	f := &shards.File{Home: shards.Place{URL: "postgres://h/x", Schema: "recoup"}, Shards: []shards.Shard{{Number: 3, Epoch: 4, Place: shards.Place{URL: "postgres://a/x", Schema: "recoup_3"}}}}
	elsewhere := shards.Place{URL: "postgres://b/x"}
	if to, err := f.Target(3, elsewhere); err != nil || to.Schema != "recoup_3" || to.URL != elsewhere.URL {
		t.Errorf("a shard moves to %+v, %v", to, err)
	}
	if to, err := f.Target(9, shards.Place{URL: "postgres://b/x", Schema: "own"}); err != nil || to.Schema != "own" {
		t.Errorf("with a name it moves to %+v, %v", to, err)
	}
	if _, err := f.Target(9, elsewhere); err == nil || err.Error() != "there is no shard 9" {
		t.Errorf("a shard that is not there: %v", err)
	}
	to, rest := f.SplitTargets(3, 8, elsewhere, shards.Place{})
	if to.Schema != "recoup_8" || rest.Schema != "recoup_3_5" || rest.URL != "postgres://a/x" {
		t.Errorf("it is split to %+v and %+v", to, rest)
	}
	for text, want := range map[string]string{
		"4096": `expected the number of a shard from 0 to 4095, found "4096"`, "-1": `expected the number of a shard from 0 to 4095, found "-1"`, "one": `expected the number of a shard from 0 to 4095, found "one"`,
	} {
		if _, err := shards.ParseNumber(text); err == nil || err.Error() != want {
			t.Errorf("%s: %v", text, err)
		}
	}
}
