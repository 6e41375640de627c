package console

import (
	"html"
	"html/template"
	"regexp"
	"strings"
	"testing"

	"recoup/internal/console/locale"
)

// The errors of deliveries are kept as text, in rows of any age: what is known is told in
// German, and what a receiver wrote is left as it is.
func TestErrorsOfDeliveriesAreToldInGerman(t *testing.T) {
	tag := regexp.MustCompile(`<[^>]*>`)
	read := func(said template.HTML) string { return html.UnescapeString(tag.ReplaceAllString(string(said), "")) }
	for text, want := range map[string]string{
		"answered 503 Service Unavailable":                                                             "geantwortet wurde 503 Service Unavailable",
		"answered 302 Found: redirects are not followed":                                               "geantwortet wurde 302 Found: Umleitungen wird nicht gefolgt",
		"no answer within 15s":                                                                         "keine Antwort innerhalb von 15s",
		"dial tcp 192.0.2.10:443: connect: connection refused":                                         "192.0.2.10:443 hat die Verbindung abgelehnt",
		"dial tcp: lookup shop.example on 10.0.0.2:53: no such host":                                   "für shop.example on 10.0.0.2:53 gibt es keine Adresse",
		"https://192.0.2.1/<b>: not a public address: deliveries to private addresses are not allowed": "https://192.0.2.1/<b>: keine öffentliche Adresse; Zustellungen an private Adressen sind nicht erlaubt",
		"expected a percentage such as 5% or 4.75%, or steps, not \"much\"":                            "erwartet wird: ein Prozentsatz wie 5% oder 4.75%, oder Stufen, gefunden wurde: \"much\"",
	} {
		if got, ok := retell(locale.Match("de"), text); !ok || read(got) != want {
			t.Errorf("%q is told as %q, want %q", text, got, want)
		}
	}
	for _, text := range []string{"kafka: the topic is unknown", "", strings.Repeat("answered 503 ", 1000)} {
		if got, ok := retell(locale.Match("de"), text); ok {
			t.Errorf("%.40q is told as %.40q", text, got)
		}
	}
	if got, ok := retell(locale.Match("ar"), "no answer within 15s"); ok {
		t.Errorf("in Arabic it is told as %q", got)
	}
}
