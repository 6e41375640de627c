package tabular_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"recoup/internal/kit/tabular"
)

func TestVisible(t *testing.T) {
	for text, want := range map[string]string{
		"acct-1":                 "acct-1",
		"":                       "",
		"Zoë 日本 🛒":               "Zoë 日本 🛒",
		"a\x1b[2Jb":              "a<U+001B>[2Jb",                     // clears the screen
		"a\u009b31mb":            "a<U+009B>31mb",                     // the same introducer in one character
		"a\x9bb":                 "a<0x9B>b",                          // and as a byte that is no UTF-8
		"a\x7fb":                 "a<U+007F>b",                        // deletes
		"one\ntwo\ttab\r":        "one<U+000A>two<U+0009>tab<U+000D>", // more lines than there are
		"gpj.\u202eexe":          "gpj.<U+202E>exe",                   // right to left
		"\u2066a\u2069":          "<U+2066>a<U+2069>",                 // isolates
		"a\u200bb\ufeff\u00ad":   "a<U+200B>b<U+FEFF><U+00AD>",        // no width
		"a\u3164b\ufe0f":         "a<U+3164>b<U+FE0F>",                // letters and marks that show nothing
		"a\u00a0b\u2028":         "a<U+00A0>b<U+2028>",                // spaces and line ends that look like others
		"\U000e0041":             "<U+E0041>",                         // tags
		"<script>":               "<script>",                          // escaped where HTML is written
		strings.Repeat("x", 401): strings.Repeat("x", 400) + "…",
	} {
		if got := tabular.Visible(text); got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
}

// Whatever an identifier is made of, what is shown of it is short and printable.
func TestVisibleIsPrintable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")) + rapid.String().Draw(t, "text")
		shown := tabular.Visible(text)
		for _, r := range shown {
			if !unicode.IsPrint(r) || r == utf8.RuneError && !strings.ContainsRune(text, utf8.RuneError) {
				t.Fatalf("%q is shown as %q, which has %U", text, shown, r)
			}
		}
	})
}

func ExampleVisible() {
	fmt.Println(tabular.Visible("acct-7\x1b[2J"))
	// Output: acct-7<U+001B>[2J
}

func ExampleVisibleLines() {
	fmt.Println(tabular.VisibleLines("settle t1\nrefund \u202er1\xff"))
	// Output:
	// settle t1
	// refund <U+202E>r1<0xFF>
}
