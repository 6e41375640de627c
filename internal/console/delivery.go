package console

import (
	"errors"
	"net/http"
	"strconv"

	"recoup/internal/service/scope"
	"recoup/internal/service/webhook"
	"recoup/reward"

	"github.com/go-json-experiment/json/jsontext"
)

// deliveriesPage is the endpoints of webhooks and the deliveries that were given up.
type deliveriesPage struct {
	Endpoints []webhook.Endpoint
	Dead      []deadDelivery
	All       int64 // that were given up, at all endpoints
	MayReplay bool
	Next      string
}

// deadDelivery is a delivery that was given up, with what it would have told.
type deadDelivery struct {
	webhook.DeadLetter
	Payload string // JSON on several lines
}

func (c *Console) deliveryRoutes() {
	c.page("GET "+Path+"deliveries", scope.Read, c.deliveries)
	c.page("GET "+Path+"deliveries.csv", scope.Read, c.deliveriesFile)
	c.action("POST "+Path+"deliveries", scope.Operate, c.replay)
}

func (c *Console) deliveries(v *visit) error {
	body := deliveriesPage{MayReplay: v.may(scope.Operate)}
	var err error
	if body.Endpoints, err = c.webhooks.List(v.ctx()); err != nil {
		return err
	}
	for i := range body.Endpoints {
		body.All += body.Endpoints[i].Dead
	}
	dead, err := c.webhooks.Dead(v.ctx(), "", int64(v.start()), pageLength+1)
	if err != nil {
		return err
	}
	if len(dead) > pageLength {
		dead = dead[:pageLength]
		if body.Next, err = linkTo("deliveries", "after", dead[pageLength-1].Number); err != nil {
			return err
		}
	}
	for _, d := range dead {
		payload := jsontext.Value(d.Body)
		if err := payload.Indent(); err != nil {
			payload = jsontext.Value(d.Body)
		}
		body.Dead = append(body.Dead, deadDelivery{d, string(payload)})
	}
	return v.show("deliveries", "overview", "Webhook deliveries", body)
}

// replay has a dead letter tried again, or all of them: those of one endpoint, or of each.
func (c *Console) replay(v *visit) error {
	if v.r.PostForm.Has("all") {
		return c.replayAll(v, v.field("all"))
	}
	number, err := strconv.ParseInt(v.field("number"), 10, 64)
	if err != nil {
		return refuse(http.StatusBadRequest, "Which delivery?", "Choose one on the page.")
	}
	switch err := c.webhooks.Replay(v.ctx(), number); {
	case errors.Is(err, webhook.ErrNotFound):
		return refuse(http.StatusConflict, "The delivery is not there any more", "It may have been tried again meanwhile. Load the page to see what is left.")
	case err != nil:
		return err
	}
	return v.moved(Path+"deliveries", "replayed")
}

func (c *Console) replayAll(v *visit, endpoint string) error {
	endpoints := []string{endpoint}
	if endpoint == "*" { // all of them
		list, err := c.webhooks.List(v.ctx())
		if err != nil {
			return err
		}
		endpoints = nil
		for i := range list {
			endpoints = append(endpoints, list[i].ID)
		}
	}
	all := int64(0)
	for _, id := range endpoints {
		n, err := c.webhooks.ReplayAll(v.ctx(), id)
		switch {
		case errors.Is(err, webhook.ErrNotFound):
			return refuse(http.StatusConflict, "The endpoint is not there any more", "Load the page to see those that are.")
		case err != nil:
			return err
		}
		all += n
	}
	return v.moved(Path+"deliveries", "replayed-all", all)
}

// deliveriesFile is the deliveries that were given up as a file.
func (c *Console) deliveriesFile(v *visit) error {
	s := v.file("deliveries-given-up", "number", "notice", "id", "account", "of", "endpoint", "attempts", "last error", "payload")
	for after := int64(0); ; {
		dead, err := c.webhooks.Dead(v.ctx(), "", after, pageLength)
		if err != nil {
			return s.done(err)
		}
		for _, d := range dead {
			after = d.Number
			if !s.row(d.Number, d.Type, d.ID, d.Account, reward.At(d.Created), d.Endpoint, d.Attempts, d.Error, d.Body) {
				return s.done(nil)
			}
		}
		if len(dead) < pageLength {
			return s.done(nil)
		}
	}
}
