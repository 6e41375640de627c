package play

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"recoup/internal/console/locale"
	"recoup/program"
	"recoup/reward"
)

// Program is the published terms of a run: the example program with what may be
// changed about it. All of it matters to the design "Recoup", which is the
// program as it is given. The other designs have timing, method and maturity of
// their own; grace and the minimum balance are followed by the literal algorithms
// and by every Recoup.
type Program struct {
	// Name is the id of a program of the gallery; then everything else is zero.
	Name string

	// Rate is earned on groceries, up to Cap minor units of rewards a month
	// (reward.NoCap: without limit), Base on everything else; zero: nothing.
	Rate reward.Rate
	Cap  int64
	Base reward.Rate

	Grant          reward.GrantTiming
	Clawback       reward.ClawbackTiming
	Method         reward.ClawbackMethod
	MaturityDays   int   // before a reward may be redeemed
	GraceDays      int   // without redemptions after each statement
	MinimumBalance int64 // left after a redemption, minor units
}

// grocery is the category that earns Rate.
const grocery = "GROCERY"

// Everyday returns the terms of the example program.
func Everyday() Program { return everyday() }

// everyday reads the example once: links are compared with it.
var everyday = sync.OnceValue(func() Program {
	p, err := programOf(program.Everyday())
	if err != nil {
		panic("play: the example program: " + err.Error()) // it is part of the binary
	}
	return p
})

// Terms returns the program itself, as the lab's designs take it.
func (p Program) Terms() *reward.Program {
	if p.Name != "" {
		return gallery()[p.Name].terms
	}
	terms := program.Everyday()
	terms.Timing = reward.Timing{Grant: p.Grant, Clawback: p.Clawback}
	terms.Method, terms.MaturityDays = p.Method, p.MaturityDays
	terms.Redemption = reward.RedemptionTerms{MinimumBalance: p.MinimumBalance, GraceDays: p.GraceDays}
	terms.Rules = nil
	if p.Rate != 0 {
		terms.Rules = append(terms.Rules, reward.Rule{ID: "grocery", Match: reward.Match{Categories: []string{grocery}}, Rate: p.Rate, Cap: p.Cap})
	}
	if p.Base != 0 {
		terms.Rules = append(terms.Rules, reward.Rule{ID: "base", Rate: p.Base, Cap: reward.NoCap})
	}
	return terms
}

// programOf finds the terms that a program has. It must be one of the gallery, or of the
// example's kind.
func programOf(terms *reward.Program) (Program, error) {
	if name, ok := galleryName(terms); ok {
		return Program{Name: name}, nil
	}
	p := Program{
		Grant: terms.Timing.Grant, Clawback: terms.Timing.Clawback, Method: terms.Method,
		MaturityDays: terms.MaturityDays, GraceDays: terms.Redemption.GraceDays, MinimumBalance: terms.Redemption.MinimumBalance,
		Cap: reward.NoCap,
	}
	if terms.Currency != Currency {
		return p, fmt.Errorf("currency %s: expected %s", terms.Currency, Currency)
	}
	if terms.Refunds != program.Everyday().Refunds {
		return p, errors.New("refunds: expected the periods of the example program")
	}
	for i := range terms.Rules {
		r := &terms.Rules[i]
		m := &r.Match
		switch all := m.Categories == nil && m.MCCs == nil && m.Merchants == nil; {
		case i == 0 && len(m.Categories) == 1 && m.Categories[0] == grocery && m.MCCs == nil && m.Merchants == nil:
			p.Rate, p.Cap = r.Rate, r.Cap
		case i == len(terms.Rules)-1 && all && r.Cap == reward.NoCap:
			p.Base = r.Rate
		default:
			return p, fmt.Errorf("rule %s: expected one for category %s, and one without a match or cap for everything else", quote(r.ID), grocery)
		}
	}
	if terms.Layers != nil || terms.Bonuses != nil || terms.Tiers != nil || terms.Zone != nil || terms.StatementDay != 0 || terms.Reward != (reward.Unit{}) {
		return p, errors.New("program: expected one of the gallery, or rules with a rate and a cap alone, cycles of calendar months in UTC, and rewards in money")
	}
	if terms.ExpiryMonths != 0 {
		return p, errors.New("expires: expected rewards that do not expire; the playground has no months")
	}
	if p.Terms().Redemption != terms.Redemption {
		return p, errors.New("redemption: expected a minimum balance and grace days alone; the playground has nothing else to say of redemptions")
	}
	return p, p.check()
}

func (p Program) check() error {
	if p.Name != "" {
		if _, known := gallery()[p.Name]; !known || p != (Program{Name: p.Name}) {
			return unknownProgram(p.Name)
		}
		return nil
	}
	switch {
	case p.Rate < 0 || p.Rate > reward.MaxRate || p.Base < 0 || p.Base > reward.MaxRate:
		return locale.Errorf("program: expected rates from 0%% to 100%%")
	case p.Rate == 0 && p.Base == 0:
		return locale.Errorf("program: expected a rate above 0%%")
	case p.Rate == 0 && p.Cap != reward.NoCap:
		return locale.Errorf("program: a cap needs a rate on groceries")
	case p.Cap != reward.NoCap && (p.Cap < 0 || p.Cap > MaxAmount):
		return locale.Errorf("program: cap %d: expected at most %d minor units", p.Cap, int64(MaxAmount))
	case p.MinimumBalance < 0 || p.MinimumBalance > MaxAmount:
		return locale.Errorf("program: minimum balance %d: expected at most %d minor units", p.MinimumBalance, int64(MaxAmount))
	case p.MaturityDays < 0 || p.MaturityDays > program.MaxDays:
		return locale.Errorf("program: maturity of %d days: expected at most %d", p.MaturityDays, program.MaxDays)
	case p.GraceDays < 0 || p.GraceDays > program.MaxGraceDays:
		return locale.Errorf("program: grace of %d days: expected at most %d", p.GraceDays, program.MaxGraceDays)
	case p.Grant > reward.GrantAtStatement || p.Clawback > reward.ClawbackAtStatement || p.Method > reward.Rerate:
		return locale.Errorf("program: unknown timing or method")
	}
	return nil
}

// term is one thing about a program that links can say.
type term struct {
	key   locale.Text
	write func(Program) string
	read  func(*Program, string) error
}

// terms has them all, in the order of links. A link says what is not as in the
// example program.
var terms = []term{
	{"grocery", func(p Program) string { return rateWord(p.Rate) }, func(p *Program, w string) error { return readRate(&p.Rate, w) }},
	{"cap", func(p Program) string { return capWord(p.Cap) }, func(p *Program, w string) error {
		if w == "none" {
			p.Cap = reward.NoCap
			return nil
		}
		return readMinor(&p.Cap, w)
	}},
	{"base", func(p Program) string { return rateWord(p.Base) }, func(p *Program, w string) error { return readRate(&p.Base, w) }},
	{"grant", func(p Program) string { return grantWords[p.Grant] }, func(p *Program, w string) error { return readChoice(&p.Grant, grantWords, w) }},
	{"clawback", func(p Program) string { return clawbackWords[p.Clawback] }, func(p *Program, w string) error { return readChoice(&p.Clawback, clawbackWords, w) }},
	{"method", func(p Program) string { return methodWords[p.Method] }, func(p *Program, w string) error { return readChoice(&p.Method, methodWords, w) }},
	{"maturity", func(p Program) string { return fmt.Sprint(p.MaturityDays) }, func(p *Program, w string) error { return readDays(&p.MaturityDays, w, program.MaxDays) }},
	{"grace", func(p Program) string { return fmt.Sprint(p.GraceDays) }, func(p *Program, w string) error { return readDays(&p.GraceDays, w, program.MaxGraceDays) }},
	{"minimum", func(p Program) string { return decimal(p.MinimumBalance) }, func(p *Program, w string) error { return readMinor(&p.MinimumBalance, w) }},
}

var (
	grantWords    = []string{reward.GrantAtSettlement: "settlement", reward.GrantAtStatement: "statement"}
	clawbackWords = []string{reward.ClawbackAtRefund: "refund", reward.ClawbackAtStatement: "statement"}
	methodWords   = []string{reward.Proportional: "proportional", reward.Rerate: "rerate"}
)

// String writes the name of a program of the gallery, or what is not as in the example
// program, such as "cap none grant statement grace 7"; "" is the example program.
// ParseProgram reads it.
func (p Program) String() string {
	if p.Name != "" {
		return p.Name
	}
	var words []string
	for _, t := range terms {
		if w := t.write(p); w != t.write(Everyday()) {
			words = append(words, string(t.key), w)
		}
	}
	return strings.Join(words, " ")
}

// ParseProgram reads what Program.String writes.
func ParseProgram(text string) (Program, error) {
	p := Everyday()
	if text == "" {
		return p, nil
	}
	words := strings.Split(text, " ")
	if named := (Program{Name: text}); named.check() == nil {
		return named, nil
	}
	for _, t := range terms {
		if len(words) < 2 || words[0] != string(t.key) {
			continue
		}
		if err := t.read(&p, words[1]); err != nil {
			return p, locale.Errorf("program: %s %s: %s", t.key, quote(words[1]), err)
		}
		words = words[2:]
	}
	if len(words) > 0 {
		keys := make([]string, len(terms))
		for i, t := range terms {
			keys[i] = string(t.key)
		}
		return p, locale.Errorf("program: %s: expected each with a value, in this order: %s", quote(words[0]), strings.Join(keys, ", "))
	}
	return p, p.check()
}

// rateWord writes a rate without its sign, which links would have to escape.
func rateWord(r reward.Rate) string { return strings.TrimSuffix(r.String(), "%") }

func capWord(limit int64) string {
	if limit == reward.NoCap {
		return "none"
	}
	return decimal(limit)
}

func readRate(dst *reward.Rate, word string) (err error) {
	if *dst, err = reward.ParseRate(word + "%"); err != nil {
		return locale.Errorf("expected a percentage from 0 to 100 with at most six decimals")
	}
	return nil
}

func readMinor(dst *int64, word string) (err error) {
	switch *dst, err = program.ParseDecimal(word, Currency); {
	case err != nil:
		return notDecimal(word, reward.Unit{Name: Currency})
	case *dst < 0:
		return locale.Errorf("expected zero or more")
	}
	return nil
}

func readDays(dst *int, word string, most int) error {
	n, ok := number(word, most)
	if !ok && word != "0" {
		return locale.Errorf("expected days from 0 to %d", most)
	}
	*dst = n
	return nil
}

func readChoice[T ~uint8](dst *T, words []string, word string) error {
	for i, w := range words {
		if w == word {
			*dst = T(i)
			return nil
		}
	}
	return locale.Errorf("expected %s or %s", words[0], words[1])
}
