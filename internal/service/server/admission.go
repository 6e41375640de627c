package server

import (
	"errors"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"recoup/internal/service/budget"
	"recoup/internal/service/scope"
)

// classOf is what kind of work an endpoint is: what it says itself, or what its scope
// is for.
func classOf(op *huma.Operation) budget.Class {
	if class, says := op.Metadata[classKey].(budget.Class); says {
		return class
	}
	switch scopeOf(op) {
	case scope.Read, scope.Notices, scope.Feed:
		return budget.Reading
	case scope.Ingest:
		return budget.Ingestion
	case scope.Redeem, scope.Operate, scope.Approve:
		return budget.Commands
	}
	return budget.Administration
}

const classKey = "class"

// holder is who a request counts for: the key, or where everybody is let in the
// address that it came from.
func (s *Server) holder(r *http.Request, p Principal) string {
	if s.auth == nil {
		return budget.Address(r.RemoteAddr)
	}
	return p.ID
}

// within answers if there is room for one more request of a class.
func (s *Server) within(w http.ResponseWriter, r *http.Request, class budget.Class, holder string, answer func(*budget.Work)) {
	work, err := s.budgets.Enter(class, holder)
	if err != nil {
		budget.Unread(w, r)
		writeProblem(w, overloaded(err))
		return
	}
	defer work.Leave()
	answer(work)
}

// overloaded is the problem of a budget that is in use.
func overloaded(err error) *Problem {
	p := problem("overloaded", "")
	if refusal := (*budget.Refusal)(nil); errors.As(err, &refusal) {
		p.Detail = "Nothing was done: " + refusal.Error() + ". Wait as long as Retry-After says, then send the request again."
		p.Budget = refusal.Budget()
	}
	return p
}
