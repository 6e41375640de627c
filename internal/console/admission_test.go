package console_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"recoup/internal/console"
	"recoup/internal/service/access"
	"recoup/internal/service/budget"
	"recoup/internal/service/preview"
)

func TestAPersonHasOnePreviewAtATime(t *testing.T) {
	reached, open := make(chan struct{}), make(chan struct{})
	o := openSite(t, openWithEveryday(t), site{change: func(o *console.Options) {
		o.Budgets = budget.New(budget.Limits{Processors: 4})
		real := o.Preview
		o.Preview = func(ctx context.Context, id string, draft []byte, transactions int) (*preview.Comparison, bool, error) {
			reached <- struct{}{}
			<-open
			return real(ctx, id, draft, transactions)
		}
	}})
	vera, victor := o.signIn("Vera", access.Viewer), o.signIn("Victor", access.Viewer)
	var both sync.WaitGroup
	for _, b := range []*browser{vera, victor} {
		page := b.page(draftPath)
		both.Go(func() {
			if r := b.submit(page, "/console/program/draft", "document", dearer); r.status != http.StatusOK {
				t.Errorf("the first preview of each: %d", r.status)
			}
		})
		<-reached
	}
	r := vera.previews(dearer)
	if r.status != http.StatusTooManyRequests {
		t.Errorf("a second preview: %d, want %d", r.status, http.StatusTooManyRequests)
	}
	mustSay(t, said(r.body), "one at a time")
	vera.page("/console/programs") // other work goes on
	close(open)
	both.Wait()
}

func TestAFormThatComesTooSlowly(t *testing.T) {
	o := openSite(t, openWithEveryday(t), site{change: func(o *console.Options) {
		o.Budgets = budget.New(budget.Limits{Patience: 50 * time.Millisecond, Rate: 1 << 30})
	}})
	c, err := net.Dial("tcp", o.server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprintf(c, "POST /console/sign-in HTTP/1.1\r\nHost: %s\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 1000\r\n\r\nkey=", c.RemoteAddr())
	r, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if text, _ := io.ReadAll(r.Body); r.StatusCode != http.StatusRequestTimeout || !strings.Contains(string(text), "too slowly") {
		t.Errorf("answered %d %s", r.StatusCode, text)
	}
}
