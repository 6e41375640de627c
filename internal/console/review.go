package console

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"

	"recoup/internal/console/overview"
	"recoup/internal/console/weigh"
	"recoup/internal/service/scope"
	"recoup/internal/store/durable"
	"recoup/internal/store/triage"
	"recoup/reward"
)

// reviewsPage is what is open for review.
type reviewsPage struct {
	Filter *reviewFilter
	// Counts are of what is open; nil until the figures were read.
	Counts *reviewCounts
	Views  []viewTab
	Saved  []savedFilter
	Rows   []reviewRow
	Next   string
	Query  string // the filter as a query, for pages that go on with it
	// Certain: those that are shown can be confirmed together.
	Certain bool
	Reasons []string
	MayAct  bool
	CSV     string
	Example string // of an amount
	Form    string // id of the form that confirms several
	Queue   string // the list as a query that leads back to it
	// What was sent to save the filter under, and why that was not done.
	FilterName, FilterWrong string
}

// reviewCounts are how much is open, by kind.
type reviewCounts struct {
	AsOf  any
	Open  int64 // of all kinds
	Cut   bool
	Shown int64 // what passes the filter
	Kinds []kindCount
}

type kindCount struct {
	Kind reward.ReviewKind
	Open int64
	Path string
}

// viewTab is one of the views, and how much is in it.
type viewTab struct {
	Name, Path string
	Count      int64
	Known, Is  bool
}

type savedFilter struct{ Name, Path string }

// reviewRow is one thing that is open for review.
type reviewRow struct {
	overview.OpenReview
	Path string
	Text string         // what it is about
	Age  reward.Instant // how long it has been open
	Work triage.Work
	Pick string // the part as a field of a form has it
}

// Unheard reports whether the account need not have heard of the purchase: a refused
// fact left no trace.
func (r *reviewRow) Unheard() bool { return r.Part.Kind == durable.RefusedFact && r.Transaction != "" }

func (c *Console) reviewRoutes() {
	c.page("GET "+Path+"reviews", scope.Read, c.sitting(c.reviews))
	c.page("GET "+Path+"reviews.csv", scope.Read, c.reviewsFile)
	c.page("GET "+Path+"review", scope.Read, c.sitting(c.review))
	c.action("POST "+Path+"review", scope.Operate, c.resolve)
	c.refusedRoutes()
	c.triageRoutes()
}

func (c *Console) reviews(v *visit) error {
	return c.showReviews(v, http.StatusOK, c.reviewFilter(v), reviewsPage{})
}

// showReviews answers with the list by a filter, and with what was wrong with its name.
func (c *Console) showReviews(v *visit, status int, f *reviewFilter, body reviewsPage) error {
	body.Filter, body.MayAct, body.Query, body.Example, body.Form = f, v.may(scope.Operate), f.query(nil).Encode(), v.locale.Example(finest), newFormID(resolutionIDs)
	body.Queue = cmp.Or(body.Query, "all")
	all, err := c.works(v.ctx())
	if err != nil {
		return err
	}
	body.Counts = c.countsOf(v, f, all)
	body.Views = c.viewTabs(v, f, all)
	if body.Saved, err = c.savedOf(v); err != nil {
		return err
	}
	if !f.valid() {
		return v.render(http.StatusBadRequest, "reviews", view{Title: "Reviews", Section: "reviews", Body: body})
	}
	if body.Rows, body.Next, err = c.rowsOf(v, f, all); err != nil {
		return err
	}
	if body.CSV, err = linkTo("reviews.csv"); err == nil && body.Query != "" {
		body.CSV += "?" + body.Query
	}
	if body.Certain = f.kind == reward.CertainWithoutLink && body.MayAct; body.Certain {
		body.Reasons = reasonsFor("dismiss", reward.CertainWithoutLink)
	}
	return v.render(status, "reviews", view{Title: "Reviews", Section: "reviews", Body: body})
}

// countsOf counts what is open, and what of it passes a filter; nil: it was not read yet.
func (c *Console) countsOf(v *visit, f *reviewFilter, all works) *reviewCounts {
	open := c.openNow()
	if open == nil {
		return nil
	}
	figures := open.figures
	counts := &reviewCounts{AsOf: figures.AsOf, Cut: figures.Cut}
	of := make(map[reward.ReviewKind]int64)
	everything := &reviewFilter{}
	for i := range open.list {
		o := &open.list[i]
		if f.passes(&o.ReviewView, v.now) && f.in(v, all, o.Part) {
			counts.Shown++
		}
		if !everything.in(v, all, o.Part) {
			continue
		}
		of[o.Kind]++
		if o.Kind != reward.CertainWithoutLink {
			counts.Open++
		}
	}
	if figures.Cut && !figures.Listed { // there is more than the list has
		counts.Open = max(counts.Open, figures.Open)
	}
	for _, kind := range f.Kinds {
		if kind != reward.CertainWithoutLink && (of[kind] > 0 || kind == f.kind) {
			counts.Kinds = append(counts.Kinds, kindCount{kind, of[kind], f.With("kind", kind.String())})
		}
	}
	return counts
}

// With is the address of the list by this filter with one thing changed.
func (f *reviewFilter) With(name, value string) string {
	q := f.query(url.Values{name: {value}})
	if value == "" {
		q.Del(name)
	}
	if len(q) == 0 {
		return Path + "reviews"
	}
	return Path + "reviews?" + q.Encode()
}

func (c *Console) viewTabs(v *visit, f *reviewFilter, all works) (tabs []viewTab) {
	for _, name := range views {
		tab := viewTab{Name: viewName(name), Path: f.With("view", name), Is: f.View == name}
		if name != viewOpen && name != viewFree {
			of := &reviewFilter{View: name}
			for part := range all {
				if of.in(v, all, part) {
					tab.Count++
				}
			}
			tab.Known = true
		}
		tabs = append(tabs, tab)
	}
	return tabs
}

// rowsOf reads a page of the list. In order of age it is read from the ledger, which has
// what came a moment ago; other orders are of what was read with the figures, and each row
// is looked at again.
func (c *Console) rowsOf(v *visit, f *reviewFilter, all works) (rows []reviewRow, next string, err error) {
	after, err := parsePlace(v.r.URL.Query().Get("after"))
	if err != nil {
		return nil, "", err
	}
	switch {
	case f.View == viewMine || f.View == viewSnoozed || f.View == viewReopened:
		rows, err = c.workedRows(v, f, all)
		return rows, "", err
	case f.Sort == "" || c.overview.Latest() == nil:
		list, place, more, err := c.openReviews(v, f, all, after, pageLength)
		if err != nil {
			return nil, "", err
		}
		if more {
			next = Path + "reviews?" + f.query(url.Values{"after": {placeText(place)}}).Encode()
		}
		open := c.openNow()
		for i := range list {
			o := overview.OpenReview{ReviewView: list[i]}
			if open != nil {
				if was := open.find(&o.ReviewView); was != nil && was.Version == o.Version {
					o.Stake, o.Unit, o.Staked = was.Stake, was.Unit, was.Staked
				}
			}
			rows = append(rows, c.rowOf(v, f, all, o))
		}
		return c.staked(v, rows), next, nil
	}
	list, _ := c.listed(v, f, all)
	begin := 0
	if after.ID != "" {
		begin = 1 + slices.IndexFunc(list, func(o *overview.OpenReview) bool { return placeOf(&o.ReviewView) == after })
	}
	for begin < len(list) && len(rows) < pageLength {
		page := list[begin:min(len(list), begin+pageLength-len(rows))]
		begin += len(page)
		parts := make([]durable.PartKey, len(page))
		for i, o := range page {
			parts[i] = o.Part
		}
		open, err := c.ledger.ReviewsAmong(v.ctx(), parts)
		if err != nil {
			return nil, "", err
		}
		for _, o := range page {
			if slices.ContainsFunc(open[o.Part], func(now durable.ReviewView) bool { return now.Kind == o.Kind }) {
				rows = append(rows, c.rowOf(v, f, all, *o))
			}
		}
	}
	if begin < len(list) {
		next = Path + "reviews?" + f.query(url.Values{"after": {placeText(placeOf(&list[begin-1].ReviewView))}}).Encode()
	}
	return c.staked(v, rows), next, nil
}

// mostWorked is how many of those that somebody has, or put off, are shown.
const mostWorked = 200

// workedRows are the rows of what people said something of, in the order of the filter.
func (c *Console) workedRows(v *visit, f *reviewFilter, all works) (rows []reviewRow, err error) {
	var list []overview.OpenReview
	var over []durable.PartKey // decided elsewhere
	for part, w := range all {
		if !f.in(v, all, part) || len(list) == mostWorked {
			continue
		}
		open, err := c.ledger.ReviewsOf(v.ctx(), part)
		if err != nil {
			return nil, err
		}
		if len(open) == 0 && f.View == viewReopened && f.Kind == "" {
			open = []durable.ReviewView{{Review: reward.Review{Account: part.Account, Since: reward.Instant(w.Reopened)}, Part: part}}
		}
		if len(open) == 0 && w.Reopened == 0 {
			over = append(over, part)
		}
		for i := range open {
			if f.passes(&open[i], v.now) {
				list = append(list, overview.OpenReview{ReviewView: open[i]})
			}
		}
	}
	if err := c.triage.Drop(v.ctx(), over); err != nil {
		return nil, err
	}
	rows = make([]reviewRow, 0, len(list))
	for i := range list {
		rows = append(rows, c.rowOf(v, f, all, list[i]))
	}
	rows = c.staked(v, rows)
	order := orders[f.Sort]
	slices.SortFunc(rows, func(x, y reviewRow) int { return order(&x.OpenReview, &y.OpenReview) })
	return rows, nil
}

func (c *Console) rowOf(v *visit, f *reviewFilter, all works, o overview.OpenReview) reviewRow {
	row := reviewRow{OpenReview: o, Path: f.pathTo(&o.ReviewView), Text: aboutReview(v.locale, &o.ReviewView), Age: max(0, v.now-o.Since), Work: all[o.Part], Pick: textOf(o.Part)}
	if o.Kind == 0 {
		row.Text = v.locale.Sprintf("%s that somebody wants looked at once more", v.locale.Say(partName(o.Part.Kind)))
	}
	return row
}

// mostStaked is how many stakes are worked out for a page.
const mostStaked = 12

// staked works out what is at stake in rows of which it is not known, of some of them.
func (c *Console) staked(v *visit, rows []reviewRow) []reviewRow {
	for i, n := 0, 0; i < len(rows) && n < mostStaked; i++ {
		r := &rows[i]
		if r.Staked {
			continue
		}
		key := weighedKey{kindOf(&r.ReviewView), r.Version}
		c.queue.mu.Lock()
		was, known := c.queue.weighed[key]
		c.queue.mu.Unlock()
		if !known {
			n++
			var err error
			if was.most, was.unit, err = weigh.Stake(v.ctx(), c.ledger, &r.ReviewView, v.now); err != nil {
				c.log.WarnContext(v.ctx(), "what is at stake in a review is not known", "error", err)
				continue
			}
			c.queue.keep(key, was)
		}
		r.Stake, r.Unit, r.Staked = was.most, was.unit, true
	}
	return rows
}

// mostReads is how often a page of the list is filled up from further on, where the
// amounts of some currencies are left out here and not by the ledger.
const mostReads = 5

// openReviews reads up to limit of the list from the ledger.
func (c *Console) openReviews(v *visit, f *reviewFilter, all works, after durable.ReviewPlace, limit int) (rows []durable.ReviewView, next durable.ReviewPlace, more bool, err error) {
	next, more = after, true
	for range mostReads {
		var list []durable.ReviewView
		missing := limit - len(rows)
		if list, next, more, err = c.ledger.Reviews(v.ctx(), f.selects(v.now), next, missing); err != nil {
			return nil, next, false, err
		}
		for i := range list {
			if f.lets(&list[i]) && f.in(v, all, list[i].Part) {
				rows = append(rows, list[i])
			}
		}
		// The ledger has stopped short where it has looked at enough.
		if !more || len(rows) >= limit || len(list) < missing {
			break
		}
	}
	return rows, next, more, nil
}
