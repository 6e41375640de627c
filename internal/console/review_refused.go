package console

import (
	"errors"
	"net/http"

	"recoup/internal/console/locale"
	"recoup/internal/engine"
	"recoup/internal/service/approval"
	"recoup/internal/service/scope"
	"recoup/internal/store/durable"
	"recoup/internal/store/seal"
	"recoup/internal/store/triage"
	"recoup/reward"
)

// refusedPage is a fact that was refused since it is in another currency than its
// account, or an event that was kept apart for what may be the number of a card, with
// what somebody may decide.
type refusedPage struct {
	durable.Refused
	ID       string // of the refused fact
	What     string
	Currency string // of the account; empty: there is no such account
	Posted   bool   // the purchase that a refund names has
	Open     bool
	MayAct   bool
	Queue    string // the list in which it is worked; empty: in none
	Form     refusedForm
}

// refusedForm is what was filled in, and what is wrong with it.
type refusedForm struct {
	Event                             string // id of the event that it becomes
	Action, Amount, Reason            string
	Problem, AmountWrong, ReasonWrong string
}

var errNoRefused = refuse(http.StatusNotFound, "There is no such refused fact", "Take it from the list of reviews.")

func (c *Console) refusedRoutes() {
	c.page("GET "+Path+"refused", scope.Read, func(v *visit) error {
		return c.showRefused(v, http.StatusOK, refusedForm{Event: newFormID(resolutionIDs)})
	})
	c.action("POST "+Path+"refused", scope.Operate, c.decideRefused)
}

// reviewPath is where something on the review list is looked at.
func reviewPath(r durable.ReviewView) (string, error) {
	if r.Part.Kind == durable.RefusedFact {
		return linkTo("refused", "account", r.Part.Account, "id", r.Part.ID)
	}
	return linkTo("review", "account", r.Part.Account, "kind", r.Part.Kind, "id", r.Part.ID)
}

// reviewID is the id of what a review is about, as its sender knows it.
func reviewID(r durable.ReviewView) string {
	if r.Part.Kind != durable.RefusedFact {
		return r.Part.ID
	}
	if r.Fact != "" {
		return r.Fact
	}
	return r.Transaction
}

func (c *Console) refusedAsked(v *visit) (body refusedPage, err error) {
	account, id := v.id("account"), v.id("id")
	r, ok, err := c.ledger.Refused(v.ctx(), account, id)
	if err == nil && !ok {
		err = errNoRefused
	}
	if err != nil {
		return body, err
	}
	open, err := c.ledger.ReviewsOf(v.ctx(), durable.PartKey{Account: account, Kind: durable.RefusedFact, ID: id})
	if err != nil {
		return body, err
	}
	_, posted, err := c.ledger.Transaction(v.ctx(), account, r.Event.Transaction)
	if err != nil {
		return body, err
	}
	at, _, err := c.ledger.Account(v.ctx(), account)
	return refusedPage{Refused: r, ID: id, What: v.locale.Say(eventWords[r.Event.Type]), Currency: at.Currency, Posted: posted, Open: len(open) > 0, MayAct: v.may(scope.Operate)}, err
}

func (c *Console) showRefused(v *visit, status int, form refusedForm) error {
	body, err := c.refusedAsked(v)
	if err != nil {
		return err
	}
	body.Form, body.Queue = form, v.given(queueField)
	title := "Refused for its currency"
	if body.Member != "" {
		title = "Kept apart for a card number"
	}
	return v.render(status, "refused", view{Title: title, Section: "reviews", Body: body})
}

// decideRefused has a refused fact count, or dismisses it. It is taken off the list
// last, so that who is interrupted before can do it again: the fact is a duplicate then.
func (c *Console) decideRefused(v *visit) error {
	body, err := c.refusedAsked(v)
	if err != nil {
		return err
	}
	form := refusedForm{Event: v.field("event"), Action: v.field("action"), Amount: v.field("amount"), Reason: v.field("reason")}
	if !isFormID(resolutionIDs, form.Event) {
		return errNoFormID
	}
	form.ReasonWrong = wrongReason(v.locale, form.Reason)
	var amount int64
	switch {
	case form.Action == "count" && body.Currency != "" && body.Member == "":
		amount, form.AmountWrong = countedAmount(v.locale, form.Amount, body.Currency)
	case form.Action == "admit" && body.IsSealed():
	case form.Action != "dismiss":
		return refuse(http.StatusBadRequest, "This cannot be done", "A refused fact can count on an account that is there, what was kept apart can be let in, and either can be dismissed.")
	}
	if form.AmountWrong+form.ReasonWrong != "" {
		return c.showRefused(v, http.StatusUnprocessableEntity, form)
	}
	if !body.Open {
		form.Problem = "Somebody decided about it already, or it came again in the right currency. Nothing was changed."
		return c.showRefused(v, http.StatusConflict, form)
	}
	if form.Action == "count" {
		e := body.Event
		e.Source, e.ID, e.Amount, e.Currency = engine.ConsoleSource, form.Event, amount, body.Currency
		problem, err := c.count(v, &e)
		if err != nil {
			return err
		}
		if problem != "" {
			form.Problem, form.Event = problem, newFormID(resolutionIDs)
			return c.showRefused(v, http.StatusConflict, form)
		}
	}
	if form.Action == "admit" {
		if form.Problem, err = c.admit(v, &body.Refused); err != nil {
			return err
		}
		if form.Problem != "" {
			return c.showRefused(v, http.StatusConflict, form)
		}
	}
	part := durable.PartKey{Account: body.Event.Account, Kind: durable.RefusedFact, ID: body.ID}
	next, open, err := c.nextOf(v, part)
	if err != nil {
		return err
	}
	if _, err := c.ledger.DecideRefused(v.ctx(), &body.Refused, form.Action, v.person.Name, form.Reason); err != nil {
		return err
	}
	r := triage.Resolved{Account: part.Account, Kind: part.Kind, ID: part.ID, How: form.Action, Event: form.Event, Reason: form.Reason, By: v.worker()}
	for i := range open {
		r.Reviews = append(r.Reviews, open[i].Kind.String())
	}
	c.afterDecision(v, r)
	notice := "dismissed"
	switch form.Action {
	case "count":
		notice = "counted"
	case "admit":
		notice = "admitted"
	}
	return v.moved(next, notice)
}

// count has a refused fact count, or says why not.
func (c *Console) count(v *visit, e *reward.Event) (problem string, err error) {
	for range approval.Weighings {
		counted, problem, err := c.countable(v, e)
		if err != nil || problem != "" {
			return problem, err
		}
		result, err := c.decideWeighed(v.ctx(), *e, counted)
		switch {
		case errors.Is(err, engine.ErrMoved):
			continue
		case err == nil && (result.Outcome == reward.Rejected || result.Outcome == reward.Ignored):
			return refusalWords(v.locale, e.Type, result), nil
		}
		return "", err
	}
	return "", errAccountBusy
}

// countable says why somebody may not have a refused fact count alone, by what it does to
// the balance; empty: they may, and counted is what counts of it.
func (c *Console) countable(v *visit, e *reward.Event) (counted *approval.Proposal, problem string, err error) {
	if _, done, err := c.ledger.Logged(v.ctx(), e.Account, e.Source, e.ID); err != nil || done {
		return nil, "", err
	}
	t, ok, err := c.ledger.Try(v.ctx(), *e)
	amount := t.Change
	switch {
	case err != nil:
		return nil, "", err
	case !ok:
		return nil, "", errNoAccount
	case t.Result.Outcome == reward.Duplicate:
		return nil, "", nil
	case t.Result.Outcome == reward.Parked: // what it will do is not known yet: it is no more than its amount
		amount = e.Amount
	case t.Result.Outcome != reward.Applied:
		return nil, refusalWords(v.locale, e.Type, t.Result), nil
	}
	p := approval.Proposal{Account: e.Account, Adjustment: e.ID, Action: e.Type, About: e.Fact, Amount: amount, Currency: t.Currency, Version: t.Version, Proposer: v.who()}
	switch may, err := c.proposals.Admit(v.ctx(), &p, c.alone); {
	case errors.Is(err, approval.ErrReused):
		return nil, refusalWords(v.locale, e.Type, reward.Result{Outcome: reward.Rejected, Code: reward.IDReused}), nil
	case err != nil:
		return nil, "", err
	case !may:
		return nil, "It does more to the balance than one person may alone. Have its sender send it again in the account's currency. Nothing was changed.", nil
	}
	return &p, "", nil
}

// admit lets in an event that was kept apart, as it was sent, and says why not if that
// cannot be. Whatever the rules say of an event that they took is what became of it.
func (c *Console) admit(v *visit, r *durable.Refused) (problem string, err error) {
	e, err := c.ledger.AsSent(r)
	if missing := (*seal.MissingKeyError)(nil); errors.As(err, &missing) {
		return "The secrets key that it is sealed under is not at hand, so nobody knows what was sent. Whoever runs the service names it with --secrets-key.", nil
	}
	if err != nil {
		return "", err
	}
	switch e.Type {
	case reward.AdjustmentPosted, reward.RefundLinked, reward.RefundCounted, reward.RedemptionReversed: // nobody has weighed it
		return "What somebody decided is not let in. Dismiss it, and have it decided again without the number.", nil
	}
	result, err := c.decide(v.ctx(), e)
	switch {
	case err != nil:
		return "", err
	case result.Code == reward.IDReused:
		return "Another event with this id is in the log already. Dismiss this one, and have it sent again under a new id if both are meant.", nil
	case result.LeavesNoTrace() && result.Outcome != reward.Duplicate:
		return refusalWords(v.locale, e.Type, result), nil
	}
	return "", nil
}

// countedAmount reads what a fact is to count with.
func countedAmount(l *locale.Locale, text, currency string) (amount int64, wrong string) {
	amount, err := l.ParseAmount(text, currency)
	switch {
	case text == "":
		return 0, l.Sprintf("Enter the amount in the account's currency, such as %s.", l.Example(currency))
	case err != nil:
		return 0, amountWords(l, text, reward.Unit{Name: currency})
	case amount <= 0:
		return 0, "Expected more than zero."
	case amount > reward.MaxAmount:
		return 0, l.Sprintf("Expected at most %s.", l.Amount(reward.MaxAmount, currency))
	}
	return amount, ""
}
