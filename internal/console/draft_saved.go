package console

import (
	"errors"
	"net/http"
	"strconv"

	"recoup/internal/service/drafts"
	"recoup/reward"
)

var errNoDraft = refuse(http.StatusNotFound, "There is no such draft", "Somebody may have deleted it. The program's page lists those that there are.")

// savedRow is a draft that was saved, in the list of all.
type savedRow struct {
	drafts.Draft
	At reward.Instant
}

// savedDrafts are the drafts of a program, the one that was saved last first.
func (c *Console) savedDrafts(v *visit, id string) (rows []savedRow, err error) {
	list, err := c.drafts.List(v.ctx(), id)
	for _, d := range list {
		rows = append(rows, savedRow{d, reward.Instant(d.Saved)})
	}
	return rows, err
}

// saveDraft keeps a draft, also one that is no program yet.
func (c *Console) saveDraft(v *visit, d *draftPage) error {
	if d.MaySave = v.may(savesDrafts); !d.MaySave {
		return refuse(http.StatusForbidden, "Your role does not allow this", "Saving a draft takes the scope operate. Nothing was saved.")
	}
	saved, err := c.drafts.Save(v.ctx(), drafts.Draft{Program: d.Program, Number: d.Saved.Number, Revision: d.Saved.Revision, Name: d.Name, Document: d.Document}, v.person.Name)
	var conflict *drafts.ConflictError
	var invalid *drafts.InvalidError
	switch {
	case errors.As(err, &conflict):
		d.Saved = conflict.There // saving once more replaces it
		d.Problem = v.locale.Sprintf("%s saved this draft on %s, after you opened it. Yours is below and not saved: save once more to replace theirs, or open theirs from the program's page.", conflict.There.SavedBy, v.locale.Moment(reward.Instant(conflict.There.Saved)))
		return v.showDraft(http.StatusConflict, d)
	case errors.Is(err, drafts.ErrUnknown):
		d.Saved = drafts.Draft{} // saving once more makes another
		d.Problem = v.locale.Sprintf("Somebody deleted this draft meanwhile. Yours is below and not saved: save once more to keep it as a new one.")
		return v.showDraft(http.StatusConflict, d)
	case errors.As(err, &invalid):
		d.Problem = v.locale.Sprintf("Not saved: %s.", v.locale.Sprintf(invalid.Problem, invalid.Values...))
		return v.showDraft(http.StatusUnprocessableEntity, d)
	case err != nil:
		return err
	}
	as := "form"
	if d.Advanced {
		as = "yaml"
	}
	path, err := linkTo("program/draft", "id", d.Program, "draft", saved.Number, "as", as)
	if err != nil {
		return err
	}
	return v.moved(path, "draft-saved")
}

// deleteDraft deletes a draft that was saved.
func (c *Console) deleteDraft(v *visit) error {
	number, err := strconv.ParseInt(v.field("draft"), 10, 64)
	if err != nil {
		return errNoDraft
	}
	id := v.field("id")
	switch err := c.drafts.Delete(v.ctx(), id, number); {
	case errors.Is(err, drafts.ErrUnknown):
		return errNoDraft
	case err != nil:
		return err
	}
	path, err := linkTo("program", "id", id)
	if err != nil {
		return err
	}
	return v.moved(path, "draft-deleted")
}
