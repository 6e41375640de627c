package console

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"os"
	"strings"
	"unicode/utf8"

	"recoup/event"
	"recoup/internal/console/locale"
	"recoup/internal/console/session"
	"recoup/internal/engine"
	"recoup/internal/service/budget"
	"recoup/internal/service/scope"
	"recoup/internal/service/security"
	"recoup/reward"
)

// visit is one request of a person who is signed in, with all that answering it
// takes.
type visit struct {
	console *Console
	w       http.ResponseWriter
	r       *http.Request
	person  session.Person
	work    *budget.Work
	locale  *locale.Locale
	now     reward.Instant
	// seated: what is read is of one snapshot, which is let go before the page is made.
	seated bool
	made   func() error
}

func (v *visit) ctx() context.Context { return v.r.Context() }

// given returns a field of the query, without what a clipboard adds around it.
func (v *visit) given(name string) string { return cleaned(v.r.URL.Query().Get(name)) }

// id returns an id that the query has, as it is: spaces and marks may be part of it.
// What no id can be is empty, since some databases would not even take a look at it.
func (v *visit) id(name string) string {
	text := v.r.URL.Query().Get(name)
	if len(text) > event.MaxText || !utf8.ValidString(text) || strings.Contains(text, "\x00") {
		return ""
	}
	return text
}

// field returns a field of the form that was sent.
func (v *visit) field(name string) string {
	return cleaned(strings.ToValidUTF8(strings.ReplaceAll(v.r.PostForm.Get(name), "\x00", ""), ""))
}

// say writes a sentence that has no values in the person's language.
func (v *visit) say(text string) string { return v.locale.Sprintf(text, []any(nil)...) }

// noise is what a clipboard adds to a text: marks that have no width, and spaces that
// do not break.
var noise = strings.NewReplacer("\u200b", "", "\u200c", "", "\u200d", "", "\u2060", "", "\ufeff", "", "\u00ad", "", "\u00a0", " ", "\u202f", " ")

// cleaned returns a text without space at its ends and marks that have no width.
func cleaned(text string) string { return strings.TrimSpace(noise.Replace(text)) }

// may reports whether the person may do what the scope stands for.
func (v *visit) may(scope scope.Set) bool { return v.person.Scopes.Has(scope) }

// moved answers a form with where to look next, which says what was done: notice is
// a key of notices, with the numbers that it has.
func (v *visit) moved(path, notice string, numbers ...int64) error {
	if notice != "" {
		var err error
		if path, err = v.noticedAt(path, notice, numbers); err != nil {
			return err
		}
	}
	http.Redirect(v.w, v.r, path, http.StatusSeeOther)
	return nil
}

// page adds a page for people with a scope. Who is not signed in is sent to sign in
// and comes back.
func (c *Console) page(pattern string, scope scope.Set, answer func(*visit) error) {
	c.pageOf(classOf(scope), pattern, scope, answer)
}

// pageOf is page for what is work of another class than its scope says.
func (c *Console) pageOf(class budget.Class, pattern string, scope scope.Set, answer func(*visit) error) {
	c.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		v, ok := c.enter(w, r, scope)
		if !ok {
			return
		}
		if err := v.within(class, answer); err != nil {
			v.failed(err)
		}
	})
}

// sitting has a page that only reads read all of it on one snapshot, and not for as long as
// the page is made and sent.
func (c *Console) sitting(answer func(*visit) error) func(*visit) error {
	return func(v *visit) error {
		request := v.r
		v.seated = true
		err := c.ledger.Sitting(v.ctx(), func(ctx context.Context) error {
			v.r = request.WithContext(ctx)
			return answer(v)
		})
		v.r, v.seated = request, false
		if err != nil || v.made == nil {
			return err
		}
		return v.made()
	}
}

// maxForm bounds the body of a form, in bytes.
const maxForm = 1 << 20

// action adds what a form does, for people with a scope. The form must come from a
// page of this session.
func (c *Console) action(pattern string, scope scope.Set, answer func(*visit) error) {
	c.page(pattern, scope, c.formOf(maxForm, "A form may have at most 1 MiB. Nothing was changed.", answer))
}

// formOf reads a form of at most so many bytes, and refuses one that is larger, in
// words that say how large it may be, or that is not from this session.
func (c *Console) formOf(most int64, bound locale.Text, answer func(*visit) error) func(*visit) error {
	return func(v *visit) error {
		if err := v.parseForm(most, bound); err != nil {
			return err
		}
		if err := c.sessions.Check(v.r); err != nil {
			return refuse(http.StatusForbidden, "The form is not from this session", "It may have been open since before you signed in. Go back, load the page again and try once more. Nothing was changed.")
		}
		return answer(v)
	}
}

func (v *visit) parseForm(most int64, bound locale.Text) error {
	v.r.Body = http.MaxBytesReader(v.w, v.work.Body(v.w, v.r), most)
	err := v.r.ParseForm()
	switch {
	case errors.As(err, new(*budget.Refusal)):
		return err
	case errors.Is(err, os.ErrDeadlineExceeded):
		return refuse(http.StatusRequestTimeout, "The form came too slowly", "Send it again. Nothing was changed.")
	case errors.As(err, new(*http.MaxBytesError)):
		return refuse(http.StatusRequestEntityTooLarge, "The form is too large", string(bound))
	case err != nil:
		return refuse(http.StatusBadRequest, "The form cannot be read", "Go back, load the page again and try once more.")
	}
	return nil
}

// enter finds out who sent a request, or answers it.
func (c *Console) enter(w http.ResponseWriter, r *http.Request, scope scope.Set) (*visit, bool) {
	v := c.visitOf(w, r)
	person, ok, err := c.sessions.Of(r)
	switch {
	case err != nil:
		v.failed(err)
		return nil, false
	case !ok && (r.Method == http.MethodGet || r.Method == http.MethodHead):
		http.Redirect(w, r, Path+"sign-in?"+url.Values{session.NextField: {r.URL.RequestURI()}}.Encode(), http.StatusSeeOther)
		return nil, false
	case !ok:
		v.sessionEnded()
		return nil, false
	}
	v.person = person
	v.r = v.r.WithContext(engine.By(v.r.Context(), person.ID)) // the log says who decided
	if !v.may(scope) {
		v.failed(refuse(http.StatusForbidden, "Your role does not allow this",
			v.locale.Sprintf("This needs the scope %s, and you are signed in as %s. Ask somebody with an admin's key for a role that has it.", scope.String(), roleName(person))))
		return nil, false
	}
	return v, true
}

// visitOf is a request before it is known who sent it.
func (c *Console) visitOf(w http.ResponseWriter, r *http.Request) *visit {
	r = r.WithContext(security.From(r.Context(), security.HostOf(r.RemoteAddr)))
	return &visit{console: c, w: w, r: r, locale: c.localeOf(r), now: c.instant()}
}

func roleName(p session.Person) locale.Text {
	if p.ID == "" {
		return "nobody"
	}
	return locale.Text(p.Role.String())
}
