package server

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"recoup/internal/service/scope"
	"recoup/internal/service/security"
	"recoup/internal/service/webhook"
	"recoup/internal/store"
	"recoup/internal/store/outbox"
)

// Webhooks are the endpoints that notices are sent to; see webhook.Outbox. Of its errors,
// webhook.ErrNotFound, webhook.ErrSamePerson and *webhook.InvalidError are told apart.
type Webhooks interface {
	List(ctx context.Context) ([]webhook.Endpoint, error)
	Endpoint(ctx context.Context, id string) (webhook.Endpoint, error)
	Add(ctx context.Context, address string, types []string, allowPrivate bool) (webhook.Endpoint, string, error)
	Propose(ctx context.Context, by webhook.Asker, address string, types []string, allowPrivate bool) (webhook.Endpoint, string, error)
	Alter(ctx context.Context, id string, a webhook.Alteration, allowPrivate bool) error
	Rotate(ctx context.Context, id string, overlap time.Duration) (secret string, err error)
	Remove(ctx context.Context, id string) error
	Dead(ctx context.Context, endpoint string, after int64, limit int) ([]webhook.DeadLetter, error)
	Replay(ctx context.Context, number int64) error
	ReplayAll(ctx context.Context, endpoint string) (int64, error)
}

// longestOverlap is how long an old secret may go on signing.
const longestOverlap = 90 * 24 * time.Hour

// WebhookEndpoint is where notices are sent.
type WebhookEndpoint struct {
	ID      string   `json:"id"`
	URL     string   `json:"url"`
	Types   []string `json:"types" nullable:"false" doc:"What it is told; see docs/webhooks.md"`
	Created string   `json:"created_at" format:"date-time"`
	Paused  *string  `json:"paused_at" format:"date-time" doc:"Since when nothing is written or sent for it; null: it is not paused"`
	Askers  []string `json:"waits_for_others_than" nullable:"false" doc:"Who had it send where, or what, nobody else agreed to, and cannot start it; empty: it does not wait for anybody"`
	Due     int64    `json:"due" doc:"Deliveries that are or will be tried; counted up to 10,000"`
	Dead    int64    `json:"dead" doc:"Deliveries that were given up; counted up to 10,000"`
}

// WebhookSecret is an endpoint with its new secret.
type WebhookSecret struct {
	WebhookEndpoint
	Secret string `json:"secret" doc:"What deliveries are signed with. It is not shown again"`
}

// WebhookList is all endpoints.
type WebhookList struct {
	Webhooks []WebhookEndpoint `json:"webhooks" nullable:"false" doc:"The oldest first"`
}

func endpointOf(e *webhook.Endpoint) WebhookEndpoint {
	v := WebhookEndpoint{ID: e.ID, URL: e.URL, Types: e.Types, Created: e.Created.Format(time.RFC3339Nano), Askers: make([]string, len(e.Askers)), Due: e.Due, Dead: e.Dead}
	for i := range e.Askers {
		v.Askers[i] = e.Askers[i].Name
	}
	if len(v.Types) == 0 {
		v.Types = outbox.NoticeTypes[:]
	}
	if !e.Disabled.IsZero() {
		at := e.Disabled.Format(time.RFC3339Nano)
		v.Paused = &at
	}
	return v
}

type webhookListOutput struct {
	Body WebhookList
}

func (s *Server) listWebhooks(ctx context.Context, _ *struct{}) (*webhookListOutput, error) {
	list, err := s.webhooks.List(ctx)
	if err != nil {
		return nil, s.webhookFailure(ctx, err)
	}
	out := &webhookListOutput{WebhookList{make([]WebhookEndpoint, len(list))}}
	for i := range list {
		out.Body.Webhooks[i] = endpointOf(&list[i])
	}
	return out, nil
}

// NewWebhook is an endpoint to be added.
type NewWebhook struct {
	URL   string    `json:"url" maxLength:"2048" doc:"HTTPS and a public address, unless the service allows others; or a topic, kafka://HOST:PORT/TOPIC or nats://HOST:PORT/SUBJECT, of brokers that the service knows"`
	Types *[]string `json:"types,omitempty" maxItems:"16" doc:"What it is told; all but journal.posted if left out or empty"`
}

type addWebhookInput struct {
	Body body[NewWebhook]
}

type webhookSecretOutput struct {
	Body WebhookSecret
}

func (s *Server) addWebhook(ctx context.Context, in *addWebhookInput) (*webhookSecretOutput, error) {
	if in.Body.refused != nil {
		return nil, in.Body.refused
	}
	var types []string
	if in.Body.value.Types != nil {
		types = *in.Body.value.Types
	}
	var e webhook.Endpoint
	var secret string
	var err error
	if by := s.asker(ctx); by != nil {
		e, secret, err = s.webhooks.Propose(ctx, *by, in.Body.value.URL, types, s.private)
	} else {
		e, secret, err = s.webhooks.Add(ctx, in.Body.value.URL, types, s.private)
	}
	if err != nil {
		return nil, s.webhookFailure(ctx, err)
	}
	s.note(ctx, security.EndpointChanged, principalOf(ctx), "added "+e.ID+" "+webhook.Shown(e.URL)+standing(&e))
	return &webhookSecretOutput{WebhookSecret{endpointOf(&e), secret}}, nil
}

// asker is who changes an endpoint; nil: everybody is who they say, as in a service that is
// open.
func (s *Server) asker(ctx context.Context) *webhook.Asker {
	if s.auth == nil {
		return nil
	}
	p := principalOf(ctx)
	return &webhook.Asker{ID: p.ID, Name: p.Name}
}

// standing says for the security log how an endpoint stands.
func standing(e *webhook.Endpoint) string {
	switch {
	case len(e.Askers) > 0:
		return " (waits for a second person)"
	case !e.Disabled.IsZero():
		return " (paused)"
	}
	return " (sending)"
}

// OfWebhook is the part of a path that names an endpoint.
type OfWebhook struct {
	Webhook string `path:"webhook" maxLength:"256" doc:"The id of the endpoint"`
}

type webhookOutput struct {
	Body WebhookEndpoint
}

func (s *Server) webhook(ctx context.Context, in *OfWebhook) (*webhookOutput, error) {
	e, err := s.webhooks.Endpoint(ctx, in.Webhook)
	if err != nil {
		return nil, s.webhookFailure(ctx, err)
	}
	return &webhookOutput{endpointOf(&e)}, nil
}

// WebhookChange is what is to be different about an endpoint; what is left out stays.
type WebhookChange struct {
	URL    *string   `json:"url,omitempty" maxLength:"2048"`
	Types  *[]string `json:"types,omitempty" maxItems:"16" doc:"What it is told; all but journal.posted if empty"`
	Paused *bool     `json:"paused,omitempty" doc:"true: nothing new is written for it, and what is due waits; false: it is sent what waits, if somebody else than the sender had it send there"`
}

type changeWebhookInput struct {
	OfWebhook
	Body body[WebhookChange]
}

func (s *Server) changeWebhook(ctx context.Context, in *changeWebhookInput) (*webhookOutput, error) {
	if in.Body.refused != nil {
		return nil, in.Body.refused
	}
	v := &in.Body.value
	if err := s.webhooks.Alter(ctx, in.Webhook, webhook.Alteration{URL: v.URL, Types: v.Types, Disabled: v.Paused, By: s.asker(ctx)}, s.private); err != nil {
		return nil, s.webhookFailure(ctx, err)
	}
	e, err := s.webhooks.Endpoint(ctx, in.Webhook)
	if err != nil {
		return nil, s.webhookFailure(ctx, err)
	}
	s.note(ctx, security.EndpointChanged, principalOf(ctx), "changed "+e.ID+" "+webhook.Shown(e.URL)+standing(&e))
	return &webhookOutput{endpointOf(&e)}, nil
}

type removedOutput struct{}

func (s *Server) removeWebhook(ctx context.Context, in *OfWebhook) (*removedOutput, error) {
	if err := s.webhooks.Remove(ctx, in.Webhook); err != nil {
		return nil, s.webhookFailure(ctx, err)
	}
	s.note(ctx, security.EndpointChanged, principalOf(ctx), "removed "+in.Webhook)
	return nil, nil
}

// WebhookRotation says how to change over to a new secret.
type WebhookRotation struct {
	OverlapSeconds *int64 `json:"overlap_seconds,omitempty" doc:"How long deliveries are signed with the old secret as well, a day if left out; 0 for one that has leaked"`
}

type rotateWebhookInput struct {
	OfWebhook
	Body body[WebhookRotation]
}

func (s *Server) rotateWebhook(ctx context.Context, in *rotateWebhookInput) (*webhookSecretOutput, error) {
	if in.Body.refused != nil {
		return nil, in.Body.refused
	}
	overlap := 24 * time.Hour
	if given := in.Body.value.OverlapSeconds; given != nil {
		if *given < 0 || *given > int64(longestOverlap/time.Second) {
			return nil, problemf("invalid_request", "overlap_seconds: expected 0 to %d, found %d.", longestOverlap/time.Second, *given).at("overlap_seconds")
		}
		overlap = time.Duration(*given) * time.Second
	}
	secret, err := s.webhooks.Rotate(ctx, in.Webhook, overlap)
	if err != nil {
		return nil, s.webhookFailure(ctx, err)
	}
	e, err := s.webhooks.Endpoint(ctx, in.Webhook)
	if err != nil {
		return nil, s.webhookFailure(ctx, err)
	}
	s.note(ctx, security.EndpointChanged, principalOf(ctx), "gave a new secret to "+e.ID)
	return &webhookSecretOutput{WebhookSecret{endpointOf(&e), secret}}, nil
}

// DeadLetter is a delivery that was given up.
type DeadLetter struct {
	Number    int64  `json:"number"`
	WebhookID string `json:"webhook_id" doc:"The id of the notice"`
	Webhook   string `json:"webhook" doc:"The endpoint"`
	Account   string `json:"account"`
	Type      string `json:"type"`
	Created   string `json:"created_at" format:"date-time"`
	Attempts  int64  `json:"attempts"`
	Error     string `json:"error" doc:"Of the last attempt"`
}

// DeadLetterList is a page of dead letters.
type DeadLetterList struct {
	DeadLetters []DeadLetter `json:"dead_letters" nullable:"false" doc:"By number"`
	Paged
}

type deadLettersInput struct {
	Page
	Webhook string `query:"webhook" maxLength:"256" doc:"Only those of this endpoint"`
}

type deadLettersOutput struct {
	Links
	Body DeadLetterList
}

func (s *Server) deadLetters(ctx context.Context, in *deadLettersInput) (*deadLettersOutput, error) {
	var after int64
	if in.Cursor != "" {
		p := parseCursor('d', in.Cursor)
		if after = p.Int(); !p.Whole() {
			return nil, errCursor
		}
	}
	list, err := s.webhooks.Dead(ctx, in.Webhook, after, in.Limit+1)
	if err != nil {
		return nil, s.webhookFailure(ctx, err)
	}
	var next cursor
	if len(list) > in.Limit {
		list = list[:in.Limit]
		next = newCursor('d').number(list[in.Limit-1].Number)
	}
	out := &deadLettersOutput{Body: DeadLetterList{DeadLetters: make([]DeadLetter, len(list))}}
	for i := range list {
		l := &list[i]
		out.Body.DeadLetters[i] = DeadLetter{l.Number, l.ID, l.Endpoint, l.Account, l.Type, l.Created.Format(time.RFC3339Nano), l.Attempts, l.Error}
	}
	others := make(map[string][]string)
	if in.Webhook != "" {
		others["webhook"] = []string{in.Webhook}
	}
	out.Body.Paged, out.Links = in.onward(next, others)
	return out, nil
}

// WebhookReplay is how many deliveries are tried again.
type WebhookReplay struct {
	Deliveries int64 `json:"deliveries"`
}

type replayOutput struct {
	Body WebhookReplay
}

func (s *Server) replayWebhook(ctx context.Context, in *OfWebhook) (*replayOutput, error) {
	n, err := s.webhooks.ReplayAll(ctx, in.Webhook)
	if err != nil {
		return nil, s.webhookFailure(ctx, err)
	}
	return &replayOutput{WebhookReplay{n}}, nil
}

type deadLetterInput struct {
	Number int64 `path:"number" doc:"The number of the dead letter"`
}

func (s *Server) replayDeadLetter(ctx context.Context, in *deadLetterInput) (*replayOutput, error) {
	err := s.webhooks.Replay(ctx, in.Number)
	if errors.Is(err, webhook.ErrNotFound) {
		return nil, problem("dead_letter_unknown", "").at("number")
	}
	if err != nil {
		return nil, s.webhookFailure(ctx, err)
	}
	return &replayOutput{WebhookReplay{1}}, nil
}

func (s *Server) webhookFailure(ctx context.Context, err error) error {
	invalid := (*webhook.InvalidError)(nil)
	switch {
	case errors.As(err, &invalid):
		return problemf("invalid_request", "%s: %v.", invalid.Member, invalid.Err).at(invalid.Member)
	case errors.Is(err, webhook.ErrNotFound):
		return problem("webhook_unknown", "").at("webhook")
	case errors.Is(err, webhook.ErrSamePerson):
		return problem("same_person", "Whoever added the endpoint, or changed where it sends or what, cannot start it, by whichever of their keys: have another admin do so.").at("paused")
	case errors.Is(err, store.ErrDealt):
		return problem("store_unavailable", "")
	}
	return s.failure(ctx, err)
}

func (s *Server) webhookRoutes() {
	if s.webhooks == nil {
		return
	}
	tag := []string{"Webhooks"}
	register(s, huma.Operation{
		OperationID: "list-webhooks", Metadata: map[string]any{ofAllAccounts: true}, Method: http.MethodGet, Path: "/v1/webhooks", Tags: tag, Summary: "The endpoints that notices are sent to",
	}, scope.Admin, nil, s.listWebhooks)
	register(s, huma.Operation{
		OperationID: "add-webhook", Extensions: once(), Metadata: map[string]any{ofAllAccounts: true}, Method: http.MethodPost, Path: "/v1/webhooks", Tags: tag, Summary: "Add an endpoint and show its secret, this once",
		Description: "It is paused until somebody else than who adds it starts it, by PATCH with paused false; a service that is open starts it at once. What happens from about a second later on is told to it. Each request adds one: where the answer was lost, see GET /v1/webhooks before adding it again.",
	}, scope.Admin, []string{"invalid_request"}, s.addWebhook)
	register(s, huma.Operation{
		OperationID: "list-dead-letters", Metadata: map[string]any{ofAllAccounts: true}, Method: http.MethodGet, Path: "/v1/webhooks/dead-letters", Tags: tag, Summary: "Deliveries that were given up, with their last errors",
	}, scope.Admin, []string{"invalid_cursor"}, s.deadLetters)
	register(s, huma.Operation{
		OperationID: "replay-dead-letter", Metadata: map[string]any{ofAllAccounts: true}, Method: http.MethodPost, Path: "/v1/webhooks/dead-letters/{number}/replay", Tags: tag,
		Summary: "Try a delivery again that was given up, at once and with all attempts",
	}, scope.Admin, []string{"dead_letter_unknown"}, s.replayDeadLetter)
	register(s, huma.Operation{
		OperationID: "get-webhook", Metadata: map[string]any{ofAllAccounts: true}, Method: http.MethodGet, Path: "/v1/webhooks/{webhook}", Tags: tag, Summary: "An endpoint",
	}, scope.Admin, []string{"webhook_unknown"}, s.webhook)
	register(s, huma.Operation{
		OperationID: "change-webhook", Metadata: map[string]any{ofAllAccounts: true}, Method: http.MethodPatch, Path: "/v1/webhooks/{webhook}", Tags: tag, Summary: "Change an endpoint, pause it or start it again",
		Description: "With another address, or types that it was not told before, it is paused until somebody else than who changed that starts it. While it is paused, nothing new is written for it and what is due waits. What happens meanwhile is not told to it later; the feed has it.",
	}, scope.Admin, []string{"webhook_unknown", "invalid_request", "same_person"}, s.changeWebhook)
	register(s, huma.Operation{
		OperationID: "remove-webhook", Metadata: map[string]any{ofAllAccounts: true}, Method: http.MethodDelete, Path: "/v1/webhooks/{webhook}", DefaultStatus: http.StatusNoContent, Tags: tag,
		Summary: "Forget an endpoint, with all that is due to it and its dead letters",
	}, scope.Admin, []string{"webhook_unknown"}, s.removeWebhook)
	register(s, huma.Operation{
		OperationID: "rotate-webhook-secret", Extensions: once(), Metadata: map[string]any{ofAllAccounts: true}, Method: http.MethodPost, Path: "/v1/webhooks/{webhook}/secret", Tags: tag, Summary: "Give an endpoint a new secret and show it, this once",
	}, scope.Admin, []string{"webhook_unknown", "invalid_request"}, s.rotateWebhook)
	register(s, huma.Operation{
		OperationID: "replay-webhook", Metadata: map[string]any{ofAllAccounts: true}, Method: http.MethodPost, Path: "/v1/webhooks/{webhook}/replay", Tags: tag,
		Summary: "Try all dead letters of an endpoint again", Description: "Those of a paused endpoint wait until it is started again.",
	}, scope.Admin, []string{"webhook_unknown"}, s.replayWebhook)
}
