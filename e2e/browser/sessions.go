package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/audits"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/inspector"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

// sessions is the connection to the browser. It stands between the browser and
// chromedp, which hears of pages alone: what they start, such as workers, service
// workers and frames in processes of their own, has a session of its own here. It
// is held when it starts, until the page's watch hears of all that it does.
type sessions struct {
	chromedp.Transport

	mu      sync.Mutex
	watches map[cdp.BrowserContextID]*watch // of the pages: each has a context of its own
	started map[target.SessionID]started
	last    int64 // number of the last command that was sent from here
}

// started is what a page has started.
type started struct {
	watch   *watch
	what    string
	network int64 // the command that has it tell of its requests
	begin   int64 // the command whose answer comes when it has begun
}

func newSessions(t chromedp.Transport) *sessions {
	return &sessions{Transport: t, watches: make(map[cdp.BrowserContextID]*watch), started: make(map[target.SessionID]started)}
}

// Of what pages start, their own sessions tell of what is theirs alone, and the
// browser's of what several may share and of windows.
var (
	ofPages   target.Filter // the usual
	ofBrowser = target.Filter{{Type: "page"}, {Type: "service_worker"}, {Type: "shared_worker"}, {Exclude: true}}
)

// held has what is started from now on wait for its watch.
func held(what target.Filter) target.SetAutoAttachParams {
	flat := true
	return target.SetAutoAttachParams{AutoAttach: true, WaitForDebuggerOnStart: true, Flatten: &flat, Filter: what}
}

// watch has a page's watch hear of all that is started in its context.
func (s *sessions) watch(id cdp.BrowserContextID, w *watch) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.watches[id] = w
}

func (s *sessions) unwatch(id cdp.BrowserContextID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.watches, id)
}

// Read reads the next message that is for chromedp.
func (s *sessions) Read(ctx context.Context, msg *cdproto.Message) error {
	for {
		*msg = cdproto.Message{}
		if err := s.Transport.Read(ctx, msg); err != nil {
			return err
		}
		s.mu.Lock()
		of, ours := s.started[msg.SessionID]
		s.mu.Unlock()
		switch {
		case msg.Method == cdproto.EventTargetAttachedToTarget:
			if err := s.attached(ctx, msg); err != nil {
				return err
			}
		case msg.Method == cdproto.EventTargetDetachedFromTarget:
			if err := s.detached(msg); err != nil {
				return err
			}
		case !ours:
		case msg.Method == "":
			of.answered(msg)
		default:
			// An event that the protocol does not know of yet says nothing about a page.
			if event, err := cdproto.UnmarshalMessage(msg, chromedp.DefaultUnmarshalOptions); err == nil {
				of.watch.hear(msg.SessionID, event)
			}
		}
		if !ours {
			return nil
		}
	}
}

// attached begins to watch what a page has started. What no page has started, such
// as a page of a test, goes on as it is.
func (s *sessions) attached(ctx context.Context, msg *cdproto.Message) error {
	var e target.EventAttachedToTarget
	if err := json.Unmarshal(msg.Params, &e); err != nil {
		return fmt.Errorf("%s: %w", msg.Method, err)
	}
	if !e.WaitingForDebugger && msg.SessionID == "" && e.TargetInfo.Type == "page" {
		return nil // it is chromedp that wants to talk to a page
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	it := started{watch: s.watches[e.TargetInfo.BrowserContextID], what: e.TargetInfo.Type + " " + e.TargetInfo.URL}
	if it.watch == nil {
		_, err := s.send(ctx, e.SessionID, runtime.RunIfWaitingForDebugger.Method, cdp.Empty{})
		return err
	}
	for _, command := range []struct {
		method string
		params any
		number *int64
	}{
		{network.Enable.Method, network.EnableParams{}, &it.network},
		// What it starts itself.
		{target.SetAutoAttach.Method, held(ofPages), nil},
		// Not everything that can be started knows all of these.
		{runtime.Enable.Method, cdp.Empty{}, nil},
		{log.Enable.Method, cdp.Empty{}, nil},
		{audits.Enable.Method, cdp.Empty{}, nil},
		{inspector.Enable.Method, cdp.Empty{}, nil},
		{page.Enable.Method, page.EnableParams{}, nil},
		{runtime.RunIfWaitingForDebugger.Method, cdp.Empty{}, nil},
		{runtime.Evaluate.Method, runtime.EvaluateParams{Expression: "0"}, &it.begin},
	} {
		number, err := s.send(ctx, e.SessionID, command.method, command.params)
		if err != nil {
			return err
		}
		if command.number != nil {
			*command.number = number
		}
	}
	s.started[e.SessionID] = it
	it.watch.begins(e.SessionID)
	return nil
}

func (s *sessions) detached(msg *cdproto.Message) error {
	var e target.EventDetachedFromTarget
	if err := json.Unmarshal(msg.Params, &e); err != nil {
		return fmt.Errorf("%s: %w", msg.Method, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if it, ours := s.started[e.SessionID]; ours {
		delete(s.started, e.SessionID)
		it.watch.ends(e.SessionID)
	}
	return nil
}

// send sends a command to a session, whose answer is awaited by nobody.
func (s *sessions) send(ctx context.Context, id target.SessionID, method string, params any) (number int64, err error) {
	content, err := json.Marshal(params)
	if err != nil {
		return 0, err
	}
	s.last++
	return s.last, s.Write(ctx, &cdproto.Message{ID: s.last, SessionID: id, Method: cdproto.MethodType(method), Params: content})
}

// answered takes an answer to a command of ours.
func (s started) answered(msg *cdproto.Message) {
	switch msg.ID {
	case s.network:
		if msg.Error != nil {
			s.watch.unwatchable(s.what, msg.Error)
		}
	case s.begin:
		s.watch.began(msg.SessionID)
	}
}
