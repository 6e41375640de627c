package console

import (
	"strconv"

	"recoup/internal/service/scope"
	"recoup/internal/store/exempt"
	"recoup/reward"
)

// exemptionsPage is which members of which senders' events are not looked at for numbers
// of cards, and who changed that.
type exemptionsPage struct {
	InForce []exemption // by source and member
	Changes []exemption // the latest first
	Next    string
}

// exemption is a change of what is exempt, and when it was made.
type exemption struct {
	exempt.Change
	Made reward.Instant
}

func (c *Console) exemptionRoutes() {
	c.page("GET "+Path+"exemptions", scope.Read, c.exemptionList)
}

func (c *Console) exemptionList(v *visit) error {
	before, err := strconv.ParseInt(v.given("before"), 10, 64)
	if err != nil || before < 0 {
		before = 0
	}
	inForce, err := c.exemptions.InForce(v.ctx())
	if err != nil {
		return err
	}
	changes, err := c.exemptions.Changes(v.ctx(), before, pageLength+1)
	if err != nil {
		return err
	}
	body := exemptionsPage{InForce: exemptionsOf(inForce)}
	if len(changes) > pageLength {
		changes = changes[:pageLength]
		if body.Next, err = linkTo("exemptions", "before", changes[pageLength-1].Number); err != nil {
			return err
		}
	}
	body.Changes = exemptionsOf(changes)
	return v.show("exemptions", "overview", "Exempt from the search for card numbers", body)
}

func exemptionsOf(changes []exempt.Change) []exemption {
	list := make([]exemption, len(changes))
	for i, c := range changes {
		list[i] = exemption{c, reward.Instant(c.At)}
	}
	return list
}
