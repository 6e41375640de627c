package console

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"recoup/internal/console/locale"
	"recoup/internal/store/durable"
)

// publish proposes a draft that was previewed as it is: somebody else has to agree.
func (c *Console) publish(v *visit) error {
	d, err := c.draftSent(v)
	if err != nil {
		return err
	}
	change := v.field("change")
	if d.Hash = c.previewed(d, change); v.field("hash") != d.Hash {
		d.Problem = v.locale.Sprintf("The draft is not the one that was previewed, or the program has another version since then. Preview it as it is now, then publish it.")
		return v.showDraft(http.StatusConflict, d)
	}
	if is := typed(v.field("typed")); change != "" && is != typed(change) && is != typed(changeShown(v.locale, change)) {
		d.Problem = v.locale.Sprintf("To publish what changes the cost by so much, type by how much: %s. Preview the draft once more.", changeShown(v.locale, change))
		return v.showDraft(http.StatusUnprocessableEntity, d)
	}
	from, ok := cycleOf(v.field("from"))
	if !ok {
		return refuse(http.StatusBadRequest, "From when on?", "Choose one of the months on the page.")
	}
	latest, ok := c.programs.Get(d.Program)
	if !ok {
		return errNoProgram
	}
	reason := string(wasPreviewed)
	if change != "" {
		reason = locale.Sentence{Format: costPreviewed, Values: []any{change}}.String()
	}
	_, err = c.proposals.ProposeTerms(v.ctx(), newFormID("terms-"), d.Program, []byte(d.Document), latest.CycleStart(from), reason, v.who())
	var refused *durable.ProgramError
	switch {
	case errors.As(err, &refused):
		d.refuse(v.locale, refused.Err)
		return v.showDraft(http.StatusUnprocessableEntity, d)
	case err != nil:
		if d.Problem = unproposed(v.locale, err); d.Problem != "" {
			return v.showDraft(http.StatusConflict, d)
		}
		return err
	}
	return v.moved(Path+"adjustments", "terms-proposed")
}

// typed is what somebody typed without what makes no difference: spaces, the sign of a
// percentage and a plus.
func typed(text string) string {
	return strings.NewReplacer(" ", "", "\u00a0", "", "\u202f", "", "%", "", "+", "", "−", "-", ",", ".").Replace(text)
}

// previewed stands for what a preview compared: this document with the program as it
// is now, and by how much its cost changes if that has to be typed. A draft is published
// only as it was seen, and against what it was seen.
func (c *Console) previewed(d *draftPage, change string) string {
	sum := sha256.New()
	fmt.Fprintf(sum, "%q %d %q\n%s", d.Program, len(c.programs.Versions(d.Program)), change, d.Document)
	return hex.EncodeToString(sum.Sum(nil))
}
