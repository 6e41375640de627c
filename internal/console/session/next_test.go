package session

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
)

// A run of the playground is all in its address, and is there after a sign-in, be it with
// a key or at a provider, whose cookie has little room.
func TestTheLongestRunIsThereAfterASignIn(t *testing.T) {
	q := url.Values{"v": {"1"}, "left": {"a"}, "right": {"recoup"}, "program": {"grocery 5.123456 cap 1234.56 grant statement method rerate"}}
	for i := range 60 {
		q.Add("m", fmt.Sprintf("buy %d.%02d GROCERY at the-shop-around-the-corner-%d late %d", 1_000_000+i*7919, i, i%7, i+1))
	}
	long := Path + "playground?" + q.Encode()
	if len(long) < 4000 || localPath(long) != long {
		t.Fatalf("a run of %d bytes leads to %.80q", len(long), localPath(long))
	}
	f := &flow{newToken(), newToken(), newToken(), long}
	if size := len(flowCookie) + len(f.String()); size > 4000 {
		t.Errorf("the cookie has %d bytes", size)
	}
	if got, ok := parseFlow(f.String()); !ok || got.next != long {
		t.Errorf("from the cookie comes %t", ok)
	}
	// What cannot be compressed that far leads to the first page.
	var random strings.Builder
	for random.Len() < 5000 {
		random.WriteString(newToken().String())
	}
	f.next = Path + "playground?x=" + random.String()
	if got, ok := parseFlow(f.String()); !ok || got.next != Path {
		t.Error("a place that does not fit is kept")
	}
}
