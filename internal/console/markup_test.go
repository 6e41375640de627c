package console_test

import (
	"fmt"
	"html"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	aTag     = regexp.MustCompile(`^<(/?)([a-zA-Z][a-zA-Z0-9]*)((?:\s+[a-zA-Z][a-zA-Z0-9:-]*(?:="[^"]*")?)*)\s*(/?)>`)
	anAttr   = regexp.MustCompile(`([a-zA-Z][a-zA-Z0-9:-]*)(?:="([^"]*)")?`)
	artefact = regexp.MustCompile(`\{\{|<no value>|&lt;no value&gt;|%!|ZgotmplZ|<nil>|&lt;nil&gt;`)
	// aOne is a count of one with a noun of several.
	aOne = regexp.MustCompile(`(?:^|[^\d.,’\x{a0}\x{202f}–])1 (?:accounts|cardholders|days|deliveries|differences|endpoints|events|hours|minutes|others|places|purchases|refunds|reviews|versions)\b`)
)

// empty are the elements that have no end, block those that end a paragraph.
var (
	empty = []string{"meta", "link", "input", "img", "br", "hr", "col", "wbr"}
	block = []string{"p", "ul", "ol", "dl", "div", "section", "article", "form", "table", "figure", "details", "fieldset", "pre", "h1", "h2", "h3", "h4", "header", "footer", "main", "nav"}
)

// element is a tag with its attributes.
type element struct {
	name  string
	attrs map[string]string
}

// markup reads a page as strictly as its own authors should write it, and returns
// what is wrong with it.
type markup struct {
	wrong    []string
	elements []element
	stack    []string
	ids      map[string]bool
}

func (m *markup) fault(format string, args ...any) {
	m.wrong = append(m.wrong, fmt.Sprintf(format, args...))
}

// faults returns what is wrong with a page: tags that do not pair or nest, ids that
// are there twice or are named and not there, anything inline, forms without a token,
// fields and pictures without a name, and what a template leaves that went wrong.
func faults(page string) []string {
	m := &markup{ids: make(map[string]bool)}
	rest, ok := strings.CutPrefix(page, "<!doctype html>")
	if !ok {
		m.fault("it does not begin with its type")
	}
	m.read(rest)
	m.references()
	m.forms(page)
	m.names(page)
	for _, found := range artefact.FindAllString(page, -1) {
		m.fault("a template left %q", found)
	}
	if found := aOne.FindString(said(page)); found != "" {
		m.fault("one of many: %q", found)
	}
	return m.wrong
}

func (m *markup) read(text string) {
	for {
		i := strings.IndexByte(text, '<')
		if i < 0 {
			break
		}
		tag := aTag.FindStringSubmatch(text[i:])
		if tag == nil {
			m.fault("no tag: %.60q", text[i:])
			text = text[i+1:]
			continue
		}
		text = text[i+len(tag[0]):]
		m.tag(tag[2], tag[1] != "", tag[4] != "", tag[3])
	}
	if len(m.stack) > 0 {
		m.fault("never ended: %v", m.stack)
	}
}

func (m *markup) tag(name string, end, alone bool, attrs string) {
	if end {
		if len(m.stack) == 0 || m.stack[len(m.stack)-1] != name {
			m.fault("</%s> ends none of %v", name, m.stack)
			return
		}
		m.stack = m.stack[:len(m.stack)-1]
		return
	}
	e := element{name, make(map[string]string)}
	for _, a := range anAttr.FindAllStringSubmatch(attrs, -1) {
		if _, twice := e.attrs[a[1]]; twice {
			m.fault("<%s> has %s twice", name, a[1])
		}
		e.attrs[a[1]] = html.UnescapeString(a[2])
	}
	m.inline(&e)
	if id, ok := e.attrs["id"]; ok && (id == "" || m.ids[id]) {
		m.fault("the id %q is empty or there twice", id)
	} else if ok {
		m.ids[id] = true
	}
	switch {
	case slices.Contains(block, name) && slices.Contains(m.stack, "p"):
		m.fault("<%s> in a paragraph", name)
	case (name == "a" || name == "button" || name == "form") && slices.Contains(m.stack, name):
		m.fault("<%s> in another", name)
	}
	m.elements = append(m.elements, e)
	if !alone && !slices.Contains(empty, name) {
		m.stack = append(m.stack, name)
	}
}

// inline finds what the policy of pages forbids.
func (m *markup) inline(e *element) {
	for name := range e.attrs {
		if name == "style" || strings.HasPrefix(name, "on") {
			m.fault("<%s> has the attribute %s", e.name, name)
		}
	}
	if e.name == "style" || e.name == "script" && e.attrs["src"] == "" {
		m.fault("<%s> within the page", e.name)
	}
	for _, name := range []string{"href", "src", "action"} {
		if address, ok := e.attrs[name]; ok && (!strings.HasPrefix(address, "/") || strings.HasPrefix(address, "//")) && !strings.HasPrefix(address, "#") {
			m.fault("<%s> leads to %q", e.name, address)
		}
	}
}

// references finds names of elements that are not there, and elements without one.
func (m *markup) references() {
	labelled := make(map[string]bool)
	for _, e := range m.elements {
		if e.name == "label" {
			labelled[e.attrs["for"]] = true
		}
	}
	for _, e := range m.elements {
		for _, name := range []string{"for", "aria-labelledby", "aria-describedby", "aria-controls"} {
			for _, id := range strings.Fields(e.attrs[name]) {
				if !m.ids[id] {
					m.fault("<%s %s=%q> names nothing", e.name, name, id)
				}
			}
		}
		if id, ok := strings.CutPrefix(e.attrs["href"], "#"); ok && !m.ids[id] {
			m.fault("a link to #%s leads nowhere", id)
		}
		_, hidden := e.attrs["hidden"]
		switch {
		case e.name == "img" && !slices.Contains(keys(e.attrs), "alt"):
			m.fault("a picture without a text")
		case slices.Contains([]string{"input", "select", "textarea"}, e.name) && !hidden && e.attrs["type"] != "hidden" &&
			!labelled[e.attrs["id"]] && e.attrs["aria-label"] == "" && e.attrs["type"] != "radio" && e.attrs["type"] != "checkbox":
			m.fault("a field without a label: %v", e.attrs)
		}
	}
}

func keys(attrs map[string]string) (list []string) {
	for name := range attrs {
		list = append(list, name)
	}
	return list
}

// forms finds those that change something and do not show where they are from.
func (m *markup) forms(page string) {
	for _, form := range formTag.FindAllStringSubmatch(page, -1) {
		a := attributes(form[1])
		if (a["method"] == "post") != strings.Contains(form[2], `name="csrf"`) {
			m.fault("a form to %s by %q, and its token", a["action"], a["method"])
		}
	}
}

var named = regexp.MustCompile(`(?s)<(?:a|button|summary)\b[^>]*\saria-label="([^"]*)"[^>]*>(.*?)</(?:a|button|summary)>`)

// names finds what is called otherwise than it reads: who speaks to the page says what
// they see.
func (m *markup) names(page string) {
	for _, found := range named.FindAllStringSubmatch(page, -1) {
		called, reads := strings.ToLower(html.UnescapeString(found[1])), strings.ToLower(said(found[2]))
		if !strings.Contains(called, reads) {
			m.fault("%q is called %q", reads, called)
		}
	}
}

func TestFaultsAreFound(t *testing.T) {
	const good = `<!doctype html><p>a &lt; b</p><img src="/x" alt="">`
	if found := faults(good); found != nil {
		t.Errorf("a good page has %v", found)
	}
	for _, bad := range []string{
		`<p>x`, `<p>x</b></p>`, `<p><ul></ul></p>`, `a < b`, `<p class="a" class="b">x</p>`, `<p id="a"></p><p id="a"></p>`, `<label for="a">x</label>`,
		`<p style="x">x</p>`, `<p onclick="x">x</p>`, `<style>x</style>`, `<script>x</script>`, `<img src="/x">`, `<input>`, `<a href="javascript:x">x</a>`,
		`<a href="//elsewhere">`, `<a href="/x"><a href="/y"></a></a>`, `<a href="#none">x</a>`, `<form method="post" action="/x"></form>`, `<main>{{x}}</main>`, `<main>&lt;no value&gt;</main>`,
		`<main>%!d(string=x)</main>`, `<main>over 1 days</main>`, `<p title=x>x</p>`, `<button aria-label="try it again">try again</button>`,
	} {
		if faults("<!doctype html>"+bad) == nil {
			t.Errorf("nothing is wrong with %s", bad)
		}
	}
}
