package reward

import (
	"slices"
	"time"
)

// PurchaseMatch is what terms may ask of a purchase beside where it was made. Each
// member that is given asks something of its own.
type PurchaseMatch struct {
	// Labels and Account have, by name, the values of which the purchase's label,
	// or the account's attribute at the time of purchase, must be one.
	Labels, Account map[string][]string
	Weekdays        []time.Weekday // of the time of purchase, in the program's zone
	From, Until     *Date          // the local date of purchase is on or after, before
	Within          *Within
	// Tiers have, by id, the levels of which the purchase's must be one: in a Match of
	// a rule or a bonus alone. Everything else is decided when the purchase posts, these
	// by what is bought and kept.
	Tiers map[string][]string
}

// empty reports whether nothing is asked.
func (m *PurchaseMatch) empty() bool {
	return m.Labels == nil && m.Account == nil && m.Weekdays == nil && m.From == nil && m.Until == nil && m.Within == nil && m.Tiers == nil
}

// Within is the days of 24 hours after an attribute of the account was set.
type Within struct {
	Days int
	Of   string
}

// occasion is a purchase as it is matched.
type occasion struct {
	Terms
	labels  Labels
	at      Instant // time of purchase
	program *Program
	account *Account
}

// members are what a match asks; each says whether it is given and whether it holds.
var members = [...]func(*Match, *occasion) (given, holds bool){
	func(m *Match, o *occasion) (bool, bool) {
		return m.Categories != nil, contains(m.Categories, o.Category)
	},
	func(m *Match, o *occasion) (bool, bool) { return m.MCCs != nil, m.code(o.MCC) },
	func(m *Match, o *occasion) (bool, bool) {
		return m.Merchants != nil, m.Merchants[MatchedText(o.Merchant)]
	},
	func(m *Match, o *occasion) (bool, bool) {
		return m.given() && m.Purchase.Labels != nil, m.given() && eachOf(m.Purchase.Labels, o.labels.Get)
	},
	func(m *Match, o *occasion) (bool, bool) {
		return m.given() && m.Purchase.Account != nil, m.given() && eachOf(m.Purchase.Account, func(name string) string {
			value, _ := o.account.attributeAt(name, o.at)
			return value
		})
	},
	func(m *Match, o *occasion) (bool, bool) {
		return m.given() && m.Purchase.Weekdays != nil, m.given() && slices.Contains(m.Purchase.Weekdays, o.program.local(o.at).Weekday())
	},
	func(m *Match, o *occasion) (bool, bool) {
		return m.given() && m.Purchase.From != nil, m.given() && m.Purchase.From != nil && o.program.date(o.at) >= *m.Purchase.From
	},
	func(m *Match, o *occasion) (bool, bool) {
		return m.given() && m.Purchase.Until != nil, m.given() && m.Purchase.Until != nil && o.program.date(o.at) < *m.Purchase.Until
	},
	func(m *Match, o *occasion) (bool, bool) {
		if !m.given() || m.Purchase.Within == nil {
			return false, false
		}
		w := m.Purchase.Within
		value, from := o.account.attributeAt(w.Of, o.at)
		return true, value != "" && o.at < from.plusDays(w.Days)
	},
}

func (m *Match) given() bool { return m.Purchase != nil }

// code reports whether a code is in one of the ranges.
func (m *Match) code(code MCC) bool {
	return slices.ContainsFunc(m.MCCs, func(r MCCRange) bool { return code >= r.First && code <= r.Last })
}

// eachOf reports whether, for every name, its value is one of those given.
func eachOf(asked map[string][]string, value func(string) string) bool {
	for name, values := range asked {
		if v := MatchedText(value(name)); v == "" || !slices.Contains(values, v) {
			return false
		}
	}
	return true
}

// suits reports whether all of match holds of a purchase, and nothing of except.
func (o *occasion) suits(match, except *Match) bool {
	for _, member := range members {
		if given, holds := member(match, o); given && !holds {
			return false
		}
		if given, holds := member(except, o); given && holds {
			return false
		}
	}
	return true
}

// Empty reports whether the match asks nothing.
func (m *Match) Empty() bool {
	return m.Categories == nil && m.MCCs == nil && m.Merchants == nil && m.Purchase == nil
}

// IsName reports whether a text can be the name of a label or an attribute: 1 to 64
// letters, digits, dots, hyphens and underscores.
func IsName(s string) bool {
	for _, c := range []byte(s) {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '.' && c != '-' && c != '_' {
			return false
		}
	}
	return s != "" && len(s) <= 64
}
