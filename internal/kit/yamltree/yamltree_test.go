package yamltree_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"recoup/internal/kit/yamltree"
)

var (
	menu   = yamltree.Form{Name: "menu"}
	ledger = yamltree.Form{Name: "ledger", Verbatim: true}
)

// dish is what the documents of these tests describe.
type dish struct {
	name, course string
	price        int64
	guests       int
	with         []string
	stock        []string
}

// read reads a document of the form as a dish.
func read(form yamltree.Form, text string) (d dish, err error) {
	top, err := form.Parse("dish.yaml", []byte(text))
	if err != nil {
		return d, err
	}
	err = top.Mapping(
		yamltree.Required("name", "what it is called", yamltree.Text(&d.name, "text")),
		yamltree.Optional("price", yamltree.Whole(&d.price, "cents", 9999)),
		yamltree.Optional("guests", yamltree.Whole(&d.guests, "guests", 12)),
		yamltree.Optional("course", yamltree.Choice(&d.course,
			yamltree.Word("first", "starter"), yamltree.Word("second", "main"), yamltree.Word("last", "dessert"))),
		yamltree.Optional("with", func(n yamltree.Node) error {
			items, err := n.List()
			if err != nil {
				return err
			}
			for _, item := range items {
				text, err := item.Text("a side")
				if err != nil {
					return err
				}
				d.with = append(d.with, text)
			}
			return nil
		}),
		yamltree.Optional("stock", func(n yamltree.Node) error {
			if n.IsNull() {
				return nil
			}
			entries, err := n.Entries()
			for _, e := range entries {
				items := []yamltree.Node{e.Node}
				if e.IsList() {
					if items, err = e.ListOf("crates", 3); err != nil {
						return err
					}
				}
				for _, item := range items {
					count, err := item.Scalar("a count")
					if err != nil {
						return err
					}
					d.stock = append(d.stock, fmt.Sprintf("%s %s (%s, line %d)", e.Name, count, item.Path(), item.Line()))
				}
			}
			return err
		}),
	)
	return d, err
}

func TestADocumentIsRead(t *testing.T) {
	got, err := read(menu, "\uFEFF"+`
name: soup
price: 450
guests: 2
course: last
with: [bread, "7"]
stock:
  leek: 012
  "white beans": [1, 2]
  salt: []
`)
	want := dish{"soup", "dessert", 450, 2, []string{"bread", "7"},
		[]string{"leek 012 (stock.leek, line 8)", `white beans 1 (stock."white beans"[0], line 9)`, `white beans 2 (stock."white beans"[1], line 9)`}}
	if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got  %v, %v\nwant %v", got, err, want)
	}
}

func TestJSONIsYAML(t *testing.T) {
	got, err := read(menu, "{\n\t\"name\":\t\"caf\\u00e9 \\ud83d\\ude00 a\\/b \\\\/\",\n\t\"price\": 450\n}\n")
	if want := `café 😀 a/b \/`; err != nil || got.name != want || got.price != 450 {
		t.Errorf("got %+v, %v; want the name %q", got, err, want)
	}
}

// A verbatim form takes text as it is written, names included.
func TestVerbatim(t *testing.T) {
	got, err := read(ledger, "name: NO\nwith: [7, 2026-01-05, \"\\t\", true]\nstock: {7: 007, NO: 1.50}\n")
	want := dish{name: "NO", with: []string{"7", "2026-01-05", "\t", "true"}, stock: []string{"7 007 (stock.7, line 3)", "NO 1.50 (stock.NO, line 3)"}}
	if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got  %v, %v\nwant %v", got, err, want)
	}
}

// Each document is refused with exactly this message.
func TestRefusals(t *testing.T) {
	const members = "name, price, guests, course, with, stock"
	for _, c := range []struct {
		form       yamltree.Form
		text, want string
	}{
		// The file as a whole.
		{menu, "", `:1: expected a menu, but the file is empty`},
		{ledger, "# later\n", `:1: expected a ledger, but the file is empty`},
		{menu, "---\n", `:2: expected a mapping, not nothing`},
		{menu, "- soup\n", `:1: expected a mapping, not a list`},
		{menu, "name: a\n---\nname: b\n", `:3: expected one menu, but a second document starts here`},
		{menu, "name: a\n---\n\"\n", `:3: not well-formed YAML: found unexpected end of stream`},
		{menu, "name: a\nname: \xff\n", `:2: expected UTF-8 text`},
		{menu, "name: a\n\x00\n", `:2: the character U+0000 is not allowed`},
		{menu, "name: a\n# \u0085\n", `:2: the character U+0085 is not allowed`},
		{menu, "name: a\n# \uFEFF\n", `:2: the character U+FEFF is not allowed`},
		{menu, strings.Repeat("#\n", yamltree.MaxSize/2) + "#", `: expected a menu of at most 1048576 bytes`},
		{menu, strings.Repeat("[", 20_000), `:1: not well-formed YAML: exceeded max depth of 10000`},
		{menu, "name: a\nstock:\n\tleek: 1\n", `:3: not well-formed YAML: found character that cannot start any token`},
		{menu, "name: a\nstock: {leek: 1\nwith: [b]\n", `:2: not well-formed YAML: did not find expected ',' or '}'`},

		// What YAML has and a form has no use for.
		{menu, "name: &x a\n", `:1: name: anchors and aliases are not allowed in a menu; write the value out`},
		{menu, "name: a\nstock: &x ~\n", `:2: stock: anchors and aliases are not allowed in a menu; write the value out`},
		{menu, "name: *x\n", `: anchors and aliases are not allowed in a menu; write the value out`},
		{menu, "? &x name\n: a\n", `:1: anchors and aliases are not allowed in a menu; write the value out`},
		{ledger, "name: !!str a\n", `:1: name: tags such as "!!str" are not allowed in a ledger`},
		{ledger, "name: a\nstock: !!null ~\n", `:2: stock: tags such as "!!null" are not allowed in a ledger`},
		{ledger, "%TAG !x! tag:x\n---\nname: a\n", `:1: tags are not allowed in a ledger`},

		// Members.
		{menu, "name: a\nnmae: b\n", `:2: nmae: unknown member; expected one of ` + members},
		{menu, "name: a\n\"a dish\": b\n", `:2: "a dish": unknown member; expected one of ` + members},
		{menu, "name: a\nname: a\n", `:2: name: given twice, first on line 1`},
		{menu, "name: a\nstock:\n  leek: 1\n  \"leek\": 1\n", `:4: stock.leek: given twice, first on line 3`},
		{menu, "# soup\nprice: 1\n", `:2: name: missing; expected what it is called`},
		{menu, "7: a\n", `:1: expected text (in quotes: "7"), not 7`},
		{ledger, "7: a\n", `:1: 7: unknown member; expected one of ` + members},
		{ledger, "[a]: b\n", `:1: expected text, not a list`},
		{ledger, "~: b\n", `:1: expected text, not nothing`},

		// Text.
		{menu, "name:\n", `:1: name: expected text, not nothing`},
		{menu, "name: {a: b}\n", `:1: name: expected text, not a mapping`},
		{menu, "name: NO\nwith: [2026-01-05]\n", `:2: with[0]: expected a side (in quotes: "2026-01-05"), not 2026-01-05`},
		{menu, "name: \"a\\tb\"\n", `:1: name: expected text without control characters, not "a\tb"`},
		{ledger, "name: ''\n", `:1: name: expected text of at least one character, not ""`},
		{ledger, "name: " + strings.Repeat("é", 129), `:1: name: expected text of at most 256 bytes, not "` + strings.Repeat("é", 40) + `"…`},

		// Numbers and words.
		{menu, "name: a\nprice: \"450\"\n", `:2: price: expected a whole number of cents from 0 to 9999, not "450"`},
		{ledger, "name: a\nprice: '450'\n", `:2: price: expected a whole number of cents from 0 to 9999, not "450"`},
		{menu, "name: a\nprice: 10000\n", `:2: price: expected a whole number of cents from 0 to 9999, not 10000`},
		{menu, "name: a\nprice: 0x10\n", `:2: price: expected a whole number of cents from 0 to 9999, not 0x10`},
		{menu, "name: a\nprice: -1\n", `:2: price: expected a whole number of cents from 0 to 9999, not -1`},
		{menu, "name: a\nguests: 07\n", `:2: guests: expected a whole number of guests from 0 to 12, not 07`},
		{menu, "name: a\nguests: ~\n", `:2: guests: expected a whole number of guests from 0 to 12, not nothing`},
		{menu, "name: a\ncourse: third\n", `:2: course: expected first, second or last, not "third"`},
		{menu, "name: a\ncourse: false\n", `:2: course: expected first, second or last, not false`},
		{menu, "name: a\ncourse: [first]\n", `:2: course: expected first, second or last, not a list`},

		// Lists.
		{menu, "name: a\nwith: bread\n", `:2: with: expected a list, not "bread"`},
		{menu, "name: a\nwith: []\n", `:2: with: expected a list of at least one value, not an empty one`},
		{menu, "name: a\nwith: [" + strings.Repeat("b,", yamltree.MaxList+1) + "]\n", `:2: with: expected a list of at most 10000 values, not 10001`},
		{menu, "name: a\nstock: {leek: [1, 2, 3, 4]}\n", `:2: stock.leek: expected at most 3 crates, not 4`},
		{menu, "name: a\nstock: {leek: [1, ~]}\n", `:2: stock.leek[1]: expected a count, not nothing`},
	} {
		_, err := read(c.form, c.text)
		var refusal *yamltree.Error
		if want := "dish.yaml" + c.want; !errors.As(err, &refusal) || err.Error() != want {
			t.Errorf("%.60q\ngot  %v\nwant %s", c.text, err, want)
		}
	}
}

func TestQuote(t *testing.T) {
	long := strings.Repeat("é", 41)
	for _, c := range []struct{ got, want string }{
		{yamltree.Quote("a\nb"), `"a\nb"`},
		{yamltree.Quote(long[2:]), `"` + long[2:] + `"`},
		{yamltree.Quote(long), `"` + long[2:] + `"…`},
		{yamltree.QuoteUpTo("abcd", 3), `"abc"…`},
		{yamltree.QuoteUpTo("abc", 3), `"abc"`},
	} {
		if c.got != c.want {
			t.Errorf("got %s, want %s", c.got, c.want)
		}
	}
}

// Whatever the bytes are, a document is read within the published limits or
// refused with an *Error about this file and one of its lines.
func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"name: a\nprice: 1\nwith: [b, c]\nstock: {leek: [1, 2]}\n", "{\"name\": \"\\ud83d\\ude00\\/\"}\n---\n",
		"name: &a b\nwith: [*a]\n", "? [a]\n: b\n", "%TAG !x! tag:x\n---\nname: a\n", "\xef\xbb\xbfname: |\n  a\n",
	} {
		f.Add(text, true)
		f.Add(text, false)
	}
	f.Fuzz(func(t *testing.T, text string, verbatim bool) {
		d, err := read(yamltree.Form{Name: "menu", Verbatim: verbatim}, text)
		var refusal *yamltree.Error
		switch {
		case errors.As(err, &refusal):
			// The end of the file may be said to stand on a line below the last.
			if lines := strings.Count(text, "\n") + strings.Count(text, "\r") + strings.Count(text, "\u2028") + strings.Count(text, "\u2029"); refusal.File != "dish.yaml" || refusal.Reason == "" || refusal.Line < 0 || refusal.Line > lines+2 {
				t.Errorf("%#v", refusal)
			}
		case err != nil:
			t.Errorf("got %T: %v, want an *Error", err, err)
		case d.name == "" || len(d.name) > yamltree.MaxText || d.price < 0 || d.price > 9999 || d.guests < 0 || d.guests > 12 ||
			len(d.with) > yamltree.MaxList || slices.Contains(d.with, ""):
			t.Errorf("read as %+v", d)
		}
	})
}
