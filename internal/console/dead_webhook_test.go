package console_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"recoup/internal/service/access"
	"recoup/internal/service/sources"
	"recoup/reward"
)

// What of a processor's webhook could not be mapped is there to see, with what was sent for
// who may look after it, is taken again and dismissed.
func TestDeadWebhooksAreLookedAfter(t *testing.T) {
	o := openOffice(t)
	file := filepath.Join(t.TempDir(), "sources.yaml")
	t.Setenv("LOGIN", "recoup:Passw0rd-made")
	if err := os.WriteFile(file, []byte("sources: [{name: marqeta, kind: marqeta, secret: {env: LOGIN}}]"), 0o600); err != nil {
		t.Fatal(err)
	}
	list, err := sources.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s := sources.New(sources.Options{Records: o.db, List: list, Now: time.Now, Apply: func(context.Context, string, []reward.Event) ([]string, error) { return nil, nil }})
	post := func(body string) {
		t.Helper()
		r := http.Request{Header: http.Header{}}
		r.SetBasicAuth("recoup", "Passw0rd-made")
		if receipt, err := s.Receive(o.Context(), "marqeta", r.Header, []byte(body)); err != nil || receipt.Dead == "" {
			t.Fatalf("%v, %v", receipt, err)
		}
	}
	post(`{"transactions":[{"type":"refund.of.something","token":"t1","memo":"<b>4111111111111111\u202e"}]}`)
	post("no JSON at all")

	viewer, ada := o.signIn("Vera", access.Viewer), o.signIn("Ada", access.Administrator)
	mustSay(t, said(viewer.page("/console/dead-webhooks")), "transaction t1: type: refund.of.something is for a person to look at")
	if page := viewer.page("/console/dead-webhooks"); strings.Contains(page, "Dismiss") {
		t.Error("who may only read is offered to dismiss")
	}
	page := ada.page("/console/dead-webhooks")
	mustSay(t, said(page), "expected JSON, found what is none at byte 2")
	one := ada.page("/console/dead-webhook?number=1")
	if strings.Contains(one, "4111111111111111") || strings.Contains(one, "<b>") || strings.Contains(one, "\u202e") {
		t.Errorf("what was sent is shown as it is:\n%s", one)
	}
	mustSay(t, said(one), `"type": "refund.of.something"`)

	for _, test := range []struct {
		path, number string
		status       int
		says         string
	}{
		{"replay", "1", http.StatusOK, "is taken again within a second or two"},
		{"dismiss", "2", http.StatusOK, "is dismissed"},
		{"dismiss", "2", http.StatusConflict, "is not on the list any more"},
		{"replay", "99", http.StatusConflict, "is not on the list any more"},
		{"replay", "x", http.StatusBadRequest, "Which webhook?"},
	} {
		r := ada.submit(page, "/console/dead-webhooks/"+test.path, "number", test.number)
		if r.status != test.status {
			t.Errorf("%s %s is answered with %d", test.path, test.number, r.status)
		}
		mustSay(t, said(r.body), test.says)
	}
	left, err := s.Dead(o.Context(), 0, 10)
	if err != nil || len(left) != 1 || !left[0].Due {
		t.Errorf("left are %v, %v", left, err)
	}
	for n := range 60 {
		post(fmt.Sprintf(`{"transactions":[{"type":"refund.of.something","token":"more%d"}]}`, n))
	}
	if !strings.Contains(ada.page("/console/dead-webhooks"), `rel="next"`) {
		t.Error("there is no way to the rest of the list")
	}
}
