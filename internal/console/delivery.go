package console

import (
	"errors"
	"net/http"
	"strconv"

	"recoup/internal/service/scope"
	"recoup/internal/service/webhook"
)

// deliveriesPage is the endpoints of webhooks and the deliveries that were given up.
type deliveriesPage struct {
	Endpoints []webhook.Endpoint
	Dead      []webhook.DeadLetter
	MayReplay bool
	Next      string
}

func (c *Console) deliveryRoutes() {
	c.page("GET "+Path+"deliveries", scope.Read, c.deliveries)
	c.action("POST "+Path+"deliveries", scope.Operate, c.replay)
}

func (c *Console) deliveries(v *visit) error {
	body := deliveriesPage{MayReplay: v.may(scope.Operate)}
	var err error
	if body.Endpoints, err = c.webhooks.List(v.ctx()); err != nil {
		return err
	}
	after := int64(v.start())
	if body.Dead, err = c.webhooks.Dead(v.ctx(), "", after, pageLength+1); err != nil {
		return err
	}
	if len(body.Dead) > pageLength {
		body.Dead = body.Dead[:pageLength]
		if body.Next, err = linkTo("deliveries", "after", body.Dead[pageLength-1].Number); err != nil {
			return err
		}
	}
	return v.show("deliveries", "overview", "Webhook deliveries", body)
}

// replay has a dead letter tried again.
func (c *Console) replay(v *visit) error {
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
