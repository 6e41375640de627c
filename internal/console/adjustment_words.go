package console

import (
	"errors"
	"fmt"
	"net/http"

	"recoup/internal/kit/tabular"
	"recoup/internal/service/approval"
	"recoup/internal/store/durable"
	"recoup/reward"
)

// decisionWords say why a decision about an adjustment was not carried out; empty:
// it failed for no reason of the rules.
func decisionWords(p *approval.Proposal, err error) (status int, text string) {
	var invalid *approval.InvalidError
	var refused *approval.RefusedError
	switch {
	case errors.As(err, &invalid) && invalid.Member == "note":
		return http.StatusUnprocessableEntity, "The note: " + invalid.Problem + "."
	case errors.As(err, &invalid):
		return http.StatusUnprocessableEntity, invalidPersonWords(invalid)
	case errors.Is(err, approval.ErrSamePerson):
		return http.StatusConflict, "You proposed this yourself, by this or another of your keys, or somebody of your name did: another person has to approve it. Nothing was posted."
	case errors.Is(err, approval.ErrUnlogged):
		return http.StatusConflict, "The log does not say that anybody proposed this, so nothing comes of it. Rejecting it takes it off the list; recoup verify says what else is not as it was."
	case errors.Is(err, approval.ErrReused):
		return http.StatusConflict, "The log has something else under the id of this proposal, so nothing comes of it. Rejecting it takes it off the list; recoup verify says what else is not as it was."
	case errors.As(err, new(*durable.ProgramError)):
		return http.StatusConflict, "The terms cannot be published any more: " + err.Error() + "."
	case errors.Is(err, approval.ErrDecided):
		what := "approved"
		switch {
		case p.Withdrawn():
			what = "withdrew"
		case p.State == approval.Rejected:
			what = "rejected"
		}
		return http.StatusConflict, fmt.Sprintf("%s %s it already, so your decision came too late.", tabular.Visible(p.Decider.Name), what)
	case errors.As(err, &refused):
		return http.StatusConflict, refusedWords(refused.Result) + " It is closed."
	}
	return 0, ""
}

// invalidPersonWords say that a person cannot be named in the journal.
func invalidPersonWords(e *approval.InvalidError) string {
	return fmt.Sprintf("The journal cannot name the %s: %s. Sign in with another key.", e.Member, e.Problem)
}

// fullWords say that too many proposals wait already.
func fullWords(e *approval.FullError) string {
	return "Nothing was proposed: " + tabular.Visible(e.Error()) + "."
}

// refusedWords say why the ledger did not post an adjustment.
func refusedWords(r reward.Result) string {
	switch r.Code {
	case reward.LimitExceeded:
		return "It was not posted: the balance would exceed what an account can have."
	case reward.AdjustmentConflict:
		return "It was not posted: another adjustment has the same id."
	}
	return "It was not posted: " + resultWords(r) + "."
}
