package console

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"recoup/internal/console/overview"
	"recoup/internal/console/weigh"
	"recoup/internal/store/durable"
	"recoup/internal/store/triage"
	"recoup/program"
	"recoup/reward"
)

// queue is what is open for review as it was read with the figures, with what was decided
// here since: it is exact after each decision, without reading everything anew. What
// others decide elsewhere shows when the figures are read again.
type queue struct {
	mu    sync.Mutex
	since map[string]reread // by account
	// open is the list as of the figures and of the decisions since; nil: of others.
	open *openList
	// weighed are stakes that pages worked out, at a state of the account.
	weighed map[weighedKey]weighed
}

type weighedKey struct {
	openKind
	version int64
}

type weighed struct {
	most int64
	unit string
}

// keep keeps a stake that a page worked out.
func (q *queue) keep(key weighedKey, s weighed) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.weighed == nil || len(q.weighed) >= mostWeighed {
		q.weighed = make(map[weighedKey]weighed)
	}
	q.weighed[key] = s
}

// mostWeighed bounds how many stakes are kept.
const mostWeighed = 20_000

// reread is what is open on an account as of a moment after the figures were read: up to
// a place in the list, where it is long.
type reread struct {
	at   time.Time
	open []overview.OpenReview
	upTo durable.ReviewPlace
	more bool
}

// How much is read anew of an account on which somebody decided, and of how much of that
// what is at stake.
const (
	mostReread  = 500
	mostRestake = 10
)

// decidedOn reads anew what is open on an account.
func (c *Console) decidedOn(ctx context.Context, account string) error {
	r := reread{at: c.now()}
	list, upTo, more, err := c.ledger.Reviews(ctx, durable.ReviewFilter{Account: account, Certain: true}, durable.ReviewPlace{}, mostReread)
	if err != nil {
		return err
	}
	r.upTo, r.more = upTo, more
	for i := range list {
		o := overview.OpenReview{ReviewView: list[i]}
		if i < mostRestake {
			if o.Stake, o.Unit, err = weigh.Stake(ctx, c.ledger, &o.ReviewView, c.instant()); err != nil {
				return err
			}
			o.Staked = true
		}
		r.open = append(r.open, o)
	}
	c.queue.mu.Lock()
	defer c.queue.mu.Unlock()
	if c.queue.since == nil {
		c.queue.since = make(map[string]reread)
	}
	c.queue.since[account], c.queue.open = r, nil
	return nil
}

// openNow is what is open as far as it was read; nil where nothing was yet.
func (c *Console) openNow() *openList {
	all := c.overview.Latest()
	if all == nil {
		return nil
	}
	figures := &all.Reviews
	c.queue.mu.Lock()
	defer c.queue.mu.Unlock()
	if was := c.queue.open; was != nil && was.figures == figures {
		return was
	}
	for account, r := range c.queue.since {
		if r.at.Before(figures.AsOf) {
			delete(c.queue.since, account)
		}
	}
	list := figures.List
	if len(c.queue.since) > 0 {
		list = make([]overview.OpenReview, 0, len(figures.List))
		for i := range figures.List {
			o := &figures.List[i]
			if r, is := c.queue.since[o.Part.Account]; !is || r.more && placeOf(&o.ReviewView).Compare(r.upTo) > 0 {
				list = append(list, *o)
			}
		}
		for _, r := range c.queue.since {
			list = append(list, r.open...)
		}
	}
	c.queue.open = &openList{list: list, figures: figures}
	return c.queue.open
}

// placeOf is where a review stands in the ledger's order.
func placeOf(v *durable.ReviewView) durable.ReviewPlace {
	return durable.ReviewPlace{Since: v.Since, Account: v.Part.Account, Kind: v.Part.Kind, ID: v.Part.ID}
}

// orders are the ways in which the list can be sorted, by their names in addresses.
var orders = map[string]func(x, y *overview.OpenReview) int{
	"":       oldestFirst,
	"newest": func(x, y *overview.OpenReview) int { return oldestFirst(y, x) },
	"amount": func(x, y *overview.OpenReview) int {
		return cmp.Or(cmp.Compare(units(y.Amount, y.Currency), units(x.Amount, x.Currency)), oldestFirst(x, y))
	},
	"stake": func(x, y *overview.OpenReview) int {
		return cmp.Or(cmp.Compare(units(y.Stake, y.Unit), units(x.Stake, x.Unit)), oldestFirst(x, y))
	},
}

func oldestFirst(x, y *overview.OpenReview) int {
	return cmp.Or(placeOf(&x.ReviewView).Compare(placeOf(&y.ReviewView)), cmp.Compare(x.Kind, y.Kind))
}

// units is an amount in parts of a whole unit that are as fine as those of any currency, so
// that amounts of several can be sorted. They are not worth the same, which no order of
// several currencies can mend.
func units(amount int64, currency string) int64 {
	decimals, _ := program.MinorUnits(currency)
	most, _ := program.MinorUnits(finest)
	for ; decimals < most && amount < reward.MaxAmount*10; decimals++ {
		amount *= 10
	}
	return amount
}

// works are what is said of reviews by those who work them, by part.
type works map[durable.PartKey]triage.Work

func (c *Console) works(ctx context.Context) (works, error) {
	list, err := c.triage.All(ctx)
	if err != nil {
		return nil, err
	}
	all := make(works, len(list))
	for i := range list {
		all[list[i].Part()] = list[i]
	}
	return all, nil
}

// The views of the list: what is not put off, what is nobody's, one's own, what is put off,
// and what is to be looked at once more.
const (
	viewOpen     = ""
	viewFree     = "free"
	viewMine     = "mine"
	viewSnoozed  = "snoozed"
	viewReopened = "reopened"
)

var views = []string{viewOpen, viewFree, viewMine, viewSnoozed, viewReopened}

// in reports whether a part is in the view of the filter. Only what somebody opened again
// need not be open.
func (f *reviewFilter) in(v *visit, all works, part durable.PartKey) bool {
	w, is := all[part]
	snoozed := is && w.Snoozed(v.now)
	switch f.View {
	case viewFree:
		return !snoozed && w.Assignee.Name == ""
	case viewMine:
		return !snoozed && is && w.Assignee.ID == v.person.ID
	case viewSnoozed:
		return snoozed
	case viewReopened:
		return w.Reopened != 0
	}
	return !snoozed
}

// passes reports whether a review passes the filter, whatever its view.
func (f *reviewFilter) passes(o *durable.ReviewView, now reward.Instant) bool {
	switch {
	case f.kind != 0 && o.Kind != f.kind, f.kind == 0 && o.Kind == reward.CertainWithoutLink:
		return false
	case f.Account != "" && o.Part.Account != f.Account:
		return false
	case f.older > 0 && o.Since >= now-reward.Instant(f.older)*reward.Day:
		return false
	}
	return f.lets(o)
}

// listed are the reviews that pass a filter, in its order, as far as they were read.
func (c *Console) listed(v *visit, f *reviewFilter, all works) (list []*overview.OpenReview, known bool) {
	open := c.openNow()
	if open == nil {
		return nil, false
	}
	open.in(f.Sort, func(o *overview.OpenReview) bool {
		if f.passes(&o.ReviewView, v.now) && f.in(v, all, o.Part) {
			list = append(list, o)
		}
		return true
	})
	return list, true
}

// mostPassed is how many that are not open any more are passed over to find a neighbour.
const mostPassed = 20

// neighbours are the reviews before and after one in a list; nil: there is none. What was
// decided elsewhere meanwhile is passed over. Of several reviews of one part one counts.
func (c *Console) neighbours(v *visit, f *reviewFilter, here *overview.OpenReview) (before, after *durable.ReviewView, err error) {
	all, err := c.works(v.ctx())
	if err != nil {
		return nil, nil, err
	}
	list, _ := c.listed(v, f, all)
	order := orders[f.Sort]
	at, _ := slices.BinarySearchFunc(list, here, order)
	find := func(i, step int) (*durable.ReviewView, error) {
		for passed := 0; i >= 0 && i < len(list) && passed < mostPassed; i, passed = i+step, passed+1 {
			if list[i].Part == here.Part {
				continue
			}
			open, err := c.ledger.ReviewsOf(v.ctx(), list[i].Part)
			if err != nil {
				return nil, err
			}
			if slices.ContainsFunc(open, func(o durable.ReviewView) bool { return o.Kind == list[i].Kind }) {
				return &list[i].ReviewView, nil
			}
		}
		return nil, nil
	}
	if before, err = find(at-1, -1); err != nil {
		return nil, nil, err
	}
	if after, err = find(at, 1); err != nil || after != nil || f.Sort != "" || f.View != viewOpen {
		return before, after, err
	}
	// In order of age the ledger has those that came since the figures were read.
	next, _, _, err := c.openReviews(v, f, all, placeOf(&here.ReviewView), 1)
	if err == nil && len(next) > 0 {
		after = &next[0]
	}
	return before, after, err
}

// standing finds what is open about a part in the list of a filter, or makes it up from the
// ledger where it is not listed.
func (c *Console) standing(v *visit, f *reviewFilter, open []durable.ReviewView) overview.OpenReview {
	here := open[0]
	for i := range open {
		if f.passes(&open[i], v.now) {
			here = open[i]
			break
		}
	}
	if all := c.openNow(); all != nil {
		if was := all.find(&here); was != nil {
			return *was
		}
	}
	return overview.OpenReview{ReviewView: here}
}

// queueField is the field of an address that says in which list a review is worked, so that
// the next one opens by itself.
const queueField = "queue"

// pathTo is where a review of this list is looked at.
func (f *reviewFilter) pathTo(v *durable.ReviewView) string {
	path, err := reviewPath(*v)
	if err != nil {
		return Path + "reviews"
	}
	return path + "&" + url.Values{queueField: {cmp.Or(f.query(nil).Encode(), "all")}}.Encode()
}

// worked is the list in which the review of a page is worked; nil: in none.
func (c *Console) worked(v *visit) *reviewFilter {
	text := v.given(queueField)
	if text == "" {
		return nil
	}
	q, err := url.ParseQuery(text)
	if err != nil {
		return nil
	}
	f := c.filterIn(v, q)
	if !f.valid() {
		return nil
	}
	return f
}

// viewName is a view's name as a person reads it.
func viewName(view string) string {
	switch view {
	case viewFree:
		return "nobody's"
	case viewMine:
		return "mine"
	case viewSnoozed:
		return "put off"
	case viewReopened:
		return "opened again"
	}
	return "open"
}

// textOf is a part as a field of a form has it; see parsePlace.
func textOf(p durable.PartKey) string {
	return placeText(durable.ReviewPlace{Account: p.Account, Kind: p.Kind, ID: p.ID})
}

// partsIn are the parts that fields of a form name, each once.
func partsIn(fields []string, most int) (parts []durable.PartKey, err error) {
	for _, text := range fields {
		p, err := parsePlace(strings.TrimSpace(text))
		if err != nil || p.ID == "" {
			return nil, errNoPlace
		}
		part := durable.PartKey{Account: p.Account, Kind: p.Kind, ID: p.ID}
		if !slices.Contains(parts, part) {
			parts = append(parts, part)
		}
		if len(parts) == most {
			break
		}
	}
	return parts, nil
}
