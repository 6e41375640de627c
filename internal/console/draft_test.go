package console_test

import (
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"recoup/internal/service/access"
	"recoup/program"
	"recoup/reward"
)

// dearer is a draft of the everyday program that gives 2 % on everything.
const dearer = "id: everyday\ncurrency: USD\nrules: [{id: base, rate: 2%}]\n"

const draftPath = "/console/program/draft?id=everyday&as=yaml"

// transaction is a purchase that settled so many days ago.
func transaction(account, id string, amount int64, days int) reward.Event {
	return reward.Event{Type: reward.TransactionSettled, Account: account, Transaction: id, Amount: amount, Time: daysAgo(days)}
}

// previews sends a draft of the everyday program.
func (b *browser) previews(document string, pairs ...string) reply {
	b.Helper()
	return b.submit(b.page(draftPath), "/console/program/draft", append(pairs, "document", document)...)
}

func TestADraftThatIsNoProgramIsMarkedAtItsLine(t *testing.T) {
	b := openOffice(t).signIn("Vera", access.Viewer)
	for name, test := range map[string]struct{ document, line, reason string }{
		"an unknown key":    {"id: everyday\ncurrency: USD\ncolour: red\nrules: [{id: base, rate: 1%}]\n", "3", "colour"},
		"a rate beyond all": {"id: everyday\ncurrency: USD\nrules:\n  - id: base\n    rate: 101%\n", "5", "rate"},
		"a rate in words":   {"id: everyday\ncurrency: USD\nrules:\n  - id: base\n    rate: <b>much</b>\n", "5", "rate"},
		"a tab":             {"id: everyday\ncurrency: USD\nrules:\n\t- id: base\n", "4", ""},
	} {
		r := b.previews(test.document)
		if r.status != http.StatusUnprocessableEntity {
			t.Errorf("%s: %d", name, r.status)
		}
		wrong := regexp.MustCompile(`(?s)<tr class="wrong" id="wrong"><th scope="row" class="n">(\d+)</th><td>(.*?)</td></tr>`).FindAllStringSubmatch(r.body, -1)
		if len(wrong) != 1 || wrong[0][1] != test.line || !strings.Contains(said(wrong[0][2]), test.reason) {
			t.Errorf("%s: marked %q, want line %s and %q", name, wrong, test.line, test.reason)
		}
		mustSay(t, said(r.body), "Line "+test.line)
		if !strings.Contains(r.body, html.EscapeString(strings.Split(test.document, "\n")[0])+"\n") {
			t.Errorf("%s: the draft is gone", name)
		}
		if found := faults(r.body); found != nil {
			t.Errorf("%s: %v", name, found)
		}
		if strings.Contains(r.body, "program/publish") {
			t.Errorf("%s: it could be published", name)
		}
	}
}

// TestOnlyTheLinesAroundAreShown keeps the page of a large draft small.
func TestOnlyTheLinesAroundTheWrongOneAreShown(t *testing.T) {
	b := openOffice(t).signIn("Vera", access.Viewer)
	r := b.previews("id: everyday\n" + strings.Repeat("# note\n", 1000) + "colour: red\n" + strings.Repeat("# note\n", 1000))
	numbers := regexp.MustCompile(`<th scope="row" class="n">(\d+)</th>`).FindAllStringSubmatch(r.body, -1)
	if len(numbers) != 11 || numbers[0][1] != "997" || numbers[10][1] != "1007" {
		t.Errorf("lines %v are shown", numbers)
	}
}

func TestADraftIsComparedRuleByRule(t *testing.T) {
	o := openOffice(t)
	grocery := transaction("gains", "g", 100_00, 5)
	grocery.Category = "GROCERY"
	o.deliver(grocery)
	o.deliver(transaction("gains", "p", 50_00, 4))
	r := o.signIn("Vera", access.Viewer).previews(dearer, "sample", "100")
	if r.status != http.StatusOK {
		t.Fatalf("%d: %s", r.status, said(r.body))
	}
	text := said(r.body)
	// 5 % of $100 and 1 % of $50 now, 2 % of $150 under the draft.
	mustSay(t, text, "2 purchases of 1 account", "under version 1, which the draft will follow", "-45.4 % the difference in cost", "No billing cycle is over that has purchases",
		"grocery 1 0 $5.00 $0.00 −$5.00", "base 1 2 $0.50 $3.00 +$2.50", "All 2 2 $5.50 $3.00 −$2.50", "Publishing needs the role admin")
	if strings.Contains(text, "no rule") {
		t.Error("there is a row for purchases that no rule matches, and each has one")
	}
	if !strings.Contains(r.body, `<option value="100" selected>`) {
		t.Error("the size of the sample is forgotten")
	}
	empty := openOffice(t).signIn("Vera", access.Viewer).previews(dearer)
	mustSay(t, said(empty.body), "no purchases")
}

func TestAPreviewSaysWhatTermsBringAbout(t *testing.T) {
	b := openOffice(t).signIn("Vera", access.Viewer)
	mustSay(t, said(b.previews(dearer+"timing: {clawback: statement}\n").body), "Notice. redemption.grace_days: 0 with timing.clawback: statement: a close does not shut redemption.")
	if text := said(b.previews(dearer).body); strings.Contains(text, "Notice.") {
		t.Errorf("there is a notice in %s", text)
	}
}

func TestADraftIsPublishedAsItWasPreviewed(t *testing.T) {
	o := openOffice(t)
	b := o.signIn("Ada", access.Administrator)
	// A browser writes the ends of lines in its own way.
	preview := b.previews(strings.ReplaceAll(dearer, "\n", "\r\n"))
	months := regexp.MustCompile(`<option value="(\d{4}-\d{2})"(?: selected)?>`).FindAllStringSubmatch(preview.body, -1)
	if len(months) != 12 || months[0][1] != "2026-07" || months[11][1] != "2027-06" {
		t.Fatalf("the months to choose from are %v", months)
	}
	publish := func(page string, pairs ...string) reply {
		return b.submit(page, "/console/program/publish", append(pairs, "document", dearer, "from", "2026-08")...) // of several the first counts
	}
	for name, r := range map[string]struct {
		reply
		status int
		text   string
	}{
		"changed since":       {publish(preview.body, "document", strings.Replace(dearer, "2%", "20%", 1)), 409, "not the one that was previewed"},
		"never previewed":     {publish(preview.body, "hash", ""), 409, "not the one that was previewed"},
		"of no month":         {publish(preview.body, "from", "soon"), 400, "From when on?"},
		"of a month far away": {publish(preview.body, "from", "9999-12"), 400, "From when on?"},
		"of this month":       {publish(preview.body, "from", "2026-06"), 422, "can be in force from 2026-07-01"},
		"of no program":       {publish(preview.body, "id", "none"), 404, "There is no such program"},
	} {
		if r.reply.status != r.status || !strings.Contains(said(r.body), r.text) {
			t.Errorf("%s: %d, %s", name, r.reply.status, said(r.body))
		}
	}
	if n := len(o.store.Programs().Versions("everyday")); n != 1 {
		t.Fatalf("there are %d versions already", n)
	}
	done := publish(preview.body, "document", strings.ReplaceAll(dearer, "\n", "\r\n"))
	if !strings.HasPrefix(done.path, "/console/adjustments?notice=terms-proposed.") || len(o.store.Programs().Versions("everyday")) != 1 {
		t.Fatalf("published alone, and is at %s: %s", done.path, said(done.body))
	}
	mustSay(t, said(b.page("/console/adjustments")), "Program everyday", "Yours: another person has to approve it.")
	anna := o.signIn("Anna", access.Approver)
	if r := anna.decides("approve"); r.status != http.StatusOK {
		t.Fatalf("approving is answered with %d:\n%s", r.status, said(r.body))
	}
	mustSay(t, said(b.page("/console/program?id=everyday&version=2")), "Version 2 upcoming from 1 Aug 2026. Published by Ada, approved by Anna on 15 Jun 2026, 12:00", "2%")
	put := o.store.Programs().Versions("everyday")[1]
	if string(put.Document) != dearer || put.Terms.From.String() != "2026-08" {
		t.Errorf("published %q from %v", put.Document, put.Terms.From)
	}

	again := b.previews(dearer)
	if !strings.Contains(again.body, `<option value="2026-08">August 2026, in place of version 2</option><option value="2026-09" selected>`) {
		t.Errorf("after one from August another can be in force from other months than from September, or in its place:\n%s", again.body)
	}
	if r := publish(again.body, "from", "2026-09"); r.status != http.StatusConflict || !strings.Contains(said(r.body), "the latest version already, word for word") {
		t.Errorf("the same again: %d, %s", r.status, said(r.body))
	}
	// What was previewed before the last version came was compared with another.
	if r := publish(preview.body, "from", "2026-10"); r.status != http.StatusConflict || !strings.Contains(said(r.body), "has another version since then") {
		t.Errorf("an old preview: %d, %s", r.status, said(r.body))
	}
	mustSay(t, said(b.page("/console/programs")), "everyday USD version 1, from the beginning version 2 from 1 Aug 2026")
}

// TestAProgramShowsWhatItHides has a rule whose name is written backwards by a mark
// that nobody sees.
func TestAProgramShowsWhatItHides(t *testing.T) {
	b := openOffice(t, "id: hides\ncurrency: USD\nrules: [{id: \"ba\u202ese\", rate: 1%}]\n").signIn("Vera", access.Viewer)
	page := b.page("/console/program?id=hides")
	if strings.Contains(page, "\u202e") || strings.Count(html.UnescapeString(page), "ba<U+202E>se") != 3 {
		t.Errorf("the rule and its file are shown as\n%s", said(page))
	}
}

func TestADraftOfSomethingElse(t *testing.T) {
	o := openOffice(t, "id: other\ncurrency: USD\nrules: [{id: base, rate: 1%}]\n")
	b := o.signIn("Ada", access.Administrator)
	for name, test := range map[string]struct{ document, reason string }{
		"another program":  {strings.Replace(dearer, "everyday", "other", 1), `the draft is of program "other", expected one of "everyday"`},
		"another currency": {strings.Replace(dearer, "USD", "EUR", 1), "expected USD, found EUR"},
	} {
		r := b.previews(test.document)
		if r.status != http.StatusUnprocessableEntity || strings.Contains(r.body, "program/publish") {
			t.Errorf("%s: %d, and may be published", name, r.status)
		}
		mustSay(t, said(r.body), test.reason)
	}
	if r := b.previews(dearer, "id", "<b>none</b>"); r.status != http.StatusNotFound || strings.Contains(r.body, "<b>none") {
		t.Errorf("a draft of no program: %d", r.status)
	}
}

// TestTheLargestDraft sends drafts whose form is larger than they are.
func TestTheLargestDraft(t *testing.T) {
	b := openOffice(t).signIn("Ada", access.Administrator)
	filled := func(size int, with string) string {
		return dearer + strings.Repeat(with, (size-len(dearer))/len(with))
	}
	if r := b.previews(filled(program.MaxSize, "#\n")); r.status != http.StatusOK {
		t.Errorf("the largest draft: %d, %.300s", r.status, said(r.body))
	}
	r := b.previews(filled(program.MaxSize, "#\n") + "###")
	if r.status != http.StatusUnprocessableEntity || !strings.Contains(r.body, "expected a program of at most 1048576 bytes") {
		t.Errorf("a draft that is too large: %d", r.status)
	}
	r = b.previews(filled(3*program.MaxSize, "ÿ"))
	if r.status != http.StatusRequestEntityTooLarge || !strings.Contains(said(r.body), "A program file may have at most 1 MiB. Nothing was changed.") {
		t.Errorf("a form that is too large: %d, %.300s", r.status, said(r.body))
	}
}
