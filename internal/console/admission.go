package console

import (
	"net/http"

	"recoup/internal/console/locale"
	"recoup/internal/engine"
	"recoup/internal/service/budget"
	"recoup/internal/service/scope"
)

// classOf is what kind of work a page is that is for people with a scope.
func classOf(needed scope.Set) budget.Class {
	switch needed {
	case 0, scope.Read:
		return budget.Reading
	case scope.Admin:
		return budget.Administration
	}
	return budget.Commands
}

// holder is who a visit counts for: the person, whatever number of browsers they have,
// or where everybody is let in, and before it is known who somebody is, the address.
func (v *visit) holder() string {
	if v.console.open || v.person.ID == "" {
		return budget.Address(v.r.RemoteAddr)
	}
	return v.person.ID
}

// within answers a visit if there is room for one more of its class.
func (v *visit) within(class budget.Class, answer func(*visit) error) error {
	holder := v.holder()
	work, err := v.console.budgets.Enter(class, holder)
	if err != nil {
		budget.Unread(v.w, v.r)
		return err
	}
	defer work.Leave()
	v.work = work
	v.r = v.r.WithContext(engine.From(v.ctx(), "console of "+holder))
	return answer(v)
}

// spent is the problem of a budget that is in use.
func (v *visit) spent(refusal *budget.Refusal) *problem {
	v.w.Header().Set("Retry-After", "1")
	return &problem{http.StatusTooManyRequests, "Too much at once", v.locale.Sprintf("Nothing was done: %s. Wait a moment and try again.", spentWords(v.locale, refusal))}
}

// spentWords say which budget is in use, as a budget.Refusal does in English.
func spentWords(l *locale.Locale, r *budget.Refusal) string {
	switch {
	case r.What == "memory":
		return l.Say("all that previews may use of memory and processors is in use")
	case r.Class == budget.Previews && r.What == "requests":
		return l.Say("a preview of yours is at work already, and each has one at a time")
	}
	return l.Sprintf("the budget for %s is in use: you have as many %s at work as are left to others", l.Say(classWords[r.Class]), l.Say(spentOf[r.What]))
}

var classWords = map[budget.Class]locale.Text{
	budget.Reading: "reading", budget.Ingestion: "ingestion", budget.Commands: "commands", budget.Previews: "previews",
	budget.Administration: "administration", budget.SigningIn: "signing in", budget.Connections: "connections",
}

// spentOf is of what a budget may have no room.
var spentOf = map[string]locale.Text{"requests": "requests", "bytes": "bytes", "events": "events"}
