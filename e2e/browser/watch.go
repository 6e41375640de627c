package browser

import (
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/audits"
	"github.com/chromedp/cdproto/fetch"

	"github.com/chromedp/cdproto/inspector"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/preload"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
)

// watch sees the events of a page as they come, and remembers what its user would
// not see.
type watch struct {
	hosts []string // that may be asked
	main  string   // the page's frame; "" until it is known

	mu         sync.Mutex
	complaints []string
	announced  []int // statuses of responses that have yet to come
	navigating bool
	pending    map[network.RequestID]target.SessionID // requests without an end, and who asks
	beginning  map[target.SessionID]bool              // what the page has started and has not begun yet
	sent       map[network.RequestID]string
	dialog     func()                // has a dialog closed
	pass       func(fetch.RequestID) // has a request go on
}

func newWatch(o Options) (*watch, error) {
	w := &watch{
		pending: make(map[network.RequestID]target.SessionID), beginning: make(map[target.SessionID]bool),
		sent: make(map[network.RequestID]string),
	}
	for _, server := range append([]string{o.Server}, o.Others...) {
		u, err := url.Parse(server)
		if err != nil || u.Host == "" {
			return nil, fmt.Errorf("server %q: expected an address such as http://127.0.0.1:8080", server)
		}
		w.hosts = append(w.hosts, u.Host)
	}
	return w, nil
}

// see takes an event of the page itself.
func (w *watch) see(event any) { w.hear("", event) }

// hear takes an event of the page, or of a session of what it has started. It runs
// between their events and must not wait.
func (w *watch) hear(session target.SessionID, event any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		w.console(e)
	case *runtime.EventExceptionThrown:
		w.complain("uncaught exception: %s", exception(e.ExceptionDetails))
	case *log.EventEntryAdded:
		w.entry(e.Entry)
	case *audits.EventIssueAdded:
		w.issue(e.Issue)
	case *fetch.EventRequestPaused:
		w.host(e.Request.Method, e.Request.URL)
		go w.pass(e.RequestID)
	case *preload.EventPrefetchStatusUpdated:
		w.host("prefetch", e.PrefetchURL)
	case *preload.EventPrerenderStatusUpdated:
		w.host("prerender", e.Key.URL)
	case *network.EventRequestWillBeSent:
		w.request(session, e)
	case *network.EventWebSocketCreated:
		w.host("socket", e.URL)
	case *network.EventWebTransportCreated:
		w.host("transport", e.URL)
	case *network.EventResponseReceived:
		w.headers(e.Response.URL, e.Response.Headers)
		w.response(e.RequestID, e.Response)
	case *network.EventLoadingFinished:
		delete(w.pending, e.RequestID)
	case *network.EventLoadingFailed:
		delete(w.pending, e.RequestID)
	case *page.EventFrameRequestedNavigation:
		if w.isMain(string(e.FrameID)) && e.Disposition == page.ClientNavigationDispositionCurrentTab {
			w.navigating = true
		}
	case *page.EventFrameStartedLoading:
		w.navigating = w.navigating || w.isMain(string(e.FrameID))
	case *page.EventFrameStoppedLoading:
		w.navigating = w.navigating && !w.isMain(string(e.FrameID))
	case *page.EventWindowOpen:
		w.complain("opened a window for %s", e.URL)
	case *page.EventJavascriptDialogOpening:
		w.complain("opened a dialog: %s", e.Message)
		go w.dialog()
	case *inspector.EventTargetCrashed:
		w.complain("the page crashed")
	}
}

// begins, began and ends tell of what the page has started, by its session.
func (w *watch) begins(session target.SessionID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.beginning[session] = true
}

func (w *watch) began(session target.SessionID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.beginning, session)
}

func (w *watch) ends(session target.SessionID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.beginning, session)
	maps.DeleteFunc(w.pending, func(_ network.RequestID, of target.SessionID) bool { return of == session })
}

// unwatchable says that what the page has started does not tell what it asks for.
func (w *watch) unwatchable(what string, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.complain("started a %s, which cannot be watched: %v", what, err)
}

// know says which frame is the page's.
func (w *watch) know(frame string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.main = frame
}

func (w *watch) frame() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.main
}

func (w *watch) isMain(frame string) bool { return w.main == frame }

func (w *watch) complain(format string, args ...any) {
	if c := fmt.Sprintf(format, args...); !slices.Contains(w.complaints, c) {
		w.complaints = append(w.complaints, c)
	}
}

func (w *watch) console(e *runtime.EventConsoleAPICalled) {
	switch e.Type {
	case runtime.ConsoleAPICalledTypeError, runtime.ConsoleAPICalledTypeWarning, runtime.ConsoleAPICalledTypeAssert:
	default:
		return
	}
	var words []string
	for _, a := range e.Args {
		switch {
		case a.Description != "":
			words = append(words, a.Description)
		default:
			words = append(words, string(a.Value))
		}
	}
	w.complain("console %s: %s", e.Type, strings.Join(words, " "))
}

func exception(d *runtime.ExceptionDetails) string {
	text := d.Text
	if d.Exception != nil {
		text += " " + d.Exception.Description + string(d.Exception.Value)
	}
	return fmt.Sprintf("%s (%s:%d)", text, d.URL, d.LineNumber+1)
}

// entry takes what the browser itself writes on the console. That a response is
// 400 or above is seen from the response.
func (w *watch) entry(e *log.Entry) {
	if e.Level != log.EntryLevelError && e.Level != log.EntryLevelWarning {
		return
	}
	if e.Source == log.EntrySourceNetwork && strings.Contains(e.Text, "the server responded with a status of") {
		return
	}
	w.complain("%s %s: %s %s", e.Source, e.Level, e.Text, e.URL)
}

// issue takes what the browser's auditor finds, as far as it is about security or
// about a page that is not what its author meant. Its advice is for axe to give.
func (w *watch) issue(i *audits.InspectorIssue) {
	switch d := i.Details; {
	case d == nil:
	case d.ContentSecurityPolicyIssueDetails != nil:
		v := d.ContentSecurityPolicyIssueDetails
		w.complain("security policy: %s is violated (%s %s)", v.ViolatedDirective, v.ContentSecurityPolicyViolationType, v.BlockedURL)
	case d.MixedContentIssueDetails != nil:
		w.complain("mixed content: %s is %s", d.MixedContentIssueDetails.InsecureURL, d.MixedContentIssueDetails.ResolutionStatus)
	case d.BlockedByResponseIssueDetails != nil:
		w.complain("blocked: %s", d.BlockedByResponseIssueDetails.Reason)
	case d.QuirksModeIssueDetails != nil:
		w.complain("quirks mode: %s has no <!doctype html>", d.QuirksModeIssueDetails.URL)
	}
}

func (w *watch) request(session target.SessionID, e *network.EventRequestWillBeSent) {
	w.host(e.Request.Method, e.Request.URL)
	w.sent[e.RequestID] = e.Request.Method
	switch {
	case e.Type == network.ResourceTypeEventSource, e.Type == network.ResourceTypePing:
		// A stream of events ends when its page does, and nobody hears of a ping's end.
	case e.FrameID == "":
		// Nor of the end of a worker's script: that is told elsewhere, if at all.
	case !isFavicon(e.Request.URL):
		w.pending[e.RequestID] = session
	}
}

// named takes the addresses that the document's links have the browser ask, or
// would in a window.
func (w *watch) named(addresses []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, a := range addresses {
		w.host("link", a)
	}
}

// Of addresses in headers, these are asked without an event that says so: what is
// to be connected with, and who is told of what goes wrong.
var (
	linked   = regexp.MustCompile(`(?i)<([^>]*)>[^,]*\brel="?[^",;]*(?:preconnect|dns-prefetch)`)
	reported = regexp.MustCompile(`"(https?://[^"]*)"`)
)

func (w *watch) headers(of string, headers network.Headers) {
	base, err := url.Parse(of)
	if err != nil {
		return
	}
	for name, value := range headers {
		in := linked
		switch strings.ToLower(name) {
		case "link":
		case "reporting-endpoints", "report-to":
			in = reported
		default:
			continue
		}
		for _, m := range in.FindAllStringSubmatch(fmt.Sprint(value), -1) {
			if u, err := base.Parse(m[1]); err == nil {
				w.host(name, u.String())
			}
		}
	}
}

// host complains about an address on another host. What comes with the page asks
// nobody.
func (w *watch) host(method, address string) {
	u, err := url.Parse(address)
	if err == nil && (slices.Contains(w.hosts, u.Host) || slices.Contains([]string{"data", "blob", "about"}, u.Scheme)) {
		return
	}
	w.complain("request to another host: %s %s", method, address)
}

func (w *watch) response(id network.RequestID, r *network.Response) {
	if r.Status < 400 {
		return
	}
	if isFavicon(r.URL) {
		return
	}
	if at := slices.Index(w.announced, int(r.Status)); at >= 0 {
		w.announced = slices.Delete(w.announced, at, at+1)
		return
	}
	w.complain("response %d: %s %s", r.Status, w.sent[id], r.URL)
}

// isFavicon reports whether the browser asks, without the page's having named it.
func isFavicon(address string) bool {
	u, err := url.Parse(address)
	return err == nil && u.Path == "/favicon.ico"
}

// loading reports whether the page is on its way to another one.
func (w *watch) loading() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.navigating
}

// asking reports whether requests have yet to end, or what the page has started
// has yet to begin.
func (w *watch) asking() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.pending) > 0 || len(w.beginning) > 0
}

func (w *watch) announce(statuses []int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.announced = append(w.announced, statuses...)
}

// all is every complaint so far, with what was announced and did not come.
func (w *watch) all() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	list := slices.Clone(w.complaints)
	for _, status := range w.announced {
		list = append(list, fmt.Sprintf("no response %d, which was announced", status))
	}
	return list
}
