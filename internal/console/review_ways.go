package console

import (
	"slices"
	"strings"

	"recoup/internal/console/weigh"
	"recoup/internal/kit/tabular"
	"recoup/internal/store/durable"
	"recoup/reward"
)

// way is one decision that somebody can make about what is under review, with what it would
// do.
type way struct {
	Choice string // of the form: the action and, after a colon, the purchase to link to
	Action string
	Title  string
	Effect string // in words
	Tone   string // good, bad or part, for the mark; empty: nothing changes
	Closed bool   // the ledger would not do it
	Chosen bool
	// Of the purchase that a refund would be linked to.
	Transaction string
	About       string
}

// How many purchases are offered to link to without being asked for.
const offeredLinks = 3

// ways are the decisions about what is under review, those first that a person would look
// at first.
func (c *Console) ways(v *visit, body *reviewPage) (list []way, err error) {
	part := body.Part
	add := func(w way, e *reward.Event) error {
		if e != nil {
			if err := c.weighed(v, body, &w, e); err != nil {
				return err
			}
		}
		w.Action, w.Transaction, _ = strings.Cut(w.Choice, ":")
		w.Chosen = w.Choice == body.Form.Choice
		list = append(list, w)
		return nil
	}
	placed := body.Refund != nil && body.Refund.Placed > 0 && !body.Refund.Linked
	if len(body.Open) > 0 {
		title, effect := c.dismissal(v, body, placed)
		if err := add(way{Choice: "dismiss", Title: title, Effect: effect}, nil); err != nil {
			return nil, err
		}
	} else if body.Work.Reopened != 0 {
		if err := add(way{Choice: "settle", Title: v.locale.Sprintf("It stays as it was"), Effect: v.locale.Sprintf("Changes no reward, and it is closed again.")}, nil); err != nil {
			return nil, err
		}
	}
	if body.Counts != nil {
		e := weigh.Count(part, body.Form.As, v.now)
		if err := add(way{Choice: "count", Title: v.locale.Sprintf("Both are right: have the later one count")}, &e); err != nil {
			return nil, err
		}
	}
	if !body.Links {
		return list, nil
	}
	for _, row := range c.offered(body) {
		e := weigh.Link(part, row.Transaction, v.now)
		w := way{Choice: "link:" + row.Transaction, Title: v.locale.Sprintf("It belongs to %s", c.purchaseWords(v, &row, body)), About: strings.Join(row.For, ", ")}
		if err := add(w, &e); err != nil {
			return nil, err
		}
	}
	if placed {
		e := weigh.Undo(part, v.now)
		err = add(way{Choice: "undo", Title: v.locale.Sprintf("Not ours: it is of nothing on this account")}, &e)
	}
	return list, err
}

// dismissal is what it means to leave things as they are.
func (c *Console) dismissal(v *visit, body *reviewPage, placed bool) (title, effect string) {
	l := v.locale
	switch {
	case placed:
		return l.Sprintf("The match is right"), l.Sprintf("Changes no reward: what it took stays taken.")
	case slices.ContainsFunc(body.Open, func(o openReview) bool { return o.Kind == reward.WaitsForTransaction }):
		return l.Sprintf("Its purchase will not come"), l.Sprintf("Changes no reward: it takes something back only if that purchase posts after all.")
	case body.Refund != nil && body.Refund.Status == reward.ReversalPosted && body.Refund.Rest > 0:
		return l.Sprintf("Not ours: it is of nothing on this account"), l.Sprintf("Changes no reward: it takes nothing back.")
	case body.Counts != nil:
		return l.Sprintf("The first one is right"), l.Sprintf("Changes no reward: what came later goes on not counting.")
	}
	return l.Sprintf("It is as it should be"), l.Sprintf("Changes no reward, and leaves the list.")
}

// offered are the purchases that can be chosen at once: that which was asked for, and the
// likeliest on which the refund does not lie.
func (c *Console) offered(body *reviewPage) (list []candidate) {
	for i := range body.Candidates {
		row := &body.Candidates[i]
		asked := row.Transaction == body.Form.Transaction
		if asked {
			list = slices.Insert(list, 0, *row)
			row.Offered = true
		} else if row.Placed == 0 && len(list) < offeredLinks {
			list = append(list, *row)
			row.Offered = true
		}
	}
	if body.Form.Transaction != "" && !slices.ContainsFunc(list, func(c candidate) bool { return c.Transaction == body.Form.Transaction }) {
		list = slices.Insert(list, 0, candidate{Candidate: reward.Candidate{Transaction: body.Form.Transaction}})
	}
	return list
}

// purchaseWords name a purchase as a person would: by where, how much and when.
func (c *Console) purchaseWords(v *visit, row *candidate, body *reviewPage) string {
	if row.Settled == 0 {
		return v.locale.Sprintf("purchase %s", tabular.Visible(row.Transaction))
	}
	amount, day := v.money(body.Currency)(row.Amount), v.locale.Date(row.Settled)
	if row.Merchant == "" {
		return v.locale.Sprintf("the %s purchase of %s", amount, day)
	}
	return v.locale.Sprintf("%s, %s on %s", tabular.Visible(row.Merchant), amount, day)
}

// weighed says what an event would do, as the account stands.
func (c *Console) weighed(v *visit, body *reviewPage, w *way, e *reward.Event) error {
	t, ok, err := c.ledger.Try(v.ctx(), *e)
	switch {
	case err != nil:
		return err
	case !ok:
		return errNoAccount
	}
	rewards := v.money(t.Currency)
	w.Effect, w.Tone = changeWords(v, &t, rewards), toneOf(&t)
	switch {
	case t.Result.Outcome != reward.Applied:
		w.Effect, w.Tone, w.Closed = refusalWords(v.locale, e.Type, t.Result), "", true
	case !t.Linkable:
		w.Effect, w.Tone, w.Closed = v.locale.Sprintf("Nobody can link it: which purchase it is of was said before."), "", true
	case !t.Room:
		w.Effect, w.Tone, w.Closed = v.locale.Sprintf("Not possible: less of that purchase is left than the refund is of."), "", true
	case max(t.Change, -t.Change) > c.alone.In(t.Currency):
		w.Effect += " " + v.locale.Sprintf("A second person has to agree.")
	}
	return nil
}

func toneOf(t *durable.Trial) string {
	switch {
	case t.Change > 0:
		return "good"
	case t.Change < 0:
		return "bad"
	}
	return ""
}

// changeWords say what an event gives back and takes.
func changeWords(v *visit, t *durable.Trial, rewards func(int64) string) string {
	switch {
	case t.Gives > 0 && t.Takes > 0:
		return v.locale.Sprintf("Gives back %s, takes %s.", rewards(t.Gives), rewards(t.Takes))
	case t.Gives > 0:
		return v.locale.Sprintf("Gives back %s.", rewards(t.Gives))
	case t.Takes > 0:
		return v.locale.Sprintf("Takes %s.", rewards(t.Takes))
	}
	return v.locale.Sprintf("Changes no reward.")
}

// presets are the reasons that people give most, by what they decide.
type presets struct {
	Action  string
	Title   string
	Reasons []string
}

// reasonsFor are the reasons to choose from for a decision about a kind of review.
func reasonsFor(action string, kind reward.ReviewKind) []string {
	switch {
	case action == "link":
		return []string{"The receipt names this purchase", "The shop confirmed which purchase it is of", "The cardholder confirmed which purchase it is of"}
	case action == "undo":
		return []string{"The purchase was paid with another card", "The purchase was made before the account was opened", "The refund is of another account"}
	case action == "count":
		return []string{"The shop paid it a second time", "Two shops use the same number", "The later delivery is of another refund"}
	case action == "settle":
		return []string{"Looked at again: it stays as it was"}
	case kind == reward.MatchedWithoutLink || kind == reward.CertainWithoutLink:
		return []string{"Merchant, amount and date agree", "The cardholder confirmed the purchase", "The receipt confirms the purchase"}
	case kind == reward.FoundNoSpend:
		return []string{"The purchase was paid with another card", "The purchase was made before the account was opened", "The refund is of another account"}
	case kind == reward.OverRefunded:
		return []string{"The shop gave more back as goodwill", "Delivery or a deposit came back as well"}
	case kind == reward.WaitsForTransaction || kind == reward.WaitsForFact || kind == reward.WaitsForAuthorization || kind == reward.WaitsForAttribute:
		return []string{"It will not come any more: the sender confirmed it", "Settled outside of the program"}
	}
	return []string{"Looked at: it is as it should be", "The sender confirmed the first delivery"}
}

// presetsOf are the reasons for each of the ways, without those that the ledger would not
// do.
func presetsOf(v *visit, list []way, open []openReview) (all []presets) {
	var kind reward.ReviewKind
	if len(open) > 0 {
		kind = open[0].Kind
	}
	for i := range list {
		if w := &list[i]; !slices.ContainsFunc(all, func(p presets) bool { return p.Action == w.Action }) {
			title := w.Title
			if w.Action == "link" {
				title = v.locale.Sprintf("It belongs to another purchase")
			}
			p := presets{Action: w.Action, Title: title}
			for _, reason := range reasonsFor(w.Action, kind) {
				p.Reasons = append(p.Reasons, v.say(reason))
			}
			all = append(all, p)
		}
	}
	return all
}
