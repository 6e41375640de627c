package locale_test

import (
	"testing"
	"time"

	"recoup/internal/console/locale"
	"recoup/reward"
)

func TestMatch(t *testing.T) {
	for header, want := range map[string]string{
		"":                                   "en",
		"en-US,en;q=0.9":                     "en-US",
		"en-AU":                              "en-GB",
		"de-DE,de;q=0.9,en;q=0.5":            "de",
		"de-CH":                              "de-CH",
		"pt-BR":                              "pt",
		"fr-FR":                              "fr",
		"tlh, sv;q=0.3":                      "sv",
		"tlh":                                "en",
		"*":                                  "en",
		"not; a, header;q=x":                 "en",
		"en-US" + string(make([]byte, 1000)): "en",
	} {
		if got := locale.Match(header).Tag; got != want {
			t.Errorf("%.40q gives %s, want %s", header, got, want)
		}
	}
}

func TestAmounts(t *testing.T) {
	for _, test := range []struct {
		locale, currency string
		minor            int64
		want             string
	}{
		{"en-US", "USD", 123450, "$1,234.50"},
		{"en-US", "USD", -5, "−$0.05"},
		{"en-US", "USD", 0, "$0.00"},
		{"en-US", "JPY", 1234567, "JPY\u00a01,234,567"},
		{"en-US", "KWD", 1234, "KWD\u00a01.234"},
		{"en-US", "XXY", 1234, "1,234\u00a0XXY (minor units)"},
		{"en-IN", "USD", 1234567890, "$1,23,45,678.90"},
		{"de", "EUR", 123456789, "1.234.567,89\u00a0€"},
		{"de", "EUR", -100, "−1,00\u00a0€"},
		{"de-CH", "CHF", 1000000, "CHF\u00a010’000.00"},
		{"fr", "EUR", 100000, "1\u202f000,00\u00a0€"},
		{"sv", "SEK", 99999, "999,99\u00a0SEK"},
		{"en-GB", "GBP", 1_000_000_000_000_000, "£10,000,000,000,000.00"},
	} {
		if got := locale.Match(test.locale).Amount(test.minor, test.currency); got != test.want {
			t.Errorf("%s: %d of %s is %q, want %q", test.locale, test.minor, test.currency, got, test.want)
		}
	}
	en := locale.Match("en-US")
	for minor, want := range map[int64]string{0: "0", 100000: "1,000", -250: "−2.50", -100: "−1"} {
		if got := en.Tick(minor, "USD"); got != want {
			t.Errorf("beside an axis %d is %q, want %q", minor, got, want)
		}
	}
	for minor, want := range map[int64]string{500: "+$5.00", -500: "−$5.00", 0: "$0.00"} {
		if got := en.Change(minor, "USD"); got != want {
			t.Errorf("a change by %d is %q, want %q", minor, got, want)
		}
	}
}

func TestCounts(t *testing.T) {
	for tag, want := range map[string]string{"en": "1,234,567", "de": "1.234.567", "hi": "12,34,567"} {
		if got := locale.Match(tag).Count(1234567); got != want {
			t.Errorf("%s: %q, want %q", tag, got, want)
		}
	}
	en := locale.Match("en")
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", -1000: "−1,000"} {
		if got := en.Count(n); got != want {
			t.Errorf("%d is %q, want %q", n, got, want)
		}
	}
	for permille, want := range map[int64]string{0: "0\u00a0%", 995: "99.5\u00a0%", 1000: "100\u00a0%"} {
		if got := en.Percent(permille); got != want {
			t.Errorf("%d of a thousand is %q, want %q", permille, got, want)
		}
	}
}

func TestDates(t *testing.T) {
	at := reward.At(time.Date(2026, 3, 4, 15, 6, 7, 0, time.UTC))
	for tag, want := range map[string]string{
		"en-US": "Mar 4, 2026, 3:06 PM", "en-GB": "4 Mar 2026, 15:06", "de": "04.03.2026, 15:06", "fr": "04/03/2026, 15:06", "sv": "2026-03-04, 15:06",
	} {
		l := locale.Match(tag)
		if got := l.Moment(at); got != want {
			t.Errorf("%s: %q, want %q", tag, got, want)
		}
	}
	rome, err := time.LoadLocation("Europe/Rome")
	if err != nil {
		t.Fatal(err)
	}
	for want, p := range map[string]*reward.Program{
		"March 2026":                nil,
		"15 Mar 2026 – 14 Apr 2026": {StatementDay: 15, Zone: rome},
	} {
		if got := locale.Match("en-GB").Cycle(p, reward.CycleAt(at)); got != want {
			t.Errorf("the cycle is %q, want %q", got, want)
		}
	}
}

func TestSpans(t *testing.T) {
	l := locale.Match("en")
	for d, want := range map[time.Duration]string{
		0: "less than a minute", time.Minute: "1 minute", 90 * time.Minute: "1 hour", 47 * time.Hour: "47 hours", 48 * time.Hour: "2 days", 24000 * time.Hour: "1,000 days",
	} {
		if got := l.Span(reward.Instant(d)); got != want {
			t.Errorf("%v is %q, want %q", d, got, want)
		}
	}
}

func TestTheLanguageOfWords(t *testing.T) {
	for _, test := range []struct{ header, chosen, language, tag, direction string }{
		{"", "", "en", "en", "ltr"},
		{"de-CH", "", "de", "de-CH", "ltr"},
		{"fr", "", "en", "fr", "ltr"},
		{"fr, de;q=0.5", "", "de", "fr", "ltr"},
		{"ar-EG", "", "ar", "ar", "rtl"},
		{"ar", "en", "en", "en", "ltr"},
		{"en-US, de-AT;q=0.5", "de", "de", "de-AT", "ltr"},
		{"en-US", "ar", "ar", "ar", "rtl"},
		{"de", "tlh", "de", "de", "ltr"},
	} {
		l := locale.Choose(test.header, test.chosen)
		if l.Language() != test.language || l.Tag != test.tag || l.Direction() != test.direction {
			t.Errorf("%q, having chosen %q: %s as in %s from %s, want %v", test.header, test.chosen, l.Language(), l.Tag, l.Direction(), test)
		}
	}
}

func TestSentences(t *testing.T) {
	en, de, ar := locale.Match("en"), locale.Match("de"), locale.Match("ar")
	for _, test := range []struct{ got, want string }{
		{en.Days(1), "1 day"}, {en.Days(1000), "1,000 days"}, {de.Days(1), "1 Tag"}, {de.Days(1000), "1.000 Tage"},
		{ar.Days(1), "يوم واحد"}, {ar.Days(2), "يومان"}, {ar.Days(5), "\u20685\u2069 أيام"}, {ar.Days(11), "\u206811\u2069 يومًا"}, {ar.Days(100), "\u2068100\u2069 يوم"},
		{de.Say("Reviews"), "Prüffälle"}, {de.Say("said nowhere"), "said nowhere"},
		{de.Sprintf("said nowhere of %s, %d {2:time|times}", "x", 1), "said nowhere of x, 1 time"},
		{de.Sprintf("Statements of %s, %s", "May", "USD"), "Abrechnungen für May, USD"},
		{ar.Sprintf("said nowhere of %s", "x"), "said nowhere of \u2068x\u2069"},
		{de.Cycle(nil, reward.CycleAt(reward.At(time.Date(2026, 3, 4, 0, 0, 0, 0, time.UTC)))), "März 2026"},
		{en.Plural(-1, "one", "many"), "one"}, {en.Plural(1_000_001, "one", "many"), "many"}, {ar.Plural(2, "a", "b", "c", "d", "e", "f"), "c"}, {ar.Plural(2, "one", "many"), "many"},
		{locale.Choose("hi, de;q=0.5", "").Date(reward.At(time.Date(2026, 3, 4, 0, 0, 0, 0, time.UTC))), "2026-03-04"},
	} {
		if test.got != test.want {
			t.Errorf("%q, want %q", test.got, test.want)
		}
	}
}
