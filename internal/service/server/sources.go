package server

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"recoup/internal/engine"
	"recoup/internal/service/budget"
	"recoup/internal/service/scope"
	"recoup/internal/service/security"
	"recoup/internal/service/sources"
	"recoup/internal/store/durable"
	"recoup/reward"
	"recoup/source"
)

// Sources take the webhooks of processors; see sources.Sources.
type Sources interface {
	// Has reports whether there is a source of a name.
	Has(name string) bool
	Receive(ctx context.Context, name string, header http.Header, body []byte) (sources.Receipt, error)
	// Relay is Receive of what somebody with a key has verified.
	Relay(ctx context.Context, name string, header http.Header, body []byte) (sources.Receipt, error)
	Dead(ctx context.Context, after int64, limit int) ([]sources.Letter, error)
}

// sourcePrefix goes before the name of a source that applies events, where others have the
// id of a key.
const sourcePrefix = "source:"

// WebhookReceipt is the answer to a processor's webhook.
type WebhookReceipt struct {
	Events int  `json:"events" doc:"How many events followed from it"`
	Listed bool `json:"listed" doc:"Something of it could not be mapped or applied; GET /v1/sources/dead says what and why"`
}

// received answers POST /v1/sources/{name}. The signature is what a key is elsewhere, so the
// request counts for its address until that is known to be right, and who is refused is not
// told why. Who has a key for events of the source hands on what they have verified
// themselves, such as what has waited in a stream: no signature is asked for.
func (s *Server) received(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	p, take, holder := Principal{ID: sourcePrefix + name, Name: name}, s.sources.Receive, budget.Address(r.RemoteAddr)
	if strings.HasPrefix(r.Header.Get("Authorization"), keyHeader) {
		sender, ok := s.enter(w, r, scope.Ingest)
		if !ok {
			return
		}
		if code := notFor(sender, name); code != "" {
			s.note(from(r, sender).Context(), security.Refused, sender, "webhooks of the source "+name)
			budget.Unread(w, r)
			writeProblem(w, problem(code, ""))
			return
		}
		take, holder = s.sources.Relay, s.holder(r, sender)
	}
	s.within(w, r, budget.Ingestion, holder, func(work *budget.Work) {
		body, failed := readBody(work.Body(w, r), r.ContentLength, nil, source.MaxBody)
		if failed != nil {
			writeProblem(w, failed)
			return
		}
		receipt, err := take(from(r, p).Context(), name, r.Header, body)
		switch {
		case errors.Is(err, sources.ErrUnknown):
			writeProblem(w, problem("not_found", ""))
			return
		case errors.Is(err, source.ErrSignature):
			s.note(from(r, p).Context(), security.Refused, p, "a webhook without a right signature")
			writeProblem(w, problem("unsigned", ""))
			return
		case err != nil:
			writeProblem(w, s.failure(r.Context(), err))
			return
		}
		w.Header()["Content-Type"] = jsonType
		answer, _ := json.Marshal(WebhookReceipt{Events: receipt.Events, Listed: receipt.Dead != ""})
		w.Write(append(answer, '\n'))
	})
}

// keyHeader is what the header of a request with a key begins with, which no processor's
// does.
const keyHeader = "Bearer "

// notFor is why somebody may not hand on the webhooks of a source, as a code: which accounts
// and ids are in them only the translation tells. "": they may.
func notFor(p Principal, source string) string {
	switch {
	case p.Limits == nil:
		return ""
	case p.Limits.Confined():
		return "account_refused"
	case !p.Limits.MaySend(source):
		return "source_refused"
	}
	return ""
}

// ApplyFrom applies the events of a source's webhook, in order; see sources.Apply. A
// merchant's id is the network's, and not looked at for the number of a card.
func (s *Server) ApplyFrom(ctx context.Context, name string, events []reward.Event) (refusals []string, err error) {
	p := Principal{ID: sourcePrefix + name, Name: name, Scopes: scope.Ingest}
	ctx = engine.From(engine.By(ctx, p.ID), p.ID)
	var good []reward.Event
	var suspects []durable.Suspect
	for i := range events {
		e := &events[i]
		why := s.screen(ctx, e, p, s.instant(), func(string) bool { return false })
		switch {
		case why.member != "":
			suspects = append(suspects, durable.Suspect{Event: *e, Member: why.member})
			refusals = append(refusals, e.Type.String()+": "+why.member+" looks like the number of a card, so the event is kept apart for review")
		case why.code != "":
			refusals = append(refusals, e.Type.String()+": "+why.code+": "+why.detail)
		default:
			good = append(good, *e)
			continue
		}
		s.counter.Refused(why.code)
	}
	if len(suspects) > 0 {
		if err := s.ledger.KeepApart(ctx, suspects); err != nil {
			return nil, err
		}
	}
	if len(good) == 0 {
		return refusals, nil
	}
	results, err := s.applier.Apply(ctx, good, nil)
	if aside := (*engine.AsideError)(nil); errors.As(err, &aside) && asideCode(aside.First()) == "account_damaged" {
		return append(refusals, "account_damaged: "+kinds["account_damaged"].advice), nil
	}
	if err != nil {
		return nil, err
	}
	s.counter.Answered(results)
	for i, result := range results {
		if result.Outcome == reward.Rejected {
			refusals = append(refusals, good[i].Type.String()+": rejected: "+result.Code.String())
		}
	}
	return refusals, nil
}

// DeadWebhook is a processor's webhook of which something could not be mapped or applied.
type DeadWebhook struct {
	Number   int64  `json:"number" doc:"Names it, for recoup sources replay"`
	Source   string `json:"source"`
	ID       string `json:"id" doc:"As the processor names it, or a digest of its body"`
	Received string `json:"received_at" format:"date-time" doc:"When it came first"`
	Why      string `json:"why" doc:"What of it could not be mapped or applied"`
	Waits    bool   `json:"waits" doc:"For another webhook, after which it is taken again by itself"`
	Due      bool   `json:"due" doc:"It is about to be taken again"`
}

// DeadWebhookList is a page of them.
type DeadWebhookList struct {
	Webhooks []DeadWebhook `json:"webhooks" nullable:"false" doc:"By number"`
	Paged
}

type deadWebhooksInput struct{ Page }

type deadWebhooksOutput struct {
	Links
	Body DeadWebhookList
}

func (s *Server) deadWebhooks(ctx context.Context, in *deadWebhooksInput) (*deadWebhooksOutput, error) {
	var after int64
	if in.Cursor != "" {
		p := parseCursor('w', in.Cursor)
		if after = p.Int(); !p.Whole() {
			return nil, errCursor
		}
	}
	list, err := s.sources.Dead(ctx, after, in.Limit+1)
	if err != nil {
		return nil, s.failure(ctx, err)
	}
	var next cursor
	if len(list) > in.Limit {
		list = list[:in.Limit]
		next = newCursor('w').number(list[in.Limit-1].Number)
	}
	out := &deadWebhooksOutput{Body: DeadWebhookList{Webhooks: make([]DeadWebhook, len(list))}}
	for i, l := range list {
		out.Body.Webhooks[i] = DeadWebhook{l.Number, l.Source, l.ID, reward.At(l.Received).String(), l.Why, l.Waits, l.Due}
	}
	out.Body.Paged, out.Links = in.onward(next, nil)
	return out, nil
}

// sourceRoutes are there where sources are.
func (s *Server) sourceRoutes() {
	if s.sources == nil {
		return
	}
	s.mux.HandleFunc("POST /v1/sources/{name}", s.received)
	receipt := s.api.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[WebhookReceipt](), true, "")
	op := &huma.Operation{
		OperationID: "post-webhook", Method: http.MethodPost, Path: "/v1/sources/{name}", Tags: []string{"Events"}, Summary: "Take a processor's webhook as it is",
		Description: "For processors: the body is what they send, and its signature takes the place of a key. Who has verified that already hands it on with a key of the scope ingest. What cannot be mapped is answered with 200, kept and listed. See docs/integrate.",
		Parameters:  []*huma.Param{{Name: "name", In: "path", Required: true, Description: "Of the source, as the file of sources has it", Schema: &huma.Schema{Type: huma.TypeString}}},
		RequestBody: &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{"application/json": {Schema: &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}}}},
		Responses:   map[string]*huma.Response{"200": {Description: "It is kept, and what follows from it is applied", Content: map[string]*huma.MediaType{"application/json": {Schema: receipt}}}},
		Security:    []map[string][]string{{}},
	}
	s.describeProblems(op, []string{"unsigned", "unauthenticated", "scope_missing", "source_refused", "account_refused", "rate_exceeded", "not_found", "body_incomplete", "body_timeout", "body_too_large", "account_locked"})
	s.api.OpenAPI().AddOperation(op)
	register(s, huma.Operation{
		OperationID: "list-dead-webhooks", Metadata: map[string]any{ofAllAccounts: true}, Method: http.MethodGet, Path: "/v1/sources/dead",
		Tags: []string{"Events"}, Summary: "Webhooks of processors that could not be mapped",
		Description: "Each is kept until recoup sources replay has it taken again with success, or recoup sources dismiss takes it off the list.",
	}, scope.Operate, []string{"invalid_cursor"}, s.deadWebhooks)
}
