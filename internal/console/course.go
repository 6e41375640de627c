package console

import (
	"cmp"
	"html/template"
	"slices"

	"recoup/internal/kit/page"
	"recoup/internal/kit/tabular"
	"recoup/internal/store/durable"
	"recoup/reward"
)

// course is how an account's balance came to be what it is, as a chart.
type course struct {
	Chart template.HTML // for wide screens
	Small template.HTML // for narrow ones
	Now   string        // what holds now, in words
	// Whole: the account's log was replayed from its beginning, and so what was held
	// at each time is known. Otherwise it is the latest postings, without.
	Whole bool
	Debt  bool // the balance was below zero at some time
	Held  bool // something was held at some time
}

// The bounds of what is read of an account's past. An account with more events than
// are replayed is told from its latest postings.
const (
	replayedEvents = 1000
	readPostings   = 500
)

// past is what was read of an account's past.
type past struct {
	terms   *reward.Program
	events  []durable.LoggedView // all of them, the oldest first; nil: they are too many
	entries []durable.EntryView  // the newest first
	more    bool                 // there are earlier postings
}

// pastOf reads all events of an account, or its latest postings if they are too many
// for a page.
func (c *Console) pastOf(v *visit, account *durable.AccountView) (*past, error) {
	events, whole, err := c.ledger.EventsOfAccount(v.ctx(), account.Account, replayedEvents)
	if err != nil {
		return nil, err
	}
	terms, known := c.programs.Get(account.Program)
	p := &past{terms: terms}
	if whole && known {
		p.events = events
		for i := range events {
			for _, posting := range events[i].Postings {
				p.entries = append(p.entries, durable.EntryView{Posting: posting, Cause: &events[i].Event})
			}
		}
		slices.Reverse(p.entries)
		return p, nil
	}
	entries, err := c.ledger.Entries(v.ctx(), account.Account, 0, readPostings)
	p.entries = entries
	p.more = len(p.entries) == readPostings && p.entries[readPostings-1].Number > 1
	return p, err
}

// courseOf draws the balance over time with what was held of it. Nil: there is
// nothing to draw.
func (v *visit) courseOf(account *durable.AccountView, past *past) *course {
	var levels []level
	if past.events != nil {
		levels = replayed(account.Account, past.terms, past.events)
	} else {
		for _, p := range slices.Backward(past.entries) {
			levels = append(levels, level{at: p.At, balance: p.Balance})
		}
	}
	if len(levels) < 2 {
		return nil
	}
	return v.drawn(account, levels, past.events != nil)
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

// drawn is the chart of the levels, from the first until now.
func (v *visit) drawn(account *durable.AccountView, levels []level, whole bool) *course {
	c := &course{Whole: whole}
	last := levels[len(levels)-1]
	chart := page.StepChart{
		Title: v.locale.Sprintf("Balance over time of account %s", tabular.Visible(account.Account)), From: levels[0].at, To: max(v.now, account.Latest, last.at),
		Format: func(n int64) string { return v.locale.Tick(n, account.Reward.Name) }, Month: v.locale.ShortMonth,
		Lines: []page.StepLine{{Name: v.locale.Say("balance"), Class: "blue"}, {Name: v.locale.Say("held"), Class: "amber"}},
	}
	if now := (level{chart.To, account.Balance, account.Held}); now.balance != last.balance || now.held != last.held {
		levels = append(levels, now) // what has matured since the last event
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
	money := v.money(account.Reward.Name)
	chart.Told = func(at reward.Instant) string {
		n, found := slices.BinarySearchFunc(levels, at, func(l level, at reward.Instant) int { return cmp.Compare(l.at, at) })
		for found && n+1 < len(levels) && levels[n+1].at == at {
			n++
		}
		if !found {
			n--
		}
		of := levels[max(n, 0)]
		if c.Held {
			return v.locale.Sprintf("From %s: balance %s, held %s", v.locale.Date(of.at), money(of.balance), money(of.held))
		}
		return v.locale.Sprintf("From %s: balance %s", v.locale.Date(of.at), money(of.balance))
	}
	c.Now, c.Small = chart.Told(chart.To), chart.SVG()
	chart.Full = true
	c.Chart = chart.SVG()
	return c
}
