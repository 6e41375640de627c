package console_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"recoup/internal/service/webhook"
	"recoup/internal/store/durable"
)

// testDeliveryIsTriedAgain changes the sample data.
func testDeliveryIsTriedAgain(t *testing.T, o *office, b *browser) {
	page := b.page("/console/deliveries")
	dead, err := webhook.New(o.db, durable.One(o.db).Records, time.Now).Dead(context.Background(), "", 0, 1)
	if err != nil || len(dead) == 0 {
		t.Fatalf("%d dead letters, error %v", len(dead), err)
	}
	number := dead[0].Number
	for _, test := range []struct {
		number string
		status int
		says   string
	}{
		{fmt.Sprint(number), http.StatusOK, "The delivery is tried again at once."},
		{fmt.Sprint(number), http.StatusConflict, "The delivery is not there any more"},
		{"999999999", http.StatusConflict, "The delivery is not there any more"},
		{"<b>", http.StatusBadRequest, "Which delivery?"},
		{"", http.StatusBadRequest, "Which delivery?"},
	} {
		r := b.submit(page, "/console/deliveries", "number", test.number)
		if r.status != test.status {
			t.Errorf("number %q is answered with %d", test.number, r.status)
		}
		mustSay(t, said(r.body), test.says)
	}
	if !strings.Contains(page, "&#34;type&#34;: &#34;") {
		t.Errorf("the page has no payload:\n%s", said(page))
	}
	left, err := webhook.New(o.db, durable.One(o.db).Records, time.Now).Dead(context.Background(), "", 0, 1000)
	if err != nil || len(left) < 2 {
		t.Fatalf("%d dead letters are left, error %v", len(left), err)
	}
	mustSay(t, said(b.page("/console/deliveries")), fmt.Sprintf("Retry all %d", len(left)))
	for _, test := range []struct {
		all    string
		status int
		says   string
	}{
		{"ep_none", http.StatusConflict, "The endpoint is not there any more"},
		{"*", http.StatusOK, fmt.Sprintf("Deliveries that are tried again at once: %d.", len(left))},
		{"*", http.StatusOK, "Deliveries that are tried again at once: 0."},
	} {
		r := b.submit(page, "/console/deliveries", "all", test.all)
		if r.status != test.status {
			t.Errorf("all of %q is answered with %d", test.all, r.status)
		}
		mustSay(t, said(r.body), test.says)
	}
	mustSay(t, said(b.page("/console/deliveries")), "No delivery was given up.")
}
