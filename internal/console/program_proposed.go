package console

import (
	"errors"
	"net/http"
	"strconv"

	"recoup/internal/service/approval"
	"recoup/program"
	"recoup/reward"
)

// proposedPage is terms that wait for a second person, or did, and what they change.
type proposedPage struct {
	approval.Proposal
	From     reward.Instant // zero: as soon as can be
	Calendar *reward.Program
	Document string
	Diff     *termsDiff
	Notices  []string
	Problem  string // why they cannot be published
}

// proposed shows what somebody is asked to agree to.
func (c *Console) proposed(v *visit) error {
	number, err := strconv.ParseInt(v.given("number"), 10, 64)
	if err != nil {
		return errNoProposal
	}
	p, err := c.proposals.Get(v.ctx(), number)
	switch {
	case errors.Is(err, approval.ErrUnknown) || err == nil && !p.Terms():
		return errNoProposal
	case err != nil:
		return err
	}
	body := proposedPage{Proposal: p}
	document, from, err := c.proposals.Terms(v.ctx(), &p)
	switch {
	case errors.Is(err, approval.ErrUnlogged):
		return refuse(http.StatusConflict, "The terms are not what was proposed", "What is kept of them differs from what the log says. Whoever runs the service has to look at it; nobody should agree to them.")
	case err != nil:
		return err
	}
	body.Document, body.From = string(document), from
	terms, err := program.Parse("proposed", document)
	if err != nil {
		body.Problem = err.Error()
		return v.show("proposed", "programs", v.locale.Sprintf("Proposed terms of program %s", p.About), body)
	}
	body.Calendar, body.Notices = terms, program.NoticesAs(terms, v.toldOf(terms))
	if before := c.followedBy(&p, v.now); before != nil {
		body.Diff = v.diffTerms(before, terms, body.Document)
	}
	return v.show("proposed", "programs", v.locale.Sprintf("Proposed terms of program %s", p.About), body)
}

// followedBy is the version that proposed terms follow: the last that is published and is
// not what came of them. Nil: they are a new program.
func (c *Console) followedBy(p *approval.Proposal, now reward.Instant) *versionRow {
	versions, _ := c.versionsOf(p.About, now)
	for i, row := range versions {
		if row.Proposal == p.Adjustment {
			versions = versions[:i]
			break
		}
	}
	if len(versions) == 0 {
		return nil
	}
	return versions[len(versions)-1]
}
