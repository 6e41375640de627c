package program

import (
	"fmt"
	"time"
	_ "time/tzdata" // so that a zone means the same on every machine

	"recoup/internal/kit/yamltree"
	"recoup/reward"
)

// draft is a program while it is read: what can be judged only when all of it is
// known.
type draft struct {
	p             *reward.Program
	rules, layers *yamltree.Node
	base          []reward.Rule
	isLayered     bool // something is said that a plain program does not
	ids           map[string]yamltree.Node
	shared        map[string]sharing
	needs         []need
	percents      []percent
	asks          []tierAsk
	expires       *yamltree.Node
}

// sharing is a cap that rules share, where it was first said.
type sharing struct {
	node yamltree.Node
	cap  int64
	per  reward.Period
}

// need is a member that only re-rating can take back.
type need struct {
	node yamltree.Node
	what string
}

// percent is a rate that is given as a percentage.
type percent struct {
	node yamltree.Node
	rate reward.Rate
}

func newDraft(p *reward.Program) *draft {
	return &draft{p: p, ids: make(map[string]yamltree.Node), shared: make(map[string]sharing)}
}

// take has an id for one rule or bonus of the program.
func (d *draft) take(n yamltree.Node, id string) error {
	if other, ok := d.ids[id]; ok {
		return n.Fail("the id %s is that of %s (line %d) too", yamltree.Quote(id), other.Path(), other.Line())
	}
	d.ids[id] = n
	return nil
}

// layered reads a member that a plain program does not have.
func (d *draft) layered(read yamltree.Reader) yamltree.Reader {
	return func(n yamltree.Node) error {
		d.isLayered = true
		return read(n)
	}
}

// rerate reads a member that needs clawback_method: rerate.
func (d *draft) rerate(what string, read yamltree.Reader) yamltree.Reader {
	return d.layered(func(n yamltree.Node) error {
		d.needs = append(d.needs, need{n, what})
		return read(n)
	})
}

func (d *draft) readZone(n yamltree.Node) error {
	d.isLayered = true
	return yamltree.Parsed(&d.p.Zone, "the IANA name of a time zone, such as Europe/Rome or UTC", func(name string) (*time.Location, bool) {
		zone, err := time.LoadLocation(name)
		return zone, err == nil && name != "" && name != "Local"
	})(n)
}

func (d *draft) readCycle(n yamltree.Node) error {
	const want = "calendar_month, or {day: D} for cycles that begin with a day of the month"
	if n.IsScalar() {
		given, err := n.Scalar(want)
		if err == nil && given != "calendar_month" {
			err = n.Expected(want)
		}
		return err
	}
	d.isLayered = true
	if n.IsList() {
		return n.Expected(want)
	}
	return n.Mapping(yamltree.Required("day", "the day of the month with which a cycle begins", func(n yamltree.Node) error {
		return yamltree.Between(&d.p.StatementDay, "days of the month, which every month has,", 1, 28)(n)
	}))
}

func (d *draft) readUnit(n yamltree.Node) error {
	d.isLayered = true
	u := &d.p.Reward
	return n.Mapping(
		yamltree.Required("unit", "what rewards are in, such as PTS", func(n yamltree.Node) error {
			const want = "three capital letters that are no currency's, such as PTS"
			name, err := n.Scalar(want)
			if err != nil {
				return err
			}
			if _, currency := MinorUnits(name); currency || !reward.IsUnit(name) {
				return n.Expected(want)
			}
			u.Name = name
			return nil
		}),
		yamltree.Required("decimals", "how many decimals an amount in the unit has", yamltree.Whole(&u.Decimals, "decimals", 6)),
	)
}

// finish judges the program as a whole.
func (d *draft) finish(root yamltree.Node) error {
	p := d.p
	switch {
	case d.rules != nil && d.layers != nil:
		return d.layers.Fail("a program has rules (line %d) or layers, not both: rules are one layer, named base", d.rules.Line())
	case d.rules == nil && d.layers == nil && len(d.p.Bonuses) == 0:
		return root.Missing("rules", "the list of rules")
	}
	if p.Method == reward.Proportional && len(d.needs) > 0 {
		n := d.needs[0]
		return n.node.Fail("%s needs clawback_method: rerate: the proportional share of an original reward would leave what the terms do not promise on the purchases that are kept", n.what)
	}
	if !p.Commensurable(nil) || !(&reward.Program{Layers: []reward.Layer{{Rules: d.base}}}).Commensurable(nil) {
		return root.Fail("its rates have no common denominator up to %d, a percentage having 10^8: expected fewer that differ", int64(reward.MaxScale))
	}
	if p.Reward.Name != "" && len(d.percents) > 0 {
		x := d.percents[0]
		return x.node.Fail("rewards in %s are so many for so much spend, not a share of it: expected for instance %s", p.Reward.Name, asFraction(x.rate))
	}
	if err := d.finishExpiry(); err != nil {
		return err
	}
	switch {
	case d.layers != nil:
	case d.isLayered:
		p.Layers = []reward.Layer{{ID: baseLayer, Rules: d.base}}
	default:
		p.Rules = d.base
	}
	return d.judge()
}

// baseLayer is the layer of a program that says rules.
const baseLayer = "base"

// asFraction is a percentage as so many for a hundred, or what that takes.
func asFraction(r reward.Rate) string {
	n, m := int64(r), int64(reward.MaxRate)
	for n%10 == 0 && m > 100 {
		n, m = n/10, m/10
	}
	return fmt.Sprintf("%d per %d", n, m)
}
