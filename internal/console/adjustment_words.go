package console

import (
	"errors"
	"net/http"

	"recoup/internal/console/locale"
	"recoup/internal/kit/tabular"
	"recoup/internal/service/approval"
	"recoup/internal/store/durable"
	"recoup/reward"
)

// decisionWords say why a decision about an adjustment was not carried out; empty:
// it failed for no reason of the rules.
func decisionWords(l *locale.Locale, p *approval.Proposal, err error) (status int, text string) {
	var invalid *approval.InvalidError
	var refused *approval.RefusedError
	switch {
	case errors.As(err, &invalid) && invalid.Member == "note":
		return http.StatusUnprocessableEntity, l.Sprintf("The note: %s.", l.Sprintf(invalid.Problem, invalid.Values...))
	case errors.As(err, &invalid):
		return http.StatusUnprocessableEntity, invalidPersonWords(l, invalid)
	case errors.Is(err, approval.ErrSamePerson):
		return http.StatusConflict, "You proposed this yourself, by this or another of your keys, or somebody of your name did: another person has to approve it. Nothing was posted."
	case errors.Is(err, approval.ErrUnlogged):
		return http.StatusConflict, "The log does not say that anybody proposed this, so nothing comes of it. Rejecting it takes it off the list; recoup verify says what else is not as it was."
	case errors.Is(err, approval.ErrReused):
		return http.StatusConflict, "The log has something else under the id of this proposal, so nothing comes of it. Rejecting it takes it off the list; recoup verify says what else is not as it was."
	case errors.As(err, new(*durable.ProgramError)):
		return http.StatusConflict, l.Sprintf("The terms cannot be published any more: %s.", err)
	case errors.Is(err, approval.ErrDecided):
		who := tabular.Visible(p.Decider.Name)
		switch {
		case p.Withdrawn():
			return http.StatusConflict, l.Sprintf("%s withdrew it already, so your decision came too late.", who)
		case p.State == approval.Rejected:
			return http.StatusConflict, l.Sprintf("%s rejected it already, so your decision came too late.", who)
		}
		return http.StatusConflict, l.Sprintf("%s approved it already, so your decision came too late.", who)
	case errors.As(err, &refused):
		return http.StatusConflict, l.Sprintf("%s It is closed.", refusedWords(l, refused.Result))
	}
	return 0, ""
}

// invalidPersonWords say that a person cannot be named in the journal.
func invalidPersonWords(l *locale.Locale, e *approval.InvalidError) string {
	return l.Sprintf("The journal cannot name the %s: %s. Sign in with another key.", memberName(e.Member), l.Sprintf(e.Problem, e.Values...))
}

// fullWords say that too many proposals wait already.
func fullWords(l *locale.Locale, e *approval.FullError) string {
	if e.Proposer == "" {
		return l.Sprintf("Nothing was proposed: %d proposals wait for a decision, as many as may. Have some approved or rejected first, or withdraw some.", e.Waiting)
	}
	return l.Sprintf("Nothing was proposed: %d proposals of %s wait for a decision, as many as may. Have some approved or rejected first, or withdraw some.", e.Waiting, tabular.Visible(e.Proposer))
}

// memberNames are what people call the members of what they send that may be wrong.
var memberNames = map[string]locale.Text{
	"account": "account", "adjustment": "adjustment", "amount": "amount", "currency": "currency", "reason": "reason", "note": "note", "proposer": "proposer", "approver": "approver", "actor": "actor",
	"until": "day", "review": "review", "filter": "filter", "name": "name", "assignee": "assignee", "as": "id", "transaction": "purchase",
}

// memberName is what people call a member; one that has no such name is called as it is.
func memberName(member string) any {
	if name, known := memberNames[member]; known {
		return name
	}
	return member
}

// refusedWords say why the ledger did not post an adjustment.
func refusedWords(l *locale.Locale, r reward.Result) string {
	switch r.Code {
	case reward.LimitExceeded:
		return l.Say("It was not posted: the balance would exceed what an account can have.")
	case reward.AdjustmentConflict:
		return l.Say("It was not posted: another adjustment has the same id.")
	}
	return l.Sprintf("It was not posted: %s.", resultWords(l, r))
}

// proposedOf says what is proposed, where it is neither an adjustment nor terms, which the row
// has already.
func proposedOf(l *locale.Locale) func(approval.Proposal) string {
	return func(p approval.Proposal) string {
		switch {
		case p.Action == reward.AdjustmentPosted || p.Terms():
			return ""
		case p.Transaction != "":
			return l.Sprintf("%s: %s, purchase %s", eventWords[p.Action], p.About, p.Transaction)
		}
		return l.Sprintf("%s: %s", eventWords[p.Action], p.About)
	}
}
