package console

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"net/http"

	"recoup/internal/console/locale"
	"recoup/internal/console/phrase"
	"recoup/internal/console/session"
	"recoup/internal/service/scope"
)

// Each page is a file that defines "main" and may define "actions", which is shown
// beside the title. What several pages use is in parts.html.
//
//go:embed pages/*.html
var pages embed.FS

// view is what a template is given. Body is the page's own.
type view struct {
	Title   string
	Section string // of the menu that the page belongs to
	Body    any

	// What follows is filled in for every page.
	Person session.Person
	Signed bool
	Open   bool   // everybody is let in
	CSRF   string // for forms
	Notice string
	Here   string // the address of the page, for coming back to it; Path where a form was sent
	Menu   []entry
	Locale *locale.Locale
}

// Languages are those to choose from.
func (*view) Languages() []locale.Language { return locale.Languages() }

// entry is a page of the menu.
type entry struct {
	Path    string
	Name    locale.Text
	Section string
}

// menu is the pages at the top of every page, as far as the person may see them.
var menu = []struct {
	entry
	scope scope.Set
}{
	{entry{Path, "Overview", "overview"}, scope.Read},
	{entry{Path + "risk", "Risk", "risk"}, scope.Read},
	{entry{Path + "accounts", "Accounts", "accounts"}, scope.Read},
	{entry{Path + "reviews", "Reviews", "reviews"}, scope.Read},
	{entry{Path + "adjustments", "Adjustments", "adjustments"}, scope.Read},
	{entry{Path + "programs", "Programs", "programs"}, scope.Read},
	{entry{Path + "playground", "Playground", "playground"}, scope.Read},
}

// show answers with a page.
func (v *visit) show(name, section, title string, body any) error {
	return v.render(http.StatusOK, name, view{Title: title, Section: section, Body: body})
}

// render answers with a page that is wholly there, or with none.
func (v *visit) render(status int, name string, data view) error {
	if v.seated {
		v.made = func() error { return v.render(status, name, data) }
		return nil
	}
	data.Person, data.Signed = v.person, v.person.ID != ""
	data.Open, data.CSRF = v.console.open, v.console.sessions.Token(v.r)
	if data.Here = Path; v.r.Method != http.MethodPost {
		data.Here = v.r.URL.RequestURI()
	}
	data.Notice = v.noticed()
	data.Title, data.Locale = v.locale.Say(locale.Text(data.Title)), v.locale
	for _, m := range menu {
		if data.Signed && v.may(m.scope) {
			data.Menu = append(data.Menu, m.entry)
		}
	}
	t, err := v.console.templateOf(v.locale, name)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := t.ExecuteTemplate(&out, "layout", &data); err != nil {
		return fmt.Errorf("page %s: %w", name, err)
	}
	v.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	v.w.Header().Add("Vary", "Accept-Language, Cookie")
	v.w.WriteHeader(status)
	_, err = out.WriteTo(v.w)
	if err != nil {
		v.console.log.DebugContext(v.ctx(), "a page was not read to its end", "error", err)
	}
	return nil
}

// templateOf returns a page as it was parsed once for a locale.
func (c *Console) templateOf(l *locale.Locale, name string) (*template.Template, error) {
	key := l.Tag + "/" + l.Language() + "/" + name
	if t, ok := c.templates.Load(key); ok {
		return t.(*template.Template), nil
	}
	t := template.New(name).Funcs(functions(l))
	for _, file := range []string{"layout.html", "parts.html", name + ".html"} {
		source, err := sourceOf(l, file)
		if err != nil {
			return nil, fmt.Errorf("page %s: %w", name, err)
		}
		if _, err := t.New(file).Parse(source); err != nil {
			return nil, fmt.Errorf("page %s: %w", name, err)
		}
	}
	c.templates.Store(key, t)
	return t, nil
}

// sourceOf is the source of a page's file in the language of a locale.
func sourceOf(l *locale.Locale, file string) (string, error) {
	source, err := pages.ReadFile("pages/" + file)
	if err != nil {
		return "", err
	}
	if l.Language() == locale.English {
		return phrase.Head(string(source)), nil
	}
	options := phrase.Options{Then: "say", Say: func(message string) (string, bool) { return l.Message(file, message) }}
	if l.Direction() == "rtl" {
		options.Isolate = isolated
	}
	said, err := phrase.Translate(string(source), options)
	if err != nil {
		return "", fmt.Errorf("%s in %s: %w", file, l.Language(), err)
	}
	return phrase.Head(said), nil
}

// isolated are the functions whose values have a direction of their own: what others
// chose, and numbers with signs.
var isolated = map[string]bool{"text": true, "sentence": true, "amount": true, "change": true, "count": true, "percent": true, "date": true}
