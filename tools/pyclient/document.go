package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// document is what the client is made of.
type document struct {
	Paths      map[string]map[string]*operation
	Components struct{ Schemas map[string]*schema }
}

type operation struct {
	OperationID string
	Summary     string
	Parameters  []parameter
	RequestBody struct{ Content map[string]media }
	Responses   map[string]struct{ Content map[string]media }
	Idempotent  *bool `json:"x-idempotent"`
}

type parameter struct {
	Name, In string
	Required bool
	Schema   *schema
}

type media struct{ Schema *schema }

// schema is as much of JSON Schema as the document uses. What it uses besides, and has no
// meaning for types, is passed over.
type schema struct {
	Ref         string `json:"$ref"`
	Type        types
	Description string
	Properties  map[string]*schema
	Required    []string
	Items       *schema
	OneOf       []*schema
	Enum        []string
	AllOf       []any
	AnyOf       []any

	AdditionalProperties any
}

// types are the types of a schema, of which JSON has one as a text.
type types []string

func (t *types) UnmarshalJSON(text []byte) error {
	var one string
	if json.Unmarshal(text, &one) == nil {
		*t = types{one}
		return nil
	}
	return json.Unmarshal(text, (*[]string)(t))
}

// python is a schema as a type of Python. at says where it is, for errors.
func (s *schema) python(at string) (string, error) {
	switch {
	case s == nil:
		return "Any", nil
	case s.AllOf != nil || s.AnyOf != nil:
		return "", fmt.Errorf("%s: allOf and anyOf have no type here", at)
	case s.Ref != "":
		name, is := strings.CutPrefix(s.Ref, "#/components/schemas/")
		if !is {
			return "", fmt.Errorf("%s: expected a schema of the document, found %s", at, s.Ref)
		}
		return name, nil
	case s.OneOf != nil:
		return union(at, s.OneOf)
	case len(s.Enum) > 0:
		quoted := make([]string, len(s.Enum))
		for i, one := range s.Enum {
			quoted[i] = fmt.Sprintf("%q", one)
		}
		return s.orNone("Literal[" + strings.Join(quoted, ", ") + "]"), nil
	}
	for _, t := range s.Type {
		switch t {
		case "string":
			return s.orNone("str"), nil
		case "integer":
			return s.orNone("int"), nil
		case "boolean":
			return s.orNone("bool"), nil
		case "null":
		case "array":
			of, err := s.Items.python(at + "[]")
			return s.orNone("list[" + of + "]"), err
		case "object":
			if s.Properties != nil {
				return "", fmt.Errorf("%s: an object with members needs a name of its own among the schemas", at)
			}
			values := "Any"
			if m, is := s.AdditionalProperties.(map[string]any); is && m["type"] == "string" {
				values = "str"
			}
			return s.orNone("dict[str, " + values + "]"), nil
		default: // a number would be a float
			return "", fmt.Errorf("%s: a %s has no type here", at, t)
		}
	}
	if len(s.Type) > 0 {
		return "None", nil
	}
	return "Any", nil
}

func (s *schema) orNone(text string) string {
	if slices.Contains(s.Type, "null") {
		return text + " | None"
	}
	return text
}

func union(at string, list []*schema) (string, error) {
	var all []string
	for _, one := range list {
		text, err := one.python(at)
		if err != nil {
			return "", err
		}
		all = append(all, text)
	}
	return strings.Join(all, " | "), nil
}

// sorted are the keys of a map in their order.
func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
