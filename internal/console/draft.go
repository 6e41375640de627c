package console

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"recoup/internal/console/locale"
	"recoup/internal/kit/tabular"
	"recoup/internal/service/approval"
	"recoup/internal/service/budget"
	"recoup/internal/service/preview"
	"recoup/internal/service/scope"
	"recoup/internal/store/durable"
	"recoup/program"
	"recoup/reward"
)

// draftPage is the editor, and below it what the draft would change.
type draftPage struct {
	Program  string
	Document string
	Lines    []draftLine // those around the one that is wrong, where one is
	Problem  string
	Sample   int
	Samples  []int
	// Preview is there once a draft was compared.
	Preview *preview.Comparison
	Notices []string // of what the draft brings about that may not be meant
	Meaning *program.Meaning
	Year    string
	Soonest reward.Instant
	Months  []reward.Cycle // from which it could be in force
	// Calendar is a version of the program, by which those begin.
	Calendar *reward.Program
	Hash     string // of what was compared; see previewed
	MayPut   bool
}

// draftLine is a line of a draft in which something may be wrong.
type draftLine struct {
	Number int
	Text   string
	Wrong  string // what is wrong with it; empty: nothing
}

// samples are how many of the last purchases a draft may be compared on.
var samples = []int{100, 1000, 10000}

// maxDraft bounds the body of a form with a draft, in bytes: a form may need six for
// one of the draft's, since it writes the end of a line as %0D%0A.
const maxDraft = 6*program.MaxSize + 64<<10

// draftAction adds what the form of a draft does.
func (c *Console) draftAction(class budget.Class, pattern string, scope scope.Set, answer func(*visit) error) {
	c.pageOf(class, pattern, scope, c.formOf(maxDraft, "A program file may have at most 1 MiB.", answer))
}

func (c *Console) draft(v *visit) error {
	versions, _ := c.versionsOf(v.given("id"), v.now)
	if len(versions) == 0 {
		return errNoProgram
	}
	latest := versions[len(versions)-1]
	return v.showDraft(http.StatusOK, &draftPage{Program: latest.Terms.ID, Document: string(latest.Document), Sample: samples[1]})
}

func (v *visit) showDraft(status int, d *draftPage) error {
	d.Samples, d.MayPut = samples, v.may(scope.Admin)
	return v.render(status, "draft", view{Title: v.locale.Sprintf("Draft of program %s", tabular.Visible(d.Program)), Section: "programs", Body: d})
}

// previewDraft plays the last purchases under the draft, and shows what it changes.
func (c *Console) previewDraft(v *visit) error {
	d, err := c.draftSent(v)
	if err != nil {
		return err
	}
	if n, err := strconv.Atoi(v.field("sample")); err == nil && slices.Contains(samples, n) {
		d.Sample = n
	}
	terms, err := program.Parse("draft", []byte(d.Document))
	if err != nil {
		d.refuse(v.locale, err)
		return v.showDraft(http.StatusUnprocessableEntity, d)
	}
	within, done, err := c.budgets.Preview(v.ctx(), d.Sample)
	if err != nil {
		return err
	}
	defer done()
	comparison, ok, err := c.preview(within, d.Program, []byte(d.Document), d.Sample)
	var refused *durable.ProgramError
	switch {
	case errors.As(err, &refused):
		d.refuse(v.locale, refused.Err)
		return v.showDraft(http.StatusUnprocessableEntity, d)
	case err != nil:
		return err
	case !ok:
		return errNoProgram
	}
	meaning := program.Describe(terms)
	d.Preview, d.Hash = comparison, c.previewed(d)
	d.Meaning, d.Year, d.Notices = &meaning, meaning.Year.Words(terms), meaning.Notices
	d.Months = c.monthsFor(d.Program, v.now)
	d.Calendar, _ = c.programs.Get(d.Program)
	return v.showDraft(http.StatusOK, d)
}

// monthsFor are the cycles from which a new version of a program could be in force,
// the soonest first.
func (c *Console) monthsFor(id string, now reward.Instant) (months []reward.Cycle) {
	latest, ok := c.programs.Get(id)
	if !ok {
		return nil
	}
	first := max(latest.CycleAt(now+reward.Instant(durable.ProgramNotice)-1), latest.From) + 1
	for n := range reward.Cycle(12) {
		months = append(months, first+n)
	}
	return months
}

// publish proposes a draft that was previewed as it is: somebody else has to agree.
func (c *Console) publish(v *visit) error {
	d, err := c.draftSent(v)
	if err != nil {
		return err
	}
	if d.Hash = c.previewed(d); v.field("hash") != d.Hash {
		d.Problem = "The draft is not the one that was previewed, or the program has another version since then. Preview it as it is now, then publish it."
		return v.showDraft(http.StatusConflict, d)
	}
	from, ok := cycleOf(v.field("from"))
	if !ok {
		return refuse(http.StatusBadRequest, "From when on?", "Choose one of the months on the page.")
	}
	latest, ok := c.programs.Get(d.Program)
	if !ok {
		return errNoProgram
	}
	_, err = c.proposals.ProposeTerms(v.ctx(), newFormID("terms-"), d.Program, []byte(d.Document), latest.CycleStart(from), "previewed in the console", v.who())
	var refused *durable.ProgramError
	var full *approval.FullError
	switch {
	case errors.As(err, &refused):
		d.refuse(v.locale, refused.Err)
		return v.showDraft(http.StatusUnprocessableEntity, d)
	case errors.As(err, &full):
		d.Problem = fullWords(v.locale, full)
		return v.showDraft(http.StatusConflict, d)
	case errors.Is(err, approval.ErrNothingNew):
		d.Problem = "This is the latest version already, word for word. Nothing was proposed."
		return v.showDraft(http.StatusConflict, d)
	case err != nil:
		return err
	}
	return v.moved(Path+"adjustments", "terms-proposed")
}

// refuse says what is wrong with the draft, beside the line if it is of one.
func (d *draftPage) refuse(l *locale.Locale, err error) {
	d.Problem = err.Error()
	var wrong *program.Error
	if !errors.As(err, &wrong) || wrong.Line <= 0 {
		return
	}
	d.Problem = l.Sprintf("Line %d: %s", wrong.Line, wrong.Reason)
	if wrong.Member != "" {
		d.Problem = l.Sprintf("Line %d, %s: %s", wrong.Line, wrong.Member, wrong.Reason)
	}
	lines := strings.Split(d.Document, "\n")
	for n := max(1, wrong.Line-linesAround); n <= min(len(lines), wrong.Line+linesAround); n++ {
		line := draftLine{Number: n, Text: lines[n-1]}
		if n == wrong.Line {
			line.Wrong = wrong.Reason
		}
		d.Lines = append(d.Lines, line)
	}
}

// linesAround is how many lines are shown before and after one that is wrong.
const linesAround = 5

// draftSent is the draft that a form has, with the ends of lines that files have.
func (c *Console) draftSent(v *visit) (*draftPage, error) {
	d := &draftPage{
		Program:  v.field("id"),
		Document: strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(v.r.PostForm.Get("document")),
		Sample:   samples[1],
	}
	if len(c.programs.Versions(d.Program)) == 0 {
		return nil, errNoProgram
	}
	return d, nil
}

// previewed stands for what a preview compared: this document with the program as it
// is now. A draft is published only as it was seen, and against what it was seen.
func (c *Console) previewed(d *draftPage) string {
	sum := sha256.New()
	fmt.Fprintf(sum, "%q %d\n%s", d.Program, len(c.programs.Versions(d.Program)), d.Document)
	return hex.EncodeToString(sum.Sum(nil))
}
