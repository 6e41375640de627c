package main

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/speakeasy-api/openapi/linter"
	"github.com/speakeasy-api/openapi/openapi"
	openapirules "github.com/speakeasy-api/openapi/openapi/linter"
	"github.com/speakeasy-api/openapi/validation"
)

// notRules are rules that the document is not held to, and why.
var notRules = map[string]string{
	"style-info-contact":             "the project has no home yet",
	"style-oas3-host-trailing-slash": "the server is /, wherever the service is",
	"style-tags-alphabetical":        "tags are in the order in which a reader needs them",
	"style-operation-error-response": "whether a process is alive and ready is no 4xx",
}

// broken are the rules that a document breaks, at warnings or worse: those about its meaning
// and its style. Those of OWASP ask for lengths and patterns of every text, which the service
// has in one place for all.
func broken(t *testing.T, text []byte) (list []string) {
	t.Helper()
	document, found, err := openapi.Unmarshal(t.Context(), bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	l, err := openapirules.NewLinter(linter.NewConfig())
	if err != nil {
		t.Fatal(err)
	}
	out, err := l.Lint(t.Context(), linter.NewDocumentInfo(document, "openapi.json"), found, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range out.Results {
		var said *validation.Error
		switch {
		case !errors.As(err, &said):
			list = append(list, err.Error())
		case said.Severity == validation.SeverityHint, strings.HasPrefix(said.Rule, "owasp-"), notRules[said.Rule] != "":
		default:
			list = append(list, said.Rule+": "+said.Error())
		}
	}
	return list
}

// TestTheDocumentKeepsTheRules: a linter of OpenAPI has nothing to say of the document, and
// finds what it is to find.
func TestTheDocumentKeepsTheRules(t *testing.T) {
	document := string(read(t, "openapi.json"))
	if found := broken(t, []byte(document)); len(found) > 0 {
		t.Fatalf("it breaks rules:\n%s", strings.Join(found, "\n"))
	}
	for rule, mistake := range map[string][2]string{
		"semantic-path-params":           {`"/v1/accounts/{account}/entries"`, `"/v1/accounts/{acount}/entries"`},
		"semantic-unused-component":      {`"schemas": {`, `"schemas": {"Unused": {"type": "string"},`},
		"validation-operation-not-found": {`"200": {`, `"200": {"links": {"next": {"operationId": "nowhere"}},`},
		"style-operation-tag-defined":    {"\"tags\": [\n     \"Events\"", "\"tags\": [\n     \"Elsewhere\""},
		"style-path-trailing-slash":      {`"/v1/programs":`, `"/v1/programs/":`},
		"style-no-verbs-in-path":         {`"/v1/programs":`, `"/v1/get/programs":`},
		"style-paths-kebab-case":         {`"/v1/programs":`, `"/v1/proGrams":`},
		"validation-operation-id-unique": {`"operationId": "list-programs"`, `"operationId": "list-alerts"`},
	} {
		if !strings.Contains(document, mistake[0]) {
			t.Errorf("%s: the document has no %s", rule, mistake[0])
			continue
		}
		found := broken(t, []byte(strings.Replace(document, mistake[0], mistake[1], 1)))
		if !slices.ContainsFunc(found, func(said string) bool { return strings.HasPrefix(said, rule+":") }) {
			t.Errorf("%s is not found among %q", rule, found)
		}
	}
}
