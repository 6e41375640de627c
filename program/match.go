package program

import (
	"time"

	"recoup/internal/kit/yamltree"
	"recoup/reward"
)

// readMatch reads what match and except may ask.
func (d *draft) readMatch(m *reward.Match) yamltree.Reader {
	more := func(read func(*reward.PurchaseMatch, yamltree.Node) error) yamltree.Reader {
		return func(n yamltree.Node) error {
			d.isLayered = true
			if m.Purchase == nil {
				m.Purchase = new(reward.PurchaseMatch)
			}
			return read(m.Purchase, n)
		}
	}
	return func(n yamltree.Node) error {
		return n.Mapping(
			yamltree.Optional("category", func(n yamltree.Node) (err error) {
				m.Categories, err = texts(n)
				return err
			}),
			yamltree.Optional("mcc", func(n yamltree.Node) (err error) {
				m.MCCs, err = readMCCs(n)
				return err
			}),
			yamltree.Optional("merchant", func(n yamltree.Node) error {
				merchants, err := texts(n)
				if err != nil {
					return err
				}
				m.Merchants = make(map[string]bool, len(merchants))
				for _, merchant := range merchants {
					m.Merchants[merchant] = true
				}
				return nil
			}),
			yamltree.Optional("label", more(func(m *reward.PurchaseMatch, n yamltree.Node) (err error) {
				m.Labels, err = valuesByName(n)
				return err
			})),
			yamltree.Optional("account", more(func(m *reward.PurchaseMatch, n yamltree.Node) (err error) {
				m.Account, err = valuesByName(n)
				return err
			})),
			yamltree.Optional("weekday", more(func(m *reward.PurchaseMatch, n yamltree.Node) error {
				return yamltree.Each(&m.Weekdays, func(day *time.Weekday) yamltree.Reader { return yamltree.Enum(day, weekdayNames[:]...) })(n)
			})),
			yamltree.Optional("from", more(func(m *reward.PurchaseMatch, n yamltree.Node) (err error) {
				m.From, err = readDate(n)
				return err
			})),
			yamltree.Optional("until", more(func(m *reward.PurchaseMatch, n yamltree.Node) (err error) {
				m.Until, err = readDate(n)
				return err
			})),
			yamltree.Optional("within", more(func(m *reward.PurchaseMatch, n yamltree.Node) error {
				m.Within = new(reward.Within)
				return n.Mapping(
					yamltree.Required("days", "for how many days", yamltree.Between(&m.Within.Days, "days", 1, MaxDays)),
					yamltree.Required("of", "the name of the attribute since which they count, such as opened", func(n yamltree.Node) (err error) {
						m.Within.Of, err = readName(n)
						return err
					}),
				)
			})),
			yamltree.Optional("tier", more(d.readAsked)),
		)
	}
}

// valuesByName reads a mapping from names to the values that are asked of each.
func valuesByName(n yamltree.Node) (map[string][]string, error) {
	entries, err := n.Entries()
	if err != nil {
		return nil, err
	}
	if len(entries) == 0 || len(entries) > reward.MaxLabels {
		return nil, n.Fail("expected from 1 to %d names with their values, found %d", reward.MaxLabels, len(entries))
	}
	asked := make(map[string][]string, len(entries))
	for _, e := range entries {
		if !reward.IsName(e.Name) {
			return nil, e.Key.Fail("expected a name of %s", nameForm)
		}
		if asked[e.Name], err = texts(e.Node); err != nil {
			return nil, err
		}
	}
	return asked, nil
}

const nameForm = "1 to 64 letters, digits, dots, hyphens and underscores"

func readName(n yamltree.Node) (string, error) {
	name, err := n.Text("a name of " + nameForm)
	if err == nil && !reward.IsName(name) {
		err = n.Expected("a name of " + nameForm)
	}
	return name, err
}

var weekdayNames = [...]string{"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"}

func readDate(n yamltree.Node) (*reward.Date, error) {
	const want = "a date such as 2026-03-01"
	text, err := n.Scalar(want)
	if err != nil {
		return nil, err
	}
	t, err := time.Parse(time.DateOnly, text)
	if err != nil || t.Before(reward.EarliestInstant.Time()) || t.After(reward.LatestInstant.Time()) {
		return nil, n.Expected(want)
	}
	date := reward.DateOf(t)
	return &date, nil
}
