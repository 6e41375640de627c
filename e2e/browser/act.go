package browser

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// point is a place in the window, in CSS pixels.
type point struct{ X, Y float64 }

// Click clicks what has a name, such as a link, a button or a box by its label,
// or else the first that is visible of what a selector names. It waits until the
// thing is there, enabled and not covered; on a phone it is tapped. If that leads
// to another page, it waits until that is loaded.
func (p *Page) Click(what string) {
	p.t.Helper()
	var at point
	p.await(&at, "Click", what)
	p.press(at)
}

func (p *Page) press(at point) {
	p.t.Helper()
	if p.options.Phone {
		p.do("tap", chromedp.TapXY(at.X, at.Y))
	} else {
		p.do("click", chromedp.MouseEvent(chromedp.MouseMoved, at.X, at.Y), chromedp.MouseClickXY(at.X, at.Y))
	}
	p.settle()
}

// Hover points at what Click would click.
func (p *Page) Hover(what string) {
	p.t.Helper()
	var at point
	p.await(&at, "Click", what)
	p.do("hover", chromedp.MouseEvent(chromedp.MouseMoved, at.X, at.Y))
}

// Fill writes a value into the field that has a label, in place of what it holds,
// or chooses the option of that text in a list. The label may be the beginning of
// one, or else a selector. Dates are written as 2026-01-31.
func (p *Page) Fill(label, value string) {
	p.t.Helper()
	var how string
	p.await(&how, "Fill", label, value)
	switch {
	case how != "type":
	case value == "":
		p.do("empty a field", chromedp.KeyEvent(kb.Delete))
	default:
		p.do("fill a field", chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
			return call(ctx, input.InsertText, input.InsertTextParams{Text: value})
		}))
	}
	p.settle()
}

// Check ticks the box that has a label, or chooses the one of several, or with
// false takes the tick away. It does nothing where nothing is to be done.
func (p *Page) Check(label string, on bool) {
	p.t.Helper()
	var at *point
	if p.await(&at, "Check", label, on); at != nil {
		p.press(*at)
	}
}

// Press presses a key where the focus is: a letter, or a name such as Enter, Tab,
// Escape, Space or ArrowDown, with modifiers such as Shift+Tab.
func (p *Page) Press(key string) {
	p.t.Helper()
	var held []chromedp.Modifier
	name := key
	for len(name) > 1 {
		before, after, more := strings.Cut(name, "+")
		if !more || after == "" {
			break
		}
		modifier, known := modifiers[before]
		if !known {
			p.t.Fatalf("Press(%q): expected Shift, Control, Alt or Meta before +, found %q", key, before)
		}
		held, name = append(held, modifier), after
	}
	code, known := keyNamed(name)
	if !known {
		p.t.Fatalf("Press(%q): expected a character or the name of a key such as Enter, found %q", key, name)
	}
	p.do("press "+key, chromedp.KeyEvent(string(code), chromedp.KeyModifiers(held...)))
	p.settle()
}

var modifiers = map[string]chromedp.Modifier{
	"Shift": chromedp.ModifierShift, "Control": chromedp.ModifierCtrl, "Alt": chromedp.ModifierAlt, "Meta": chromedp.ModifierMeta,
}

func keyNamed(name string) (rune, bool) {
	if utf8.RuneCountInString(name) == 1 {
		r, _ := utf8.DecodeRuneInString(name)
		return r, true
	}
	if name == "Space" {
		return ' ', true
	}
	first, known := rune(0), false
	for r, k := range kb.Keys { // some have two codes
		if k.Key == name && (!known || r < first) {
			first, known = r, true
		}
	}
	return first, known
}

// Download clicks and waits for the file that comes of it.
func (p *Page) Download(what string) (name string, content []byte) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	events := make(chan any, 4096)
	err := chromedp.ListenBrowser(ctx, func(event any) {
		switch event.(type) {
		case *browser.EventDownloadWillBegin, *browser.EventDownloadProgress:
			events <- event
		}
	})
	if err != nil {
		p.t.Fatalf("Download(%q): %v", what, err)
	}
	p.Click(what)
	guid := ""
	for {
		select {
		case event := <-events:
			switch e := event.(type) {
			case *browser.EventDownloadWillBegin:
				if string(e.FrameID) == p.watch.frame() { // other pages download too
					guid, name = e.GUID, e.SuggestedFilename
				}
			case *browser.EventDownloadProgress:
				if e.GUID != guid || e.State == browser.DownloadProgressStateInProgress {
					continue
				}
				if e.State != browser.DownloadProgressStateCompleted {
					p.t.Fatalf("Download(%q): %s is %s", what, name, e.State)
				}
				content, err := os.ReadFile(filepath.Join(p.downloads, guid))
				if err != nil {
					p.t.Fatalf("Download(%q): %v", what, err)
				}
				return name, content
			}
		case <-ctx.Done():
			p.t.Fatalf("Download(%q) on %s: no file after %v", what, p.URL(), patience)
		}
	}
}

// do has the browser do something.
func (p *Page) do(what string, steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		p.t.Fatalf("%s on %s: %v", what, p.URL(), err)
	}
}

// settle waits until the page that an act leads to is loaded, if it leads to one.
// The browser begins with it in a task of its own, after the act is done and before
// it answers the second question.
func (p *Page) settle() {
	p.t.Helper()
	whole := &Page{tab: p.tab}
	whole.await(nil, "Settle")
	for again := true; again; again = p.watch.loading() {
		whole.await(nil, "Settle")
	}
}
