package program_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"recoup/program"
)

// Each file is refused with exactly this message, which names the line and the
// member.
func TestRefusals(t *testing.T) {
	const head = "id: p\ncurrency: USD\n" // two lines
	const rules = "rules: [{id: base, rate: 1%}]\n"
	match := func(m string) string { return head + "rules:\n  - id: a\n    rate: 1%\n    match: {" + m + "}\n" }
	limit := func(c string) string { return head + "rules:\n  - id: a\n    rate: 1%\n    cap: " + c + "\n" }
	rate := func(r string) string { return head + "rules:\n  - id: a\n    rate: " + r + "\n" }

	for _, c := range []struct{ name, file, want string }{
		// The file as a whole.
		{"empty", "", `:1: expected a program, but the file is empty`},
		{"only a comment", "# later\n", `:1: expected a program, but the file is empty`},
		{"empty document", "---\n", `:2: expected a mapping, not nothing`},
		{"list", "- id: p\n", `:1: expected a mapping, not a list`},
		{"text", "everyday\n", `:1: expected a mapping, not "everyday"`},
		{"two documents", head + rules + "---\nid: q\n", `:5: expected one program, but a second document starts here`},
		{"broken second document", head + rules + "---\n\"\n", `:5: not well-formed YAML: found unexpected end of stream`},
		{"not UTF-8", "id: p\nid: \xff\n", `:2: expected UTF-8 text`},
		{"control character", "id: p\n\x00\n", `:2: the character U+0000 is not allowed`},
		{"stray byte order mark", "id: p\n# \uFEFF\n", `:2: the character U+FEFF is not allowed`},
		{"too large", strings.Repeat("#\n", program.MaxSize/2) + "#", `: expected a program of at most 1048576 bytes`},
		{"too deep", strings.Repeat("[", 20_000), `:1: not well-formed YAML: exceeded max depth of 10000`},

		// Syntax.
		{"tab", "id: p\nrules:\n\t- id: a\n", `:3: not well-formed YAML: found character that cannot start any token`},
		{"first line", "id: @p\n", `:1: not well-formed YAML: found character that cannot start any token`},
		{"open brace", "id: p\nrules:\n  - {id: a, rate: 5%\n  - {id: b}\n", `:3: not well-formed YAML: did not find expected ',' or '}'`},
		{"missing comma in JSON", "{\n \"id\": \"p\"\n \"currency\": \"USD\"\n}\n", `:3: not well-formed YAML: did not find expected ',' or '}'`},
		{"alias", head + "rules: [&base {id: base, rate: 1%}, *base]\n", `:3: rules[0]: anchors and aliases are not allowed in a program; write the value out`},
		{"alias as a value", "x: &x p\nid: *x\n", `:1: x: unknown member; expected one of id, currency, timing, clawback_method, zone, cycle, reward, maturity_days, expires, refunds, redemption, categories, rules, layers, bonuses, tiers`},
		{"alias as a key", "id: &p p\n*p : USD\n", `:2: anchors and aliases are not allowed in a program; write the value out`},
		{"alias of nothing", "id: *p\n", `: anchors and aliases are not allowed in a program; write the value out`},
		{"merge key", head + "<<: {id: q}\n" + rules, `:3: expected text (in quotes: "<<"), not <<`},
		{"tag", "id: !!str 5\n", `:1: id: tags such as "!!str" are not allowed in a program`},
		{"tag directive", "%TAG !x! tag:x\n---\nid: p\n", `:1: tags are not allowed in a program`},

		// Expiry.
		{"expiry without months", head + "expires: {}\n" + rules, `:3: expires.months: missing; expected after how many months rewards expire`},
		{"no months", head + "expires: {months: 0}\n" + rules, `:3: expires.months: expected a whole number of months from 1 to 120, not 0`},
		{"too many months", head + "expires: {months: 121}\n" + rules, `:3: expires.months: expected a whole number of months from 1 to 120, not 121`},
		{"expiry in days", head + "expires: {days: 90}\n" + rules, `:3: expires.days: unknown member; expected one of months`},
		{"a number of months alone", head + "expires: 24\n" + rules, `:3: expires: expected a mapping, not 24`},
		{"expiry before maturity", head + "maturity_days: 56\nexpires: {months: 2}\n" + rules, `:4: expires: with maturity_days: 56 rewards could expire before they may be redeemed: expected at least {months: 3}, or maturity_days of at most 55`},
		{"expiry before a long maturity", head + "expires: {months: 120}\nmaturity_days: 3660\n" + rules, `:3: expires: with maturity_days: 3660 rewards could expire before they may be redeemed: expected maturity_days of at most 3359`},

		// Members.
		{"unknown member with its value below", head + "refund:\n  pending_days: 3\n" + rules, `:3: refund: unknown member; expected one of id, currency, timing, clawback_method, zone, cycle, reward, maturity_days, expires, refunds, redemption, categories, rules, layers, bonuses, tiers`},
		{"unknown member", head + "refund: {}\n" + rules, `:3: refund: unknown member; expected one of id, currency, timing, clawback_method, zone, cycle, reward, maturity_days, expires, refunds, redemption, categories, rules, layers, bonuses, tiers`},
		{"unknown member inside", head + "refunds:\n  pending_days: 3\n  \"wait days\": 4\n" + rules, `:5: refunds."wait days": unknown member; expected one of pending_days, match_days, park_days, window_days, firm_days, movable`},
		{"member twice", head + "id: q\n" + rules, `:3: id: given twice, first on line 1`},
		{"member twice inside", head + "refunds:\n  park_days: 3\n  park_days: 3\n" + rules, `:5: refunds.park_days: given twice, first on line 4`},
		{"number as a member", head + "742: x\n", `:3: expected text (in quotes: "742"), not 742`},
		{"list as a member", head + "[a]: x\n", `:3: expected text, not a list`},
		{"no id", "currency: USD\n" + rules, `:1: id: missing; expected the program's id`},
		{"no currency", "# program\nid: p\n" + rules, `:2: currency: missing; expected an ISO 4217 code such as USD`},
		{"no rules", head, `:1: rules: missing; expected the list of rules`},

		// Text.
		{"empty id", "id: ''\n", `:1: id: expected text of at least one character, not ""`},
		{"id without a value", "id:\ncurrency: USD\n", `:1: id: expected text, not nothing`},
		{"number as id", "id: 2026\n", `:1: id: expected text (in quotes: "2026"), not 2026`},
		{"date as id", "id: 2026-01-01\n", `:1: id: expected text (in quotes: "2026-01-01"), not 2026-01-01`},
		{"truth value as id", "id: true\n", `:1: id: expected text (in quotes: "true"), not true`},
		{"mapping as id", "id: {a: b}\n", `:1: id: expected text, not a mapping`},
		{"long id", "id: " + strings.Repeat("é", 129) + "\n", `:1: id: expected text of at most 256 bytes, not "` + strings.Repeat("é", 40) + `"…`},
		{"line break in id", `id: "a\nb"`, `:1: id: expected text without control characters, not "a\nb"`},

		// Currency, timing, method, cycle.
		{"lower-case currency", "id: p\ncurrency: usd\n", `:2: currency: expected an ISO 4217 code in use, such as USD, not "usd"`},
		{"former currency", "id: p\ncurrency: DEM\n", `:2: currency: expected an ISO 4217 code in use, such as USD, not "DEM"`},
		{"currency list", "id: p\ncurrency: [USD]\n", `:2: currency: expected an ISO 4217 code in use, such as USD, not a list`},
		{"timing as text", head + "timing: settlement\n", `:3: timing: expected a mapping, not "settlement"`},
		{"timing without a value", head + "timing:\n" + rules, `:3: timing: expected a mapping, not nothing`},
		{"grant", head + "timing: {grant: refund}\n", `:3: timing.grant: expected settlement or statement, not "refund"`},
		{"clawback", head + "timing: {clawback: never}\n", `:3: timing.clawback: expected refund or statement, not "never"`},
		{"clawback off", head + "timing: {clawback: false}\n", `:3: timing.clawback: expected refund or statement, not false`},
		{"method", head + "clawback_method: Rerate\n", `:3: clawback_method: expected proportional or rerate, not "Rerate"`},
		{"method list", head + "clawback_method: [rerate]\n", `:3: clawback_method: expected proportional or rerate, not a list`},
		{"cycle", head + "cycle: week\n", `:3: cycle: expected calendar_month, or {day: D} for cycles that begin with a day of the month, not "week"`},
		{"cycle list", head + "cycle: []\n", `:3: cycle: expected calendar_month, or {day: D} for cycles that begin with a day of the month, not a list`},

		// Days and amounts.
		{"fraction of days", head + "maturity_days: 1.5\n", `:3: maturity_days: expected a whole number of days from 0 to 3660, not 1.5`},
		{"whole float", head + "maturity_days: 2.0\n", `:3: maturity_days: expected a whole number of days from 0 to 3660, not 2.0`},
		{"exponent", head + "maturity_days: 3e1\n", `:3: maturity_days: expected a whole number of days from 0 to 3660, not 3e1`},
		{"hexadecimal", head + "maturity_days: 0x1F\n", `:3: maturity_days: expected a whole number of days from 0 to 3660, not 0x1F`},
		{"octal", head + "maturity_days: 030\n", `:3: maturity_days: expected a whole number of days from 0 to 3660, not 030`},
		{"underscore", head + "maturity_days: 3_0\n", `:3: maturity_days: expected a whole number of days from 0 to 3660, not 3_0`},
		{"sign", head + "maturity_days: +3\n", `:3: maturity_days: expected a whole number of days from 0 to 3660, not +3`},
		{"negative", head + "maturity_days: -1\n", `:3: maturity_days: expected a whole number of days from 0 to 3660, not -1`},
		{"quoted", head + "maturity_days: \"30\"\n", `:3: maturity_days: expected a whole number of days from 0 to 3660, not "30"`},
		{"no number", head + "maturity_days:\n" + rules, `:3: maturity_days: expected a whole number of days from 0 to 3660, not nothing`},
		{"list of days", head + "maturity_days: [1]\n", `:3: maturity_days: expected a whole number of days from 0 to 3660, not a list`},
		{"too many days", head + "refunds: {pending_days: 3661}\n", `:3: refunds.pending_days: expected a whole number of days from 0 to 3660, not 3661`},
		{"match days", head + "refunds: {match_days: x}\n", `:3: refunds.match_days: expected a whole number of days from 0 to 3660, not "x"`},
		{"park days", head + "refunds: {park_days: -0}\n", `:3: refunds.park_days: expected a whole number of days from 0 to 3660, not -0`},
		{"window days", head + "refunds: {window_days: 99999999999999999999}\n", `:3: refunds.window_days: expected a whole number of days from 0 to 3660, not 99999999999999999999`},
		{"firm days", head + "refunds: {firm_days: null}\n", `:3: refunds.firm_days: expected a whole number of days from 0 to 3660, not nothing`},
		{"no movable refund", head + "refunds:\n  movable: 0\n", `:4: refunds.movable: expected a whole number of refunds from 1 to 1000, not 0`},
		{"too many movable refunds", head + "refunds: {movable: 1001}\n", `:3: refunds.movable: expected a whole number of refunds from 1 to 1000, not 1001`},
		{"after closing", head + "redemption: {after_closing: yes}\n", `:3: redemption.after_closing: expected false or true, not "yes"`},
		{"grace days", head + "redemption:\n  grace_days: 28\n", `:4: redemption.grace_days: expected a whole number of days from 0 to 27, not 28`},
		{"negative minimum", head + "redemption: {minimum_balance: -1}\n", `:3: redemption.minimum_balance: expected a whole number of minor units from 0 to 1000000000000000, not -1`},
		{"minimum in dollars", head + "redemption: {minimum_balance: 25.00}\n", `:3: redemption.minimum_balance: expected a whole number of minor units from 0 to 1000000000000000, not 25.00`},

		// Rules.
		{"rules as mapping", head + "rules: {base: 1%}\n", `:3: rules: expected a list of rules, not a mapping`},
		{"rules without a value", head + "rules:\n", `:3: rules: expected a list of rules, not nothing`},
		{"too many rules", head + "rules: [" + strings.Repeat("{},", 1001) + "]\n", `:3: rules: expected at most 1000 rules, not 1001`},
		{"rule as text", head + "rules:\n  - base\n", `:4: rules[0]: expected a mapping, not "base"`},
		{"rule without id", head + "rules:\n  - {id: a, rate: 1%, match: {mcc: [5411]}}\n  - rate: 1%\n", `:5: rules[1].id: missing; expected the rule's id`},
		{"rule without rate", head + "rules:\n  - id: a\n", `:4: rules[0].rate: missing; expected a percentage such as 5% or 4.75%, or steps`},
		{"unknown in rule", head + "rules:\n  - id: a\n    percent: 5\n", `:5: rules[0].percent: unknown member; expected one of id, match, except, rate, minimum, unit, at_most, cap, steps, per, whole`},
		{"rule twice", head + "rules:\n  - {id: a, rate: 1%, match: {mcc: [5411]}}\n  - {id: a, rate: 2%}\n", `:5: rules[1]: the id "a" is that of rules[0] (line 4) too`},

		// Rates.
		{"rate without sign", rate("5"), `:5: rules[0].rate: expected a percentage from 0% to 100% with at most six decimals, such as 5% or 4.75%, not 5`},
		{"rate above all", rate("100.000001%"), `:5: rules[0].rate: expected a percentage from 0% to 100% with at most six decimals, such as 5% or 4.75%, not "100.000001%"`},
		{"negative rate", rate("-1%"), `:5: rules[0].rate: expected a percentage from 0% to 100% with at most six decimals, such as 5% or 4.75%, not "-1%"`},
		{"seven decimals", rate("1.0000001%"), `:5: rules[0].rate: expected a percentage from 0% to 100% with at most six decimals, such as 5% or 4.75%, not "1.0000001%"`},
		{"rate list", rate("[1%]"), `:5: rules[0].rate: expected a percentage from 0% to 100% with at most six decimals, such as 5% or 4.75%, not a list`},

		// Caps.
		{"cap as number", limit("5000"), `:6: rules[0].cap: expected a mapping, not 5000`},
		{"cap without amount", limit("{per: cycle}"), `:6: rules[0].cap.reward: missing; expected the most that the rule rewards, in minor units: a cap without amount is none`},
		{"cap without period", limit("{reward: 5000}"), `:6: rules[0].cap.per: missing; expected the period of the cap: cycle, day, week, month, quarter, year or lifetime`},
		{"cap per decade", limit("{reward: 5000, per: decade}"), `:6: rules[0].cap.per: expected cycle, day, week, month, quarter, year or lifetime, not "decade"`},
		{"cap in dollars", limit("{reward: 50.00, per: cycle}"), `:6: rules[0].cap.reward: expected a whole number of minor units from 0 to 1000000000000000, not 50.00`},
		{"negative cap", limit("{reward: -1, per: cycle}"), `:6: rules[0].cap.reward: expected a whole number of minor units from 0 to 1000000000000000, not -1`},
		{"cap on spend", limit("{spend: 5000}"), `:6: rules[0].cap.spend: unknown member; expected one of reward, purchases, per, shared`},
		{"cap too large", limit("{reward: 1000000000000001, per: cycle}"), `:6: rules[0].cap.reward: expected a whole number of minor units from 0 to 1000000000000000, not 1000000000000001`},

		// Matches.
		{"match as list", head + "rules:\n  - {id: a, rate: 1%, match: [GROCERY]}\n", `:4: rules[0].match: expected a mapping, not a list`},
		{"unknown match", match("country: [US]"), `:6: rules[0].match.country: unknown member; expected one of category, mcc, merchant, label, account, weekday, from, until, within, tier`},
		{"category as text", match("category: GROCERY"), `:6: rules[0].match.category: expected a list, not "GROCERY"`},
		{"no category", match("category: []"), `:6: rules[0].match.category: expected a list of at least one value, not an empty one`},
		{"empty category", match(`category: [GAS, ""]`), `:6: rules[0].match.category[1]: expected text of at least one character, not ""`},
		{"no merchant", match("merchant: []"), `:6: rules[0].match.merchant: expected a list of at least one value, not an empty one`},
		{"merchant number", match("merchant: [012345]"), `:6: rules[0].match.merchant[0]: expected text (in quotes: "012345"), not 012345`},
		{"too many merchants", match("merchant: [" + strings.Repeat("m,", 10_001) + "]"), `:6: rules[0].match.merchant: expected a list of at most 10000 values, not 10001`},
		{"no code", match("mcc: []"), `:6: rules[0].match.mcc: expected a list of at least one value, not an empty one`},
		{"code outside a list", match("mcc: 5411"), `:6: rules[0].match.mcc: expected a list, not 5411`},
		{"three digits", match("mcc: [742]"), `:6: rules[0].match.mcc[0]: expected a merchant category code of four digits, such as "0742", or a range such as "5400-5499", not 742`},
		{"three digits in quotes", match(`mcc: [5411, "742"]`), `:6: rules[0].match.mcc[1]: expected a merchant category code of four digits, such as "0742", or a range such as "5400-5499", not "742"`},
		{"fraction", match("mcc: [54.1]"), `:6: rules[0].match.mcc[0]: expected a merchant category code of four digits, such as "0742", or a range such as "5400-5499", not 54.1`},
		{"half a range", match(`mcc: ["5400-"]`), `:6: rules[0].match.mcc[0]: expected a merchant category code of four digits, such as "0742", or a range such as "5400-5499", not "5400-"`},
		{"range of letters", match(`mcc: ["5400-54xx"]`), `:6: rules[0].match.mcc[0]: expected a merchant category code of four digits, such as "0742", or a range such as "5400-5499", not "5400-54xx"`},
		{"spaced range", match(`mcc: ["5400 - 5499"]`), `:6: rules[0].match.mcc[0]: expected a merchant category code of four digits, such as "0742", or a range such as "5400-5499", not "5400 - 5499"`},
		{"range as list", match("mcc: [[5400, 5499]]"), `:6: rules[0].match.mcc[0]: expected a merchant category code of four digits, such as "0742", or a range such as "5400-5499", not a list`},
		{"reversed range", match(`mcc: ["5499-5400"]`), `:6: rules[0].match.mcc[0]: expected a range that ascends, "5400-5499", not "5499-5400"`},

		// Categories.
		{"categories as list", head + "categories: [PETS]\n", `:3: categories: expected a mapping, not a list`},
		{"category without codes", head + "categories: {PETS: []}\n", `:3: categories.PETS: expected a list of at least one value, not an empty one`},
		{"category of a number", head + "categories: {PETS: 5995}\n", `:3: categories.PETS: expected a list, not 5995`},
		{"category with a bad code", head + "categories:\n  PETS: [\"0742\", 599]\n", `:4: categories.PETS[1]: expected a merchant category code of four digits, such as "0742", or a range such as "5400-5499", not 599`},
		{"category twice", head + "categories:\n  PETS: [5995]\n  PETS: [0742]\n", `:5: categories.PETS: given twice, first on line 4`},
		{"code in two categories", head + "categories:\n  PETS: [5995, 0742]\n  FARM: [\"0700-0799\"]\n", `:5: categories.FARM[0]: the code 0742 is in the category "PETS" already`},
		{"unnamed category", head + "categories: {\"\": [5995]}\n", `:3: categories: expected text of at least one character, not ""`},
		{"too many categories", head + "categories: {" + manyCategories(1001) + "}\n", `:3: categories: expected at most 1000 categories, not 1001`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := program.Parse("program.yaml", []byte(c.file))
			var refusal *program.Error
			if !errors.As(err, &refusal) {
				t.Fatalf("got %v, want an *Error", err)
			}
			if want := "program.yaml" + c.want; err.Error() != want {
				t.Errorf("\ngot  %s\nwant %s", err, want)
			}
		})
	}
}

func manyCategories(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "C%d: ['%04d'], ", i, i)
	}
	return b.String()
}
