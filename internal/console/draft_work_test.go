package console_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"recoup/internal/service/access"
	"recoup/program"
)

const draftForm = "/console/program/draft"

// A draft is compared over whole cycles, with what a year costs and how sure that is.
func TestADraftSaysWhatAYearCosts(t *testing.T) {
	o := openOffice(t)
	for i, days := range []int{100, 70, 40} { // March, April and May
		o.deliver(transaction("a", fmt.Sprint("t", i), 100_00, days))
	}
	o.refresh()
	text := said(o.signIn("Vera", access.Viewer).previews(dearer).body)
	// March may not be whole; $1.00 in each of April and May is $12.00 in a year, $24.00 at 2 %.
	mustSay(t, text, "2 purchases of 1 account", "$12.00 the cost of a year now", "$24.00 the cost of a year under the draft", "+100.0 % +$12.00 in a year",
		"The cost of a year is reckoned from 2 whole billing cycles.", "Refunds that name no purchase are left out", "people may buy otherwise",
		"rule base changed All other purchases earn 1%. All purchases earn 2%.", "rule grocery gone", "The files side by side")
}

// What changes the cost by more than a fifth is published by who types by how much.
func TestALargeChangeOfCostHasToBeTyped(t *testing.T) {
	o := openOffice(t)
	o.deliver(transaction("a", "t", 100_00, 5))
	ada := o.signIn("Ada", access.Administrator)
	for _, test := range []struct {
		rate, typed string
		status      int
	}{
		{"1.2%", "", 200}, // a fifth, and no more
		{"0.8%", "", 200},
		{"1.21%", "", 422},
		{"1.25%", "25", 422},
		{"1.25%", "+25.0", 200},
		{"0.7%", "30.0", 422},
		{"0.7%", "-30,0 %", 200},
	} {
		document := strings.Replace(dearer, "2%", test.rate, 1)
		preview := ada.previews(document)
		r := ada.submit(preview.body, "/console/program/publish", "document", document, "from", "2026-08", "typed", test.typed)
		if r.status != test.status {
			t.Errorf("%s with %q typed is answered with %d: %.300s", test.rate, test.typed, r.status, said(r.body))
		}
	}
	preview := ada.previews(dearer)
	if r := ada.submit(preview.body, "/console/program/publish", "document", dearer, "from", "2026-08", "change", ""); r.status != http.StatusConflict {
		t.Errorf("without what has to be typed: %d", r.status)
	}
	page := o.signIn("Anna", access.Approver).page("/console/adjustments")
	mustSay(t, said(page), "previewed in the console: the cost changes by +25.0 %")
	for _, link := range linksOf(page) {
		if strings.HasPrefix(link, "/console/program/proposed") {
			mustSay(t, said(ada.page(link)), "Proposed by Ada", "In force from 1 Aug 2026", "What the terms say differently from version 1")
			return
		}
	}
	t.Error("no link leads to what is proposed")
}

func TestADraftIsEditedAsAForm(t *testing.T) {
	o := openOffice(t)
	vera := o.signIn("Vera", access.Viewer)
	page := vera.page("/console/program/draft?id=everyday")
	mustSay(t, said(page), "Rules", "rule grocery", "Bonuses", "Tiers", "Advanced: edit the file")
	// The other fields are not sent, and stay.
	file := string(program.EverydayDocument())
	r := vera.submit(page, draftForm, "document", file, "do", "preview", "f.rules.0.rate", "4%", "f.rules.0.cap.reward", "60.00")
	if r.status != http.StatusOK {
		t.Fatalf("%d: %s", r.status, said(r.body))
	}
	mustSay(t, said(r.body), "earn 5%, up to $50.00 in a billing cycle", "earn 4%, up to $60.00 in a billing cycle", "lines are the same")
	for _, text := range []string{"rate: 4%\n    cap: {reward: 6000, per: cycle}", "# ISO 4217; amounts below are in its minor units, cents"} {
		if !strings.Contains(r.body, text) {
			t.Errorf("the file does not say %q", text)
		}
	}
	if r := vera.submit(page, draftForm, "document", file, "do", "preview", "f.maturity_days", "many"); r.status != http.StatusUnprocessableEntity || !strings.Contains(r.body, `id="p-maturity_days">expected a whole number</span>`) {
		t.Errorf("a field that is wrong: %d", r.status)
	}
	added := vera.submit(page, draftForm, "document", file, "do", "edit add bonuses")
	mustSay(t, said(added.body), "bonus bonus-1")
	if !strings.Contains(added.body, "bonuses:\n  - {id: bonus-1, per: lifetime}") {
		t.Errorf("the file is not there as the form has it:\n%s", said(added.body))
	}
	if found := faults(added.body); found != nil {
		t.Error(found)
	}
	unknown := vera.submit(page, draftForm, "as", "yaml", "do", "form", "document", dearer+"colour: red\n")
	mustSay(t, said(unknown.body), "Not in the form.", "colour: the form has no field for it")
	none := vera.submit(page, draftForm, "as", "yaml", "do", "form", "document", "- a\n")
	mustSay(t, said(none.body), "There is no form of this draft")
}

func TestDraftsAreSaved(t *testing.T) {
	o := openOffice(t)
	oscar, bob := o.signIn("Oscar", access.Operator), o.signIn("Bob", access.Operator)
	page := oscar.page(draftPath)
	saved := oscar.submit(page, draftForm, "do", "save", "name", "spring <b>", "document", "id: everyday # not finished")
	mustSay(t, said(saved.body), "The draft is saved.", "Saved by Oscar, 1 time in all.")
	mustSay(t, said(bob.page("/console/program?id=everyday")), "Drafts", "spring <b> 15 Jun 2026, 12:00 Oscar Oscar")
	bobs := bob.submit(bob.page("/console/program/draft?id=everyday&draft=1&as=yaml"), draftForm, "do", "save", "name", "summer", "document", dearer)
	mustSay(t, said(bobs.body), "Saved by Bob, 2 times in all.")

	o.pass(time.Minute)
	clash := oscar.submit(saved.body, draftForm, "do", "save", "name", "spring", "document", "id: mine")
	if clash.status != http.StatusConflict || !strings.Contains(clash.body, "\nid: mine</textarea>") {
		t.Errorf("saving over Bob's is answered with %d: %s", clash.status, said(clash.body))
	}
	mustSay(t, said(clash.body), "Bob saved this draft on 15 Jun 2026, 12:00, after you opened it.")
	again := oscar.submit(clash.body, draftForm, "do", "save", "name", "spring", "document", "id: mine")
	mustSay(t, said(again.body), "Saved by Oscar, 3 times in all.")

	vera := o.signIn("Vera", access.Viewer)
	if r := vera.submit(vera.page(draftPath), draftForm, "do", "save", "name", "x", "document", dearer); r.status != http.StatusForbidden {
		t.Errorf("a viewer saves: %d", r.status)
	}
	if r := bob.submit(bob.page("/console/program?id=everyday"), "/console/program/draft/delete"); !strings.Contains(said(r.body), "The draft is deleted.") {
		t.Errorf("deleting: %s", said(r.body))
	}
	lost := oscar.submit(again.body, draftForm, "do", "save", "name", "spring", "document", "id: mine")
	if lost.status != http.StatusConflict || !strings.Contains(said(lost.body), "Somebody deleted this draft meanwhile.") {
		t.Errorf("saving what was deleted: %d", lost.status)
	}
	for _, path := range []string{"&draft=1", "&draft=x", "&draft=-1"} {
		if r := vera.look("en", "/console/program/draft?id=everyday"+path); r.status != http.StatusNotFound {
			t.Errorf("%s is answered with %d", path, r.status)
		}
	}
}

func TestStoriesAreSimulated(t *testing.T) {
	o := openOffice(t)
	vera := o.signIn("Vera", access.Viewer)
	r := vera.submit(vera.page(draftPath), draftForm, "do", "simulate", "document", dearer, "story", "buy $80 at mcc 5411 on Saturday, return half")
	mustSay(t, said(r.body), "20 Jun 2026 Purchase 1 of $80.00, code 5411", "+$1.60 Reward for purchase 1 under rule base", "−$0.80 $40.00 of purchase 1 came back", "In the end $0.00 is paid out, and the terms promise $0.80")
	if found := faults(r.body); found != nil {
		t.Error(found)
	}
	wrong := vera.submit(vera.page(draftPath), draftForm, "do", "simulate", "document", dearer, "story", "steal <b>")
	if wrong.status != http.StatusUnprocessableEntity {
		t.Errorf("%d", wrong.status)
	}
	mustSay(t, said(wrong.body), `That cannot be played. line 1, "steal <b>": expected buy`)
	page := vera.page("/console/program/simulate?id=everyday&version=1&story=" + "buy+80+at+mcc+5411%0Areturn+half")
	mustSay(t, said(page), "+$4.00 Reward for purchase 1 under rule grocery", "−$2.00")
	if found := faults(page); found != nil {
		t.Error(found)
	}
}
