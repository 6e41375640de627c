package console

import (
	"errors"
	"net/http"
	"net/url"

	"recoup/internal/console/locale"
	"recoup/internal/console/session"
	"recoup/internal/service/access"
	"recoup/internal/service/budget"
	"recoup/internal/service/scope"
	"recoup/internal/service/security"
)

// signIn is what the page to sign in shows.
type signIn struct {
	Next    string // where to go on afterwards
	Refused string // why somebody was not let in
	// Roles are those to choose from where everybody is let in.
	Roles []roleChoice
	// Provider is the address that leads to an identity provider; empty: there is none.
	Provider, ProviderName string
}

type roleChoice struct {
	Role       access.Role
	Name, Text locale.Text
}

// roleTexts say what a role is for.
var roleTexts = []roleChoice{
	{access.Viewer, "Viewer", "Sees everything: accounts, reviews, figures and programs. Changes nothing."},
	{access.Operator, "Operator", "Works the reviews, and adjusts balances; above the set amount an approver has to agree."},
	{access.Approver, "Approver", "Does what an operator does, and decides about adjustments of others. Never about their own."},
	{access.Administrator, "Admin", "Does everything, and publishes the terms of programs. Their own adjustments need somebody else too."},
}

func (c *Console) signInRoutes() {
	c.mux.HandleFunc("GET "+Path+"sign-in", c.anybody(func(v *visit) error { return v.askIn(http.StatusOK, "") }))
	c.mux.HandleFunc("POST "+Path+"sign-in", c.anybody(c.signIn))
	c.mux.HandleFunc("GET "+Path+"sign-in/provider", c.anybody(c.leave))
	c.mux.HandleFunc("GET "+CallbackPath, c.anybody(c.comeBack))
	c.mux.HandleFunc("POST "+BackChannelPath, c.anybody(c.signedOut))
	c.action("POST "+Path+"sign-out", 0, c.signOut)
	c.mux.HandleFunc("POST "+Path+"language", c.anybody(c.chooseLanguage))
	c.page("GET "+keptAddress, scope.Read, c.kept)
}

// CallbackPath is where an identity provider sends people back to.
const CallbackPath = Path + "sign-in/callback"

// BackChannelPath is where an identity provider says by itself that people have signed
// out there.
const BackChannelPath = Path + "sign-in/back-channel"

// signedOut ends the sessions that an identity provider says have ended.
func (c *Console) signedOut(v *visit) error {
	v.w.Header().Set("Cache-Control", "no-store")
	ended, err := c.sessions.LoggedOut(v.ctx(), v.r.PostForm.Get("logout_token"))
	switch {
	case errors.Is(err, session.ErrNoProvider):
		return errNoPage
	case errors.As(err, new(*session.Denied)):
		c.log.InfoContext(v.ctx(), "a logout token was refused", "reason", err.Error())
		return refuse(http.StatusBadRequest, "Not a logout token", "Expected the field logout_token with one that the provider signed for this service.")
	case err != nil:
		return err
	}
	for _, s := range ended {
		v.note(security.SessionEnded, session.Person{ID: s.Person, Name: s.Name}, "by the identity provider")
	}
	v.w.WriteHeader(http.StatusOK)
	return nil
}

// note tells the security log of what somebody did. What fails there fails nobody else.
func (v *visit) note(what security.What, p session.Person, detail string) {
	c := v.console
	err := c.security.Note(v.ctx(), security.Entry{What: what, Principal: p.ID, Name: p.Name, Address: security.AddressOf(v.ctx()), Detail: detail})
	if err != nil {
		c.log.ErrorContext(v.ctx(), "the security log cannot be written", "error", err)
	}
}

// maxSignIn bounds the body of a form that anybody at all may send, in bytes.
const maxSignIn = 24 << 10

// anybody is for pages that nobody has to be signed in for.
func (c *Console) anybody(answer func(*visit) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		v := c.visitOf(w, r)
		err := v.within(budget.SigningIn, func(v *visit) error {
			if err := v.parseForm(maxSignIn, "A key has 59 characters. Nothing was changed."); err != nil {
				return err
			}
			return answer(v)
		})
		if err != nil {
			v.failed(err)
		}
	}
}

// askIn shows the page to sign in.
func (v *visit) askIn(status int, refused string) error {
	return v.askInFor(status, refused, v.console.sessions.Next(v.r))
}

// askInFor is askIn with where to go on afterwards.
func (v *visit) askInFor(status int, refused, next string) error {
	sessions := v.console.sessions
	body := signIn{Next: next, Refused: refused, ProviderName: sessions.ProviderName()}
	title := "Sign in"
	if v.console.open {
		body.Roles, title = roleTexts, "Who are you?"
	}
	if body.ProviderName != "" {
		body.Provider = Path + "sign-in/provider?" + url.Values{session.NextField: {body.Next}}.Encode()
	}
	return v.render(status, "sign-in", view{Title: title, Body: body})
}

// signIn exchanges a key, or where everybody is let in a role, for a session.
func (c *Console) signIn(v *visit) error {
	var token string
	var person session.Person
	var err error
	if name := v.field("role"); name != "" {
		role, parsed := access.ParseRole(name)
		if parsed != nil {
			return refuse(http.StatusBadRequest, "There is no such role", "Choose one of those on the page.")
		}
		token, person, err = c.sessions.SignInAs(v.ctx(), role)
	} else {
		token, person, err = c.sessions.SignInWithKey(v.ctx(), v.field("key"))
	}
	return v.signedIn(token, person, err)
}

// leave sends somebody to the identity provider.
func (c *Console) leave(v *visit) error {
	err := c.sessions.Begin(v.w, v.r)
	switch {
	case errors.Is(err, session.ErrNoProvider):
		return errNoPage
	case err != nil:
		c.log.ErrorContext(v.ctx(), "the identity provider cannot be reached", "error", err)
		return refuse(http.StatusBadGateway, "The identity provider does not answer", "Wait a moment and try again, or sign in with an API key.")
	}
	return nil
}

// comeBack signs in who was at the identity provider.
func (c *Console) comeBack(v *visit) error {
	token, person, err := c.sessions.Callback(v.w, v.r)
	if errors.Is(err, session.ErrNoProvider) {
		return errNoPage
	}
	return v.signedIn(token, person, err)
}

// signedIn gives the browser the token of a session and goes on, or says why there
// is none.
func (v *visit) signedIn(token string, person session.Person, err error) error {
	var denied *session.Denied
	switch {
	case errors.As(err, &denied):
		v.console.log.InfoContext(v.ctx(), "sign-in refused", "reason", denied.Error())
		v.note(security.SignInRefused, session.Person{}, denied.Error())
		return v.askIn(http.StatusUnauthorized, v.locale.Tell(denied.Sentence()))
	case err != nil:
		return err
	}
	// The session that this browser had before is worth nothing any more.
	if err := v.console.sessions.SignOut(v.ctx(), v.r); err != nil {
		return err
	}
	v.note(security.SignedIn, person, "as "+person.Role.String())
	http.SetCookie(v.w, v.console.sessions.Cookie(token))
	http.Redirect(v.w, v.r, v.console.sessions.Next(v.r), http.StatusSeeOther)
	return nil
}

func (c *Console) signOut(v *visit) error {
	if err := c.sessions.SignOut(v.ctx(), v.r); err != nil {
		return err
	}
	http.SetCookie(v.w, c.sessions.Expired())
	v.forgetKept()
	// Not cookies: those of everything else under the same domain would go, too.
	v.w.Header().Set("Clear-Site-Data", `"cache", "storage"`)
	v.note(security.SessionEnded, v.person, "signed out")
	return v.moved(Path+"sign-in", "signed-out")
}
