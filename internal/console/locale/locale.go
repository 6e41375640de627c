// Package locale writes amounts, counts and dates as a reader's browser asks for
// them, and says the console's words in the reader's language, as far as there is a
// catalogue of it. Amounts stay integers from the ledger to the page.
//
// Catalogues are files of their own, not those of golang.org/x/text/message: most
// messages are of templates, with markup and values in them, and one file has those and
// the formats of code, on lines that a translator can read. What a language's plural
// forms are, and which language a browser's list comes nearest to, is x/text's.
package locale

// Locale is how numbers and dates are written somewhere, and a language. Choose returns
// it.
type Locale struct {
	Tag     string // BCP 47, such as "de-CH"
	point   string // between units and decimals
	group   string // between groups of digits
	pairs   bool   // digits beyond the last three go in groups of two
	trailer bool   // the currency comes after the amount
	date    string // as package time writes layouts
	clock   string
	own     func(unit string) (decimals int, known bool) // nil: none is known
	speech  *speech                                      // the language of words
}

// With returns the locale with what is known of units that are no currency: how many
// decimals those have.
func (l *Locale) With(own func(unit string) (decimals int, known bool)) *Locale {
	with := *l
	with.own = own
	return &with
}

// The layouts of dates. A month that is a word cannot be taken for a day.
const (
	dayFirst   = "2 Jan 2006"
	monthFirst = "Jan 2, 2006"
	iso        = "2006-01-02"
	dots       = "02.01.2006"
	slashes    = "02/01/2006"
	dashes     = "02-01-2006"
	clock24    = "15:04"
	clock12    = "3:04 PM"
	thin       = "\u202f" // a narrow space that does not break
	hard       = "\u00a0"
)

// locales are those that are known, the default first. Forms are those of the
// Unicode Common Locale Data Repository (CLDR). Arabic has the digits that amounts and
// ids have everywhere else.
var locales = []Locale{
	{Tag: "en", point: ".", group: ",", date: dayFirst, clock: clock24},
	{Tag: "en-US", point: ".", group: ",", date: monthFirst, clock: clock12},
	{Tag: "en-GB", point: ".", group: ",", date: dayFirst, clock: clock24},
	{Tag: "en-IN", point: ".", group: ",", pairs: true, date: dayFirst, clock: clock12},
	{Tag: "en-ZA", point: ",", group: hard, date: dayFirst, clock: clock24},
	{Tag: "ar", point: ".", group: ",", trailer: true, date: slashes, clock: clock24},
	{Tag: "bg", point: ",", group: hard, trailer: true, date: dots, clock: clock24},
	{Tag: "cs", point: ",", group: hard, trailer: true, date: dots, clock: clock24},
	{Tag: "da", point: ",", group: ".", trailer: true, date: dots, clock: clock24},
	{Tag: "de", point: ",", group: ".", trailer: true, date: dots, clock: clock24},
	{Tag: "de-AT", point: ",", group: hard, date: dots, clock: clock24},
	{Tag: "de-CH", point: ".", group: "’", date: dots, clock: clock24},
	{Tag: "el", point: ",", group: ".", trailer: true, date: slashes, clock: clock24},
	{Tag: "es", point: ",", group: ".", trailer: true, date: slashes, clock: clock24},
	{Tag: "es-MX", point: ".", group: ",", date: slashes, clock: clock24},
	{Tag: "fi", point: ",", group: hard, trailer: true, date: dots, clock: clock24},
	{Tag: "fr", point: ",", group: thin, trailer: true, date: slashes, clock: clock24},
	{Tag: "fr-CA", point: ",", group: hard, trailer: true, date: iso, clock: clock24},
	{Tag: "hi", point: ".", group: ",", pairs: true, date: dayFirst, clock: clock12},
	{Tag: "hu", point: ",", group: hard, trailer: true, date: iso, clock: clock24},
	{Tag: "it", point: ",", group: ".", trailer: true, date: slashes, clock: clock24},
	{Tag: "ja", point: ".", group: ",", date: iso, clock: clock24},
	{Tag: "ko", point: ".", group: ",", date: iso, clock: clock24},
	{Tag: "nb", point: ",", group: hard, trailer: true, date: dots, clock: clock24},
	{Tag: "nl", point: ",", group: ".", date: dashes, clock: clock24},
	{Tag: "pl", point: ",", group: hard, trailer: true, date: dots, clock: clock24},
	{Tag: "pt", point: ",", group: ".", date: slashes, clock: clock24},
	{Tag: "pt-PT", point: ",", group: hard, trailer: true, date: slashes, clock: clock24},
	{Tag: "ro", point: ",", group: ".", trailer: true, date: dots, clock: clock24},
	{Tag: "sk", point: ",", group: hard, trailer: true, date: dots, clock: clock24},
	{Tag: "sv", point: ",", group: hard, trailer: true, date: iso, clock: clock24},
	{Tag: "tr", point: ",", group: ".", date: dots, clock: clock24},
	{Tag: "uk", point: ",", group: hard, trailer: true, date: dots, clock: clock24},
	{Tag: "zh", point: ".", group: ",", date: iso, clock: clock24},
}
