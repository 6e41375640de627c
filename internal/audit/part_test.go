package audit_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"recoup/internal/audit"
	"recoup/internal/audit/judge"
	"recoup/program"
)

func part(shard, of int) *audit.Part {
	tally := audit.NewTally(program.Everyday())
	tally.Add(&judge.Account{Figures: judge.Figures{Purchases: 1}}, nil)
	return audit.PartOf(tally, shard, of)
}

// version is the member of a part that says which it is of.
func version(v int) string { return fmt.Sprintf(`"recoup_audit_part":%d`, v) }

func TestMergeWantsEachShardOnce(t *testing.T) {
	for _, c := range []struct {
		name  string
		parts []*audit.Part
		err   string
	}{
		{"none", nil, "nothing to merge"},
		{"all", []*audit.Part{part(2, 3), part(1, 3), part(3, 3)}, "no reward was read"},
		{"the first is missing", []*audit.Part{part(2, 3), part(3, 3)}, "shard 1 of 3 is missing"},
		{"one between is missing", []*audit.Part{part(1, 3), part(3, 3)}, "shard 2 of 3 is missing"},
		{"the last is missing", []*audit.Part{part(1, 3), part(2, 3)}, "shard 3 of 3 is missing"},
		{"one is there twice", []*audit.Part{part(1, 3), part(2, 3), part(2, 3), part(3, 3)}, "shard 2 of 3 is there twice"},
		{"of another number", []*audit.Part{part(1, 2), part(2, 3)}, "differ in the number of shards"},
	} {
		_, err := audit.Merge(c.parts...)
		if c.err == "" && err != nil || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.err)
		}
	}
}

func TestReadPartRefusesOtherFiles(t *testing.T) {
	var good bytes.Buffer
	if err := part(1, 2).Write(&good); err != nil {
		t.Fatal(err)
	}
	change := func(from, to string) string {
		if !strings.Contains(good.String(), from) {
			t.Fatalf("a part has no %s", from)
		}
		return strings.Replace(good.String(), from, to, 1)
	}
	for _, c := range []struct{ name, text, err string }{
		{"nothing", "", "expected a part"},
		{"other JSON", `{"accounts":[]}`, "part of version 0"},
		{"a report", `[]`, "expected a part"},
		{"half of one", good.String()[:good.Len()/2], "expected a part"},
		{"a later version", change(version(audit.PartVersion), version(audit.PartVersion+1)), fmt.Sprint("part of version ", audit.PartVersion+1)},
		{"an unknown member", change(`"shard":1`, `"shard":1,"sharp":1`), "sharp"},
		{"no such shard", change(`"shard":1`, `"shard":3`), "shard 3 of 2"},
		{"a flaw without counts", change(`"flaws":{}`, `"flaws":{"G2":null}`), "flaw G2"},
		{"more shown than could", change(`"flaws":{}`, `"flaws":{"G2":{"shown":2,"could":1,"amount":0}}`), "flaw G2"},
		{"refunds below zero", change(`"netted":0,`, `"netted":-1,`), "below zero"},
		{"debts below zero", change(`"debts":{"forgotten":0,`, `"debts":{"forgotten":-1,`), "debts: expected counts"},
		{"a month without sums", change(`"months":{}`, `"months":{"24312":null}`), "expected the sums of 2026-01"},
	} {
		_, err := audit.ReadPart("part-1.json", strings.NewReader(c.text))
		if err == nil || !strings.Contains(err.Error(), c.err) || !strings.Contains(err.Error(), "part-1.json") {
			t.Errorf("%s: got %v, want part-1.json and %q", c.name, err, c.err)
		}
	}
	if _, err := audit.ReadPart("part-1.json", &good); err != nil {
		t.Errorf("a part as it was written: %v", err)
	}
}

// FuzzReadPart reads anything without a panic, and what it takes can be merged
// and reported on.
func FuzzReadPart(f *testing.F) {
	var b bytes.Buffer
	if err := part(1, 1).Write(&b); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add([]byte(`{` + version(audit.PartVersion) + `,"shard":1,"of":1,"sums":{"flaws":{"G2":{"shown":1,"could":1}},"waits":{"3":-5},"months":null}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := audit.ReadPart("fuzz", bytes.NewReader(data))
		if err != nil {
			return
		}
		if r, err := audit.Merge(p); err == nil {
			asJSON(t, r)
		}
	})
}
