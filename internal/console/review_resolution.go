package console

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"strings"

	"recoup/event"
	"recoup/internal/console/locale"
	"recoup/internal/console/weigh"
	"recoup/internal/engine"
	"recoup/internal/service/approval"
	"recoup/internal/service/command"
	"recoup/internal/store/durable"
	"recoup/reward"
)

// resolutionForm is what somebody decided about a review, as it was filled in, and
// what is wrong with it.
type resolutionForm struct {
	Event       string // id of the event that it becomes, from when the page was made
	Choice      string // the action and, after a colon, the purchase to link to; empty: nothing was sent
	Action      string // link, undo, count, dismiss or settle
	As          string // the id under which it is to count
	Transaction string // chosen, or entered
	Other       string // as it was entered
	Preset      string // a reason that was chosen
	Reason      string // or in somebody's own words

	Problem                    string // with the decision as a whole
	PurchaseWrong, ReasonWrong string
	AsWrong, ChoiceWrong       string
}

// why is the reason that goes into the journal.
func (f *resolutionForm) why() string { return cmp.Or(f.Reason, f.Preset) }

// Wrong reports whether a field is to be corrected.
func (f resolutionForm) Wrong() bool {
	return f.PurchaseWrong+f.ReasonWrong+f.AsWrong+f.ChoiceWrong != ""
}

// Each form that becomes an event has its id from the page that it is on, so that a
// form sent twice is one event. The ids of different forms begin differently: none
// can use up the id of another.
const (
	resolutionIDs = "resolution-"
	adjustmentIDs = "adjustment-"
)

func newFormID(prefix string) string { return prefix + rand.Text() }

// isFormID reports whether newFormID made an id, or might have.
func isFormID(prefix, id string) bool {
	random, ok := strings.CutPrefix(id, prefix)
	return ok && len(random) == len(rand.Text()) && strings.Trim(random, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") == ""
}

var errNoFormID = refuse(http.StatusBadRequest, "The form is not whole", "Go back, load the page again and try once more. Nothing was changed.")

// resolve links a refund, or dismisses what is open about something.
func (c *Console) resolve(v *visit) error {
	account, part, err := c.partAsked(v)
	if err != nil {
		return err
	}
	form := resolutionForm{
		Event: v.field("event"), Choice: v.r.PostForm.Get("choice"), Preset: v.field("preset"), Reason: v.field("reason"), As: v.field("as"), Other: v.field("other"),
	}
	form.Action, form.Transaction, _ = strings.Cut(form.Choice, ":")
	if !isFormID(resolutionIDs, form.Event) {
		return errNoFormID
	}
	e, err := form.event(v, part)
	if err != nil {
		return err
	}
	if form.Wrong() {
		return c.showReview(v, http.StatusUnprocessableEntity, &account, part, form)
	}
	if form.Action == "settle" {
		return c.settle(v, &account, part, form)
	}
	for range approval.Weighings {
		if err = c.resolveAs(v, &account, part, form, &e); !errors.Is(err, engine.ErrMoved) {
			return err
		}
	}
	return errAccountBusy
}

var errAccountBusy = refuse(http.StatusLocked, "The account does not stand still", "So many events of it come that nobody could weigh what this does. Send the form again in a moment. Nothing was changed.")

// resolveAs does what a form says, by what that does to the account as it stands. The error
// is engine.ErrMoved if the account does not stand so any more when its turn comes.
func (c *Console) resolveAs(v *visit, account *durable.AccountView, part durable.PartKey, form resolutionForm, e *reward.Event) error {
	asked, waits, problem, err := c.askFor(v, e)
	switch {
	case err != nil:
		return err
	case waits:
		return v.moved(Path+"adjustments", "decision-proposed")
	case asked != nil && asked.Number != 0:
		return v.moved(Path+"adjustments", "known")
	case problem != "":
		form.Problem, form.Event = problem, newFormID(resolutionIDs)
		return c.showReview(v, http.StatusConflict, account, part, form)
	}
	next, r, err := c.beforeDecision(v, part, e)
	if err != nil {
		return err
	}
	result, err := c.decideWeighed(v.ctx(), *e, asked)
	if err != nil {
		return err
	}
	if result.Outcome == reward.Applied {
		notice := "dismissed"
		switch {
		case e.Type == reward.RefundLinked && result.Code == reward.OverRefund:
			notice = "linked-over"
		case e.Type == reward.RefundLinked:
			notice = "linked"
		case e.Type == reward.RefundCounted:
			notice = "counted"
		case e.Type == reward.RefundReversed:
			notice = "undone"
		}
		c.afterDecision(v, r)
		return v.moved(next, notice)
	}
	form.Problem = refusalWords(v.locale, e.Type, result)
	form.Event = newFormID(resolutionIDs) // this one is in the log, with what became of it
	return c.showReview(v, http.StatusConflict, account, part, form)
}

// askFor says whether somebody may decide what a form says alone, by what it does to the
// balance; or why nobody may. Without a proposal it was done before.
func (c *Console) askFor(v *visit, e *reward.Event) (p *approval.Proposal, waits bool, problem string, err error) {
	if !reviewed(e.Type) {
		return nil, false, "", nil
	}
	if _, done, err := c.ledger.Logged(v.ctx(), e.Account, e.Source, e.ID); err != nil || done {
		return nil, false, "", err
	}
	t, ok, err := c.ledger.Try(v.ctx(), *e)
	switch {
	case err != nil:
		return nil, false, "", err
	case !ok:
		return nil, false, "", errNoAccount
	case t.Result.Outcome == reward.Duplicate:
		return nil, false, "", nil
	case t.Result.Outcome != reward.Applied: // it might do it later, and nobody would have weighed it
		return nil, false, refusalWords(v.locale, e.Type, t.Result), nil
	case !t.Linkable:
		return nil, false, "The refund is linked to its purchase, and nothing about it is open: only one that names no purchase, or is contested, can be linked by hand. Nothing was changed.", nil
	case !t.Room:
		return nil, false, "What of the purchase is not reversed yet is less than the refund: link it to another. Nothing was changed.", nil
	}
	asked, waits, err := c.proposals.Ask(v.ctx(), approval.Proposal{
		Account: e.Account, Adjustment: e.ID, Action: e.Type, About: e.Fact, Transaction: e.Transaction, As: e.As, Amount: t.Change, Currency: t.Currency, Version: t.Version,
		Reason: e.Reason, Proposer: v.who(),
	}, c.alone)
	var invalid *approval.InvalidError
	var full *approval.FullError
	switch {
	case errors.As(err, &full):
		return nil, false, fullWords(v.locale, full), nil
	case errors.As(err, &invalid):
		return nil, false, invalidPersonWords(v.locale, invalid), nil
	case errors.Is(err, approval.ErrReused):
		return nil, false, "The form was sent before, with other contents, and that stands. Look at the page as it is now, and send it again if it is still to be done.", nil
	}
	return &asked, waits, "", err
}

// event is the event that the form becomes, once nothing is wrong with its fields.
func (f *resolutionForm) event(v *visit, part durable.PartKey) (e reward.Event, err error) {
	switch {
	case f.Choice == "":
		f.ChoiceWrong = v.locale.Sprintf("Choose what is right.")
	case f.Action == "link" && part.Kind == reward.RefundPart:
		if f.PurchaseWrong = f.wrongPurchase(v); f.Transaction == "" {
			f.Transaction = f.Other
		}
		e = weigh.Link(part, f.Transaction, v.now)
	case f.Action == "count" && part.Kind == reward.RefundPart:
		e = weigh.Count(part, f.As, v.now)
		if !isText(f.As) {
			f.AsWrong = v.locale.Sprintf("Enter the id that it is to have: at most %d bytes.", event.MaxText)
		}
	case f.Action == "undo" && part.Kind == reward.RefundPart:
		e = weigh.Undo(part, v.now)
	case f.Action == "dismiss" || f.Action == "settle":
		e = weigh.Dismiss(part, v.now)
	default:
		return e, refuse(http.StatusBadRequest, "This cannot be done", "Only a refund can be linked to a purchase, undone, or count as another. Whatever else is open can be dismissed.")
	}
	if f.Action != "link" && f.Action != "" && f.Other != "" {
		f.PurchaseWrong = v.locale.Sprintf("You entered a purchase and chose something else: choose “another purchase”, or clear the field beside it.")
	}
	e.Source, e.ID, e.Reason, e.Actor = engine.ConsoleSource, f.Event, f.why(), v.person.Name
	f.ReasonWrong = wrongReason(v.locale, f.why())
	if f.Wrong() {
		return e, nil
	}
	switch member, is := event.CardNumber(&e, event.Names(e.Type)); {
	case !is:
	case member == "data.reason":
		f.ReasonWrong = "This looks like the number of a payment card, which must not be kept here."
	case member == "data.as":
		f.AsWrong = "This looks like the number of a payment card, which must not be kept here."
	default:
		return e, refuse(http.StatusUnprocessableEntity, "This looks like the number of a payment card", "An id here, or your own name, does. It must not be kept here.")
	}
	return e, nil
}

// wrongPurchase says what is wrong with the purchase to link to; empty: nothing.
func (f *resolutionForm) wrongPurchase(v *visit) string {
	switch chosen := cmp.Or(f.Transaction, f.Other); {
	case chosen == "":
		return v.locale.Sprintf("Choose the purchase that it is of, or enter its id.")
	case f.Transaction != "" && f.Other != "":
		return v.locale.Sprintf("You chose one purchase and entered another: choose “another purchase”, or clear the field beside it.")
	case !isText(chosen):
		return v.locale.Sprintf("Expected the id of a purchase: at most %d bytes.", event.MaxText)
	}
	return ""
}

// wrongReason says what is wrong with a reason; empty: nothing.
func wrongReason(l *locale.Locale, reason string) string {
	switch {
	case reason == "":
		return l.Say("Say why: it is kept in the journal.")
	case !isText(reason):
		return l.Sprintf("Expected at most %d bytes of text on one line.", event.MaxText)
	}
	return ""
}

// decide applies an event that somebody decided and returns what became of it, also
// if it had been sent before: then the log says.
func (c *Console) decide(ctx context.Context, e reward.Event) (reward.Result, error) {
	d, err := c.desk.Decide(ctx, e, true)
	if errors.Is(err, command.ErrReused) {
		return reward.Result{Outcome: reward.Rejected, Code: reward.IDReused}, nil
	}
	return d.Result, err
}

// decideWeighed is decide for what was weighed, which counts no more where it was not done;
// nil: nothing was.
func (c *Console) decideWeighed(ctx context.Context, e reward.Event, weighed *approval.Proposal) (reward.Result, error) {
	result, err := c.decide(weighed.Weighed(ctx), e)
	undone := errors.Is(err, engine.ErrMoved) || err == nil && (result.Outcome == reward.Rejected || result.Outcome == reward.Ignored)
	if undone && weighed != nil {
		if err := c.proposals.Release(ctx, weighed); err != nil {
			return result, err
		}
	}
	return result, err
}

// refusalWords say why the ledger did not do what was decided.
func refusalWords(l *locale.Locale, t reward.Type, r reward.Result) string {
	switch {
	case r.Code == reward.IDReused:
		return l.Say("The form was sent before, with other contents, and that stands. Look at the page as it is now, and send it again if it is still to be done.")
	case r.Outcome == reward.Duplicate && t == reward.RefundLinked:
		return l.Say("The refund is linked to this purchase already. Nothing was changed.")
	case r.Outcome == reward.Duplicate:
		return l.Say("Somebody dismissed it already. Nothing was changed.")
	case r.Code == reward.AlreadyFinal:
		return l.Say("Nothing about it is open any more. Nothing was changed.")
	case r.Code == reward.AlreadyReversed:
		return l.Say("The refund was undone, so there is nothing to link. Nothing was changed.")
	case r.Code == reward.TransactionUnknown && t == reward.RefundLinked:
		return l.Say("The account has no purchase of this id that has posted. Nothing was changed.")
	case r.Code == reward.RefundUnknown && t == reward.RefundCounted:
		return l.Say("Nothing came under this id that does not count. Nothing was changed.")
	case r.Code == reward.RefundUnknown && t == reward.RefundLinked:
		return l.Say("The refund has not posted, so it cannot be linked yet. Nothing was changed.")
	case r.Code == reward.RefundUnknown, r.Code == reward.ChargebackUnknown, r.Code == reward.TransactionUnknown:
		return l.Say("The account has nothing of this id. Nothing was changed.")
	case r.Code == reward.RefundConflict:
		return l.Say("The refund is there with other contents. Nothing was changed.")
	case r.Code == reward.LimitExceeded:
		return l.Say("The account would exceed what an account can have. Nothing was changed.")
	}
	return l.Sprintf("The ledger did not do it: %s. Nothing was changed.", resultWords(l, r))
}
