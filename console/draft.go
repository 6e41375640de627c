package console

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"recoup/access"
	"recoup/preview"
	"recoup/program"
	"recoup/reward"
	"recoup/store/durable"
)

// draftPage is the editor, and below it what the draft would change.
type draftPage struct {
	Program  string
	Document string
	Lines    []draftLine // numbered, where something is wrong with one
	Problem  string
	Sample   int
	Samples  []int
	// Preview is there once a draft was compared.
	Preview *preview.Comparison
	Rules   []ruleRow // of the draft
	Soonest reward.Instant
	Months  []reward.Cycle // from which it could be in force
	Hash    string         // of the document that was compared
	MayPut  bool
}

// draftLine is a line of a draft in which something may be wrong.
type draftLine struct {
	Number int
	Text   string
	Wrong  string // what is wrong with it; empty: nothing
}

// samples are how many of the last purchases a draft may be compared on.
var samples = []int{100, 1000, 10000}

func (c *Console) draft(v *visit) error {
	versions, _ := c.versionsOf(v.given("id"), v.now)
	if len(versions) == 0 {
		return errNoProgram
	}
	latest := versions[len(versions)-1]
	return v.showDraft(http.StatusOK, &draftPage{Program: latest.Terms.ID, Document: string(latest.Document), Sample: samples[1]})
}

func (v *visit) showDraft(status int, d *draftPage) error {
	d.Samples, d.MayPut = samples, v.may(access.Admin)
	return v.render(status, "draft", view{Title: "Draft of program " + d.Program, Section: "programs", Body: d})
}

// previewDraft plays the last purchases under the draft, and shows what it changes.
func (c *Console) previewDraft(v *visit) error {
	d := &draftPage{Program: v.field("id"), Document: documentOf(v.r), Sample: samples[1]}
	if n, err := strconv.Atoi(v.field("sample")); err == nil && n > 0 && n <= samples[len(samples)-1] {
		d.Sample = n
	}
	terms, err := program.Parse("draft", []byte(d.Document))
	if err != nil {
		d.refuse(err)
		return v.showDraft(http.StatusUnprocessableEntity, d)
	}
	comparison, ok, err := c.preview(v.ctx(), d.Program, []byte(d.Document), d.Sample)
	var refused *durable.ProgramError
	switch {
	case errors.As(err, &refused):
		d.refuse(refused.Err)
		return v.showDraft(http.StatusUnprocessableEntity, d)
	case err != nil:
		return err
	case !ok:
		return errNoProgram
	}
	d.Preview, d.Rules, d.Hash = comparison, rulesOf(terms), hashOf(d.Document)
	d.Months = c.monthsFor(d.Program, v.now)
	return v.showDraft(http.StatusOK, d)
}

// monthsFor are the cycles from which a new version of a program could be in force,
// the soonest first.
func (c *Console) monthsFor(id string, now reward.Instant) (months []reward.Cycle) {
	first := reward.CycleAt(now+reward.Instant(durable.ProgramNotice)-1) + 1
	if versions := c.programs.Versions(id); len(versions) > 0 {
		first = max(first, versions[len(versions)-1].Terms.From+1)
	}
	for n := range reward.Cycle(12) {
		months = append(months, first+n)
	}
	return months
}

// publish puts a draft that was previewed as it is.
func (c *Console) publish(v *visit) error {
	d := &draftPage{Program: v.field("id"), Document: documentOf(v.r), Sample: samples[1]}
	if v.field("hash") != hashOf(d.Document) {
		d.Problem = "The draft is not the one that was previewed. Preview it as it is now, then publish it."
		return v.showDraft(http.StatusConflict, d)
	}
	from, err := time.Parse("2006-01", v.field("from"))
	if err != nil {
		return refuse(http.StatusBadRequest, "From when on?", "Choose one of the months on the page.")
	}
	version, added, err := c.programs.Put(v.ctx(), d.Program, []byte(d.Document), reward.At(from), v.person.Name)
	var refused *durable.ProgramError
	switch {
	case errors.As(err, &refused):
		d.refuse(refused.Err)
		return v.showDraft(http.StatusUnprocessableEntity, d)
	case err != nil:
		return err
	case !added:
		d.Problem = "This is the latest version already, word for word. Nothing was published."
		return v.showDraft(http.StatusConflict, d)
	}
	path, err := linkTo("program", "id", d.Program, "version", version.Terms.Version)
	if err != nil {
		return err
	}
	return v.moved(path, "published")
}

// refuse says what is wrong with the draft, beside the line if it is of one.
func (d *draftPage) refuse(err error) {
	d.Problem = err.Error()
	var wrong *program.Error
	if !errors.As(err, &wrong) || wrong.Line <= 0 {
		return
	}
	d.Problem = "Line " + strconv.Itoa(wrong.Line) + ": " + wrong.Reason
	if wrong.Member != "" {
		d.Problem = "Line " + strconv.Itoa(wrong.Line) + ", " + wrong.Member + ": " + wrong.Reason
	}
	for n, text := range strings.Split(d.Document, "\n") {
		line := draftLine{Number: n + 1, Text: text}
		if line.Number == wrong.Line {
			line.Wrong = wrong.Reason
		}
		d.Lines = append(d.Lines, line)
	}
}

// documentOf is the draft that was sent, with the ends of lines that files have.
func documentOf(r *http.Request) string {
	text := r.PostForm.Get("document")
	return string(bytes.ReplaceAll([]byte(text), []byte("\r\n"), []byte("\n")))
}

func hashOf(document string) string {
	sum := sha256.Sum256([]byte(document))
	return hex.EncodeToString(sum[:])
}
