package sarif_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"recoup/internal/kit/sarif"
)

// What SARIF 2.1.0 requires is there: version, a driver with a name, rules with ids,
// results with a message and a rule that there is; none are an empty list and not null.
func TestRequiredMembers(t *testing.T) {
	for _, results := range [][]sarif.Result{nil, {{Rule: "V1", Level: sarif.Error, Text: "keeps \x1b[31m$5", Where: "http://127.0.0.1", Minor: 500}}} {
		var b bytes.Buffer
		if err := sarif.Write(&b, "recoup probe", []sarif.Rule{{ID: "V1", Title: "a", About: "b", Remedy: "c"}}, results, ""); err != nil {
			t.Fatal(err)
		}
		var log struct {
			Version string
			Schema  string `json:"$schema"`
			Runs    []struct {
				Tool struct {
					Driver struct {
						Name  string
						Rules []struct {
							ID               string
							ShortDescription struct{ Text string }
						}
					}
				}
				Results *[]struct {
					RuleID    string `json:"ruleId"`
					Level     string
					Message   struct{ Text string }
					Locations []struct{ LogicalLocations []struct{ Name string } }
				}
			}
		}
		if err := json.Unmarshal(b.Bytes(), &log); err != nil {
			t.Fatal(err)
		}
		if log.Version != "2.1.0" || log.Schema == "" || len(log.Runs) != 1 || log.Runs[0].Results == nil {
			t.Fatalf("%s", b.Bytes())
		}
		run := log.Runs[0]
		if d := run.Tool.Driver; d.Name != "recoup probe" || len(d.Rules) != 1 || d.Rules[0].ID != "V1" || d.Rules[0].ShortDescription.Text != "a" {
			t.Errorf("the driver is %+v", d)
		}
		if len(*run.Results) != len(results) {
			t.Fatalf("%d results, want %d", len(*run.Results), len(results))
		}
		for _, r := range *run.Results {
			if r.RuleID != "V1" || r.Level != "error" || r.Message.Text == "" || bytes.ContainsRune([]byte(r.Message.Text), 0x1b) || r.Locations[0].LogicalLocations[0].Name != "http://127.0.0.1" {
				t.Errorf("%+v", r)
			}
		}
	}
}
