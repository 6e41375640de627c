package console

import (
	"html/template"
	"slices"
	"strconv"
	"unicode"
	"unicode/utf8"

	"recoup/internal/console/locale"
	"recoup/internal/console/play"
	"recoup/internal/kit/page"
	"recoup/program"
	"recoup/reward"
)

// playgroundPage is a run, as far as it is shown, at two designs.
type playgroundPage struct {
	Run      play.Run
	Currency string // of purchases
	Unit     string // of rewards
	Kept     int64  // of what was bought, minor units
	Cash     string // what of it is gone and not earned, in words
	Shops    []play.Word
	Labels   []string     // that the program asks for
	Kinds    []play.Word  // categories
	Attack   *play.Attack // that the run is; nil for one of one's own
	About    string       // the attack, in a line
	Caption  string       // of its last step
	Step     playgroundRow
	Sides    [2]playgroundSide
	Rows     []playgroundRow // the account as it opens, then one a move
	Verdict  string          // at the end of the run
	Key      []page.KeyEntry
	Next     []play.Suggestion

	Attacks   []attackChoice
	Onward    *attackChoice // the attack to go on with at the end of this one
	Groups    []designGroup
	Gallery   []play.GalleryProgram
	Promises  []program.Said // what a program of the gallery says
	Purchases []bought
	Terms     playgroundTerms
	Limits    playgroundLimits
	Problem   playgroundProblem
}

// playgroundProblem is what was wrong with what somebody sent.
type playgroundProblem struct {
	Move     string // a move or terms
	Scenario string // a scenario file, in English: its words are
	Pasted   string // that file
}

// playgroundSide is one of the designs, after the last step that is shown.
type playgroundSide struct {
	Side string // left or right, as links have it
	play.Choice
	play.Cell
	Entitlement int64
	Chart       template.HTML
}

// Leaked is what the cardholder has beyond the terms; Short what is still to come.
func (s playgroundSide) Leaked() int64 { return max(0, s.Leakage) }
func (s playgroundSide) Short() int64  { return max(0, -s.Leakage) }

// Mood is the class of the leak: bad, or part where nothing of it can be taken out, or
// where the books are even and the cash is gone.
func (s playgroundSide) Mood() string {
	switch {
	case s.Leakage <= 0 && s.Gone() > 0:
		return "part"
	case s.Leakage <= 0:
		return "good"
	case s.Out() == 0:
		return "part"
	}
	return "bad"
}

// playgroundRow is a step.
type playgroundRow struct {
	play.Row
	Date    reward.Instant
	Words   string
	Path    string
	Shown   bool // it has been played
	Current bool
}

type attackChoice struct {
	play.Attack
	About   string
	Path    string
	Current bool
}

// designGroup is designs under one heading.
type designGroup struct {
	Name    locale.Text
	Choices []play.Choice
}

// bought is a purchase that is shown, or that is yet to come, to be returned.
type bought struct {
	ID     string // as forms have it: t1
	Name   string // as people say it
	Amount int64  // minor units; zero: yet to come
}

// field is a hidden field of a form.
type field struct{ Name, Value string }

// showPlayground plays a run and shows it.
func (v *visit) showPlayground(status int, r play.Run, problem *playgroundProblem) error {
	p := &playgroundPage{Run: r, Currency: play.Currency, Unit: r.Program.Unit().Name, Kept: r.Kept(), Shops: r.Program.Shops(v.locale), Labels: r.Program.Labels(), Kinds: kindsOf(v.locale, r.Program), Key: keyOf(v.locale), Groups: designGroups(r.Program), Gallery: play.Gallery()}
	if problem != nil {
		p.Problem = *problem
	}
	shown, err := play.Play(v.ctx(), r, v.locale)
	if err != nil {
		return err
	}
	// Steps that are still to come have their place in the list and on the axes.
	whole := shown
	if r.At < len(r.Moves) {
		all := r
		all.At = len(r.Moves)
		if whole, err = play.Play(v.ctx(), all, v.locale); err != nil {
			return err
		}
	}
	p.addSteps(v.locale, whole)
	p.addSides(v.locale, shown, whole)
	p.addAttacks(v.locale)
	p.Cash = p.cashWords(v.locale)
	p.Purchases, p.Terms, p.Limits = purchasesOf(v.locale, r), termsForm(v.locale, r.Program), limits
	p.Next = shown.Next()
	if r.Program.Name != "" {
		meaning, _ := v.describe(r.Program.Terms())
		p.Promises = slices.Concat(meaning.Rules, meaning.Bonuses, meaning.Tiers)
	}
	if r.At > 0 && r.At == len(r.Moves) {
		p.Verdict = shown.Verdict
	}
	return v.render(status, "playground", view{Title: "Playground", Section: "playground", Body: p})
}

func (p *playgroundPage) addSteps(l *locale.Locale, whole *play.Table) {
	words := moveWords{locale: l, unit: p.Unit, names: p.Run.Names(l)}
	for i, row := range whole.Rows {
		step := playgroundRow{Row: row, Date: reward.At(row.At), Words: l.Say("The account is opened"), Path: p.PathAt(i), Shown: i <= p.Run.At, Current: i == p.Run.At}
		if i > 0 {
			step.Words = words.next(p.Run.Moves[i-1], reward.At(whole.Rows[i-1].At))
		}
		p.Rows = append(p.Rows, step)
	}
	p.Step = p.Rows[p.Run.At]
}

func (p *playgroundPage) addSides(l *locale.Locale, shown, whole *play.Table) {
	left := func(r *play.Row) *play.Cell { return &r.Left }
	right := func(r *play.Row) *play.Cell { return &r.Right }
	last := &shown.Rows[len(shown.Rows)-1]
	p.Sides = [2]playgroundSide{
		{"left", shown.Left, last.Left, last.Entitlement, playChart(l, shown, whole, l.Say(shown.Left.Title()), left)},
		{"right", shown.Right, last.Right, last.Entitlement, playChart(l, shown, whole, l.Say(shown.Right.Title()), right)},
	}
}

// addAttacks lists the attacks, and finds the one that is played, be it at other
// designs than those that it is told of.
func (p *playgroundPage) addAttacks(l *locale.Locale) {
	for i := range attacks() {
		a := attacks()[i]
		from := a.Run
		from.At = 0
		choice := attackChoice{Attack: a, About: l.Tell(a.Text), Path: runPath(from), Current: slices.Equal(a.Run.Moves, p.Run.Moves) && a.Run.Program == p.Run.Program}
		if choice.Current {
			p.Attack, p.About = &a, choice.About
			if p.Run.At > 0 {
				p.Caption = l.Tell(a.Captions[p.Run.At-1])
			}
		} else if p.Attack != nil && p.Onward == nil {
			p.Onward = &choice
		}
		p.Attacks = append(p.Attacks, choice)
	}
}

// kindsOf are the categories that can be bought of under a program.
func kindsOf(l *locale.Locale, p play.Program) (list []play.Word) {
	for _, category := range p.Categories() {
		first, size := utf8.DecodeRuneInString(play.Goods(l, category))
		list = append(list, play.Word{Word: category, Name: string(unicode.ToUpper(first)) + play.Goods(l, category)[size:]})
	}
	return list
}

// cashWords says where cash is gone that nobody has earned; "" if it is nowhere.
func (p *playgroundPage) cashWords(l *locale.Locale) string {
	left, right := &p.Sides[0], &p.Sides[1]
	switch {
	case left.Gone() == 0 && right.Gone() == 0:
		return ""
	case left.Name == right.Name:
		return l.Sprintf("Cash gone and not earned: %s.", l.Amount(left.Gone(), p.Unit))
	}
	return l.Sprintf("Cash gone and not earned: %s at %s, %s at %s.", l.Amount(left.Gone(), p.Unit), left.Title(), l.Amount(right.Gone(), p.Unit), right.Title())
}

func designGroups(terms play.Program) (groups []designGroup) {
	for _, d := range play.DesignsUnder(terms) {
		if n := len(groups); n == 0 || groups[n-1].Name != d.Group {
			groups = append(groups, designGroup{Name: d.Group})
		}
		last := &groups[len(groups)-1]
		last.Choices = append(last.Choices, d)
	}
	return groups
}

// purchasesOf are the purchases that a refund can name: those that are shown, and
// the one that comes next, whose refund may overtake it.
func purchasesOf(l *locale.Locale, r play.Run) (list []bought) {
	id := func() string { return "t" + strconv.Itoa(len(list)+1) }
	names := r.Names(l)
	for _, m := range r.Moves[:r.At] {
		if m.Kind == play.Buy {
			list = append(list, bought{id(), names[len(list)], m.Amount})
		}
	}
	return append(list, bought{ID: id(), Name: l.Say("the next purchase")})
}

// Last is how many steps the run has.
func (p *playgroundPage) Last() int { return len(p.Run.Moves) }

// PathAt is the address of the run with n of its moves shown.
func (p *playgroundPage) PathAt(n int) string {
	r := p.Run
	r.At = n
	return runPath(r)
}

// PathBy is the address of the run some steps on, or back.
func (p *playgroundPage) PathBy(steps int) string { return p.PathAt(p.Run.At + steps) }

// PathOf is the address of another run.
func (p *playgroundPage) PathOf(r play.Run) string { return runPath(r) }

// Here is the address of the run.
func (p *playgroundPage) Here() string { return runPath(p.Run) }

// Empty is the address of an account with nothing played yet, at the same designs
// and terms.
func (p *playgroundPage) Empty() string {
	return runPath(play.Run{Left: p.Run.Left, Right: p.Run.Right, Program: p.Run.Program})
}

// File is the address of the run as a scenario file.
func (p *playgroundPage) File() string { return playgroundPath + "/scenario?" + p.Query() }

// Query is the run as one text.
func (p *playgroundPage) Query() string { return p.Run.Values().Encode() }

// Fields are the run as hidden fields of a form, without one that the form asks for.
func (p *playgroundPage) Fields(but string) (list []field) {
	values := p.Run.Values()
	for _, name := range [...]string{"v", "left", "right", "program", "m", "at"} {
		for _, value := range values[name] {
			if name != but {
				list = append(list, field{name, value})
			}
		}
	}
	return list
}
