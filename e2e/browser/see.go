package browser

import (
	"context"

	"github.com/chromedp/chromedp"
)

// See waits until a text is visible. White space of any kind and length is one
// space; letters are as they are shown.
func (p *Page) See(text string) {
	p.t.Helper()
	p.await(nil, "See", text)
}

// DoNotSee waits until a text is not visible. It is true of a page that has yet to
// change, so say before what is seen after the change.
func (p *Page) DoNotSee(text string) {
	p.t.Helper()
	p.await(nil, "DoNotSee", text)
}

// Text is what the first visible element of a selector reads, which it waits for.
func (p *Page) Text(selector string) string {
	p.t.Helper()
	var text string
	p.await(&text, "Text", selector)
	return text
}

// Texts is what the visible elements of a selector read, in the order of the
// page. There may be none; it waits for the page alone.
func (p *Page) Texts(selector string) []string {
	p.t.Helper()
	var texts []string
	p.await(&texts, "Texts", selector)
	return texts
}

// Value is what the field of a label holds: its text, the text of the option that
// is chosen, or true or false of a box.
func (p *Page) Value(label string) string {
	p.t.Helper()
	var value string
	p.await(&value, "Value", label)
	return value
}

// Attribute is an attribute of the first element of a selector, visible or not;
// "" if it has none.
func (p *Page) Attribute(selector, attribute string) string {
	p.t.Helper()
	var value string
	p.await(&value, "Attribute", selector, attribute)
	return value
}

// Title is the document's.
func (p *Page) Title() string {
	p.t.Helper()
	var title string
	p.Evaluate("document.title", &title)
	return title
}

// read is what can be read on the page, for messages.
func (p *Page) read() string {
	ctx, cancel := context.WithTimeout(p.ctx, patience/6)
	defer cancel()
	text, err := chromedp.Run(ctx, chromedp.Evaluate[string]("(document.body ? document.body.innerText : '').slice(0, 2000)"))
	if err != nil {
		return err.Error()
	}
	return text
}

// Fits fails the test if the page is wider than its window, so that one would
// have to scroll sideways, and names what sticks out.
func (p *Page) Fits() {
	p.t.Helper()
	var got struct {
		Most    int
		Outside []string
	}
	p.await(&got, "Fits", p.options.Width)
	if got.Most > p.options.Width {
		p.t.Errorf("%s is %d pixels wide in a window of %d; what sticks out: %q", p.URL(), got.Most, p.options.Width, got.Outside)
	}
}
