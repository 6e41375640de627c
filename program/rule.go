package program

import (
	"recoup/internal/kit/yamltree"
	"recoup/reward"
)

// readRules reads the rules of a program with one layer.
func (d *draft) readRules(n yamltree.Node) (err error) {
	d.rules = &n
	d.base, err = d.rulesOf(n)
	return err
}

// readLayers reads layers in order, each with rules of its own.
func (d *draft) readLayers(n yamltree.Node) error {
	d.layers = &n
	items, err := n.ListOf("layers", MaxLayers)
	if err != nil {
		return err
	}
	if len(items) == 0 {
		return n.Fail("expected at least one layer; a program that rewards no purchase by itself says rules: []")
	}
	first := make(map[string]yamltree.Node, len(items))
	for _, item := range items {
		var l reward.Layer
		err := item.Mapping(
			yamltree.Required("id", "the layer's id", yamltree.Text(&l.ID, "text")),
			yamltree.Required("rules", "the list of its rules", func(n yamltree.Node) (err error) {
				l.Rules, err = d.rulesOf(n)
				return err
			}),
		)
		if err != nil {
			return err
		}
		if other, ok := first[l.ID]; ok {
			return item.Fail("the id %s is that of %s (line %d) too", yamltree.Quote(l.ID), other.Path(), other.Line())
		}
		first[l.ID] = item
		d.p.Layers = append(d.p.Layers, l)
	}
	return nil
}

// rulesOf reads the rules of a layer in order. There may be none: such a layer
// rewards nothing.
func (d *draft) rulesOf(n yamltree.Node) ([]reward.Rule, error) {
	items, err := n.ListOf("rules", MaxRules)
	if err != nil || len(items) == 0 {
		return nil, err
	}
	rules := make([]reward.Rule, len(items))
	for i, item := range items {
		if err := d.readRule(item, &rules[i]); err != nil {
			return nil, err
		}
		if err := d.take(item, rules[i].ID); err != nil {
			return nil, err
		}
	}
	return rules, nil
}

func (d *draft) readRule(n yamltree.Node, rule *reward.Rule) error {
	rule.Cap = reward.NoCap
	var rate, limit, stairs, per, atMost, whole *yamltree.Node
	note := func(at **yamltree.Node, read yamltree.Reader) yamltree.Reader {
		return func(n yamltree.Node) error {
			*at = &n
			return read(n)
		}
	}
	err := n.Mapping(
		yamltree.Required("id", "the rule's id", yamltree.Text(&rule.ID, "text")),
		yamltree.Optional("match", d.readMatch(&rule.Match)),
		yamltree.Optional("except", d.layered(d.readMatch(&rule.Except))),
		yamltree.Optional("rate", note(&rate, d.readRate(&rule.Rate, &rule.Exact))),
		yamltree.Optional("minimum", d.rerate("minimum", minorUnits(&rule.Minimum))),
		yamltree.Optional("unit", d.rerate("unit", yamltree.Between(&rule.Unit, "minor units", 1, reward.MaxAmount))),
		yamltree.Optional("at_most", note(&atMost, d.rerate("at_most", yamltree.Between(&rule.AtMost, "minor units", 1, reward.MaxAmount)))),
		yamltree.Optional("cap", note(&limit, d.readCap(rule))),
		yamltree.Optional("steps", note(&stairs, d.rerate("steps", d.readSteps(&rule.Steps)))),
		yamltree.Optional("per", note(&per, d.layered(readPeriod(&rule.Per)))),
		yamltree.Optional("whole", note(&whole, d.layered(yamltree.Either(&rule.Whole, "false", "true")))),
	)
	switch {
	case err != nil:
		return err
	case rate == nil && stairs == nil:
		return n.Missing("rate", "a percentage such as 5% or 4.75%, or steps")
	case stairs == nil && whole != nil:
		return whole.Fail("expected only beside steps: it says what of a period's spend the highest step's rate is of")
	case stairs == nil && per != nil:
		return per.Fail("expected only beside steps; the period of a cap stands in the cap: cap: {reward: …, per: %s}", rule.Per)
	case stairs == nil:
		return nil
	case rate != nil:
		return rate.Fail("a rule has a rate or steps, not both; the first step's rate is that of the spend below the second")
	case atMost != nil:
		return atMost.Fail("steps reward the spend of a period and not single purchases, so they have no at_most; allowed beside steps are minimum and unit")
	case limit != nil:
		return limit.Fail("a rule has one limit: steps or a cap; a last step with the rate 0%% ends the rewards of a period")
	case per == nil:
		return n.Missing("per", "the period of the steps: "+periods)
	}
	return nil
}

func (d *draft) readSteps(dst *[]reward.Step) yamltree.Reader {
	return func(n yamltree.Node) error {
		items, err := n.ListOf("steps", MaxSteps)
		if err != nil {
			return err
		}
		if len(items) == 0 {
			return n.Fail("expected at least one step")
		}
		steps := make([]reward.Step, len(items))
		for i, item := range items {
			err := item.Mapping(
				yamltree.Optional("from", minorUnits(&steps[i].From)),
				yamltree.Required("rate", "a percentage such as 5% or 4.75%", d.readRate(&steps[i].Rate, &steps[i].Exact)),
			)
			if err != nil {
				return err
			}
		}
		*dst = steps
		return nil
	}
}

const periods = "cycle, day, week, month, quarter, year or lifetime"

func readPeriod(dst *reward.Period) yamltree.Reader {
	return yamltree.Choice(dst,
		yamltree.Word("cycle", reward.PerCycle), yamltree.Word("day", reward.PerDay), yamltree.Word("week", reward.PerWeek),
		yamltree.Word("month", reward.PerMonth), yamltree.Word("quarter", reward.PerQuarter), yamltree.Word("year", reward.PerYear),
		yamltree.Word("lifetime", reward.PerLifetime))
}

// readCap reads a limit on the rewards of a period, or on its purchases.
func (d *draft) readCap(rule *reward.Rule) yamltree.Reader {
	const want = "the most that the rule rewards, in minor units: a cap without amount is none"
	return func(n yamltree.Node) error {
		var rewards, purchases, shared *yamltree.Node
		err := n.Mapping(
			yamltree.Optional("reward", func(n yamltree.Node) error {
				rewards = &n
				return minorUnits(&rule.Cap)(n)
			}),
			yamltree.Optional("purchases", func(n yamltree.Node) error {
				purchases = &n
				return d.rerate("cap.purchases", yamltree.Between(&rule.Places, "purchases", 1, MaxTimes))(n)
			}),
			yamltree.Required("per", "the period of the cap: "+periods, readPeriod(&rule.Per)),
			yamltree.Optional("shared", func(n yamltree.Node) error {
				shared = &n
				return d.layered(yamltree.Text(&rule.Shared, "text"))(n)
			}),
		)
		switch {
		case err != nil:
			return err
		case rewards == nil && purchases == nil:
			return n.Missing("reward", want)
		case rewards != nil && purchases != nil:
			return purchases.Fail("a rule has one limit: reward or purchases")
		case purchases != nil && shared != nil:
			return shared.Fail("only a cap on rewards can be shared: cap: {reward: …, per: %s, shared: %s}", rule.Per, yamltree.Quote(rule.Shared))
		}
		if rule.Per != reward.PerCycle {
			d.isLayered = true
		}
		if shared == nil {
			return nil
		}
		other, known := d.shared[rule.Shared]
		if !known {
			d.shared[rule.Shared] = sharing{n, rule.Cap, rule.Per}
		} else if other.cap != rule.Cap || other.per != rule.Per {
			return n.Fail("the cap %s is of %d per %s on line %d: rules that share a cap say the same of it",
				yamltree.Quote(rule.Shared), other.cap, other.per, other.node.Line())
		}
		return nil
	}
}

// readRate reads a percentage, or a fraction.
func (d *draft) readRate(dst *reward.Rate, exact *reward.Fraction) yamltree.Reader {
	return func(n yamltree.Node) error {
		const want = "a percentage from 0% to 100% with at most six decimals, such as 5% or 4.75%"
		text, err := n.Scalar(want)
		if err != nil {
			return err
		}
		if fraction, ok := reward.ParseFraction(text); ok {
			*exact = fraction
			d.isLayered = true
			return nil
		}
		rate, err := reward.ParseRate(text)
		if err != nil {
			return n.Expected(want)
		}
		*dst = rate
		d.percents = append(d.percents, percent{n, rate})
		return nil
	}
}

// texts returns a list of texts.
func texts(n yamltree.Node) ([]string, error) {
	items, err := n.List()
	if err != nil {
		return nil, err
	}
	list := make([]string, len(items))
	for i, item := range items {
		if list[i], err = item.Text("text"); err != nil {
			return nil, err
		}
	}
	return list, nil
}
