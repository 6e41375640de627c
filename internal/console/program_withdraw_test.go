package console_test

import (
	"net/http"
	"regexp"
	"testing"
	"time"

	"recoup/internal/service/access"
)

// What is published can be withdrawn by two people, until an hour before it is in force.
func TestAVersionIsWithdrawnByTwo(t *testing.T) {
	o := openOffice(t)
	ada, anna := o.signIn("Ada", access.Administrator), o.signIn("Anna", access.Approver)
	ada.publishes(dearer, "2026-08")
	anna.decides("approve")

	page := ada.page("/console/program?id=everyday&version=2")
	mustSay(t, said(page), "Version 2 upcoming", "It can be withdrawn until 31 Jul 2026, 23:00 : the terms of version 1 then go on. Another person has to agree.")
	if said := said(anna.page("/console/program?id=everyday&version=2")); regexp.MustCompile(`withdraw`).MatchString(said) {
		t.Error("who may not propose terms is offered to withdraw them")
	}
	if r := ada.submit(page, "/console/program/withdraw", "version", "1"); r.status != http.StatusConflict {
		t.Errorf("withdrawing what is in force: %d", r.status)
	}
	done := ada.submit(page, "/console/program/withdraw")
	mustSay(t, said(done.body), "The withdrawal waits for another person", "withdraws version 2: the terms of version 1 go on")
	if n := len(o.store.Programs().Versions("everyday")); n != 2 {
		t.Fatalf("withdrawn by one person: there are %d versions", n)
	}
	anna.decides("approve")
	mustSay(t, said(ada.page("/console/program?id=everyday&version=2")), "Version 2 withdrawn from 1 Aug 2026", "No purchase was ever under it.")
	mustSay(t, said(ada.page("/console/program?id=everyday&version=3")), "Version 3 upcoming from 1 Aug 2026")
	o.pass(60 * 24 * time.Hour)
	mustSay(t, said(o.signIn("Vera", access.Viewer).page("/console/program?id=everyday")), "Version 3 in force")

	late := openOffice(t)
	ada, anna = late.signIn("Ada", access.Administrator), late.signIn("Anna", access.Approver)
	ada.publishes(dearer, "2026-07")
	anna.decides("approve")
	late.pass(15*24*time.Hour + 10*time.Hour + 59*time.Minute)
	ada = late.signIn("Ada again", access.Administrator)
	page = ada.page("/console/program?id=everyday&version=2")
	late.pass(2 * time.Minute)
	if r := ada.submit(page, "/console/program/withdraw"); r.status != http.StatusConflict || len(late.store.Programs().Versions("everyday")) != 2 {
		t.Errorf("withdrawn less than an hour before it is in force: %d", r.status)
	}
}

// A cycle begins at midnight of the program's zone, which is another day in UTC.
func TestTheDayIsThatOfTheProgram(t *testing.T) {
	o := openOffice(t, "id: rome\ncurrency: EUR\nzone: Europe/Rome\nrules: [{id: base, rate: 1%}]\n")
	if _, _, err := o.store.Programs().Put(t.Context(), "rome", []byte("id: rome\ncurrency: EUR\nzone: Europe/Rome\nrules: [{id: base, rate: 2%}]\n"), 0, "test"); err != nil {
		t.Fatal(err)
	}
	b := o.signIn("Vera", access.Viewer)
	mustSay(t, said(b.page("/console/program?id=rome&version=2")), "upcoming from 1 Jul 2026 (Europe/Rome)")
	mustSay(t, said(b.page("/console/programs")), "version 2 from 1 Jul 2026 (Europe/Rome)")
}

// publishes previews a draft and proposes it.
func (b *browser) publishes(document, month string) {
	b.Helper()
	preview := b.previews(document)
	if r := b.submit(preview.body, "/console/program/publish", "document", document, "from", month); r.status != http.StatusOK {
		b.Fatalf("proposing is answered with %d: %s", r.status, said(r.body))
	}
}
