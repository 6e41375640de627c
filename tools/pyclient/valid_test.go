package main

import (
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// TestTheDocumentIsValid: an independent reader of OpenAPI finds nothing wrong with the
// document, and its examples are of their schemas.
func TestTheDocumentIsValid(t *testing.T) {
	d, err := openapi3.NewLoader().LoadFromData(read(t, "openapi.json"))
	if err == nil {
		err = d.Validate(t.Context(), openapi3.EnableExamplesValidation())
	}
	if err != nil {
		t.Fatal(err)
	}
	d.Paths.Value("/v1/programs").Get.Responses.Value("200").Value.Content["application/json"].Example = map[string]any{"programs": 1}
	if d.Validate(t.Context(), openapi3.EnableExamplesValidation()) == nil {
		t.Error("an example that is not of its schema is taken")
	}
}
