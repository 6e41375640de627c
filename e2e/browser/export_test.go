package browser

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/target"
)

// Where axe-core comes from, for its tests.
var (
	Fetched   = fetched
	AxeSource = axeSource
)

const AxeName = axeName

// Talkative is a browser without the flags that keep it from asking for things by
// itself. It ends with the test.
func Talkative(t testing.TB) *Browser {
	t.Helper()
	b, err := launch(unattended)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.sessions.Close() })
	return b
}

// AskByItself has the browser ask for an address, as no page of a test does.
func (b *Browser) AskByItself(t testing.TB, address string) {
	t.Helper()
	if err := callBrowser(b.root, target.CreateTarget, target.CreateTargetParams{URL: address}); err != nil {
		t.Fatal(err)
	}
}

// AwaitRefusal waits until the gate has refused a host, and returns all that it
// has refused.
func (b *Browser) AwaitRefusal(t testing.TB, host string) []string {
	t.Helper()
	ctx, cancel := context.WithTimeout(b.root, patience)
	defer cancel()
	for wait := pause(0); ctx.Err() == nil; wait = wait.next() {
		if refused := b.gate.refused(); strings.Contains(strings.Join(refused, "\n"), host) {
			return refused
		}
		wait.sleep(ctx)
	}
	t.Fatalf("the gate was not asked for %s but for %q", host, b.gate.refused())
	return nil
}

// AwaitComplaint waits until one of the page's complaints contains all the words,
// or until it is too late for it.
func (p *Page) AwaitComplaint(words ...string) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	for wait := pause(0); ctx.Err() == nil; wait = wait.next() {
		if slices.ContainsFunc(p.Complaints(), func(c string) bool {
			return !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(c, word) })
		}) {
			return
		}
		wait.sleep(ctx)
	}
}
