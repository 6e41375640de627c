package traffic

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"recoup/reward"
)

// trade is a kind of merchant.
type trade struct {
	category  string // as sent; "" where the code says it, or there is none
	mcc       reward.MCC
	weight    int64 // of its purchases
	amounts   *shape
	merchants []string
	busy      *wheel // how often each merchant is drawn
}

// market is all merchants.
type market struct {
	trades []trade
	busy   *wheel
}

// highStreet is where people spend whatever the program: the built-in category,
// the code, the share of purchases, and the median, in minor units of about a
// cent, and spread of the amounts. They go from about 2 to about 4,000 dollars.
var highStreet = []struct {
	category string
	mcc      string
	weight   int64
	median   int64
	sigma    float64
}{
	{"GROCERY", "5411", 24, 38_00, 0.75},
	{"DINING", "5812", 20, 22_00, 0.70},
	{"GAS", "5541", 11, 42_00, 0.45},
	{"TRANSIT", "4111", 6, 6_00, 0.35},
	{"DRUGSTORE", "5912", 5, 19_00, 0.65},
	{"STREAMING", "5815", 5, 13_00, 0.35},
	{"HOME", "5200", 5, 65_00, 0.95},
	{"DEPARTMENT", "5311", 5, 55_00, 0.90},
	{"TRAVEL", "4511", 3, 240_00, 0.85},
	{"ENTERTAINMENT", "7832", 3, 26_00, 0.60},
	{"CASH_LIKE", "4829", 1, 180_00, 0.70},
	{"", "5651", 5, 52_00, 0.80},  // clothing
	{"", "5732", 3, 110_00, 1.00}, // electronics
	{"", "4900", 3, 90_00, 0.50},  // utilities
	{"", "8011", 2, 70_00, 0.90},  // doctors
}

// Of a trade that only the program's rules name nothing else is known.
const (
	unknownWeight = 8
	unknownMedian = 30_00
	unknownSigma  = 0.80
)

const merchantsPerTrade = 200

// newMarket is the high street and what else the program's rules match. The
// program may be nil.
func newMarket(p *reward.Program) *market {
	var m market
	for _, h := range highStreet {
		mcc, _ := reward.ParseMCC(h.mcc)
		t := trade{category: h.category, mcc: mcc, weight: h.weight, amounts: logNormal(h.median, h.sigma)}
		if p != nil && p.Categories != nil {
			t.category = "" // the program's own reading of the code
		}
		t.merchants = merchantNames(strings.ToLower(h.category), h.mcc)
		m.trades = append(m.trades, t)
	}
	if p != nil {
		for _, match := range matchesOf(p) {
			m.addRule(p, match)
		}
		m.stamp(p)
	}
	weights := make([]int64, len(m.trades))
	for i := range m.trades {
		weights[i] = m.trades[i].weight
		m.trades[i].busy = newWheel(zipf(len(m.trades[i].merchants)))
	}
	m.busy = newWheel(weights)
	return &m
}

// addRule adds what the match needs and the market does not have yet.
func (m *market) addRule(p *reward.Program, match *reward.Match) {
	categories := match.Categories
	if categories == nil {
		if match.MCCs == nil && match.Merchants == nil {
			return
		}
		categories = []string{""}
	}
	for _, category := range categories {
		t := trade{category: category, weight: unknownWeight, amounts: logNormal(unknownMedian, unknownSigma)}
		switch {
		case len(match.MCCs) > 0:
			t.mcc = match.MCCs[0].First
		case category != "":
			if match.Merchants == nil && m.has(p, category) {
				continue
			}
			t.mcc = codeOf(p, category)
		}
		if t.category == categoryOf(p, t.mcc) {
			t.category = ""
		}
		t.merchants = slices.Sorted(maps.Keys(match.Merchants))
		if len(t.merchants) > maxRuleMerchants {
			t.merchants = t.merchants[:maxRuleMerchants]
		}
		if t.merchants == nil {
			t.merchants = merchantNames(strings.ToLower(category), t.mcc.String())
		}
		m.trades = append(m.trades, t)
	}
}

// stamp has people go often where purchases are counted, and spend there what counts.
func (m *market) stamp(p *reward.Program) {
	for i := range p.Bonuses {
		b := &p.Bonuses[i]
		if len(b.Purchases) == 0 && b.Every.Purchases == 0 {
			continue
		}
		for k := range m.trades {
			if t := &m.trades[k]; len(b.Match.Merchants) > 0 && b.Match.Merchants[t.merchants[0]] {
				t.weight, t.amounts = stampWeight, logNormal(max(b.Minimum*5/4, stampMedian), stampSigma)
			}
		}
	}
}

// What is known of a trade where purchases are counted: somebody who makes twenty purchases
// a month is there five times.
const (
	stampWeight = 40
	stampMedian = 4_50
	stampSigma  = 0.25
)

// maxRuleMerchants is how many of the merchants that one rule names take part.
const maxRuleMerchants = 1000

func (m *market) has(p *reward.Program, category string) bool {
	return slices.ContainsFunc(m.trades, func(t trade) bool {
		return t.category == category || t.category == "" && categoryOf(p, t.mcc) == category
	})
}

func categoryOf(p *reward.Program, mcc reward.MCC) string {
	if p.Categories == nil || mcc == 0 {
		return ""
	}
	return p.Categories(mcc)
}

// codeOf returns the first code of the category, or none.
func codeOf(p *reward.Program, category string) reward.MCC {
	for mcc := reward.MCC(1); mcc <= 10_000; mcc++ {
		if categoryOf(p, mcc) == category {
			return mcc
		}
	}
	return 0
}

func merchantNames(category, mcc string) []string {
	name := category
	if name == "" {
		name = "shop-" + mcc
	}
	names := make([]string, merchantsPerTrade)
	for i := range names {
		names[i] = fmt.Sprintf("%s-%03d", name, i+1)
	}
	return names
}

// zipf weighs the first twice as much as the second, three times the third.
func zipf(n int) []int64 {
	weights := make([]int64, n)
	for i := range weights {
		weights[i] = 1_000_000 / int64(i+1)
	}
	return weights
}
