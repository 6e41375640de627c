package termsform_test

import (
	"strings"
	"testing"

	"recoup/internal/console/locale"
	"recoup/internal/console/termsform"
)

var english = locale.Match("en")

// languages write amounts in different ways.
var languages = []string{"en", "en-IN", "de", "de-CH", "de-AT", "fr", "ar"}

// values are what a form shows, by the names of its fields.
func values(t testing.TB, document, language string) map[string]string {
	t.Helper()
	f, err := termsform.New(document, locale.Match(language))
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string]string)
	var walk func(*termsform.Group)
	walk = func(g *termsform.Group) {
		for _, field := range g.Fields {
			all[field.Name] = field.Value
		}
		for i := range g.Groups {
			walk(&g.Groups[i])
		}
		for _, list := range g.Lists {
			for i := range list.Items {
				walk(&list.Items[i])
			}
		}
	}
	walk(&f.Top)
	return all
}

func send(t testing.TB, document, language string, sent map[string]string) (string, map[string]*termsform.Problem) {
	t.Helper()
	out, problems, err := termsform.Change(document, locale.Match(language), func(name string) (string, bool) {
		value, is := sent[name]
		return value, is
	})
	if err != nil {
		t.Fatal(err)
	}
	return out, problems
}

// What a form shows in a language is read in it as it was, and in no other language as another
// amount: at most it is refused, as somebody who changed the language in between is told.
func TestAmountsAreReadAsTheyAreShown(t *testing.T) {
	inDinars := strings.NewReplacer("currency: USD", "currency: BHD", "reward: 5000,", "reward: 1250,").Replace(documents(t)["everyday"])
	if !strings.Contains(inDinars, "reward: 1250,") {
		t.Fatal("the program has no cap to try")
	}
	all := documents(t)
	all["in dinars"] = inDinars
	refused := 0
	for name, document := range all {
		for _, shown := range languages {
			sent := values(t, document, shown)
			for _, read := range languages {
				out, problems := send(t, document, read, sent)
				if out != document {
					t.Errorf("%s, shown in %s and read in %s, is\n%s", name, shown, read, out)
				}
				if shown == read && len(problems) > 0 {
					t.Errorf("%s is not read as it is shown in %s: %v", name, read, problems)
				}
				refused += len(problems)
			}
		}
	}
	if refused == 0 {
		t.Error("1,250 in dinars is read as one thing by everybody")
	}
}

// Amounts are written as the reader's language writes them, and read as people write them.
func TestAmountsAreOfTheLanguage(t *testing.T) {
	const cap = "rules.0.cap.reward"
	document := documents(t)["everyday"]
	for _, c := range []struct{ language, shown, sent, becomes string }{
		{"en", "50.00", "12.50", "1250"},
		{"en", "50.00", "12,50", "1250"},
		{"en", "50.00", "1,250", "125000"},
		{"de", "50,00", "12,50", "1250"},
		{"de", "50,00", "12.50", "1250"},
		{"de", "50,00", "1.250,00", "125000"},
		{"de-CH", "50.00", "1’250.00", "125000"},
		{"fr", "50,00", "1 250,00", "125000"},
	} {
		if got := values(t, document, c.language)[cap]; got != c.shown {
			t.Errorf("in %s the cap is shown as %q, want %q", c.language, got, c.shown)
		}
		out, problems := send(t, document, c.language, map[string]string{cap: c.sent})
		if want := strings.Replace(document, "reward: 5000", "reward: "+c.becomes, 1); out != want || len(problems) > 0 {
			t.Errorf("%s in %s becomes %v\n%s", c.sent, c.language, problems, out)
		}
	}
	for _, wrong := range []string{"12,5,0", "1.2345", "-3", "viel"} {
		if out, problems := send(t, document, "de", map[string]string{cap: wrong}); out != document || problems[cap] == nil {
			t.Errorf("%q is taken: %s", wrong, out)
		}
	}
}

// Rates are written with the mark before decimals that the reader's language has, and read
// with either: no rate has thousands.
func TestRatesAreOfTheLanguage(t *testing.T) {
	const rate = "rules.0.rate"
	document := strings.Replace(documents(t)["everyday"], "rate: 5%", "rate: 4.75%", 1)
	for _, c := range []struct{ language, shown, sent, becomes string }{
		{"en", "4.75%", "1.5%", "1.5%"},
		{"en", "4.75%", "1,5%", "1.5%"},
		{"de", "4,75%", "1,5%", "1.5%"},
		{"de", "4,75%", "1,5 %", "1.5%"},
		{"de", "4,75%", "1.5%", "1.5%"},
		{"de", "4,75%", "4.75%", "4.75%"},
		{"de", "4,75%", "1,250%", "1.250%"},
		{"de", "4,75%", "12 %", "12%"},
		{"de-CH", "4.75%", "1.5 %", "1.5%"},
		{"fr", "4,75%", "0,000001\u202f%", "0.000001%"},
		{"de", "4,75%", "3 per 100", "3 per 100"},
		{"de", "4,75%", "1,5,0%", "1,5,0%"}, // the file's reader refuses it, and says why
		{"de", "4,75%", "1.000,5%", "1.000,5%"},
	} {
		if got := values(t, document, c.language)[rate]; got != c.shown {
			t.Errorf("in %s the rate is shown as %q, want %q", c.language, got, c.shown)
		}
		out, problems := send(t, document, c.language, map[string]string{rate: c.sent})
		if want := values(t, strings.Replace(document, "rate: 4.75%", "rate: \""+c.becomes+"\"", 1), "en")[rate]; values(t, out, "en")[rate] != want || len(problems) > 0 {
			t.Errorf("%s in %s becomes %v\n%s", c.sent, c.language, problems, out)
		}
	}
	if out, problems := send(t, document, "de", map[string]string{rate: "1,5%\n2%"}); out != document || problems[rate] == nil {
		t.Errorf("two lines are taken: %s", out)
	}
}
