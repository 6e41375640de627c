package console

import (
	"net/http"
	"net/url"

	"recoup/internal/console/overview"
	"recoup/internal/service/scope"
	"recoup/internal/store/durable"
	"recoup/reward"
)

// reviewsPage is what is open for review, the oldest first.
type reviewsPage struct {
	Filter *reviewFilter
	// Counts are of the overview's figures; nil until they were read.
	Counts *overview.Reviews
	Rows   []reviewRow
	Next   string
}

// reviewRow is one thing that is open for review.
type reviewRow struct {
	durable.ReviewView
	Text string         // what it is about
	Age  reward.Instant // how long it has been open
}

// Unheard reports whether the account need not have heard of the purchase: a refused
// fact left no trace.
func (r *reviewRow) Unheard() bool { return r.Part.Kind == durable.RefusedFact && r.Transaction != "" }

func (c *Console) reviewRoutes() {
	c.page("GET "+Path+"reviews", scope.Read, c.reviews)
	c.page("GET "+Path+"review", scope.Read, c.review)
	c.action("POST "+Path+"review", scope.Operate, c.resolve)
	c.refusedRoutes()
}

func (c *Console) reviews(v *visit) error {
	body := reviewsPage{Filter: c.reviewFilter(v)}
	if figures := c.overview.Latest(); figures != nil {
		body.Counts = &figures.Reviews
	}
	if !body.Filter.valid() {
		return v.render(http.StatusBadRequest, "reviews", view{Title: "Reviews", Section: "reviews", Body: body})
	}
	after, err := parsePlace(v.r.URL.Query().Get("after"))
	if err != nil {
		return err
	}
	list, next, more, err := c.openReviews(v, body.Filter, after)
	if err != nil {
		return err
	}
	for i := range list {
		body.Rows = append(body.Rows, reviewRow{list[i], aboutReview(v.locale, &list[i]), max(0, v.now-list[i].Since)})
	}
	if more {
		body.Next = Path + "reviews?" + body.Filter.query(url.Values{"after": {placeText(next)}}).Encode()
	}
	return v.show("reviews", "reviews", "Reviews", body)
}

// mostReads is how often a page of the list is filled up from further on, where the
// amounts of some currencies are left out here and not by the ledger.
const mostReads = 5

// openReviews reads a page of the list.
func (c *Console) openReviews(v *visit, f *reviewFilter, after durable.ReviewPlace) (rows []durable.ReviewView, next durable.ReviewPlace, more bool, err error) {
	next, more = after, true
	for range mostReads {
		var list []durable.ReviewView
		missing := pageLength - len(rows)
		if list, next, more, err = c.ledger.Reviews(v.ctx(), f.selects(v.now), next, missing); err != nil {
			return nil, next, false, err
		}
		for i := range list {
			if f.lets(&list[i]) {
				rows = append(rows, list[i])
			}
		}
		// The ledger has stopped short where it has looked at enough.
		if !more || len(rows) >= pageLength || len(list) < missing {
			break
		}
	}
	return rows, next, more, nil
}
