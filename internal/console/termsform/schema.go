// Package termsform is the terms of a program as a form: all of the language that program
// files are written in, as fields, groups and lists. A form is made of a file and changes
// that file where a field was changed; everything else of it stays as it is written.
//
// What a file has and a form has no field for is kept and named. No rule of terms is known
// here: what a form makes is read, and refused, by package program as any file is.
package termsform

import "recoup/internal/console/locale"

// kind is what a field holds.
type kind string

const (
	text   kind = "text"
	number kind = "number"
	spend  kind = "spend"  // minor units of the currency, shown as an amount
	earned kind = "earned" // minor units of what rewards are in
	rate   kind = "rate"
	date   kind = "date"
	choice kind = "choice"
	list   kind = "list"  // texts, with commas between them
	names  kind = "names" // lists by name, each on a line
	cycle  kind = "cycle" // the day that a cycle begins with
	group  kind = "group"
	items  kind = "items" // groups in order
)

// member is a member of a mapping of the language.
type member struct {
	key         string
	label, hint locale.Text
	kind        kind
	choices     []locale.Text
	members     []member    // of a group, or of each of the items
	noun        locale.Text // what one of the items is
	fresh       [][2]any    // what a new one of the items begins with: keys, and a string or an int
}

var periods = []locale.Text{"cycle", "day", "week", "month", "quarter", "year", "lifetime"}

const weekdays = "monday, tuesday, wednesday, thursday, friday, saturday, sunday"

// match is what match and except may ask.
var match = []member{
	{key: "category", label: "Categories", hint: "with commas between: GROCERY, GAS", kind: list},
	{key: "mcc", label: "Merchant category codes", hint: "5411, 5400-5499", kind: list},
	{key: "merchant", label: "Merchants", hint: "with commas between", kind: list},
	{key: "weekday", label: "Weekdays", hint: weekdays, kind: list},
	{key: "from", label: "From", hint: "first day, as 2026-03-01", kind: date},
	{key: "until", label: "Until before", hint: "first day on which it does not hold", kind: date},
	{key: "label", label: "Labels of the purchase", hint: "a line each: channel: online, app", kind: names},
	{key: "account", label: "Attributes of the account", hint: "a line each: plan: gold", kind: names},
	{key: "tier", label: "Tiers", hint: "a line each: status: silver, gold", kind: names},
	{key: "within", label: "Within", kind: group, members: []member{
		{key: "days", label: "Days", kind: number},
		{key: "of", label: "since the attribute", hint: "such as opened", kind: text},
	}},
}

var which = []member{
	{key: "match", label: "Which purchases", hint: "all that is given must hold; nothing given is every purchase", kind: group, members: match},
	{key: "except", label: "But none of these", kind: group, members: match},
}

var counts = []member{
	{key: "minimum", label: "Counts from", hint: "what must be left of a purchase", kind: spend},
	{key: "unit", label: "Whole units of", hint: "only these of a purchase count", kind: spend},
}

var rule = join([]member{
	{key: "id", label: "Name", kind: text},
	{key: "rate", label: "Rate", hint: "5%, 4.75% or 3 per 100", kind: rate},
}, which, counts, []member{
	{key: "at_most", label: "At most for one purchase", kind: earned},
	{key: "cap", label: "Cap", kind: group, members: []member{
		{key: "reward", label: "Rewards up to", kind: earned},
		{key: "purchases", label: "or the first purchases", hint: "how many", kind: number},
		{key: "per", label: "in each", kind: choice, choices: periods},
		{key: "shared", label: "Shared under the name", hint: "with rules that say the same of it", kind: text},
	}},
	{key: "steps", label: "Steps", hint: "in place of one rate", kind: items, noun: "step", fresh: [][2]any{{"rate", "1%"}}, members: []member{
		{key: "from", label: "Spend from", hint: "the first has none", kind: spend},
		{key: "rate", label: "Rate", kind: rate},
	}},
	{key: "per", label: "Steps count in each", kind: choice, choices: periods},
	{key: "whole", label: "The highest step's rate is of", kind: choice, choices: []locale.Text{"false", "true"}, hint: "true: of all the spend"},
})

var rules = member{key: "rules", label: "Rules", hint: "the first that matches applies", kind: items, noun: "rule", fresh: [][2]any{{"id", "rule"}, {"rate", "1%"}}, members: rule}

func goals(key string, label, from locale.Text, of kind) member {
	return member{key: key, label: label, hint: "the highest that is reached pays", kind: items, noun: "step", fresh: [][2]any{{"from", 1}, {"reward", 1}}, members: []member{
		{key: "from", label: from, kind: of},
		{key: "reward", label: "Reward in all", kind: earned},
	}}
}

// root is a program.
var root = []member{
	{key: "id", label: "Program", kind: text},
	{key: "currency", label: "Currency", hint: "ISO 4217, such as USD", kind: text},
	rules,
	{key: "layers", label: "Layers", hint: "a purchase earns in each", kind: items, noun: "layer", fresh: [][2]any{{"id", "layer"}}, members: []member{
		{key: "id", label: "Name", kind: text}, rules,
	}},
	{key: "bonuses", label: "Bonuses", kind: items, noun: "bonus", fresh: [][2]any{{"id", "bonus"}, {"per", "lifetime"}}, members: join([]member{
		{key: "id", label: "Name", kind: text},
		{key: "per", label: "In each", kind: choice, choices: periods},
	}, which, counts, []member{
		goals("spend", "For spend", "Spend", spend),
		goals("purchases", "For purchases", "Purchases", number),
		{key: "every", label: "Again and again", kind: group, members: []member{
			{key: "spend", label: "For every spend of", kind: spend},
			{key: "purchases", label: "or for every so many purchases", kind: number},
			{key: "reward", label: "Reward", kind: earned},
			{key: "at_most", label: "At most, times", kind: number},
		}},
	})},
	{key: "tiers", label: "Tiers", kind: items, noun: "tier", fresh: [][2]any{{"id", "tier"}, {"per", "year"}, {"keeps", "this"}}, members: join([]member{
		{key: "id", label: "Name", kind: text},
		{key: "per", label: "Spend counts in each", kind: choice, choices: periods},
		{key: "keeps", label: "Kept for the rest of this period, or for the next", kind: choice, choices: []locale.Text{"this", "next"}},
	}, which, counts, []member{
		{key: "spend", label: "Levels", kind: items, noun: "level", fresh: [][2]any{{"from", 1}, {"tier", "level"}}, members: []member{
			{key: "from", label: "Spend from", kind: spend},
			{key: "tier", label: "Level", kind: text},
		}},
	})},
	{key: "timing", label: "When", kind: group, members: []member{
		{key: "grant", label: "Granted", kind: choice, choices: []locale.Text{"settlement", "statement"}},
		{key: "clawback", label: "Taken back", kind: choice, choices: []locale.Text{"refund", "statement"}},
	}},
	{key: "clawback_method", label: "How much is taken back", kind: choice, choices: []locale.Text{"proportional", "rerate"}},
	{key: "maturity_days", label: "Matures after days", kind: number},
	{key: "expires", label: "Expires", kind: group, members: []member{{key: "months", label: "After months", kind: number}}},
	{key: "redemption", label: "Redemptions", kind: group, members: []member{
		{key: "minimum_balance", label: "Left at least", kind: earned},
		{key: "grace_days", label: "None for days after a statement", kind: number},
		{key: "after_closing", label: "After the account was closed", kind: choice, choices: []locale.Text{"false", "true"}},
	}},
	{key: "refunds", label: "Refunds", hint: "in days", kind: group, members: []member{
		{key: "pending_days", label: "An announced one holds for", kind: number},
		{key: "park_days", label: "One waits for its purchase for", kind: number},
		{key: "window_days", label: "Without a link: purchases before it up to", kind: number},
		{key: "match_days", label: "and after it up to", kind: number},
		{key: "firm_days", label: "and stays there after", kind: number},
		{key: "movable", label: "At most so many may still move", kind: number},
	}},
	{key: "zone", label: "Time zone", hint: "such as Europe/Rome; none is UTC", kind: text},
	{key: "cycle", label: "A cycle begins with day", hint: "1 to 28; none is the calendar month", kind: cycle},
	{key: "reward", label: "Points", hint: "none: rewards are in the currency", kind: group, members: []member{
		{key: "unit", label: "Unit", hint: "three capitals, such as PTS", kind: text},
		{key: "decimals", label: "Decimals", kind: number},
	}},
	{key: "categories", label: "Categories of its own", hint: "a line each: PETS: 0742, 5995", kind: names},
}

func join(lists ...[]member) (all []member) {
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}
