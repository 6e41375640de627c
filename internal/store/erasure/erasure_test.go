package erasure_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"recoup/event"
	"recoup/internal/store/erasure"
	"recoup/ledger"
	"recoup/reward"
)

func purchase(merchant string) []byte {
	return event.Append(nil, &reward.Event{
		Source: "core", ID: "e1", Account: "acct-1", Time: reward.EarliestInstant, Type: reward.TransactionSettled,
		Transaction: "t1", Amount: 10_000, HasAmount: true, Currency: "USD", Merchant: merchant, Category: "GROCERY",
	})
}

func TestWhatIsPersonalIsReplaced(t *testing.T) {
	k := erasure.NewKey()
	line := string(k.Eraser().AppendLine(nil, purchase(`Joe's "Corner" \ Shop`)))
	for _, gone := range []string{"acct-1", "Joe", "Shop"} {
		if strings.Contains(line, gone) {
			t.Errorf("the line has %s: %s", gone, line)
		}
	}
	for _, kept := range []string{`"subject":"` + k.Pseudonym("acct-1") + `"`, `"category":"GROCERY"`, `"transaction":"t1"`, `"amount":10000`, `"merchant":"` + reward.ErasedPrefix} {
		if !strings.Contains(line, kept) {
			t.Errorf("the line lacks %s: %s", kept, line)
		}
	}
	postings := string(k.Eraser().AppendPostings(nil, ledger.AppendPostings(nil, []reward.Posting{{Kind: reward.Adjustment, Reason: "for Joe", Actor: "Oscar", Amount: 1}})))
	if strings.Contains(postings, "Joe") || !strings.Contains(postings, `"actor":"Oscar"`) {
		t.Errorf("the postings are %s", postings)
	}
}

func TestOfTwoAccountsNoTokensAreAlike(t *testing.T) {
	a, b := erasure.NewKey(), erasure.NewKey()
	if string(a.Eraser().AppendLine(nil, purchase("shop"))) == string(b.Eraser().AppendLine(nil, purchase("shop"))) || a.Pseudonym("acct-1") == b.Pseudonym("acct-1") {
		t.Error("the tokens of two accounts are the same")
	}
	if again := a.Pseudonym("acct-1"); again != a.Pseudonym("acct-1") || a.Pseudonym("acct-1") == a.Pseudonym("acct-2") {
		t.Error("the name of an account is not its own")
	}
}

// A merchant that the terms name is what a rate depends on.
func TestMerchantsThatTermsNameStayBesideTheirTokens(t *testing.T) {
	k := erasure.NewKey()
	e := k.Eraser()
	e.Named = func(merchant string) bool { return merchant == `fuel "24"` }
	erased := e.AppendLine(nil, purchase(`fuel "24"`))
	var in reward.Event
	if err := event.NewDecoder().Decode(erased, &in); err != nil || reward.MerchantName(in.Merchant) != `fuel "24"` || in.Merchant == `fuel "24"` {
		t.Errorf("the merchant is %q: %v", in.Merchant, err)
	}
	if name := reward.MerchantName(string(e.AppendLine(nil, purchase("other")))); strings.Contains(name, "other") {
		t.Errorf("a merchant that no terms name is %s", name)
	}
}

// The chain is over what AppendLine makes: before with the key, and after without.
func TestErasingChangesNothingThatTheChainCovers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := erasure.NewKey()
		e := k.Eraser()
		e.Named = func(merchant string) bool { return len(merchant)%2 == 0 }
		line := purchase(rapid.String().Draw(t, "merchant"))
		if rapid.Bool().Draw(t, "broken") {
			line = line[:rapid.IntRange(0, len(line)).Draw(t, "length")]
		}
		before := k.Eraser().AppendLine(nil, line)
		if after := (*erasure.Key)(nil).Eraser().AppendLine(nil, e.AppendLine(nil, line)); string(after) != string(before) {
			t.Errorf("the chain is over\n%s before, and\n%s after", before, after)
		}
	})
}
