package server_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"recoup/reward"
)

// TestTheDocumentIsOpenAPI31 checks what OpenAPI 3.1 wants of a document and a
// client generator trips over.
func TestTheDocumentIsOpenAPI31(t *testing.T) {
	f := newService(t, previews)
	var doc map[string]any
	if err := json.Unmarshal(f.docs.raw, &doc); err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`^3\.1\.\d+$`).MatchString(fmt.Sprint(doc["openapi"])) {
		t.Errorf("openapi is %v", doc["openapi"])
	}
	info := doc["info"].(map[string]any)
	if info["title"] == "" || info["version"] == "" {
		t.Errorf("info is %v", info)
	}
	walk(doc, "#", func(path string, object map[string]any) {
		ref, is := object["$ref"].(string)
		if !is {
			return
		}
		var at any = doc
		for part := range strings.SplitSeq(strings.TrimPrefix(ref, "#/"), "/") {
			m, _ := at.(map[string]any)
			at = m[part]
		}
		if at == nil {
			t.Errorf("%s refers to %s, which is not there", path, ref)
		}
	})
	seen := make(map[string]string)
	placeholder := regexp.MustCompile(`{([^}]+)}`)
	for path, item := range doc["paths"].(map[string]any) {
		for method, v := range item.(map[string]any) {
			op, name := v.(map[string]any), method+" "+path
			id, _ := op["operationId"].(string)
			if other := seen[id]; id == "" || other != "" {
				t.Errorf("%s has the operationId %q, as has %q", name, id, other)
			}
			seen[id] = name
			var inPath []string
			parameters, _ := op["parameters"].([]any)
			for _, p := range parameters {
				if p := p.(map[string]any); p["in"] == "path" {
					inPath = append(inPath, p["name"].(string))
					if p["required"] != true {
						t.Errorf("%s: the path parameter %v is not required", name, p["name"])
					}
				}
			}
			var inTemplate []string
			for _, m := range placeholder.FindAllStringSubmatch(path, -1) {
				inTemplate = append(inTemplate, m[1])
			}
			if !slices.Equal(slices.Sorted(slices.Values(inPath)), slices.Sorted(slices.Values(inTemplate))) {
				t.Errorf("%s documents the path parameters %v", name, inPath)
			}
			for status, r := range op["responses"].(map[string]any) {
				if said := r.(map[string]any)["description"]; said == "" || len(status) != 3 {
					t.Errorf("%s: the answer %s says %q, expected a status, and words: codes.go has them of each code of a problem", name, status, said)
				}
			}
		}
	}
	walk(doc, "#", func(_ string, object map[string]any) { delete(object, "example") })
	bare, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"ErrorModel", "null}"} {
		if strings.Contains(string(bare), text) {
			t.Errorf("the document has %s", text)
		}
	}
}

// walk calls f with every object of a document.
func walk(v any, path string, f func(path string, object map[string]any)) {
	switch v := v.(type) {
	case map[string]any:
		f(path, v)
		for name, member := range v {
			walk(member, path+"/"+name, f)
		}
	case []any:
		for i, element := range v {
			walk(element, fmt.Sprint(path, "/", i), f)
		}
	}
}

// Every type of event that a sender may deliver is in the document, with what its data
// has.
func TestTheDocumentHasAllTypesOfEvents(t *testing.T) {
	text := string(newService(t).docs.raw)
	for kind := reward.Type(1); kind.String() != "unknown"; kind++ {
		if !kind.OnRecord() && strings.Count(text, kind.String()) < 2 {
			t.Errorf("%v is not described", kind)
		}
	}
}

// Every code that an outcome may have and that a command may answer with is a
// problem with its status, and one of an endpoint: none falls to an internal error.
func TestTheDocumentHasTheDenials(t *testing.T) {
	text := string(newService(t).docs.raw)
	noDenials := []reward.Code{reward.OverRefund, reward.Matched, reward.Unmatched, reward.ProgramUnknown, reward.AttributeConflict, reward.AttributeUnknown, reward.InvalidItems, reward.ItemsConflict}
	for code := reward.NoCode + 1; code.String() != "unknown"; code++ {
		if !slices.Contains(noDenials, code) && !strings.Contains(text, "`"+code.String()+"`: ") {
			t.Errorf("no endpoint answers %v: expected it among kinds in codes.go, and among the codes of its endpoint, such as redemptionRoutes of redemptions.go", code)
		}
	}
}

// TestEnumerationsAreWhole: what reviews and holds are called is all in the document.
func TestEnumerationsAreWhole(t *testing.T) {
	f := newService(t)
	var doc struct {
		Components struct {
			Schemas map[string]struct {
				Properties map[string]struct{ Enum []string }
			}
		}
	}
	if err := json.Unmarshal(f.docs.raw, &doc); err != nil {
		t.Fatal(err)
	}
	var kinds, reasons []string
	for k := reward.WaitsForTransaction; k <= reward.LastReview; k++ {
		kinds = append(kinds, k.String())
	}
	for r := reward.HeldForMaturity; r <= reward.HeldForWaitingRefund; r++ {
		reasons = append(reasons, r.String())
	}
	for _, c := range []struct {
		schema, member string
		want           []string
	}{{"Review", "kind", kinds}, {"Hold", "why", reasons}} {
		if got := doc.Components.Schemas[c.schema].Properties[c.member].Enum; !slices.Equal(slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(c.want))) {
			t.Errorf("%s.%s is one of %v, expected %v", c.schema, c.member, got, c.want)
		}
	}
}
