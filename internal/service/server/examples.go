package server

import (
	_ "embed"
	"encoding/json"

	"github.com/danielgtaylor/huma/v2"
)

// A story of requests with their answers, in which every operation comes. A test plays it
// to a server, so the examples of the document are what is really answered.
//
//go:embed examples.json
var story []byte

// example is a request of the story, with its answer. Others of its members are the test's.
type example struct {
	Operation string
	Path      map[string]string
	Query     map[string]string
	Headers   map[string]string
	Type      string // of the body
	Body      json.RawMessage
	Status    string
	Answer    json.RawMessage
	Aside     bool // it is there for the others, and no example
}

// exemplify puts the examples into the document: of each operation the first for each
// content type and status.
func (s *Server) exemplify() {
	operations := make(map[string]*huma.Operation)
	for _, item := range s.api.OpenAPI().Paths {
		for _, op := range []*huma.Operation{item.Get, item.Put, item.Post, item.Patch, item.Delete} {
			if op != nil {
				operations[op.OperationID] = op
			}
		}
	}
	var list []example
	if err := json.Unmarshal(story, &list); err != nil {
		panic("server: examples.json: " + err.Error()) // the file is part of the program
	}
	for _, e := range list {
		if op := operations[e.Operation]; op != nil && !e.Aside {
			e.illustrate(op)
		}
	}
}

func (e *example) illustrate(op *huma.Operation) {
	for _, p := range op.Parameters {
		given, is := map[string]map[string]string{"path": e.Path, "query": e.Query, "header": e.Headers}[p.In][p.Name]
		if !is || p.Example != nil {
			continue
		}
		p.Example = given
		if p.Schema.Type == huma.TypeInteger {
			p.Example = json.RawMessage(given)
		}
	}
	if op.RequestBody != nil {
		exampleOf(op.RequestBody.Content[e.Type], e.Body)
		if e.Type == oneType { // a line is the same event
			exampleOf(op.RequestBody.Content[linesType], e.Body)
		}
	}
	if answer := op.Responses[e.Status]; answer != nil {
		for _, media := range answer.Content {
			exampleOf(media, e.Answer)
		}
	}
}

func exampleOf(media *huma.MediaType, value json.RawMessage) {
	if media != nil && media.Example == nil && value != nil {
		media.Example = value
	}
}
