package console

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"recoup/internal/engine"
	"recoup/internal/service/scope"
	"recoup/internal/store/durable"
	"recoup/internal/store/triage"
	"recoup/reward"
)

// deskForm is what was sent of who looks at a review and until when, with what is wrong.
type deskForm struct{ Note, Assignee, Until, Reason, Problem string }

func (c *Console) triageRoutes() {
	c.action("POST "+Path+"review/note", scope.Operate, c.worksOn(func(v *visit, part durable.PartKey, form *deskForm) (string, error) {
		return "noted", c.triage.Note(v.ctx(), part, v.worker(), form.Note)
	}))
	c.action("POST "+Path+"review/assign", scope.Operate, c.worksOn(func(v *visit, part durable.PartKey, form *deskForm) (string, error) {
		to := triage.Person{Name: form.Assignee}
		switch v.field("to") {
		case "me":
			to = v.worker()
		case "nobody":
			return "freed", c.triage.Assign(v.ctx(), part, v.worker(), triage.Person{})
		}
		if to.Name == "" {
			return "", &triage.InvalidError{Member: "assignee", Problem: "expected a name"}
		}
		return "assigned", c.triage.Assign(v.ctx(), part, v.worker(), to)
	}))
	c.action("POST "+Path+"review/snooze", scope.Operate, c.worksOn(func(v *visit, part durable.PartKey, form *deskForm) (string, error) {
		if v.field("until") == "" && v.field("days") == "" {
			return "woken", c.triage.Snooze(v.ctx(), part, v.worker(), 0)
		}
		day, err := time.Parse(time.DateOnly, form.Until)
		if days := map[string]int{"1": 1, "7": 7, "30": 30}[v.field("days")]; days > 0 {
			day, err = v.now.Time().UTC().AddDate(0, 0, days).Truncate(24*time.Hour), nil
		}
		if err != nil {
			return "", &triage.InvalidError{Member: "until", Problem: "expected a day such as 2026-01-31"}
		}
		return "snoozed", c.triage.Snooze(v.ctx(), part, v.worker(), reward.At(day))
	}))
	c.action("POST "+Path+"review/reopen", scope.Operate, c.worksOn(func(v *visit, part durable.PartKey, form *deskForm) (string, error) {
		return "reopened", c.triage.Reopen(v.ctx(), part, v.worker(), form.Reason)
	}))
	c.action("POST "+Path+"reviews/certain", scope.Operate, c.confirm)
	c.action("POST "+Path+"reviews/filters", scope.Read, c.keepFilter)
	c.page("GET "+Path+"reviews/resolved", scope.Read, c.resolved)
	c.page("GET "+Path+"reviews/resolved.csv", scope.Read, c.resolvedFile)
}

// worker is the person as those who work reviews are kept.
func (v *visit) worker() triage.Person { return triage.Person{ID: v.person.ID, Name: v.person.Name} }

// worksOn changes what is said of a review. What takes it off the list that it is worked in
// leads on to the next.
func (c *Console) worksOn(do func(v *visit, part durable.PartKey, form *deskForm) (notice string, err error)) func(*visit) error {
	return func(v *visit) error {
		account, part, err := c.partAsked(v)
		if err != nil {
			return err
		}
		form := deskForm{Note: v.field("note"), Assignee: v.field("assignee"), Until: v.field("until"), Reason: v.field("reason")}
		here, err := c.pathHere(v, part)
		if err != nil {
			return err
		}
		next, _, err := c.nextOf(v, part)
		if err != nil {
			return err
		}
		notice, err := do(v, part, &form)
		var invalid *triage.InvalidError
		switch {
		case errors.As(err, &invalid):
			form.Problem = v.locale.Sprintf("The %s: %s. Nothing was changed.", memberName(invalid.Member), v.locale.Sprintf(invalid.Problem, invalid.Values...))
			return c.showReviewWith(v, http.StatusUnprocessableEntity, &account, part, resolutionForm{Event: newFormID(resolutionIDs)}, form)
		case err != nil:
			return err
		case notice == "snoozed" && v.given(queueField) != "":
			return v.moved(next, notice)
		}
		return v.moved(here, notice)
	}
}

// pathHere is the address of a review's page, in the list that it is worked in.
func (c *Console) pathHere(v *visit, part durable.PartKey) (string, error) {
	return linkTo("review", "account", part.Account, "kind", part.Kind, "id", part.ID, queueField, v.given(queueField))
}

// nextOf is where to go once a review is decided: the next in its list, or the list. open is
// what is open about it now.
func (c *Console) nextOf(v *visit, part durable.PartKey) (path string, open []durable.ReviewView, err error) {
	if open, err = c.ledger.ReviewsOf(v.ctx(), part); err != nil {
		return "", nil, err
	}
	f := c.worked(v)
	if f == nil {
		return Path + "reviews", open, nil
	}
	if path = f.With("", ""); len(open) == 0 {
		return path, open, nil
	}
	here := c.standing(v, f, open)
	before, after, err := c.neighbours(v, f, &here)
	if next := cmp.Or(after, before); err == nil && next != nil {
		path = f.pathTo(next)
	}
	return path, open, err
}

// beforeDecision says where to go once an event is decided, and what is to be kept of it.
func (c *Console) beforeDecision(v *visit, part durable.PartKey, e *reward.Event) (next string, r triage.Resolved, err error) {
	next, open, err := c.nextOf(v, part)
	if err != nil {
		return next, r, err
	}
	r = triage.Resolved{Account: part.Account, Kind: part.Kind, ID: part.ID, How: e.Type.String(), Event: e.ID, Reason: e.Reason, By: v.worker()}
	for i := range open {
		r.Reviews = append(r.Reviews, open[i].Kind.String())
	}
	if reviewed(e.Type) {
		t, ok, err := c.ledger.Try(v.ctx(), *e)
		if err != nil {
			return next, r, err
		}
		if ok && t.Result.Outcome == reward.Applied {
			r.Gives, r.Takes, r.Unit = t.Gives, t.Takes, t.Currency
		}
	}
	return next, r, nil
}

// afterDecision keeps how a review was resolved, and reads anew what is open on its account.
// The decision is in the log by then, whatever fails here.
func (c *Console) afterDecision(v *visit, r triage.Resolved) {
	err := errors.Join(c.triage.Resolve(v.ctx(), r), c.decidedOn(v.ctx(), r.Account))
	if err != nil {
		c.log.ErrorContext(v.ctx(), "a review is resolved, and not on the list of those that are", "error", err)
	}
}

// settle closes what somebody opened again, and leaves it as it was.
func (c *Console) settle(v *visit, account *durable.AccountView, part durable.PartKey, form resolutionForm) error {
	found, err := c.triage.Of(v.ctx(), []durable.PartKey{part})
	if err != nil {
		return err
	}
	if found[part].Reopened == 0 {
		form.Problem = v.locale.Sprintf("It was not opened again, or somebody closed it. Nothing was changed.")
		return c.showReview(v, http.StatusConflict, account, part, form)
	}
	err = c.triage.Resolve(v.ctx(), triage.Resolved{Account: part.Account, Kind: part.Kind, ID: part.ID, How: string(triage.Settled), Event: form.Event, Reason: form.why(), By: v.worker()})
	if err != nil {
		return err
	}
	next, _, err := c.nextOf(v, part)
	if err != nil {
		return err
	}
	return v.moved(next, "settled")
}

// readDesk reads who looks at a review, what was noted, and its neighbours in the list that
// it is worked in.
func (c *Console) readDesk(v *visit, body *reviewPage, open []durable.ReviewView) error {
	found, err := c.triage.Of(v.ctx(), []durable.PartKey{body.Part})
	if err != nil {
		return err
	}
	body.Work = found[body.Part]
	body.Mine = body.Work.Assignee.ID != "" && body.Work.Assignee.ID == v.person.ID
	body.Today = v.now.String()[:len("2006-01-02")]
	if body.Notes, err = c.triage.Notes(v.ctx(), body.Part); err != nil {
		return err
	}
	f := c.worked(v)
	if f == nil {
		return nil
	}
	body.Queue, body.Back = v.given(queueField), f.With("", "")
	all, err := c.works(v.ctx())
	if err != nil {
		return err
	}
	list, known := c.listed(v, f, all)
	if body.Left = int64(len(list)); !known {
		body.Left = -1
	}
	if len(open) == 0 {
		return nil
	}
	here := c.standing(v, f, open)
	before, after, err := c.neighbours(v, f, &here)
	if before != nil {
		body.Before = f.pathTo(before)
	}
	if after != nil {
		body.After = f.pathTo(after)
	}
	return err
}

// mostConfirmed is how many certain matches are confirmed at once.
const mostConfirmed = 200

// confirm confirms certain matches, those that are marked. What is not certain any more, or
// has something else open, is left.
func (c *Console) confirm(v *visit) error {
	form := v.field("event")
	parts, err := partsIn(v.r.PostForm["part"], mostConfirmed)
	reason := cmp.Or(v.field("reason"), v.field("preset"))
	switch {
	case !isFormID(resolutionIDs, form):
		return errNoFormID
	case err != nil:
		return err
	case len(parts) == 0:
		return refuse(http.StatusUnprocessableEntity, "Which matches?", "Mark those that are right, and send the form again. Nothing was changed.")
	case wrongReason(v.locale, reason) != "":
		return refuse(http.StatusUnprocessableEntity, "Why are they right?", v.locale.Sprintf("%s Nothing was changed.", wrongReason(v.locale, reason)))
	}
	done, left := 0, 0
	for _, part := range parts {
		open, err := c.ledger.ReviewsOf(v.ctx(), part)
		if err != nil {
			return err
		}
		certain := !slices.ContainsFunc(open, func(o durable.ReviewView) bool { return o.Kind != reward.CertainWithoutLink })
		if part.Kind != reward.RefundPart || !certain || len(open) == 0 {
			left++
			continue
		}
		which := sha256.Sum256([]byte(textOf(part)))
		e := reward.Event{
			Type: reward.RefundDismissed, Source: engine.ConsoleSource, ID: form + "-" + hex.EncodeToString(which[:16]), Account: part.Account, Time: v.now, Fact: part.ID, Reason: reason, Actor: v.person.Name,
		}
		result, err := c.decide(v.ctx(), e)
		if err != nil {
			return err
		}
		if result.Outcome != reward.Applied {
			left++
			continue
		}
		done++
		c.afterDecision(v, triage.Resolved{
			Account: part.Account, Kind: part.Kind, ID: part.ID, Reviews: []string{reward.CertainWithoutLink.String()}, How: e.Type.String(), Event: e.ID, Reason: reason, By: v.worker(),
		})
	}
	back := Path + "reviews"
	if f := c.worked(v); f != nil {
		back = f.With("", "")
	}
	if left > 0 {
		return v.moved(back, "confirmed-some", int64(done), int64(left))
	}
	return v.moved(back, "confirmed", int64(done))
}

// savedOf are the filters that the person saved.
func (c *Console) savedOf(v *visit) (list []savedFilter, err error) {
	saved, err := c.triage.Filters(v.ctx(), v.worker())
	for _, s := range saved {
		path := Path + "reviews"
		if s.Query != "" {
			path += "?" + s.Query
		}
		list = append(list, savedFilter{s.Name, path})
	}
	return list, err
}

// keepFilter saves the filter of the list under a name, or forgets one.
func (c *Console) keepFilter(v *visit) error {
	q, err := url.ParseQuery(v.field("query"))
	if err != nil {
		return errNoFormID
	}
	f := c.filterIn(v, q)
	if name := v.field("forget"); name != "" {
		if err := c.triage.Unsave(v.ctx(), v.worker(), name); err != nil {
			return err
		}
		return v.moved(f.With("", ""), "filter-forgotten")
	}
	err = c.triage.Save(v.ctx(), v.worker(), triage.Saved{Name: strings.TrimSpace(v.field("name")), Query: f.query(nil).Encode()})
	var invalid *triage.InvalidError
	if errors.As(err, &invalid) {
		problem := v.locale.Sprintf("The filter is not saved. The %s: %s.", memberName(invalid.Member), v.locale.Sprintf(invalid.Problem, invalid.Values...))
		return c.showReviews(v, http.StatusUnprocessableEntity, f, reviewsPage{FilterName: v.field("name"), FilterWrong: problem})
	}
	if err != nil {
		return err
	}
	return v.moved(f.With("", ""), "filter-saved")
}
