package browser

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/preload"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

// Page is a tab of a user's own: nothing of what it keeps, such as cookies, is
// shared with other pages. What it is told to do and cannot do ends the test. Its
// methods must be called one after another, on the test's goroutine.
type Page struct {
	*tab
	within string // selector of the part that is meant; "" is all of it
}

// tab is what the parts of a page share.
type tab struct {
	t         testing.TB
	ctx       context.Context
	options   Options
	watch     *watch
	downloads string // folder
}

// Page opens an empty page, which is closed when the test ends. What it has to
// complain about then fails the test.
func (b *Browser) Page(t testing.TB, o Options) *Page {
	t.Helper()
	o = o.completed()
	w, err := newWatch(o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, closePage := chromedp.NewContext(b.root, chromedp.WithNewBrowserContext(), chromedp.WithListener(w.see))
	w.dialog = func() {
		_ = call(ctx, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: true})
	}
	w.pass = func(id fetch.RequestID) {
		_ = call(ctx, fetch.ContinueRequest, fetch.ContinueRequestParams{RequestID: id})
	}
	p := &Page{tab: &tab{t: t, ctx: ctx, options: o, watch: w, downloads: t.TempDir()}}
	t.Cleanup(func() {
		defer closePage()
		p.finish()
		b.sessions.unwatch(chromedp.FromContext(ctx).BrowserContextID)
	})
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("open a page: %v", err)
	}
	own := chromedp.FromContext(ctx)
	w.know(string(own.Target.TargetID))
	b.sessions.watch(own.BrowserContextID, w)
	if err := errors.Join(listen(ctx), o.emulate(ctx, p.downloads)); err != nil {
		t.Fatalf("open a page: %v", err)
	}
	return p
}

// listen has a page tell of all that it asks for, and hold what it starts until
// that tells as well. Events of the network are silent about what a document sends
// when it is left, so requests are held too, for as long as it takes to look at
// them.
func listen(ctx context.Context) error {
	return errors.Join(
		call(ctx, target.SetAutoAttach, held(ofPages)),
		call(ctx, fetch.Enable, fetch.EnableParams{}),
		call(ctx, preload.Enable, cdp.Empty{}),
	)
}

// finish waits until what the page still does is done, and fails the test for what
// it complains about.
func (p *Page) finish() {
	if chromedp.FromContext(p.ctx).Target == nil {
		return // it was never there
	}
	p.quiet()
	for _, c := range p.watch.all() {
		p.t.Errorf("the page complains: %s", c)
	}
	if p.t.Failed() {
		p.t.Logf("the page is %s and reads:\n%s", p.URL(), p.read())
	}
}

// quiet waits until no request is under way, for a while: a page may ask for
// something for ever.
func (p *Page) quiet() {
	ctx, cancel := context.WithTimeout(p.ctx, patience/12)
	defer cancel()
	for wait := pause(0); ; wait = wait.next() {
		// The answer comes after the events before it.
		_, err := p.consult(ctx, "Settle")
		if err == nil && !p.watch.asking() || ctx.Err() != nil {
			return
		}
		wait.sleep(ctx)
	}
}

// Complaints is what the page has to complain about so far.
func (p *Page) Complaints() []string {
	p.quiet()
	return p.watch.all()
}

// Expect announces responses of 400 and above: one for each status, in any order,
// from now on. A response that is announced must come.
func (p *Page) Expect(statuses ...int) { p.watch.announce(statuses) }

// Within is the part of the page that a selector names; where several do, the
// first that is visible. It need not be there yet.
func (p *Page) Within(selector string) *Page {
	return &Page{p.tab, strings.TrimSpace(p.within + " " + selector)}
}

// pause is a time between two questions, which grows.
type pause time.Duration

func (w pause) next() pause { return min(2*w+pause(10*time.Millisecond), pause(200*time.Millisecond)) }

func (w pause) sleep(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(time.Duration(w)):
	}
}

// ask evaluates an expression in the page.
func (p *Page) ask(ctx context.Context, expression string) (json.RawMessage, error) {
	return chromedp.Run(ctx, chromedp.Evaluate[[]byte](expression))
}

//go:embed page.js
var script string

// answer is what the script in page.js says: a value, or why there is none yet, or
// why there will be none.
type answer struct {
	Value json.RawMessage
	Wait  string
	Never string
	Named []string
}

// consult has the script do what a name says.
func (p *Page) consult(ctx context.Context, name string, args ...any) (a answer, err error) {
	list, err := json.Marshal(append([]any{p.within, name}, args...))
	if err != nil {
		return a, err
	}
	raw, err := p.ask(ctx, fmt.Sprintf("(%s)(...%s)", strings.TrimSpace(script), list))
	if err != nil {
		return a, err
	}
	err = json.Unmarshal(raw, &a)
	p.watch.named(a.Named)
	return a, err
}

// await has the script do what a name says until it is done, and ends the test if
// it never is. What it returns goes to into, which may be nil.
func (p *Page) await(into any, name string, args ...any) {
	p.t.Helper()
	value, err := p.until(func(ctx context.Context) (json.RawMessage, error) {
		a, err := p.consult(ctx, name, args...)
		var thrown *chromedp.ExceptionError
		switch {
		case errors.As(err, &thrown):
			return nil, never(thrown.Error())
		case err != nil:
			return nil, err
		case a.Never != "":
			return nil, never(a.Never)
		case a.Wait != "":
			return nil, errors.New(a.Wait)
		}
		return a.Value, nil
	})
	if err == nil && into != nil {
		err = json.Unmarshal(value, into)
	}
	if err != nil {
		p.t.Fatalf("%s: %v", p.sentence(name, args), err)
	}
}

// sentence says what was asked for, in the words of the test.
func (p *Page) sentence(name string, args []any) string {
	var words []string
	for _, a := range args {
		words = append(words, fmt.Sprintf("%q", a))
	}
	s := fmt.Sprintf("%s(%s)", name, strings.Join(words, ", "))
	if p.within != "" {
		s = fmt.Sprintf("Within(%q).%s", p.within, s)
	}
	return s + " on " + p.URL()
}

// never is an error that no waiting helps against.
type never string

func (n never) Error() string { return string(n) }

// until asks until there is an answer, on a page that is loaded.
func (p *Page) until(ask func(context.Context) (json.RawMessage, error)) (json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	last := errors.New("the page does not load")
	for wait := pause(0); ctx.Err() == nil; wait = wait.next() {
		if !p.watch.loading() {
			value, err := ask(ctx)
			var hopeless never
			if err == nil || errors.As(err, &hopeless) {
				return value, err
			}
			if ctx.Err() == nil {
				last = err
			}
		}
		wait.sleep(ctx)
	}
	return nil, fmt.Errorf("%w, after %v", last, patience)
}

// Evaluate has JavaScript in the page say something that goes to into, as JSON
// does; into may be nil. Promises are not waited for.
func (p *Page) Evaluate(expression string, into any) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	raw, err := p.ask(ctx, expression)
	if err == nil && into != nil {
		err = json.Unmarshal(raw, into)
	}
	if err != nil {
		p.t.Fatalf("evaluate %s on %s: %v", expression, p.URL(), err)
	}
}

// Await waits until a JavaScript expression is true in the page.
func (p *Page) Await(expression string) {
	p.t.Helper()
	_, err := p.until(func(ctx context.Context) (json.RawMessage, error) {
		raw, err := p.ask(ctx, "!!("+expression+")")
		if err == nil && string(raw) != "true" {
			err = errors.New("it is not true")
		}
		return nil, err
	})
	if err != nil {
		p.t.Fatalf("await %s on %s: %v", expression, p.URL(), err)
	}
}
