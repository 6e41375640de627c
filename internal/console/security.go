package console

import (
	"strconv"

	"recoup/internal/service/scope"
	"recoup/internal/service/security"
)

// securityPage is who was let in and who was not, and who changed what others may do.
type securityPage struct {
	Entries []security.Entry // the latest first
	Next    string
}

func (c *Console) securityRoutes() {
	if c.security != nil {
		c.page("GET "+Path+"security", scope.Admin, c.securityLog)
	}
}

func (c *Console) securityLog(v *visit) error {
	before, err := strconv.ParseInt(v.given("before"), 10, 64)
	if err != nil || before < 0 {
		before = 0
	}
	var body securityPage
	if body.Entries, err = c.security.Before(v.ctx(), before, pageLength+1); err != nil {
		return err
	}
	if len(body.Entries) > pageLength {
		body.Entries = body.Entries[:pageLength]
		if body.Next, err = linkTo("security", "before", body.Entries[pageLength-1].Number); err != nil {
			return err
		}
	}
	return v.show("security", "overview", "Security log", body)
}
