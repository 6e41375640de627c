package console_test

import (
	"net/http"
	"strings"
	"testing"

	"recoup/internal/service/access"
)

// Who was let in and who was not is for admins to see, with where it came from.
func TestTheSecurityLogIsShownToAdmins(t *testing.T) {
	o := openOffice(t)
	vera, ada := o.signIn("Vera", access.Viewer), o.signIn("Ada", access.Administrator)
	if r := vera.get("/console/security"); r.status != http.StatusForbidden {
		t.Errorf("a viewer is answered with %d", r.status)
	}
	stranger := o.stranger()
	stranger.submit(stranger.page("/console/sign-in"), "/console/sign-in", "key", "rk_<b>none</b>")
	r := ada.get("/console/security")
	if text := said(r.body); r.status != http.StatusOK || !strings.Contains(text, "sign in refused") || !strings.Contains(text, "signed in Ada") || !strings.Contains(text, "127.0.0.1") {
		t.Errorf("the page is (%d)\n%s", r.status, said(r.body))
	}
	if strings.Contains(r.body, "<b>none") {
		t.Error("what a stranger sent is a part of the page")
	}
}

// The provider says by itself that somebody has signed out; nobody else can say so.
func TestNobodyElseSignsPeopleOut(t *testing.T) {
	o := openOffice(t)
	answer, err := http.PostForm(o.server.URL+"/console/sign-in/back-channel", map[string][]string{"logout_token": {"x"}})
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusNotFound { // there is no provider
		t.Errorf("answered with %d", answer.StatusCode)
	}
}
