package console_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"recoup/internal/service/access"
	"recoup/internal/store/exempt"
)

// What is not looked at for card numbers is there to see, with who said so when and why,
// and so is what is looked at again.
func TestExemptionsAreShown(t *testing.T) {
	o := openOffice(t)
	set := func(source, member string, is bool, reason string) {
		t.Helper()
		if _, _, err := o.exemptions.Set(o.Context(), exempt.Change{Source: source, Member: member, Exempt: is, Actor: "maria", Reason: reason}); err != nil {
			t.Fatal(err)
		}
	}
	set("core", "data.transaction", true, "sequence numbers")
	o.passed.Add(int64(24 * time.Hour))
	set("<b>pos\u202e", "subject", true, "numbers of tills")
	o.passed.Add(int64(24 * time.Hour))
	set("<b>pos\u202e", "subject", false, "there are new tills")

	stranger := o.stranger()
	if r := stranger.get("/console/exemptions"); !strings.HasPrefix(r.path, "/console/sign-in") {
		t.Errorf("who is not signed in is led to %s", r.path)
	}
	ada := o.signIn("Ada", access.Administrator)
	r := ada.look("en-GB", "/console/exemptions")
	if r.status != http.StatusOK || strings.Contains(r.body, "<b>pos") || strings.Contains(r.body, "\u202e") {
		t.Fatalf("answered with %d:\n%s", r.status, r.body)
	}
	inForce, changes, ok := strings.Cut(said(r.body), "Changes No.")
	if !ok {
		t.Fatalf("the page says\n%s", said(r.body))
	}
	mustSay(t, inForce, "core data.transaction 15 Jun 2026, 12:00 maria sequence numbers")
	if strings.Contains(inForce, "pos") {
		t.Errorf("what is looked at again is said to be in force:\n%s", inForce)
	}
	mustSay(t, changes, "3 17 Jun 2026, 12:00 <b>pos<U+202E> subject looked at again maria there are new tills 2 16 Jun 2026, 12:00 <b>pos<U+202E> subject exempt maria numbers of tills 1 15 Jun 2026, 12:00 core")

	if older := said(ada.page("/console/exemptions?before=2")); strings.Contains(older, "new tills") || strings.Count(older, "sequence numbers") != 2 {
		t.Errorf("before the second change there is\n%s", older)
	}
}
