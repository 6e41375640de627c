package console

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"recoup/internal/console/locale"
	"recoup/internal/console/simulate"
	"recoup/internal/console/termsform"
	"recoup/internal/kit/tabular"
	"recoup/internal/service/budget"
	"recoup/internal/service/drafts"
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
	// Form is there where the draft is edited as one, and Advanced where it is edited as
	// the file that it is. Formless says why there is no form.
	Form     *termsform.Form
	Advanced bool
	Formless string
	Problems map[string]string // of fields of the form, by name

	Saved   drafts.Draft // that it is; Number is zero for one that was not saved yet
	Name    string       // under which it is to be saved
	MaySave bool

	Lines   []draftLine // those around the one that is wrong, where one is
	Problem string
	Flaw    string // what is wrong with the file or with what was asked of it, in English
	Sample  int
	Samples []int

	Story     string
	Simulated *simulate.Played
	Unplayed  string // what of the story was not understood
	Terms     *reward.Program

	// Preview is there once a draft was compared.
	Preview *preview.Comparison
	Cost    *draftCost
	Diff    *termsDiff
	Notices []string // of what the draft brings about that may not be meant
	Meaning *program.Meaning
	Year    string
	Months  []draftMonth // from which it could be in force
	// Calendar is a version of the program, by which those begin.
	Calendar *reward.Program
	Hash     string // of what was compared; see previewed
	MayPut   bool
}

// draftMonth is a cycle from which a draft could be in force.
type draftMonth struct {
	Cycle    reward.Cycle
	Replaces int32 // the version in whose place it would come; zero: none
	Usual    bool
}

// draftLine is a line of a draft in which something may be wrong.
type draftLine struct {
	Number int
	Text   string
	Wrong  string // what is wrong with it; empty: nothing
}

// samples are on how many purchases a draft may be compared.
var samples = []int{100, 1000, 10000}

// exampleStory is what the simulator begins with.
const exampleStory = "buy 80 at mcc 5411 on Saturday, return half"

// maxDraft bounds the body of a form with a draft, in bytes: a form may need six for
// one of the draft's, since it writes the end of a line as %0D%0A.
const maxDraft = 6*program.MaxSize + 64<<10

// draftAction adds what the form of a draft does.
func (c *Console) draftAction(class budget.Class, pattern string, scope scope.Set, answer func(*visit) error) {
	c.pageOf(class, pattern, scope, c.formOf(maxDraft, "A program file may have at most 1 MiB. Nothing was changed.", answer))
}

// draft shows the editor: of the latest version, or of a draft that was saved.
func (c *Console) draft(v *visit) error {
	versions, _ := c.versionsOf(v.given("id"), v.now)
	if len(versions) == 0 {
		return errNoProgram
	}
	latest := versions[len(versions)-1]
	d := &draftPage{Program: latest.Terms.ID, Document: string(latest.Document), Sample: samples[1], Story: exampleStory, Advanced: v.given("as") == "yaml"}
	if text := v.given("draft"); text != "" {
		number, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return errNoDraft
		}
		saved, err := c.drafts.Get(v.ctx(), d.Program, number)
		if errors.Is(err, drafts.ErrUnknown) {
			return errNoDraft
		}
		if err != nil {
			return err
		}
		d.Saved, d.Document, d.Name = saved, saved.Document, saved.Name
	}
	return v.showDraft(http.StatusOK, d)
}

func (v *visit) showDraft(status int, d *draftPage) error {
	d.Samples, d.MayPut, d.MaySave = samples, v.may(scope.Admin), v.may(savesDrafts)
	if d.Name == "" {
		d.Name = v.locale.Sprintf("Draft of %s", v.person.Name)
	}
	if !d.Advanced {
		var err error
		if d.Form, err = termsform.New(d.Document, v.locale); err != nil {
			d.Advanced, d.Formless = true, err.Error()
		}
	}
	return v.render(status, "draft", view{Title: v.locale.Sprintf("Draft of program %s", tabular.Visible(d.Program)), Section: "programs", Body: d})
}

// workOnDraft does what a button of the editor asks for: preview is what Enter does.
func (c *Console) workOnDraft(v *visit) error {
	d, err := c.draftSent(v)
	if err != nil {
		return err
	}
	what, operation, _ := strings.Cut(v.field("do"), " ")
	if !d.Advanced && what != "previewed" {
		changed, problems, err := termsform.Change(d.Document, v.locale, v.formField)
		d.Problems = make(map[string]string)
		for name, p := range problems {
			d.Problems[name] = v.locale.Sprintf(string(p.Format), p.Args...)
		}
		if d.Document = changed; err != nil {
			d.Flaw, d.Advanced = err.Error(), true
			return v.showDraft(http.StatusUnprocessableEntity, d)
		}
		if len(problems) > 0 {
			d.Problem = v.locale.Sprintf("Some of the fields cannot be understood: each says what was expected. The others are taken over.")
			return v.showDraft(http.StatusUnprocessableEntity, d)
		}
	}
	switch what {
	case "save":
		return c.saveDraft(v, d)
	case "yaml", "form":
		d.Advanced = what == "yaml"
		return v.showDraft(http.StatusOK, d)
	case "edit":
		changed, err := termsform.Do(d.Document, operation)
		if d.Document = changed; err != nil {
			d.Flaw = err.Error()
			return v.showDraft(http.StatusUnprocessableEntity, d)
		}
		return v.showDraft(http.StatusOK, d)
	case "simulate":
		return c.simulateDraft(v, d)
	}
	return c.previewDraft(v, d)
}

// formField is a field of the form of terms, as it was sent.
func (v *visit) formField(name string) (string, bool) {
	values, ok := v.r.PostForm["f."+name]
	if !ok {
		return "", false
	}
	return strings.ToValidUTF8(strings.ReplaceAll(values[0], "\x00", ""), ""), true
}

// previewDraft plays the last purchases under the draft, and shows what it changes.
func (c *Console) previewDraft(v *visit, d *draftPage) error {
	if n, err := strconv.Atoi(v.field("sample")); err == nil && slices.Contains(samples, n) {
		d.Sample = n
	}
	terms, err := program.Parse("draft", []byte(d.Document))
	if err != nil {
		d.refuse(v.locale, err)
		return v.showDraft(http.StatusUnprocessableEntity, d)
	}
	comparison, err := c.compare(v.ctx(), d)
	var refused *durable.ProgramError
	switch {
	case errors.As(err, &refused):
		d.refuse(v.locale, refused.Err)
		return v.showDraft(http.StatusUnprocessableEntity, d)
	case err != nil:
		return err
	}
	versions, _ := c.versionsOf(d.Program, v.now)
	meaning, year := v.describe(terms)
	d.Terms, d.Preview, d.Cost = terms, comparison, c.costOf(v.locale, comparison, versions[comparison.Version-1].Terms, terms)
	d.Hash = c.previewed(d, d.Cost.Type)
	d.Diff = v.diffTerms(versions[comparison.Version-1], terms, d.Document)
	d.Meaning, d.Year, d.Notices = &meaning, year, meaning.Notices
	d.Months = c.monthsFor(versions, v.now)
	d.Calendar, _ = c.programs.Get(d.Program)
	return v.showDraft(http.StatusOK, d)
}

// compare plays purchases under the draft, when its turn comes.
func (c *Console) compare(ctx context.Context, d *draftPage) (*preview.Comparison, error) {
	within, done, err := c.budgets.Preview(ctx, d.Sample)
	if err != nil {
		return nil, err
	}
	defer done()
	comparison, ok, err := c.preview(within, d.Program, []byte(d.Document), d.Sample)
	if err == nil && !ok {
		err = errNoProgram
	}
	return comparison, err
}

// monthsFor are the cycles from which a new version of a program could be in force,
// the soonest first. The usual one is the first in which it takes no other's place.
func (c *Console) monthsFor(versions []*versionRow, now reward.Instant) (months []draftMonth) {
	latest := versions[len(versions)-1].Terms
	announced := latest.CycleAt(now+reward.Instant(durable.ProgramNotice)-1) + 1
	usual := max(announced, latest.From+1)
	if len(versions) > 1 && latest.From >= announced {
		months = append(months, draftMonth{Cycle: latest.From, Replaces: latest.Version})
	}
	for n := range reward.Cycle(12) {
		months = append(months, draftMonth{Cycle: usual + n, Usual: n == 0})
	}
	return months
}

// refuse says what is wrong with the draft, beside the line if it is of one.
func (d *draftPage) refuse(l *locale.Locale, err error) {
	d.Flaw = err.Error()
	var wrong *program.Error
	if !errors.As(err, &wrong) || wrong.Line <= 0 {
		return
	}
	d.Problem, d.Flaw = l.Sprintf("Line %d:", wrong.Line), wrong.Reason
	if wrong.Member != "" {
		d.Problem = l.Sprintf("Line %d, %s:", wrong.Line, wrong.Member)
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
		Advanced: v.field("as") != "form",
		Sample:   samples[1],
		Name:     v.field("name"),
		Story:    v.field("story"),
	}
	d.Saved.Number, _ = strconv.ParseInt(v.field("draft"), 10, 64) // whatever is no number is none that was saved
	d.Saved.Revision, _ = strconv.ParseInt(v.field("revision"), 10, 64)
	if len(c.programs.Versions(d.Program)) == 0 {
		return nil, errNoProgram
	}
	return d, nil
}
