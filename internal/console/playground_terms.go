package console

import (
	"fmt"
	"net/url"
	"strings"

	"recoup/internal/console/locale"
	"recoup/internal/console/play"
	"recoup/program"
	"recoup/reward"
)

// playgroundTerms are the terms of a run as the fields of a form have them: numbers
// with a point, whatever the locale.
type playgroundTerms struct {
	Grocery, Base                     string // percent
	GroceryShown, BaseShown           string // the same as the locale writes it
	Cap                               string // blank: none
	Minimum                           string
	GrantLate, ClawbackLate, Rerating bool // what the terms choose from two
	Maturity, Grace                   int  // days
}

// playgroundLimits are how much the fields of forms may have.
type playgroundLimits struct {
	Amount                string
	Days, Maturity, Grace int
	Moves                 int
}

var limits = playgroundLimits{decimalOf(play.MaxAmount), play.MaxDays, program.MaxDays, program.MaxGraceDays, play.MaxMoves}

func termsForm(l *locale.Locale, p play.Program) playgroundTerms {
	t := playgroundTerms{
		Grocery: strings.TrimSuffix(p.Rate.String(), "%"), Base: strings.TrimSuffix(p.Base.String(), "%"),
		Minimum: decimalOf(p.MinimumBalance), Maturity: p.MaturityDays, Grace: p.GraceDays,
		GrantLate: p.Grant == reward.GrantAtStatement, ClawbackLate: p.Clawback == reward.ClawbackAtStatement, Rerating: p.Method == reward.Rerate,
	}
	t.GroceryShown, t.BaseShown = l.Decimal(t.Grocery), l.Decimal(t.Base)
	if p.Cap != reward.NoCap {
		t.Cap = decimalOf(p.Cap)
	}
	return t
}

// termFields are the fields of the form, which are named after the words of links
// and stand in their order.
var termFields = []string{"grocery", "cap", "base", "grant", "clawback", "method", "maturity", "grace", "minimum"}

// termsOf writes the terms of a form as links have them. A blank cap is none;
// whatever else is blank is as in the example program.
func termsOf(query url.Values) string {
	var words []string
	for _, field := range termFields {
		value := strings.TrimSpace(query.Get(field))
		if field == "cap" && query.Has(field) && value == "" {
			value = "none"
		}
		if value != "" {
			words = append(words, field, value)
		}
	}
	return strings.Join(words, " ")
}

// decimalOf writes an amount of minor units, zero or more, as fields of numbers
// have it.
func decimalOf(minor int64) string { return fmt.Sprintf("%d.%02d", minor/100, minor%100) }
