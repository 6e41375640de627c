package traffic_test

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"testing"

	"recoup/internal/traffic"
	"recoup/program"
	"recoup/reward"
)

func TestFactsFollowFromEachOther(t *testing.T) {
	type account struct{ name, of string }
	settled := make(map[string]reward.Event)
	over := make(map[string]bool) // authorised and canceled
	left := make(map[string]int64)
	leftAt := make(map[account]int64) // by merchant
	facts := make(map[string]reward.Type)
	redeemed := make(map[string]int64)
	for e := range traffic.Generate(traffic.Options{Accounts: 300, Events: 200_000, Seed: 11}) {
		fact := e.Account + e.Fact
		switch e.Type {
		case reward.TransactionSettled:
			if _, again := settled[e.Transaction]; again || over[e.Transaction] {
				t.Fatalf("%s settles %s, which is over", e.ID, e.Transaction)
			}
			settled[e.Transaction] = e
			left[e.Transaction] = e.Amount
			leftAt[account{e.Account, e.Merchant}] += e.Amount
		case reward.TransactionCanceled:
			over[e.Transaction] = true
		case reward.TransactionAuthorized:
			if _, late := settled[e.Transaction]; late {
				t.Fatalf("%s authorises %s after it settled", e.ID, e.Transaction)
			}
		case reward.RefundPosted:
			facts[fact] = e.Type
			merchant := e.Merchant
			if e.Transaction != "" {
				purchase := settled[e.Transaction]
				merchant = purchase.Merchant
				if left[e.Transaction] -= e.Amount; purchase.Account != e.Account || left[e.Transaction] < 0 {
					t.Fatalf("%s refunds more than is left of %s", e.ID, e.Transaction)
				}
			}
			at := account{e.Account, merchant}
			if leftAt[at] -= e.Amount; leftAt[at] < 0 {
				t.Fatalf("%s refunds more than %s spent at %s", e.ID, e.Account, merchant)
			}
		case reward.RefundPending:
			facts[fact] = e.Type
			if settled[e.Transaction].Account != e.Account || e.Amount > left[e.Transaction] {
				t.Fatalf("%s announces a refund of %s, which has %d left", e.ID, e.Transaction, left[e.Transaction])
			}
		case reward.RefundCanceled:
			if facts[fact] != reward.RefundPending {
				t.Fatalf("%s cancels a refund that was not announced", e.ID)
			}
		case reward.RefundReversed:
			if facts[fact] != reward.RefundPosted {
				t.Fatalf("%s reverses a refund that did not post", e.ID)
			}
		case reward.ChargebackPosted:
			facts[fact] = e.Type
			if e.Amount > settled[e.Transaction].Amount {
				t.Fatalf("%s disputes more than %s was", e.ID, e.Transaction)
			}
		case reward.ChargebackReversed:
			if facts[fact] != reward.ChargebackPosted {
				t.Fatalf("%s reverses a chargeback that did not post", e.ID)
			}
		case reward.TransactionReversed:
			if left[e.Transaction] != settled[e.Transaction].Amount || settled[e.Transaction].Account != e.Account {
				t.Fatalf("%s withdraws %s, which did not settle or came back", e.ID, e.Transaction)
			}
		case reward.RedemptionRequested:
			redeemed[fact] = e.Amount
			if e.Amount < 500 || e.Amount%500 != 0 || e.Method == "" {
				t.Fatalf("%s redeems %d by %q", e.ID, e.Amount, e.Method)
			}
		case reward.RedemptionReversed:
			if redeemed[fact] == 0 {
				t.Fatalf("%s reverses a redemption that was not requested", e.ID)
			}
		}
	}
}

func TestOverRefundsOnlyWhereAskedFor(t *testing.T) {
	amounts := make(map[string]int64)
	var returned, over int
	for e := range traffic.Generate(traffic.Options{Accounts: 300, Events: 200_000, Seed: 11, OverRefunds: 200}) {
		switch {
		case e.Type == reward.TransactionSettled:
			amounts[e.Transaction] = e.Amount
		case e.Type == reward.RefundPosted && e.Transaction != "":
			returned++
			if e.Amount > amounts[e.Transaction] {
				over++
			}
		}
	}
	// A return is about 1.2 refunds.
	within(t, "over-refunds per mille of linked refunds", float64(over*1000)/float64(returned), 160, 200)
}

// The shares that the package documents, over purchases that have had the time
// for all that may follow.
func TestShares(t *testing.T) {
	const days = 1800
	settled := make(map[string]reward.Event)
	var authorized, canceled, charged, chargebacks, chargebacksUndone int
	var refunds, linked, posted, bounced, announced, neverPosted, purchases, returns, redemptions int
	var lags []float64
	parts := make(map[string][]int64)
	start := reward.Instant(-1)
	for e := range traffic.Generate(traffic.Options{Accounts: 2000, Events: 2_000_000, Seed: 13, Days: days}) {
		if start < 0 {
			start = e.Time
		}
		// Enough is left after this of the 1,800 days for the longest lag.
		early := e.Time-start < 1100*reward.Day
		switch e.Type {
		case reward.TransactionAuthorized:
			authorized++
		case reward.TransactionCanceled:
			canceled++
		case reward.TransactionSettled:
			charged++
			if early {
				settled[e.Transaction] = e
				purchases++
			}
		case reward.RefundPending:
			announced++
		case reward.RefundCanceled:
			neverPosted++
		case reward.RefundReversed:
			bounced++
		case reward.RefundPosted:
			posted++
			refunds++
			if e.Transaction == "" {
				continue
			}
			linked++
			if purchase, ok := settled[e.Transaction]; ok {
				lags = append(lags, float64(e.Time-purchase.Time)/float64(reward.Day))
				parts[e.Transaction] = append(parts[e.Transaction], e.Amount)
			}
		case reward.ChargebackPosted:
			chargebacks++
		case reward.ChargebackReversed:
			chargebacksUndone++
		case reward.RedemptionRequested:
			redemptions++
		}
	}
	perMille := func(part, whole int) float64 { return float64(part) * 1000 / float64(whole) }
	within(t, "authorised per mille of purchases", perMille(authorized, charged+canceled), 590, 610)
	within(t, "voided per mille of authorisations", perMille(canceled, authorized), 28, 32)
	within(t, "chargebacks per mille of purchases", perMille(chargebacks, charged), 2, 3.5)
	within(t, "reversed per mille of chargebacks", perMille(chargebacksUndone, chargebacks), 260, 330)
	within(t, "linked per mille of refunds", perMille(linked, refunds), 780, 810)
	within(t, "announced per mille of linked refunds", perMille(announced, linked+neverPosted), 285, 315)
	within(t, "never posted per mille of announced refunds", perMille(neverPosted, announced), 42, 58)
	within(t, "bounced per mille of refunds", perMille(bounced, posted), 8, 12)
	within(t, "redemptions per mille of purchases", perMille(redemptions, charged), 10, 20)

	// A return is seen here if one of its refunds is linked; four in five are.
	whole := 0
	for id, amounts := range parts {
		returns++
		if amounts[0] == settled[id].Amount {
			whole++
		}
	}
	within(t, "purchases with a linked refund, per mille", perMille(returns, purchases), 75*0.78, 75*0.85)
	within(t, "whole per mille of those", perMille(whole, returns), 630, 670)

	slices.Sort(lags)
	within(t, "median lag", lags[len(lags)/2], 9, 11)
	within(t, "lag of nine in ten", lags[len(lags)*9/10], 74, 82)
	within(t, "lag of 99 in a hundred", lags[len(lags)*99/100], 310, 346)
	within(t, "longest lag", lags[len(lags)-1], 500, 595)
}

func TestSpendingIsSkewed(t *testing.T) {
	byAccount, byMerchant := make(map[string]int64), make(map[string]int64)
	var amounts []int64
	var total int64
	type month struct {
		account string
		cycle   reward.Cycle
	}
	groceries := make(map[month]int64)
	for e := range traffic.Generate(traffic.Options{Accounts: 1000, Events: 500_000, Seed: 17, ReturnShare: traffic.NoReturns}) {
		if e.Type == reward.RefundPosted {
			t.Fatal("there is a return")
		}
		if e.Type == reward.TransactionSettled {
			byAccount[e.Account] += e.Amount
			byMerchant[e.Merchant]++
			if e.Category == "GROCERY" {
				groceries[month{e.Account, reward.CycleAt(e.Time)}] += e.Amount
			}
			amounts = append(amounts, e.Amount)
			total += e.Amount
		}
	}
	descending := func(m map[string]int64) []int64 {
		return slices.SortedFunc(maps.Values(m), func(a, b int64) int { return cmp.Compare(b, a) })
	}
	top := func(n int) (sum float64) {
		for _, v := range descending(byAccount)[:n] {
			sum += float64(v)
		}
		return sum / float64(total)
	}
	within(t, "share of the first 1 % of accounts", top(10), 0.10, 0.14)
	within(t, "share of the first 25 % of accounts", top(250), 0.55, 0.68)
	// A cap of 50 dollars at 5 % is reached at 1,000.
	capped := 0
	for _, spent := range groceries {
		if spent > 1_000_00 {
			capped++
		}
	}
	within(t, "months with more than 1,000 dollars of groceries, per mille", float64(capped*1000)/float64(len(groceries)), 5, 200)
	merchants := descending(byMerchant)
	within(t, "the busiest merchant against the tenth", float64(merchants[0])/float64(merchants[9]), 2, 10)
	if len(byMerchant) < 1000 {
		t.Errorf("there are %d merchants, want more than 1000", len(byMerchant))
	}
	slices.Sort(amounts)
	within(t, "least amount", float64(amounts[0]), 150, 300)
	within(t, "median amount", float64(amounts[len(amounts)/2]), 2500, 4000)
	within(t, "largest amount", float64(amounts[len(amounts)-1]), 200_000, 500_000)
}

// Spending reaches whatever the rules of a program match on.
func TestRulesFindTheirPurchases(t *testing.T) {
	p, err := program.Parse("test.yaml", []byte(strings.Join([]string{
		"id: test", "currency: GBP", "categories: {PETS: ['0742', '5995']}", "rules:",
		"- {id: pets, match: {category: [PETS]}, rate: 3%}",
		"- {id: fuel, match: {category: [GAS]}, rate: 2%}",
		"- {id: books, match: {category: [BOOKCLUB]}, rate: 3%}",
		"- {id: codes, match: {mcc: ['5940-5949']}, rate: 4%}",
		"- {id: partner, match: {merchant: [northwind, contoso]}, rate: 10%}",
		"- {id: both, match: {category: [TRAVEL], merchant: [fabrikam]}, rate: 10%}",
		"- {id: base, rate: 1%}",
	}, "\n")))
	if err != nil {
		t.Fatal(err)
	}
	spent := make(map[string]int)
	var others, purchases int
	for e := range traffic.Generate(traffic.Options{Accounts: 100, Events: 50_000, Seed: 19, Program: p}) {
		if e.Currency != "" && e.Currency != "GBP" {
			t.Fatalf("%s is in %s", e.ID, e.Currency)
		}
		if e.Type != reward.TransactionSettled {
			continue
		}
		purchases++
		category := e.Category
		if category == "" {
			category = p.Categories(e.MCC)
		} else if e.MCC != 0 {
			t.Fatalf("%s names the category %s besides the code %v", e.ID, e.Category, e.MCC)
		}
		switch {
		case e.Merchant == "northwind" || e.Merchant == "contoso":
			spent[e.Merchant]++
		case category == "TRAVEL" && e.Merchant == "fabrikam":
			spent["both"]++
		case category == "PETS" || category == "GAS" || category == "BOOKCLUB":
			spent[category]++
		case e.MCC.String() >= "5940" && e.MCC.String() <= "5949":
			spent["codes"]++
		default:
			others++
		}
	}
	for _, of := range []string{"northwind", "contoso", "both", "PETS", "GAS", "BOOKCLUB", "codes"} {
		if spent[of] < purchases/100 {
			t.Errorf("%s: %d of %d purchases", of, spent[of], purchases)
		}
	}
	if others < purchases/4 {
		t.Errorf("only %d of %d purchases are elsewhere", others, purchases)
	}
}

// A program that knows no codes is told the categories.
func TestCategoriesAreSentWhereCodesSayNothing(t *testing.T) {
	p := &reward.Program{Currency: "USD", Rules: []reward.Rule{{Match: reward.Match{Categories: []string{"GROCERY"}}, Rate: reward.MaxRate / 20}}}
	for _, p := range []*reward.Program{p, nil} {
		found := false
		for e := range traffic.Generate(traffic.Options{Accounts: 10, Events: 1000, Program: p}) {
			found = found || e.Type == reward.TransactionSettled && e.Category == "GROCERY" && e.MCC.String() == "5411"
		}
		if !found {
			t.Error("no purchase names the category GROCERY")
		}
	}
}
