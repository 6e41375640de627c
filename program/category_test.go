package program_test

import (
	"testing"

	"recoup/program"
	"recoup/reward"
)

func category(t *testing.T, p *reward.Program, code string) string {
	t.Helper()
	mcc, ok := reward.ParseMCC(code)
	if !ok {
		t.Fatalf("MCC %q", code)
	}
	return p.Categories(mcc)
}

// The first and last code of every range of the built-in table, and their
// neighbours.
func TestBuiltInCategories(t *testing.T) {
	p := program.Everyday()
	for want, codes := range map[string][]string{
		"GROCERY":       {"5411", "5422", "5441", "5451", "5462", "5499"},
		"GAS":           {"5541", "5542", "5983"},
		"DINING":        {"5811", "5812", "5813", "5814"},
		"TRAVEL":        {"3000", "3500", "3999", "4411", "4511", "4722", "7011", "7012", "7512"},
		"TRANSIT":       {"4111", "4112", "4121", "4131", "4784", "7523"},
		"DRUGSTORE":     {"5912"},
		"ENTERTAINMENT": {"7832", "7922", "7929", "7991", "7996", "7998", "7999"},
		"STREAMING":     {"4899", "5815", "5816", "5817", "5818"},
		"HOME":          {"5200", "5211", "5231", "5251", "5261"},
		"DEPARTMENT":    {"5309", "5310", "5311", "5331"},
		"CASH_LIKE":     {"4829", "6010", "6011", "6012", "6050", "6051", "6211", "6540", "7800", "7801", "7802", "7995"},
		"":              {"0000", "0742", "2999", "4000", "5308", "5312", "5410", "5412", "5810", "5819", "6009", "6013", "7799", "7803", "9999"},
	} {
		for _, code := range codes {
			if got := category(t, p, code); got != want {
				t.Errorf("%s is in %q, want %q", code, got, want)
			}
		}
	}
	for _, code := range []reward.MCC{0, 10_001, 65_535} {
		if got := p.Categories(code); got != "" {
			t.Errorf("the code numbered %d, which is none, is in %q", code, got)
		}
	}
}

func TestTheProgramsOwnCategoriesWin(t *testing.T) {
	p := parse(t, `
id: p
currency: USD
categories:
  PETS: ["0742", 5995]
  SUPER: ["5400-5449", "5411"]   # 5411, 5422 and 5441 are built-in groceries
  GROCERY: [5300]                # adds to the built-in category
rules: [{id: base, rate: 1%}]
`)
	for code, want := range map[string]string{
		"0742": "PETS", "5995": "PETS",
		"5400": "SUPER", "5411": "SUPER", "5441": "SUPER", "5449": "SUPER",
		"5300": "GROCERY", "5451": "GROCERY", "5499": "GROCERY",
		"5541": "GAS", "5450": "",
	} {
		if got := category(t, p, code); got != want {
			t.Errorf("%s is in %q, want %q", code, got, want)
		}
	}
	if got := category(t, program.Everyday(), "5411"); got != "GROCERY" {
		t.Errorf("another program's 5411 is in %q, want GROCERY", got)
	}
}

// Which rule a purchase earns under, as the core applies the program.
func TestMatching(t *testing.T) {
	p := parse(t, `
id: p
currency: USD
categories: {PETS: ["0742", "5422"]}
rules:
  - {id: partner, match: {merchant: [m1, m2], category: [GROCERY]}, rate: 10%}
  - {id: pets, match: {category: [PETS]}, rate: 7%}
  - {id: food, match: {category: [GROCERY, DINING]}, rate: 5%}
  - {id: codes, match: {mcc: ["5400-5499", "6300"]}, rate: 3%}
  - {id: shop, match: {merchant: [m1]}, rate: 2%}
`)
	for _, c := range []struct{ merchant, mcc, category, rule string }{
		{"m1", "5411", "", "partner"},    // both conditions hold
		{"m2", "", "GROCERY", "partner"}, // the category as sent
		{"m3", "5411", "", "food"},       // only one of them holds
		{"m1", "5812", "", "food"},       // the first rule in the file that matches
		{"m1", "", "", "shop"},           // neither code nor category
		{"", "0742", "", "pets"},         // the program's own category
		{"", "5422", "", "pets"},         // ... wins over the built-in one
		{"", "5422", "GROCERY", "food"},  // ... and what was sent over both
		{"", "5411", "TOYS", "codes"},    // a category that was sent hides the code's
		{"", "5812", "TOYS", ""},         // ... and may match nothing
		{"", "5400", "", "codes"},        // a range holds its ends
		{"", "5498", "", "codes"},        // ... what lies between
		{"", "5399", "", ""},             // ... and nothing beside them
		{"", "5500", "", ""},             //
		{"", "6300", "", "codes"},        // a single code
		{"", "", "grocery", ""},          // names are compared as they are written
		{"M1", "", "", ""},               //
		{"", "", "", ""},                 //
	} {
		mcc, _ := reward.ParseMCC(c.mcc)
		_, journal := reward.NewAccount("a", p).Apply(&reward.Event{
			Source: "core", ID: "e", Account: "a", Time: reward.EarliestInstant, Type: reward.TransactionSettled,
			Transaction: "t", Amount: 10_000, HasAmount: true, Currency: "USD",
			Merchant: c.merchant, MCC: mcc, Category: c.category,
		}, nil)
		rule := ""
		if len(journal) > 0 {
			rule = journal[0].Rule
		}
		if rule != c.rule {
			t.Errorf("merchant %q, mcc %q, category %q: rule %q, want %q", c.merchant, c.mcc, c.category, rule, c.rule)
		}
	}
}

func TestCategoryLookupDoesNotAllocate(t *testing.T) {
	p := program.Everyday()
	code, _ := reward.ParseMCC("5411")
	if n := testing.AllocsPerRun(100, func() { p.Categories(code) }); n != 0 {
		t.Errorf("%v allocations a lookup, want none", n)
	}
}
