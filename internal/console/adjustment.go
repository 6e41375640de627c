package console

import (
	"errors"
	"net/http"
	"strconv"

	"recoup/internal/service/approval"
	"recoup/internal/service/scope"
	"recoup/internal/store/durable"
	"recoup/internal/store/triage"
	"recoup/reward"
)

// adjustmentsPage is the adjustments that wait for a second person, and those that
// somebody decided about.
type adjustmentsPage struct {
	Open        []openProposal
	NextOpen    string
	Decided     []approval.Proposal
	NextDecided string
	MayPropose  bool
	MayApprove  bool
	// What was wrong with a decision, if one was sent: about which proposal, and the
	// note that was given.
	Problem string
	Of      int64
	Note    string
}

// openProposal is one that waits, and what the person who looks at it may do.
type openProposal struct {
	approval.Proposal
	Age reward.Instant
	// Own: the person may be who proposed it, so they can withdraw it and not
	// approve it.
	Own bool
}

func (c *Console) adjustmentRoutes() {
	c.page("GET "+Path+"adjustments", scope.Read, c.adjustments)
	c.action("POST "+Path+"adjustments", scope.Operate, c.decideAdjustment)
	c.page("GET "+Path+"adjustment/new", scope.Operate, c.newAdjustment)
	c.action("POST "+Path+"adjustment/new", scope.Operate, c.propose)
}

// who is the person as the book of proposals knows people.
func (v *visit) who() approval.Person { return approval.Person{ID: v.person.ID, Name: v.person.Name} }

func (c *Console) adjustments(v *visit) error {
	return c.showAdjustments(v, http.StatusOK, adjustmentsPage{})
}

// showAdjustments answers with the list, and with what was wrong with a decision.
func (c *Console) showAdjustments(v *visit, status int, body adjustmentsPage) error {
	body.MayPropose, body.MayApprove = v.may(scope.Operate), v.may(scope.Approve)
	open, err := c.proposals.Open(v.ctx(), int64(v.start()), pageLength+1)
	if err != nil {
		return err
	}
	if len(open) > pageLength {
		open = open[:pageLength]
		if body.NextOpen, err = linkTo("adjustments", "after", open[pageLength-1].Number); err != nil {
			return err
		}
	}
	for _, p := range open {
		body.Open = append(body.Open, openProposal{p, max(0, v.now-p.Proposed), p.By(v.who())})
	}
	before, err := strconv.ParseInt(v.given("before"), 10, 64)
	if err != nil || before < 0 {
		before = 0
	}
	if body.Decided, err = c.proposals.Recent(v.ctx(), before, pageLength+1); err != nil {
		return err
	}
	if len(body.Decided) > pageLength {
		body.Decided = body.Decided[:pageLength]
		if body.NextDecided, err = linkTo("adjustments", "before", body.Decided[pageLength-1].Number); err != nil {
			return err
		}
		body.NextDecided += "#decided"
	}
	return v.render(status, "adjustments", view{Title: "Adjustments", Section: "adjustments", Body: body})
}

var errNoProposal = refuse(http.StatusNotFound, "There is no such adjustment", "Choose one of those that wait, on the page of adjustments.")

var errMayNotApprove = refuse(http.StatusForbidden, "Your role does not allow this", "To decide about an adjustment of somebody else takes the scope approve. Nothing was changed.")

// decideAdjustment approves, rejects or withdraws an adjustment.
func (c *Console) decideAdjustment(v *visit) error {
	number, err := strconv.ParseInt(v.field("number"), 10, 64)
	if err != nil {
		return errNoProposal
	}
	decision := v.field("decision")
	p, err := c.proposals.Get(v.ctx(), number)
	switch {
	case errors.Is(err, approval.ErrUnknown):
		return errNoProposal
	case err != nil:
		return err
	case decision != "approve" && decision != "reject":
		return refuse(http.StatusBadRequest, "Which decision?", "Choose one on the page. Nothing was changed.")
	case !v.may(scope.Approve) && (decision == "approve" || !p.By(v.who())):
		return errMayNotApprove
	}
	notice := "approved"
	if decision == "approve" {
		before := triage.Resolved{}
		if reviewed(p.Action) {
			part := durable.PartKey{Account: p.Account, Kind: reward.RefundPart, ID: p.About}
			e := reward.Event{Type: p.Action, ID: p.Adjustment, Account: p.Account, Time: v.now, Fact: p.About, Transaction: p.Transaction, As: p.As, Reason: p.Reason}
			if _, before, err = c.beforeDecision(v, part, &e); err != nil {
				return err
			}
			before.By = triage.Person(p.Proposer)
		}
		if p, _, err = c.proposals.Approve(v.ctx(), number, v.who()); err == nil && before.ID != "" {
			c.afterDecision(v, before)
		}
	} else {
		p, err = c.proposals.Reject(v.ctx(), number, v.who(), v.field("note"))
		if notice = "rejected"; p.Withdrawn() {
			notice = "withdrawn"
		}
	}
	if p.Other() != "" {
		notice += "-other"
	}
	if err == nil {
		return v.moved(Path+"adjustments", notice)
	}
	status, text := decisionWords(v.locale, &p, err)
	if text == "" {
		return err
	}
	return c.showAdjustments(v, status, adjustmentsPage{Problem: text, Of: number, Note: v.field("note")})
}

// reviewed reports whether events of a type decide about what is on the review list, and
// change the balance by it.
func reviewed(t reward.Type) bool {
	return t == reward.RefundLinked || t == reward.RefundCounted || t == reward.RefundReversed
}
