package play

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"recoup/internal/console/locale"
	"recoup/program"
)

// version is of the encoding: what a link means does not change under it.
const version = "1"

// Values writes a run as a query: v (the version), left and right, program where
// it is not the example, m for each move in order, and at where not all of them
// are shown.
func (r Run) Values() url.Values {
	v := url.Values{"v": {version}, "left": {key(r.Left)}, "right": {key(r.Right)}}
	if terms := r.Program.String(); terms != "" {
		v.Set("program", terms)
	}
	for _, m := range r.Moves {
		v.Add("m", m.String())
	}
	if r.At != len(r.Moves) {
		v.Set("at", strconv.Itoa(r.At))
	}
	return v
}

// Parse reads a run from a query; an empty one is [New]. Besides what Values
// writes, a query may have one move to add, as a form sends it: the member add
// names its kind (buy, refund, unlinked, chargeback, redeem, wait, close, set), and
// amount, category, merchant, label, of and days say the rest, each blank or missing
// where it is not needed. A refund without an amount is of all that is left of
// its purchase, an unlinked one says the merchant and category of its purchase
// unless it says others, and a redemption without an amount is of all that is
// available. Errors name the member.
func Parse(v url.Values) (Run, error) {
	r := New()
	if len(v) == 0 {
		return r, nil
	}
	for member, values := range v {
		if !slices.Contains(members, member) && !slices.Contains(formMembers, member) {
			return r, locale.Errorf("%s: expected one of %s, or of a move to add: %s", quote(member), strings.Join(members, ", "), strings.Join(formMembers, ", "))
		}
		if len(values) != 1 && member != "m" {
			return r, locale.Errorf("%s: given %d times: expected once", member, len(values))
		}
	}
	if got := v.Get("v"); got != version {
		return r, locale.Errorf("v %s: expected version %s of the encoding", quote(got), version)
	}
	if len(v["m"]) > MaxMoves {
		return r, locale.Errorf("%d moves: expected at most %d", len(v["m"]), MaxMoves)
	}
	var err error
	for _, side := range []struct {
		member string
		name   *string
	}{{"left", &r.Left}, {"right", &r.Right}} {
		if !v.Has(side.member) {
			continue
		}
		c, err := choice(v.Get(side.member))
		if err != nil {
			return r, locale.Errorf("%s: %s", side.member, err)
		}
		*side.name = c.Name
	}
	if r.Program, err = ParseProgram(v.Get("program")); err != nil {
		return r, err
	}
	for i, text := range v["m"] {
		m, err := ParseMove(text)
		if err != nil {
			return r, locale.Errorf("m, number %d: %s", i+1, err)
		}
		r.Moves = append(r.Moves, m)
	}
	r.At = len(r.Moves)
	if v.Has("at") {
		n, ok := number(v.Get("at"), len(r.Moves))
		if !ok && v.Get("at") != "0" {
			return r, locale.Errorf("at %s: expected a number of moves from 0 to %d", quote(v.Get("at")), len(r.Moves))
		}
		r.At = n
	}
	if err := r.Check(); err != nil {
		return r, err
	}
	return r.withForm(v)
}

// The members of a query: those of a run, and those of a move to add.
var (
	members     = []string{"v", "left", "right", "program", "m", "at"}
	formMembers = []string{"add", "amount", "category", "merchant", "label", "of", "days"}
)

// withForm adds the move that a form sent, if it sent one.
func (r Run) withForm(v url.Values) (Run, error) {
	text := func(member string) string { return strings.TrimSpace(v.Get(member)) }
	if text("add") == "" {
		for _, member := range formMembers {
			if text(member) != "" {
				return r, locale.Errorf("%s: expected add with it, the kind of move", member)
			}
		}
		return r, nil
	}
	word := text("add")
	m := Move{Unlinked: word == "unlinked", Merchant: text("merchant"), Category: strings.ToUpper(text("category"))}
	if m.Unlinked {
		word = Refund.String()
	}
	kind := slices.Index(kindWords[1:], locale.Text(word)) + 1
	if kind == 0 {
		return r, locale.Errorf("add %s: expected buy, refund, unlinked, chargeback, redeem, wait, close or set", quote(word))
	}
	m.Kind = Kind(kind)
	var err error
	if w := text("amount"); w != "" && w != allAmount {
		if m.Amount, err = r.amountOf(m.Kind, w); err != nil {
			return r, err
		}
	}
	if w := text("label"); w != "" {
		words := &wordReader{words: strings.Fields(w)}
		if m.Labels, err = words.labels(); err == nil && len(words.words) > 0 {
			err = locale.Errorf("label %s: expected one such as channel=app", quote(words.words[0]))
		}
		if err != nil {
			return r, err
		}
	}
	if w := text("of"); w != "" {
		if m.Of, err = purchaseNumber(w); err != nil {
			return r, locale.Errorf("of: %s", err)
		}
	}
	if w := text("days"); w != "" {
		if m.Days, err = days(w); err != nil {
			return r, err
		}
	}
	if m.Kind == Refund {
		m = r.filled(m)
	}
	next := r.With(m)
	if err := next.Check(); err != nil {
		return r, err
	}
	return next, nil
}

// amountOf reads an amount that a form sent: of a redemption in what rewards are in.
func (r Run) amountOf(kind Kind, word string) (int64, error) {
	if kind != Redeem {
		return amount(word)
	}
	switch minor, err := program.ParseReward(word, r.Program.Unit()); {
	case err != nil:
		return 0, notDecimal(word, r.Program.Unit())
	case minor <= 0 || minor > MaxAmount:
		return 0, locale.Errorf("amount %s: expected more than 0", quote(word))
	default:
		return minor, nil
	}
}

// filled gives a refund what a form left out and its purchase can tell.
func (r Run) filled(m Move) Move {
	p, left := r.purchase(m.Of)
	if m.Amount == 0 {
		m.Amount = left
	}
	if m.Unlinked && m.Merchant == "" && m.Category == "" {
		m.Merchant, m.Category = p.Merchant, p.Category
	}
	return m
}

// purchase returns the move that bought a purchase, as far as the run is shown,
// and how much of it has not been given back, in minor units. There may be none.
func (r Run) purchase(n int) (bought Move, left int64) {
	count := 0
	for _, m := range r.shown() {
		if m.Kind != Buy {
			continue
		}
		if count++; count == n {
			bought, left = m, m.Amount
		}
	}
	for _, m := range r.shown() {
		switch {
		case m.Of != n:
		case m.Kind == Chargeback && m.Amount == 0:
			left = 0
		case m.Kind == Refund || m.Kind == Chargeback:
			left = max(0, left-m.Amount)
		}
	}
	return bought, left
}
