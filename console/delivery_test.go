package console_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"
)

// testDeliveryIsTriedAgain changes the sample data.
func testDeliveryIsTriedAgain(t *testing.T, o *office, b *browser) {
	page := b.page("/console/deliveries")
	var number int64
	if err := o.db.DB().QueryRowContext(context.Background(), `SELECT min(number) FROM deliveries WHERE state = 1`).Scan(&number); err != nil {
		t.Fatal(err)
	}
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
}
