package console

import (
	"errors"
	"net/http"
	"strconv"

	"recoup/internal/console/locale"
	"recoup/internal/service/approval"
	"recoup/internal/store/durable"
	"recoup/reward"
)

// withdrawal is how a version that is published and not yet in force can be withdrawn: by
// the terms before it, from the same cycle.
type withdrawal struct {
	Until reward.Instant
	To    int32 // the version whose terms go on
}

// withdrawable says how a version can be withdrawn at a moment; nil: it cannot. Only the
// latest can, since versions are added in the order in which they come into force.
func withdrawable(versions []*versionRow, shown *versionRow, now reward.Instant) *withdrawal {
	if shown.State != "upcoming" || shown != versions[len(versions)-1] {
		return nil
	}
	until := shown.From - reward.Instant(durable.ProgramNotice)
	if now > until {
		return nil
	}
	return &withdrawal{until, shown.Terms.Earlier.Version}
}

// withdraw proposes that a version goes before it is in force: somebody else has to agree.
func (c *Console) withdraw(v *visit) error {
	versions, _ := c.versionsOf(v.field("id"), v.now)
	if len(versions) == 0 {
		return errNoProgram
	}
	latest := versions[len(versions)-1]
	how := withdrawable(versions, latest, v.now)
	if how == nil || v.field("version") != strconv.Itoa(int(latest.Terms.Version)) {
		return refuse(http.StatusConflict, "It cannot be withdrawn", "A version can be withdrawn until an hour before it is in force, the latest first. Look at the program's page as it is now. Nothing was changed.")
	}
	reason := locale.Sentence{Format: withdraws, Values: []any{latest.Terms.Version, how.To}}.String()
	_, err := c.proposals.ProposeTerms(v.ctx(), newFormID("terms-"), latest.Terms.ID, versions[how.To-1].Document, latest.From, reason, v.who())
	switch problem := unproposed(v.locale, err); {
	case problem != "":
		return refuse(http.StatusConflict, "It cannot be withdrawn", problem)
	case err != nil:
		return err
	}
	return v.moved(Path+"adjustments", "withdrawal-proposed")
}

// unproposed says why terms were not proposed, where a person can do something about it.
func unproposed(l *locale.Locale, err error) string {
	var full *approval.FullError
	var refused *durable.ProgramError
	switch {
	case errors.As(err, &full):
		return fullWords(l, full)
	case errors.Is(err, approval.ErrNothingNew):
		return "This is the latest version already, word for word. Nothing was proposed."
	case errors.As(err, &refused):
		return refused.Error()
	}
	return ""
}
