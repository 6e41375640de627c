package phrase_test

import (
	"slices"
	"strings"
	"testing"

	"recoup/internal/console/phrase"
)

func TestCut(t *testing.T) {
	for source, want := range map[string][]string{
		`<p>Counted {{moment .AsOf}}.</p>`: {"Counted {1}."},
		`<p>As of {{moment .AsOf}}, over {{count .N}} {{plural .N "account" "accounts"}}{{if .Old}}. <b class="bad">Old.</b>{{end}}</p>`: {"As of {1}, over {2} {3:account|accounts}", "Old."},
		"<p>Two\n  lines</p>":                                                                        {"Two lines"},
		`<a class="id" href="{{account .}}">{{text .}}</a>`:                                          nil,
		`<b>{{count .N}}</b><span>owed by all</span>`:                                                {"owed by all"},
		`<b>One</b> <span>two</span>`:                                                                {"One", "two"},
		`<p><span class="dot"></span>granted <span class="dot"></span>taken</p>`:                     {"granted <span></span>taken"},
		`Send one to <code>/v1/events</code>, as <a href="/docs">this</a> and <a href="/x">that</a>`: {"Send one to <code>/v1/events</code>, as <a>this</a> and <a2>that</a2>"},
		`<code>recoup serve</code>`:                                                                  nil,
		`<button aria-label="Withdraw {{change .Amount "x>y"}}" title="{{if .A}}One{{else}}Two{{end}}">Withdraw</button>`: {"Withdraw {1}", "One", "Two", "Withdraw"},
		`<input placeholder="Account" value="no words of ours" name="label">`:                                             {"Account"},
		`<button lang="de">Deutsch</button><p>x</p>`:                                                                      {"x"},
		`{{define "main"}}{{/* a comment <b> */}}{{$x := .Y}}<script>let x = "words"</script>{{end}}`:                     nil,
		`<li{{if .Current}} class="current"{{end}} title="Step {{.Number}}">{{.Number}}</li>`:                             {"Step {1}"},
		`<p>{{if .A}}a{{else}}b{{end}} c</p>`:                                                                             {"a", "b", "c"},
		`<b>{{if .A}}a{{end}}</b>`:                                                                                        {"a"},
		`<dt>{{template "x" .}} of it</dt>`:                                                                               {"{1} of it"},
		`<p>– &nbsp; · 12 %</p>`:                                                                                          nil,
		`<option value="">Anything else</option><option>{{.Name}}: {{.About}}</option>`:                                   {"Anything else"},
	} {
		if got := phrase.Cut(source); !slices.Equal(got, want) {
			t.Errorf("%s\n gives %q\n  want %q", source, got, want)
		}
	}
}

func TestTranslate(t *testing.T) {
	said := map[string]string{
		"As of {1}, over {2} {3:account|accounts}": "{2} {3:Konto|Konten}, Stand {1}",
		"See <a>this</a> and <b>that</b>":          "<b>Das</b> und <a>dies</a>",
		"Withdraw {1}":                             `"{1}" zurückziehen`,
		"{1} left":                                 "{1:noch eines|noch viele}",
		"a {1}":                                    "A {1}",
		"lost {1}":                                 "verloren",
		"{1} {2:day|days}":                         "{1} {2}",
	}
	options := phrase.Options{Then: "say", Isolate: map[string]bool{"amount": true}, Say: func(message string) (string, bool) {
		s, ok := said[message]
		return s, ok
	}}
	for source, want := range map[string]string{
		`<p> As of {{moment .AsOf}}, over {{count .N}} {{plural .N "account" "accounts"}} </p>`: `<p> {{count .N | say}} {{plural .N "Konto" "Konten"}}, Stand {{moment .AsOf | say}} </p>`,
		`See <a class="x" href="{{link "y"}}">this</a> and <b>that</b>`:                         `<b>Das</b> und <a class="x" href="{{link "y"}}">dies</a>`,
		`<button aria-label="Withdraw {{amount .A}}" value="{{.V}}">x</button>`:                 `<button aria-label="&#34;{{amount .A | say}}&#34; zurückziehen" value="{{.V}}">x</button>`,
		`{{count .N}} left`: `{{plural .N "noch eines" "noch viele"}}`,
		`<b>{{amount .A}}</b><title>{{amount .A}}</title>`: `<b><bdi>{{amount .A | say}}</bdi></b><title>{{amount .A | say}}</title>`,
		`{{- if .X -}} a {{- .Y -}} {{end}}`:               `{{- if .X -}} A {{- .Y | say -}} {{end}}`,
		`<pre>{{lines .X}} words</pre>`:                    `<pre>{{lines .X | say}} words</pre>`,
	} {
		got, err := phrase.Translate(source, options)
		if err != nil || got != want {
			t.Errorf("%s\n gives %s (%v)\n  want %s", source, got, err, want)
		}
	}
	for _, source := range []string{`lost {{.X}}`, `{{count .N}} {{plural .N "day" "days"}}`} {
		if got, err := phrase.Translate(source, options); err == nil {
			t.Errorf("%s gives %s, though its translation lacks something", source, got)
		}
	}
}

// What is not translated stays as it is, byte by byte.
func TestNothingIsLost(t *testing.T) {
	const source = "{{define \"x\"}}<p a=\"{{if .B}}c{{end}}\">d <b>e</b>\n <i>f {{g \"}}\" `\"`}}</p>\n<!-- h --> < i {{end}}"
	got, err := phrase.Translate(source, phrase.Options{Say: func(string) (string, bool) { return "", false }})
	if got = strings.Join(strings.Fields(got), " "); err != nil || got != strings.Join(strings.Fields(source), " ") {
		t.Errorf("%q became %q (%v)", source, got, err)
	}
}
