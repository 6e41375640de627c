package server

import (
	"bytes"
	"context"
	"errors"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"recoup/internal/service/budget"
	"recoup/internal/service/scope"
	"recoup/internal/store/durable"
	"recoup/program"
	"recoup/reward"
)

// ProgramSummary is a version of a program, without its document.
type ProgramSummary struct {
	Program   string  `json:"program"`
	Version   int32   `json:"version" doc:"Counts from one"`
	Currency  string  `json:"currency"`
	Effective *string `json:"effective" format:"date-time" doc:"Since when it is in force; null: from the beginning of time"`
	InForce   bool    `json:"in_force" doc:"It is the version in force now"`
	Created   string  `json:"created_at" format:"date-time"`
	Actor     string  `json:"actor" doc:"Who put it"`
}

// ProgramDocument is a version of a program with its document.
type ProgramDocument struct {
	ProgramSummary
	Document string `json:"document" doc:"As it was put: YAML, or JSON"`
}

// ProgramList is the latest version of each program.
type ProgramList struct {
	Programs []ProgramSummary `json:"programs" nullable:"false" doc:"By id"`
}

// ProgramVersions is all versions of a program.
type ProgramVersions struct {
	Versions []ProgramSummary `json:"versions" nullable:"false" doc:"The first first"`
}

// summaryOf returns version n of a program's versions, which count from zero here.
func summaryOf(versions []durable.ProgramVersion, n int, now reward.Instant) ProgramSummary {
	v := &versions[n]
	s := ProgramSummary{
		Program: v.Terms.ID, Version: v.Terms.Version, Currency: v.Terms.Currency,
		Created: v.Created.String(), Actor: v.Actor,
	}
	begun := func(v *durable.ProgramVersion) bool {
		at, later := v.Effective()
		return !later || at <= now
	}
	if at, later := v.Effective(); later {
		s.Effective = timeOf(at)
	}
	s.InForce = begun(v) && (n == len(versions)-1 || !begun(&versions[n+1]))
	return s
}

type programListOutput struct {
	Body ProgramList
}

func (s *Server) listPrograms(context.Context, *struct{}) (*programListOutput, error) {
	out := &programListOutput{Body: ProgramList{[]ProgramSummary{}}}
	for _, v := range s.programs.List() {
		versions := s.programs.Versions(v.Terms.ID)
		out.Body.Programs = append(out.Body.Programs, summaryOf(versions, len(versions)-1, s.instant()))
	}
	return out, nil
}

// OfProgram is the part of a path that names a program.
type OfProgram struct {
	Program string `path:"program" maxLength:"256" doc:"The program"`
}

// versions returns those of a program that is there.
func (in *OfProgram) versions(s *Server) ([]durable.ProgramVersion, error) {
	versions := s.programs.Versions(in.Program)
	if len(versions) == 0 {
		return nil, problem("program_not_found", "").at("program")
	}
	return versions, nil
}

type programOutput struct {
	Status int
	Body   ProgramDocument
}

func (s *Server) program(_ context.Context, in *OfProgram) (*programOutput, error) {
	versions, err := in.versions(s)
	if err != nil {
		return nil, err
	}
	return s.document(versions, len(versions)-1, http.StatusOK), nil
}

func (s *Server) document(versions []durable.ProgramVersion, n, status int) *programOutput {
	return &programOutput{status, ProgramDocument{summaryOf(versions, n, s.instant()), string(versions[n].Document)}}
}

type versionsOutput struct {
	Body ProgramVersions
}

func (s *Server) programVersions(_ context.Context, in *OfProgram) (*versionsOutput, error) {
	versions, err := in.versions(s)
	if err != nil {
		return nil, err
	}
	out := &versionsOutput{ProgramVersions{make([]ProgramSummary, len(versions))}}
	for i := range versions {
		out.Body.Versions[i] = summaryOf(versions, i, s.instant())
	}
	return out, nil
}

type versionInput struct {
	OfProgram
	Version int `path:"version" minimum:"1" maximum:"2147483647" doc:"The version"`
}

func (s *Server) programVersion(_ context.Context, in *versionInput) (*programOutput, error) {
	versions, err := in.versions(s)
	if err != nil {
		return nil, err
	}
	if in.Version > len(versions) {
		return nil, problemf("program_not_found", "The program has versions 1 to %d.", len(versions)).at("version")
	}
	return s.document(versions, in.Version-1, http.StatusOK), nil
}

type putInput struct {
	OfProgram
	Effective string `query:"effective" example:"2026-03-01T00:00:00Z" doc:"From when on it is in force, the start of a billing cycle; by default as soon as can be. A first version is from the beginning of time"`
	RawBody   []byte `contentType:"application/yaml"`
}

func (s *Server) putProgram(ctx context.Context, in *putInput) (*programOutput, error) {
	var effective reward.Instant
	if p := first(given("program", in.Program), ofTerms(principalOf(ctx), in.Program)); p != nil {
		return nil, p
	}
	if in.Effective != "" {
		var p *Problem
		if effective, p = moment("effective", in.Effective); p != nil {
			return nil, p
		}
	}
	if s.approvals != nil {
		v, err := s.proposeTerms(ctx, in.Program, bytes.Clone(in.RawBody), effective)
		if err != nil {
			return nil, err
		}
		return s.document(s.programs.Versions(in.Program), int(v.Terms.Version)-1, http.StatusOK), nil
	}
	v, added, err := s.programs.Put(ctx, in.Program, bytes.Clone(in.RawBody), effective, principalOf(ctx).Name)
	if err != nil {
		return nil, s.failure(ctx, err)
	}
	status := http.StatusOK
	if added {
		status = http.StatusCreated
	}
	return s.document(s.programs.Versions(in.Program), int(v.Terms.Version)-1, status), nil
}

type previewInput struct {
	OfProgram
	Transactions int    `query:"transactions" minimum:"1" maximum:"10000" default:"1000" doc:"How many transactions to take: those of whole accounts, until there are as many"`
	RawBody      []byte `contentType:"application/yaml"`
}

type previewOutput struct {
	Body any
}

func (s *Server) previewProgram(ctx context.Context, in *previewInput) (*previewOutput, error) {
	within, done, err := s.budgets.Preview(ctx, in.Transactions)
	if err != nil {
		return nil, s.unpreviewed(ctx, err)
	}
	defer done()
	comparison, ok, err := s.preview(within, in.Program, bytes.Clone(in.RawBody), in.Transactions)
	switch {
	case err != nil && within.Err() != nil:
		return nil, s.unpreviewed(ctx, within.Err())
	case err != nil:
		return nil, s.failure(ctx, err)
	case !ok:
		return nil, problem("program_not_found", "").at("program")
	}
	return &previewOutput{comparison}, nil
}

// unpreviewed is why there is no preview: its turn did not come, or it took too long.
func (s *Server) unpreviewed(ctx context.Context, err error) *Problem {
	if refusal := (*budget.Refusal)(nil); errors.As(err, &refusal) {
		return overloaded(err)
	}
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return problemf("preview_timeout", "Expected a preview to take at most %v; ask for one over fewer transactions.", s.budgets.PreviewTime())
	}
	return s.failure(ctx, err)
}

func (s *Server) programRoutes() {
	tags := []string{"Programs"}
	register(s, huma.Operation{
		OperationID: "list-programs", Method: http.MethodGet, Path: "/v1/programs", Tags: tags, Summary: "The latest version of each program",
	}, scope.Read, nil, s.listPrograms)
	register(s, huma.Operation{
		OperationID: "get-program", Method: http.MethodGet, Path: "/v1/programs/{program}", Tags: tags, Summary: "The latest version of a program",
		Description: "It may not be in force yet.",
	}, scope.Read, []string{"program_not_found", "invalid_request"}, s.program)
	register(s, huma.Operation{
		OperationID: "list-program-versions", Method: http.MethodGet, Path: "/v1/programs/{program}/versions", Tags: tags, Summary: "All versions of a program",
	}, scope.Read, []string{"program_not_found", "invalid_request"}, s.programVersions)
	register(s, huma.Operation{
		OperationID: "get-program-version", Method: http.MethodGet, Path: "/v1/programs/{program}/versions/{version}", Tags: tags, Summary: "A version of a program",
	}, scope.Read, []string{"program_not_found", "invalid_request"}, s.programVersion)
	register(s, huma.Operation{
		OperationID: "put-program", Method: http.MethodPut, Path: "/v1/programs/{program}", DefaultStatus: http.StatusCreated, MaxBodyBytes: program.MaxSize + 1,
		Tags: tags, Summary: "Add a version to a program, or a program",
		Description: "A transaction keeps the version that it was posted under. The document of the latest version again adds nothing and is answered with 200.",
	}, scope.Admin, []string{"program_invalid", "program_id_mismatch", "currency_changed", "effective_invalid", "program_conflict", "approval_needed", "proposal_rejected", "proposals_full", "invalid_request"}, s.putProgram)
	if s.preview != nil {
		register(s, huma.Operation{
			OperationID: "preview-program", Metadata: map[string]any{classKey: budget.Previews, ofAllAccounts: true}, Method: http.MethodPost, Path: "/v1/programs/{program}/preview", MaxBodyBytes: program.MaxSize + 1,
			Tags: tags, Summary: "What a draft would grant",
			Description: "Plays transactions of the last whole billing cycles under the latest version, which the draft will follow, and under the draft, and compares: by rule, in all, and the accounts whose rewards change most. They are those of the accounts that were active last, over a quarter, or over a year where terms have limits of years. Nothing is changed. Each key has one preview at a time.",
			Responses:   map[string]*huma.Response{"200": {Description: "The comparison", Content: map[string]*huma.MediaType{"application/json": {Schema: &huma.Schema{Type: huma.TypeObject}}}}},
		}, scope.Read, []string{"program_not_found", "program_invalid", "program_id_mismatch", "currency_changed", "invalid_request", "preview_timeout"}, s.previewProgram)
	}
	// Programs may come as JSON too, which is YAML.
	for _, path := range []string{"/v1/programs/{program}", "/v1/programs/{program}/preview"} {
		item := s.api.OpenAPI().Paths[path]
		if item == nil {
			continue
		}
		for _, op := range []*huma.Operation{item.Put, item.Post} {
			if op != nil {
				op.RequestBody.Description = "A program file; see docs for the format"
				op.RequestBody.Content = map[string]*huma.MediaType{
					"application/yaml": {Schema: &huma.Schema{Type: huma.TypeString}},
					"application/json": {Schema: &huma.Schema{Type: huma.TypeObject}},
				}
			}
		}
	}
}
