package console

import (
	"net/http"
	"strconv"

	"recoup/internal/console/simulate"
	"recoup/program"
	"recoup/reward"
)

// simulatePage plays a story under a version of a program. Its address is the whole of it.
type simulatePage struct {
	Terms     *reward.Program
	Versions  []*versionRow
	Story     string
	Simulated *simulate.Played
	Unplayed  string
}

func (c *Console) simulate(v *visit) error {
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
	body := simulatePage{Terms: shown.Terms, Versions: versions, Story: v.r.URL.Query().Get("story")}
	status := http.StatusOK
	if body.Story == "" {
		body.Story = exampleStory
	}
	var err error
	if body.Simulated, err = v.play(shown.Terms, body.Story); err != nil {
		status, body.Unplayed = http.StatusUnprocessableEntity, err.Error()
	}
	return v.render(status, "simulate", view{Title: v.locale.Sprintf("Simulator of program %s", shown.Terms.ID), Section: "programs", Body: body})
}

// play plays a story from now on, told in the page's language.
func (v *visit) play(terms *reward.Program, story string) (*simulate.Played, error) {
	return simulate.Run(terms, story, v.now, v.told(reward.Telling{Spend: v.money(terms.Currency), Reward: v.money(terms.RewardUnit())}), v.locale)
}

// simulateDraft plays a story under the draft.
func (c *Console) simulateDraft(v *visit, d *draftPage) error {
	terms, err := program.Parse("draft", []byte(d.Document))
	if err != nil {
		d.refuse(v.locale, err)
		return v.showDraft(http.StatusUnprocessableEntity, d)
	}
	d.Terms = terms
	if d.Simulated, err = v.play(terms, d.Story); err != nil {
		d.Unplayed = err.Error()
		return v.showDraft(http.StatusUnprocessableEntity, d)
	}
	return v.showDraft(http.StatusOK, d)
}

// versionNamed finds a version by its number.
func (v *visit) versionNamed(versions []*versionRow, text string) (*versionRow, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > len(versions) {
		return nil, refuse(http.StatusNotFound, "There is no such version", v.locale.Sprintf("The program has versions 1 to %d.", len(versions)))
	}
	return versions[n-1], nil
}
