package console

import (
	"context"
	"errors"
	"net/http"

	"recoup/internal/console/session"
	"recoup/internal/engine"
	"recoup/internal/service/budget"
	"recoup/internal/store"
)

// problem is why a page cannot be shown, in words that say what to do.
type problem struct {
	status      int
	title, text string
}

func (p *problem) Error() string { return p.title }

func refuse(status int, title, text string) error { return &problem{status, title, text} }

var errNoPage = refuse(http.StatusNotFound, "There is no such page", "The address may be mistyped, or what it named may not be there. Search for an account or a transaction above.")

// failed answers with why a page cannot be shown. What is not for a person goes to
// the log.
func (v *visit) failed(err error) {
	var p *problem
	var refusal *budget.Refusal
	switch {
	case errors.As(err, &p):
	case errors.As(err, &refusal):
		p = v.spent(refusal)
	case errors.Is(err, session.ErrRate):
		v.w.Header().Set("Retry-After", "1")
		p = &problem{http.StatusTooManyRequests, "Your key is used too often", "It was made with a rate, which pages count against too. Wait a second and load the page again. Nothing was changed."}
	case errors.Is(err, context.Canceled):
		return // nobody is waiting any more
	case errors.Is(err, engine.ErrBusy), errors.Is(err, engine.ErrClosed), errors.Is(err, context.DeadlineExceeded):
		v.console.log.WarnContext(v.ctx(), "a page could not be shown for now", "route", v.r.Pattern, "error", err)
		p = &problem{http.StatusServiceUnavailable, "The ledger is busy", "Wait a moment and load the page again. If you sent a form, look first whether it was done."}
	case store.ReachOf(err) == store.Locked:
		p = &problem{http.StatusLocked, "The account is locked", "Somebody else is at work on it and does not let go of it. Wait a moment and load the page again. If you sent a form, look first whether it was done."}
	case store.ReachOf(err) == store.OneAccount:
		v.console.explain(v.ctx(), err)
		p = &problem{http.StatusInternalServerError, "The account cannot be read", "What is kept of it is damaged. It is on the list of alerts on the overview; whoever runs the service makes it anew by recoup account rebuild."}
	default:
		v.console.explain(v.ctx(), err)
		p = &problem{http.StatusInternalServerError, "Something went wrong", "It is in the service's log. Load the page again; if it stays, tell those who run the service at what time you saw this."}
	}
	if err := v.render(p.status, "problem", view{Title: p.title, Body: p.text}); err != nil {
		v.console.log.ErrorContext(v.ctx(), "a problem could not be shown", "problem", p.title, "error", err)
		http.Error(v.w, p.title+". "+p.text, p.status)
	}
}

// guard goes around every page: what every answer has.
func (c *Console) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
}

// policy lets a page use what this service serves, and nothing else: no script or
// style within a page, no frame, no form that goes elsewhere.
const policy = "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'"
