package console_test

import (
	"html"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"recoup/internal/console/locale"
	"recoup/internal/console/play"
)

// word is one, of messages.
var word = regexp.MustCompile(`\p{L}+(?:['’]\p{L}+)?`)

// englishWords are words of the console that no German sentence of it has.
func englishWords(t *testing.T) map[string]bool {
	t.Helper()
	text, err := os.ReadFile("locale/catalogue/de.tsv")
	if err != nil {
		t.Fatal(err)
	}
	lines, err := locale.ReadCatalogue(string(text))
	if err != nil {
		t.Fatal(err)
	}
	english, german := make(map[string]bool), make(map[string]bool)
	each := func(message string, do func(string)) {
		message = inMessage.ReplaceAllString(message, " ")
		for _, w := range word.FindAllString(message, -1) {
			do(strings.ToLower(w))
		}
	}
	for _, line := range lines {
		each(line.Said, func(w string) { german[w] = true })
	}
	for _, line := range lines {
		each(line.English, func(w string) {
			if len(w) > 1 && !german[w] {
				english[w] = true
			}
		})
	}
	for _, id := range []string{"quarter", "coffee", "travel", "electronics", "base", "activated"} { // of programs, rules and offers as well
		delete(english, id)
	}
	return english
}

// leftIn are the places of a page in which a word is that only English sentences of the
// console have, by the word.
func leftIn(page string, english map[string]bool) map[string]string {
	text := readIn(page)
	for _, sample := range sampleTexts {
		text = strings.ReplaceAll(text, sample, "")
	}
	found := make(map[string]string)
	read := strings.Fields(text)
	for i, token := range read {
		if w := strings.ToLower(strings.Trim(token, ".,;:!?…„“”()")); english[w] {
			found[w] = strings.Join(read[max(0, i-8):min(len(read), i+8)], " ")
		}
	}
	return found
}

// inMessage is what a message has besides words.
var inMessage = regexp.MustCompile(`<code\d*>.*?</code\d*>|</?[a-z]+\d*>|%(\[\d+\])?[a-z]|\{\d+\}|[{}|]|\d:`)

// readIn returns what of a page is in its own language: neither ids nor code, nor what
// says that it is in another language.
func readIn(page string) string {
	var b strings.Builder
	var stack []bool // whether each element that is open is read
	for page != "" {
		i := strings.IndexByte(page, '<')
		if i < 0 {
			break
		}
		if len(stack) == 0 || stack[len(stack)-1] {
			b.WriteString(page[:i] + " ")
		}
		tag := aTag.FindStringSubmatch(page[i:])
		if tag == nil {
			page = page[i+1:]
			continue
		}
		page = page[i+len(tag[0]):]
		name, a := tag[2], attributes(tag[3])
		switch {
		case tag[1] != "" && len(stack) > 0:
			stack = stack[:len(stack)-1]
		case tag[1] == "":
			is := len(stack) == 0 || stack[len(stack)-1]
			is = is && (a["lang"] == "" || name == "html") && a["translate"] != "no" && !slices.Contains([]string{"code", "pre", "textarea", "script"}, name) && !slices.Contains(strings.Fields(a["class"]), "id")
			if is {
				for _, attribute := range []string{"title", "alt", "aria-label", "placeholder", "label"} {
					b.WriteString(html.UnescapeString(a[attribute]) + " ")
				}
			}
			if !slices.Contains(empty, name) && tag[4] == "" {
				stack = append(stack, is)
			}
		}
	}
	return strings.Join(strings.Fields(html.UnescapeString(b.String())), " ")
}

// sampleTexts are what people and machines of the sample data wrote, in English.
var sampleTexts = []string{
	"debt of five months, the cardholder cannot be reached", "charged twice at the same shop, complaint 4471", "debt of eight months, the cardholder cannot be reached",
	"says that a promotion of 20 % was announced", "there was no such promotion", "waited three weeks for a new card", "campaign credited twice",
}

// TestNothingIsLeftInEnglish looks at every page that can be reached with the sample data
// as a German does, and finds words that only English sentences of the console have.
func TestNothingIsLeftInEnglish(t *testing.T) {
	english := englishWords(t)
	if !english["the"] || !english["refund"] || english["konto"] {
		t.Fatalf("%d words are told to be English", len(english))
	}
	for _, word := range []string{"groceries", "dining", "everybody", "everything"} { // of rules and categories, which programs chose
		delete(english, word)
	}
	o := openSample(t)
	b := o.stranger()
	found := make(map[string]string)
	for _, path := range b.crawl(6) {
		r := b.inLanguage("de", path)
		if path == "/docs" {
			continue // is of the interface for programs, and no page of the console
		}
		if r.status != http.StatusOK || !strings.Contains(r.body, `<html lang="de" dir="ltr">`) {
			if strings.HasPrefix(r.body, "<!doctype") {
				t.Errorf("%s is answered with %d, or in another language", path, r.status)
			}
			continue
		}
		for w, where := range leftIn(r.body, english) {
			found[w] = path + ": … " + where
		}
	}
	for w, where := range found {
		t.Errorf("%q is English: %s", w, where)
	}
}

// Whatever the playground plays it tells in German: every step of every attack, every design
// and every program of its gallery, with the moves that it suggests and what is refused.
func TestThePlaygroundIsToldInGerman(t *testing.T) {
	english := englishWords(t)
	b := player(t)
	paths := []string{playgroundURL}
	for _, attack := range play.Attacks() {
		for at := range len(attack.Run.Moves) + 1 {
			r := attack.Run
			r.At = at
			paths = append(paths, runURL(r))
		}
	}
	for _, d := range play.Designs() {
		paths = append(paths, playgroundURL+"?v=1&right=recoup-mature&m=buy+100.00+GROCERY&m=refund+100.00+of+t1&left="+d.Key)
	}
	for _, p := range play.Gallery() {
		r, err := play.Under(p.Name)
		if err != nil {
			t.Fatal(err)
		}
		for range 4 {
			paths = append(paths, runURL(r))
			table, err := play.Play(t.Context(), r, locale.Match("de").With(play.Decimals))
			if err != nil {
				t.Fatal(err)
			}
			r = table.Next()[0].Run
		}
	}
	for _, word := range []string{"birthday", "yes", "dining", "kind", "home", "fresh", "fuel"} { // of attributes, labels and categories, which programs chose
		delete(english, word)
	}
	const bought = playgroundURL + "?v=1&m=buy+10.00&"
	for _, refused := range []string{
		"add=refund&of=t7&amount=", "add=buy&amount=five", "add=buy&amount=-1", "add=wait&days=0", "add=wait&days=3660&m=close", "add=redeem&amount=x", "grocery=500&cap=1", "grocery=0&base=0", "grocery=0&cap=1", "cap=x", "grace=99", "maturity=x", "minimum=-1", "add=buy&amount=1&label=x",
	} {
		paths = append(paths, bought+refused)
	}
	for _, path := range paths {
		r := b.inLanguage("de", path)
		if !strings.Contains(r.body, `<html lang="de" dir="ltr">`) {
			t.Errorf("%s is answered with %d, in another language", path, r.status)
		}
		if refused := strings.HasPrefix(path, bought); refused != (r.status == http.StatusUnprocessableEntity) {
			t.Errorf("%s is answered with %d", path, r.status)
		}
		for w, where := range leftIn(r.body, english) {
			t.Errorf("%s: %q is English: … %s", path, w, where)
		}
	}
}

// TestArabicIsMarkedNotSpelled looks at every page as somebody does who reads from the
// right: marks that keep a value apart are the console's own, and not spelled out.
func TestArabicIsMarkedNotSpelled(t *testing.T) {
	b := openSample(t).stranger()
	for _, path := range b.crawl(6) {
		page := html.UnescapeString(b.inLanguage("ar", path).body)
		if _, rest, is := strings.Cut(page, "<U+2068>"); is {
			t.Errorf("%s spells a mark: %.100q", path, rest)
		}
		if path != "/docs" && strings.HasPrefix(page, "<!doctype") && !strings.Contains(page, `<html lang="ar" dir="rtl">`) {
			t.Errorf("%s is in another language", path)
		}
	}
}
