package server

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json/jsontext"

	"recoup/internal/service/scope"
	"recoup/internal/service/webhook"
	"recoup/internal/store"
)

// Feed is what happened to accounts, for those who fetch it; see webhook.Feed.
type Feed interface {
	Read(ctx context.Context, after webhook.Place, limit int) (list []webhook.Fetched, next webhook.Place, err error)
	End(ctx context.Context) (webhook.Place, error)
	// Kept returns for how long notices are kept, zero if they are not; Keep sets it.
	Kept(ctx context.Context) (time.Duration, error)
	Keep(ctx context.Context, keep time.Duration) error
}

const (
	// lookAgain is the pause between two looks of a request that waits for notices.
	lookAgain = 500 * time.Millisecond
	// mostWaiting is how many requests wait for notices at a time; others are answered as if
	// they did not ask to.
	mostWaiting = 64
)

// NoticeBody is a notice as webhooks send it, byte for byte.
type NoticeBody jsontext.Value

// MarshalJSON implements json.Marshaler.
func (b NoticeBody) MarshalJSON() ([]byte, error) { return b, nil }

// Schema describes it to huma as an object; docs/webhooks.md says what is in it.
func (NoticeBody) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}
}

// Notice is something that happened to an account.
type Notice struct {
	ID      string     `json:"id" example:"msg_0f6cf3f3e4c5a1b2d3c4e5f60718293a" doc:"The webhook-id of its deliveries: what to know it again by"`
	Type    string     `json:"type" enum:"reward.posted,redemption.denied,review.opened,balance.negative,reward.matured,hold.ended,redemption.authorized,redemption.captured,redemption.released,redemption.expired,velocity.exceeded"`
	Account string     `json:"account"`
	Created string     `json:"created_at" format:"date-time" doc:"When it was written"`
	Notice  NoticeBody `json:"notice" doc:"As webhooks send it: an object with type, timestamp and data"`
}

// NoticeList is a page of the feed.
type NoticeList struct {
	Notices []Notice `json:"notices" nullable:"false" doc:"Those of one account in its order"`
	Next    string   `json:"next" doc:"Where to go on: after in the next request, also where the list is empty"`
}

type noticesInput struct {
	After string `query:"after" doc:"Where to go on: next of the answer before. Left out: at the oldest notice that is kept. end: after the latest"`
	Limit int    `query:"limit" minimum:"1" maximum:"500" default:"100" doc:"At most so many"`
	Wait  int    `query:"wait" minimum:"0" maximum:"30" doc:"Where there is nothing, wait for so many seconds until there is"`
}

type noticesOutput struct {
	Body NoticeList
}

func (s *Server) fetchNotices(ctx context.Context, in *noticesInput) (*noticesOutput, error) {
	if in.After == "end" {
		end, err := s.notices.End(ctx)
		if err != nil {
			return nil, s.noticeFailure(ctx, err)
		}
		return noticesOf(nil, end), nil
	}
	after, ok := parsePlace(in.After)
	if !ok {
		return nil, problem("invalid_cursor", "Pass on the next of an earlier answer as it is, or leave after out to start at the oldest notice that is kept.").at("after")
	}
	list, next, err := s.notices.Read(ctx, after, in.Limit)
	if err == nil && len(list) == 0 && in.Wait > 0 {
		list, next, err = s.awaitNotices(ctx, next, in)
	}
	if err != nil {
		return nil, s.noticeFailure(ctx, err)
	}
	return noticesOf(list, next), nil
}

// awaitNotices waits for notices after a place.
func (s *Server) awaitNotices(ctx context.Context, after webhook.Place, in *noticesInput) (list []webhook.Fetched, next webhook.Place, err error) {
	if s.waiting.Add(1) > mostWaiting {
		in.Wait = 0
	}
	defer s.waiting.Add(-1)
	over := time.NewTimer(time.Duration(in.Wait) * time.Second)
	defer over.Stop()
	again := time.NewTicker(lookAgain)
	defer again.Stop()
	for next = after; len(list) == 0 && err == nil; {
		select {
		case <-again.C:
			list, next, err = s.notices.Read(ctx, next, in.Limit)
		case <-over.C:
			return nil, next, nil
		case <-s.ending.Done():
			return nil, next, nil
		case <-ctx.Done():
			return nil, next, ctx.Err()
		}
	}
	return list, next, err
}

func noticesOf(list []webhook.Fetched, next webhook.Place) *noticesOutput {
	out := &noticesOutput{Body: NoticeList{Notices: make([]Notice, len(list)), Next: placeText(next)}}
	for i := range list {
		n := &list[i]
		out.Body.Notices[i] = Notice{n.ID, n.Type, n.Account, n.Created.Format(time.RFC3339Nano), NoticeBody(n.Body)}
	}
	return out
}

func (s *Server) noticeFailure(ctx context.Context, err error) error {
	switch {
	case errors.Is(err, webhook.ErrNoFeed):
		return problem("notices_off", "")
	case errors.Is(err, webhook.ErrGone):
		return problem("cursor_expired", "").at("after")
	case errors.Is(err, store.ErrDealt):
		return problem("store_unavailable", "")
	}
	return s.failure(ctx, err)
}

// placeText is a place of the feed as a cursor.
func placeText(p webhook.Place) string {
	c := newCursor('n').number(p.Since).number(int64(len(p.Lanes)))
	names := make([]string, 0, len(p.Lanes))
	for name := range p.Lanes {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		c = c.text(name).number(p.Lanes[name])
	}
	return c.String()
}

// parsePlace reads what placeText wrote; "" is the beginning.
func parsePlace(text string) (p webhook.Place, ok bool) {
	if text == "" {
		return p, true
	}
	in := parseCursor('n', text)
	p.Since = in.Int()
	p.Lanes = make(map[string]int64)
	for n := in.Int(); n > 0 && !in.Bad; n-- {
		name := in.text()
		p.Lanes[name] = in.Int()
	}
	return p, in.Whole() && p.Since != 0
}

// NoticeKeeping is for how long notices are kept.
type NoticeKeeping struct {
	KeepHours int64 `json:"keep_hours" doc:"Hours that a notice can be fetched; 0: none is kept"`
}

type keepingOutput struct {
	Body NoticeKeeping
}

func (s *Server) noticeKeeping(ctx context.Context, _ *struct{}) (*keepingOutput, error) {
	kept, err := s.notices.Kept(ctx)
	if err != nil {
		return nil, s.noticeFailure(ctx, err)
	}
	return &keepingOutput{NoticeKeeping{int64(kept / time.Hour)}}, nil
}

type keepingInput struct {
	Body body[NoticeKeeping]
}

func (s *Server) keepNotices(ctx context.Context, in *keepingInput) (*keepingOutput, error) {
	if in.Body.refused != nil {
		return nil, in.Body.refused
	}
	hours := in.Body.value.KeepHours
	if most := int64(webhook.LongestKept / time.Hour); hours < 0 || hours > most {
		return nil, problemf("invalid_request", "keep_hours: expected 0 to %d, found %d.", most, hours).at("keep_hours")
	}
	if err := s.notices.Keep(ctx, time.Duration(hours)*time.Hour); err != nil {
		return nil, s.noticeFailure(ctx, err)
	}
	return &keepingOutput{in.Body.value}, nil
}

func (s *Server) noticeRoutes() {
	if s.notices == nil {
		return
	}
	register(s, huma.Operation{
		OperationID: "fetch-notices", Metadata: map[string]any{ofAllAccounts: true}, Method: http.MethodGet, Path: "/v1/notices",
		Tags: []string{"Notices"}, Summary: "What happened to accounts, to be fetched instead of delivered",
		Description: "The notices that webhooks send, of all types, under the same ids; those of one account in its order, those of several about as they were written. Pass next on as after, also of an empty list; a notice may come twice after shards were split. With wait it answers as soon as there is something. Notices are kept for as long as PUT /v1/notices/keeping says; what comes after a place that is older answers 410.",
	}, scope.Notices, []string{"invalid_cursor", "cursor_expired", "notices_off", "invalid_request"}, s.fetchNotices)
	register(s, huma.Operation{
		OperationID: "get-notice-keeping", Method: http.MethodGet, Path: "/v1/notices/keeping",
		Tags: []string{"Notices"}, Summary: "For how long notices can be fetched",
	}, scope.Notices, nil, s.noticeKeeping)
	register(s, huma.Operation{
		OperationID: "put-notice-keeping", Metadata: map[string]any{ofAllAccounts: true}, Method: http.MethodPut, Path: "/v1/notices/keeping",
		Tags: []string{"Notices"}, Summary: "Have notices kept, for so long, or not at all",
		Description: "What happens from about a second later on is kept. Ending it forgets what is kept, and cursors with it.",
	}, scope.Admin, []string{"invalid_request"}, s.keepNotices)
}
