package browser

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/audits"
	"github.com/chromedp/cdproto/inspector"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
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
	pending    map[network.RequestID]bool // requests without an end
	sent       map[network.RequestID]string
	dialog     func() // has a dialog closed
}

func newWatch(o Options) (*watch, error) {
	w := &watch{pending: make(map[network.RequestID]bool), sent: make(map[network.RequestID]string)}
	for _, server := range append([]string{o.Server}, o.Others...) {
		u, err := url.Parse(server)
		if err != nil || u.Host == "" {
			return nil, fmt.Errorf("server %q: expected an address such as http://127.0.0.1:8080", server)
		}
		w.hosts = append(w.hosts, u.Host)
	}
	return w, nil
}

// see takes an event. It runs between the events of the page and must not wait.
func (w *watch) see(event any) {
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
	case *network.EventRequestWillBeSent:
		w.request(e)
	case *network.EventWebSocketCreated:
		w.host("socket", e.URL)
	case *network.EventResponseReceived:
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
		w.complain("opened a window for %s, which nobody watches", e.URL)
	case *target.EventAttachedToTarget:
		w.complain("started a %s at %s, which nobody watches", e.TargetInfo.Type, e.TargetInfo.URL)
	case *page.EventJavascriptDialogOpening:
		w.complain("opened a dialog: %s", e.Message)
		go w.dialog()
	case *inspector.EventTargetCrashed:
		w.complain("the page crashed")
	}
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

func (w *watch) request(e *network.EventRequestWillBeSent) {
	w.host(e.Request.Method, e.Request.URL)
	w.sent[e.RequestID] = e.Request.Method
	// A stream of events ends when its page does. Of a request that is not the
	// page's, such as a worker's, the end is told elsewhere.
	if e.Type != network.ResourceTypeEventSource && e.FrameID != "" && !isFavicon(e.Request.URL) {
		w.pending[e.RequestID] = true
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

// asking reports whether requests have yet to end.
func (w *watch) asking() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.pending) > 0
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
