package console

import (
	"net/http"

	"recoup/internal/console/play"
	"recoup/internal/service/budget"
	"recoup/internal/service/scope"
	"recoup/internal/store/durable"
	"recoup/program"
	"recoup/reward"
)

// programRow is a program in the list of all.
type programRow struct {
	ID, Currency string
	InForce      *versionRow
	Upcoming     *versionRow // the next one; nil: none
	Accounts     int64
	Counted      bool // Accounts is known
}

// versionRow is a version of a program.
type versionRow struct {
	durable.ProgramVersion
	State string // earlier, in force, upcoming, withdrawn
	// From is since when it is in force; zero for the first version of all, which is
	// from the beginning of time.
	From reward.Instant
}

// programPage is one version of a program, and what other versions there are.
type programPage struct {
	Version  *versionRow
	Terms    *reward.Program
	Meaning  program.Meaning
	Year     string // the most that an account can earn
	Document string
	Versions []*versionRow // the latest first
	Drafts   []savedRow
	MaySave  bool
	MayEdit  bool
	// Withdraw says how the version can be withdrawn; nil: it cannot, or not by the person.
	Withdraw *withdrawal
}

// versionsOf returns all versions of a program in order, and which is in force.
func (c *Console) versionsOf(id string, now reward.Instant) (rows []*versionRow, inForce *versionRow) {
	versions := c.programs.Versions(id)
	for i, v := range versions {
		row := &versionRow{ProgramVersion: v, State: "earlier"}
		if durable.Replaced(versions, i) {
			row.State = "withdrawn"
		}
		if at, ok := v.Effective(); ok {
			row.From = at
		}
		rows = append(rows, row)
	}
	for _, row := range rows {
		switch {
		case row.State == "withdrawn":
			continue
		case row.From > now:
			row.State = "upcoming"
			continue
		}
		inForce = row
	}
	if inForce != nil {
		inForce.State = "in force"
	}
	return rows, inForce
}

// decimals says how many decimals the amounts have that the programs' rewards are in, or
// those of the playground's.
func (c *Console) decimals(unit string) (decimals int, known bool) {
	for _, v := range c.programs.List() {
		if v.Terms.Reward.Name == unit {
			return v.Terms.Reward.Decimals, true
		}
	}
	return play.Decimals(unit)
}

// savesDrafts is what it takes to save and delete drafts. To publish one takes more.
const savesDrafts = scope.Operate

func (c *Console) programRoutes() {
	c.page("GET "+Path+"programs", scope.Read, c.programList)
	c.page("GET "+Path+"program", scope.Read, c.program)
	c.page("GET "+Path+"program/draft", scope.Read, c.draft)
	c.page("GET "+Path+"program/proposed", scope.Read, c.proposed)
	c.page("GET "+Path+"program/simulate", scope.Read, c.simulate)
	c.draftAction(budget.Previews, "POST "+Path+"program/draft", scope.Read, c.workOnDraft)
	c.action("POST "+Path+"program/draft/delete", savesDrafts, c.deleteDraft)
	c.action("POST "+Path+"program/withdraw", scope.Admin, c.withdraw)
	c.draftAction(budget.Administration, "POST "+Path+"program/publish", scope.Admin, c.publish)
}

func (c *Console) programList(v *visit) error {
	accounts := make(map[string]int64)
	figures := c.overview.Latest()
	if figures != nil {
		for _, p := range figures.Programs {
			accounts[p.ID] = p.Accounts
		}
	}
	var rows []programRow
	for _, latest := range c.programs.List() {
		id := latest.Terms.ID
		versions, inForce := c.versionsOf(id, v.now)
		row := programRow{ID: id, Currency: latest.Terms.Currency, InForce: inForce, Accounts: accounts[id], Counted: figures != nil}
		for _, version := range versions {
			if version.State == "upcoming" {
				row.Upcoming = version
				break
			}
		}
		rows = append(rows, row)
	}
	return v.show("programs", "programs", "Programs", rows)
}

var errNoProgram = refuse(http.StatusNotFound, "There is no such program", "The list of programs has those that there are.")

func (c *Console) program(v *visit) error {
	versions, shown := c.versionsOf(v.given("id"), v.now)
	if len(versions) == 0 {
		return errNoProgram
	}
	if text := v.given("version"); text != "" {
		var err error
		if shown, err = v.versionNamed(versions, text); err != nil {
			return err
		}
	}
	saved, err := c.savedDrafts(v, shown.Terms.ID)
	if err != nil {
		return err
	}
	meaning, year := v.describe(shown.Terms)
	body := programPage{Version: shown, Terms: shown.Terms, Meaning: meaning, Year: year, Document: string(shown.Document), MayEdit: v.may(scope.Admin), Drafts: saved, MaySave: v.may(savesDrafts)}
	if body.MayEdit {
		body.Withdraw = withdrawable(versions, shown, v.now)
	}
	for i := len(versions) - 1; i >= 0; i-- {
		body.Versions = append(body.Versions, versions[i])
	}
	return v.show("program", "programs", v.locale.Sprintf("Program %s", shown.Terms.ID), body)
}
