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

func labelled(name, value string) []byte {
	return event.Append(nil, &reward.Event{
		Source: "core", ID: "e1", Account: "acct-1", Time: reward.EarliestInstant, Type: reward.TransactionSettled,
		Transaction: "t1", Amount: 10_000, HasAmount: true, Currency: "USD", Merchant: "m1",
		Labels: reward.MakeLabels(map[string]string{"channel": "online", name: value}),
	})
}

func attribute(value string) []byte {
	return event.Append(nil, &reward.Event{
		Source: "core", ID: "e1", Account: "acct-1", Time: reward.EarliestInstant, Type: reward.AttributeSet, Fact: "x1", Category: "plan", Method: value,
	})
}

// Values of labels and attributes are, too, whatever the label is called; their names stay.
func TestLabelsAndAttributesAreReplaced(t *testing.T) {
	e := erasure.NewKey().Eraser()
	for _, name := range []string{"note", "subject", `}"merchant`, "amount"} {
		erased := e.AppendLine(nil, labelled(name, `for Joe {"x":"}`))
		var in reward.Event
		if err := event.NewDecoder().Decode(erased, &in); err == nil {
			for label, value := range in.Labels.All() {
				if !strings.HasPrefix(value, reward.ErasedPrefix) || label != name && label != "channel" {
					t.Errorf("label %s is %s", label, value)
				}
			}
		}
		if strings.Contains(string(erased), "Joe") || strings.Contains(string(erased), "online") || !strings.Contains(string(erased), `"amount":10000`) || !strings.Contains(string(erased), `"transaction":"t1"`) {
			t.Errorf("the line is %s", erased)
		}
	}
	if line := string(e.AppendLine(nil, attribute("Joe's"))); strings.Contains(line, "Joe") || !strings.Contains(line, `"name":"plan"`) {
		t.Errorf("the line is %s", line)
	}
	e.Named = func(member, text string) bool {
		return member == "labels" && text == "online" || member == "value" && text == "gold"
	}
	var in reward.Event
	if err := event.NewDecoder().Decode(e.AppendLine(nil, labelled("note", "gold")), &in); err != nil || reward.MatchedText(in.Labels.Get("channel")) != "online" || strings.Contains(in.Labels.Get("note"), "gold") {
		t.Errorf("the labels are %q: %v", in.Labels, err)
	}
	if err := event.NewDecoder().Decode(e.AppendLine(nil, attribute("gold")), &in); err != nil || reward.MatchedText(in.Method) != "gold" || in.Method == "gold" {
		t.Errorf("the value is %q: %v", in.Method, err)
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
	e.Named = func(member, text string) bool { return member == "merchant" && text == `fuel "24"` }
	erased := e.AppendLine(nil, purchase(`fuel "24"`))
	var in reward.Event
	if err := event.NewDecoder().Decode(erased, &in); err != nil || reward.MatchedText(in.Merchant) != `fuel "24"` || in.Merchant == `fuel "24"` {
		t.Errorf("the merchant is %q: %v", in.Merchant, err)
	}
	if name := reward.MatchedText(string(e.AppendLine(nil, purchase("other")))); strings.Contains(name, "other") {
		t.Errorf("a merchant that no terms name is %s", name)
	}
}

// The chain is over what AppendLine makes: before with the key, and after without.
func TestErasingChangesNothingThatTheChainCovers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := erasure.NewKey()
		e := k.Eraser()
		e.Named = func(_, text string) bool { return len(text)%2 == 0 }
		line := purchase(rapid.String().Draw(t, "merchant"))
		switch rapid.IntRange(0, 2).Draw(t, "also") {
		case 1:
			line = labelled(rapid.StringN(1, 20, -1).Draw(t, "label"), rapid.String().Draw(t, "text"))
		case 2:
			line = attribute(rapid.String().Draw(t, "value"))
		}
		if rapid.Bool().Draw(t, "broken") {
			line = line[:rapid.IntRange(0, len(line)).Draw(t, "length")]
		}
		before := k.Eraser().AppendLine(nil, line)
		if after := (*erasure.Key)(nil).Eraser().AppendLine(nil, e.AppendLine(nil, line)); string(after) != string(before) {
			t.Errorf("the chain is over\n%s before, and\n%s after", before, after)
		}
	})
}
