package console

import (
	"html/template"

	"recoup/page"
	"recoup/reward"
	"recoup/store/durable"
	"recoup/tabular"
)

// course is how an account's balance came to be what it is, as a chart.
type course struct {
	Chart template.HTML
	// Whole: the account's log was replayed from its beginning, and so what was held
	// at each time is known. Otherwise it is the latest postings, without.
	Whole bool
	Debt  bool // the balance was below zero at some time
	Held  bool // something was held at some time
}

// The bounds of a course.
const (
	replayedEvents = 4000 // an account with more is drawn from its latest postings
	drawnPostings  = 500
)

// courseOf draws the balance over time with what was held of it. Nil: there is
// nothing to draw.
func (c *Console) courseOf(v *visit, account *durable.AccountView) (*course, error) {
	var levels []level
	events, whole, err := c.ledger.EventsOfAccount(v.ctx(), account.Account, replayedEvents)
	if err != nil {
		return nil, err
	}
	terms, known := c.programs.Get(account.Program)
	if whole = whole && known; whole {
		levels = replayed(account.Account, terms, events)
	} else {
		entries, err := c.ledger.Entries(v.ctx(), account.Account, 0, drawnPostings)
		if err != nil {
			return nil, err
		}
		for i := len(entries) - 1; i >= 0; i-- {
			levels = append(levels, level{at: entries[i].At, balance: entries[i].Balance})
		}
	}
	if len(levels) < 2 {
		return nil, nil
	}
	return drawn(v, account, levels, whole), nil
}

// level is an account's balance, and what is held of it, from a moment on.
type level struct {
	at            reward.Instant
	balance, held int64
}

// replayed applies the events of an account anew, and notes where it stands after
// each that changed something.
func replayed(id string, terms *reward.Program, events []durable.LoggedView) (levels []level) {
	account := reward.NewAccount(id, terms)
	var last level
	for i := range events {
		account.Apply(&events[i].Event, nil)
		b := account.Balances()
		now := level{account.Now(), b.Balance, b.Held}
		if len(levels) == 0 || now.balance != last.balance || now.held != last.held {
			levels = append(levels, now)
			last = now
		}
	}
	return levels
}

// drawn is the chart of the levels.
func drawn(v *visit, account *durable.AccountView, levels []level, whole bool) *course {
	c := &course{Whole: whole}
	chart := page.StepChart{
		Title: "Balance over time of account " + tabular.Visible(account.Account), From: levels[0].at, To: max(account.Latest, levels[len(levels)-1].at),
		Format: func(n int64) string { return v.locale.Tick(n, account.Currency) }, Wide: true,
		Lines: []page.StepLine{{Name: "balance", Class: "blue"}, {Name: "held", Class: "amber"}},
	}
	for _, l := range levels {
		chart.Add(l.at, l.balance, l.held)
		chart.Low, chart.Top = min(chart.Low, l.balance), max(chart.Top, l.balance, l.held)
		c.Debt, c.Held = c.Debt || l.balance < 0, c.Held || l.held > 0
	}
	if chart.Top == chart.Low {
		return nil
	}
	if !c.Held {
		chart.Lines = chart.Lines[:1]
	}
	chart.LeaveRoom()
	c.Chart = chart.SVG()
	return c
}
