package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"recoup/internal/engine"
	"recoup/internal/kit/card"
	"recoup/internal/service/approval"
	"recoup/internal/service/budget"
	"recoup/internal/store"
	"recoup/internal/store/durable"
)

// Problem is why a request failed, as a problem document (RFC 9457).
type Problem struct {
	Type   string `json:"type" format:"uri" example:"urn:recoup:problem:insufficient_balance" doc:"The code as a URN"`
	Title  string `json:"title" doc:"What is wrong, the same for every problem of the code"`
	Status int    `json:"status" doc:"The HTTP status"`
	Code   string `json:"code" example:"insufficient_balance" doc:"What clients go by; never changes"`
	Detail string `json:"detail" doc:"What was expected and what to do"`
	// Proposal is what waits for a second person.
	Proposal int64  `json:"proposal,omitempty" doc:"The number of the proposal that the request became"`
	Member   string `json:"member,omitempty" example:"data.amount" doc:"The parameter or member of the body at fault, where there is one"`
	Budget   string `json:"budget,omitempty" example:"ingestion.requests" doc:"The budget that is in use, where the code is overloaded: a class of work, and what there is no room for"`
}

// problem returns the problem of a code, which must be in the table. Without a
// detail it has the advice of the code.
func problem(code, detail string) *Problem {
	k, known := kinds[code]
	if !known {
		panic("server: no such code: " + code)
	}
	if detail == "" {
		detail = k.advice
	}
	return &Problem{Type: "urn:recoup:problem:" + code, Title: k.title, Status: k.status, Code: code, Detail: card.Mask(detail)}
}

func problemf(code, format string, args ...any) *Problem {
	return problem(code, fmt.Sprintf(format, args...))
}

// at names the parameter or member that is at fault.
func (p *Problem) at(member string) *Problem {
	p.Member = card.Mask(member)
	return p
}

// Error returns the code and the detail.
func (p *Problem) Error() string { return p.Code + ": " + p.Detail }

// GetStatus returns the HTTP status; huma asks an error for it, and for what follows.
func (p *Problem) GetStatus() int { return p.Status }

// GetHeaders returns the headers that belong to the problem.
func (p *Problem) GetHeaders() http.Header {
	h := http.Header{}
	if retry := kinds[p.Code].retry; retry > 0 {
		h.Set("Retry-After", strconv.Itoa(retry))
	}
	return h
}

// ContentType is that of problem documents.
func (p *Problem) ContentType(string) string { return problemType }

const problemType = "application/problem+json"

var (
	_ huma.StatusError       = (*Problem)(nil)
	_ huma.HeadersError      = (*Problem)(nil)
	_ huma.ContentTypeFilter = (*Problem)(nil)
)

// writeProblem answers with a problem. The rest of a body that nobody wants to
// read is not waited for.
func writeProblem(w http.ResponseWriter, p *Problem) {
	h := w.Header()
	for name, values := range p.GetHeaders() {
		h[name] = values
	}
	h.Set("Content-Type", problemType)
	if p.Status == http.StatusRequestEntityTooLarge || p.Status == http.StatusRequestTimeout || strings.HasSuffix(p.Budget, ".bytes") {
		h.Set("Connection", "close")
	}
	w.WriteHeader(p.Status)
	json.NewEncoder(w).Encode(p) // the client that cannot be told has gone
}

// failure turns an error of the applier or of the database into a problem, and has the
// log say why, unless it is the client's going away, too much at once, or an account that
// is known to be set aside.
func (s *Server) failure(ctx context.Context, err error) *Problem {
	var p *Problem
	var refused *durable.ProgramError
	var apart *engine.AsideError
	var full *approval.FullError
	switch {
	case errors.As(err, &p):
		return p
	case errors.As(err, &refused):
		if _, known := kinds[refused.Code]; known {
			return problem(refused.Code, refused.Error()+".")
		}
		return problem("program_invalid", refused.Error()+".")
	case errors.As(err, &full):
		return problem("proposals_full", full.Error()+".")
	case errors.As(err, &apart):
		return problem(asideCode(apart.First()), "")
	case errors.Is(err, ErrClock):
		return problem("clock_doubted", "")
	case errors.Is(err, engine.ErrBusy):
		return overloaded(&budget.Refusal{Class: budget.Ingestion, What: "events"})
	case errors.Is(err, engine.ErrClosed):
		return problem("shutting_down", "")
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		return problem("store_unavailable", "")
	}
	s.explain(ctx, err)
	switch reach := store.ReachOf(err); {
	case reach == store.OneAccount:
		return problem("account_damaged", "")
	case reach == store.Locked:
		return problem("account_locked", "")
	case s.unavailable == nil || s.unavailable(err):
		return problem("store_unavailable", "")
	}
	return problem("internal", "")
}

// asideCode is the code of a problem with an account that is set aside.
func asideCode(a *engine.SetAside) string {
	if a.Reason == engine.Locked {
		return "account_locked"
	}
	return "account_damaged"
}

// adopt turns what huma found wrong with a request into a problem of ours. The
// values that it would repeat are left out: they may be anything.
func adopt(_ huma.Context, _ string, v any) (any, error) {
	m, ok := v.(*huma.ErrorModel)
	if !ok {
		return v, nil
	}
	detail := m.Detail
	var member string
	if len(m.Errors) > 0 && m.Status < http.StatusInternalServerError {
		var all []string
		for _, e := range m.Errors {
			all = append(all, strings.TrimSpace(e.Location+" "+e.Message))
		}
		detail, member = strings.Join(all, "; ")+".", m.Errors[0].Location
		if _, name, ok := strings.Cut(member, "."); ok {
			member = name
		}
	}
	code := "internal"
	switch m.Status {
	case http.StatusBadRequest:
		code = "malformed"
	case http.StatusRequestTimeout:
		code, detail = "body_timeout", ""
	case http.StatusRequestEntityTooLarge:
		code = "body_too_large"
	case http.StatusUnsupportedMediaType:
		code = "unsupported_type"
	case http.StatusUnprocessableEntity:
		code = "invalid_request"
	default:
		detail = ""
	}
	return problem(code, detail).at(member), nil
}
