package console

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"recoup/internal/kit/card"
	"recoup/internal/service/scope"
	"recoup/internal/service/sources"
	"recoup/reward"
)

// deadWebhooksPage is the webhooks of processors of which something could not be mapped or
// applied.
type deadWebhooksPage struct {
	List      []deadWebhook
	MayDecide bool
	Next      string
}

// deadWebhook is one of them, and when it came first.
type deadWebhook struct {
	sources.Letter
	Came reward.Instant
}

// deadWebhookPage is one with what was sent, as far as it may be shown.
type deadWebhookPage struct {
	deadWebhook
	Payload string
	Cut     bool // there is more of it
}

// mostPayload is how many bytes of a webhook are shown.
const mostPayload = 64 << 10

func (c *Console) deadWebhookRoutes() {
	c.page("GET "+Path+"dead-webhooks", scope.Read, c.deadWebhooks)
	c.page("GET "+Path+"dead-webhook", scope.Operate, c.deadWebhook)
	c.action("POST "+Path+"dead-webhooks/replay", scope.Operate, func(v *visit) error { return c.decideWebhook(v, c.sources.Replay, "webhook-replayed") })
	c.action("POST "+Path+"dead-webhooks/dismiss", scope.Operate, func(v *visit) error { return c.decideWebhook(v, c.sources.Dismiss, "webhook-dismissed") })
}

func (c *Console) deadWebhooks(v *visit) error {
	list, err := c.sources.Dead(v.ctx(), int64(v.start()), pageLength+1)
	if err != nil {
		return err
	}
	body := deadWebhooksPage{MayDecide: v.may(scope.Operate)}
	if len(list) > pageLength {
		list = list[:pageLength]
		if body.Next, err = linkTo("dead-webhooks", "after", list[pageLength-1].Number); err != nil {
			return err
		}
	}
	for _, l := range list {
		body.List = append(body.List, deadWebhook{l, reward.At(l.Received)})
	}
	return v.show("dead-webhooks", "overview", "Dead webhooks", body)
}

// deadWebhook shows what was sent. It may have what people are called: it is for who looks
// after it, and numbers of cards are masked.
func (c *Console) deadWebhook(v *visit) error {
	number, err := strconv.ParseInt(v.given("number"), 10, 64)
	if err != nil {
		return errNoPage
	}
	l, payload, err := c.sources.Payload(v.ctx(), number)
	switch {
	case errors.Is(err, sources.ErrNotFound):
		return refuse(http.StatusNotFound, "No such webhook is on the list", "It may have been taken again, or dismissed, meanwhile.")
	case err != nil:
		return err
	}
	payload = indented(payload)
	body := deadWebhookPage{deadWebhook: deadWebhook{l, reward.At(l.Received)}}
	if body.Cut = len(payload) > mostPayload; body.Cut {
		payload = payload[:mostPayload]
		for !utf8.ValidString(payload) && len(payload) > mostPayload-utf8.UTFMax {
			payload = payload[:len(payload)-1]
		}
	}
	body.Payload = card.Mask(payload)
	return v.show("dead-webhook", "overview", "Dead webhook", body)
}

// indented is a body as people read it, if it is JSON.
func indented(body string) string {
	value := jsontext.Value(body)
	if value.Indent() != nil {
		return body
	}
	return string(value)
}

// decideWebhook has one taken again, or takes it off the list.
func (c *Console) decideWebhook(v *visit, do func(context.Context, int64) error, notice string) error {
	number, err := strconv.ParseInt(v.field("number"), 10, 64)
	if err != nil {
		return refuse(http.StatusBadRequest, "Which webhook?", "Choose one on the page.")
	}
	switch err := do(v.ctx(), number); {
	case errors.Is(err, sources.ErrNotFound):
		return refuse(http.StatusConflict, "The webhook is not on the list any more", "It may have been taken again, or dismissed, meanwhile. Load the page to see what is left.")
	case err != nil:
		return err
	}
	return v.moved(Path+"dead-webhooks", notice)
}
