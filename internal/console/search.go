package console

import (
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"recoup/event"
	"recoup/internal/service/scope"
	"recoup/internal/store/durable"
	"recoup/reward"
)

// searchPage is what was found under an id.
type searchPage struct {
	Asked  string
	Long   bool // no id is as long as what was asked
	Found  []place
	More   bool     // it is in more places than are shown
	Nearby []string // accounts whose ids begin with what was asked
}

// place is where an id was found, with the address of the page that shows it.
type place struct {
	durable.Found
	What, Path string
}

// mostFound is how many places an id may be found in before the rest is left out.
const mostFound = 50

func (c *Console) searchRoutes() {
	c.page("GET "+Path+"search", scope.Read, c.search)
}

// search looks for an account, a transaction, a refund or a chargeback by its id, as
// it was pasted and then without what a clipboard, a mail or a table put around it.
// What is in one place alone is shown at once.
func (c *Console) search(v *visit) error {
	text := v.r.URL.Query().Get("q")
	body := searchPage{Asked: cleaned(text), Long: len(text) > longestAsked}
	if body.Long {
		return v.show("search", "accounts", "Search", body)
	}
	ids := asked(text)
	for _, id := range ids {
		found, err := c.ledger.Find(v.ctx(), id, mostFound+1)
		if err != nil {
			return err
		}
		if len(found) == 1 {
			path, err := placePath(found[0])
			if err != nil {
				return err
			}
			return v.moved(path, "")
		}
		if len(found) > 0 {
			return v.showFound(&body, found)
		}
	}
	for _, id := range ids {
		nearby, err := c.ledger.AccountsFrom(v.ctx(), id, "", mostFound)
		if err != nil {
			return err
		}
		if len(nearby) > 0 {
			body.Nearby = nearby
			break
		}
	}
	return v.show("search", "accounts", "Search", body)
}

// showFound shows the places that an id was found in.
func (v *visit) showFound(body *searchPage, found []durable.Found) error {
	body.More = len(found) > mostFound
	for _, f := range found[:min(len(found), mostFound)] {
		path, err := placePath(f)
		if err != nil {
			return err
		}
		what := "account"
		if f.Kind != 0 {
			what = f.Kind.String()
		}
		body.Found = append(body.Found, place{f, what, path})
	}
	return v.show("search", "accounts", "Search", body)
}

// placePath is the address of the page that shows what was found: an account, a
// purchase, or what is known of a refund or chargeback.
func placePath(f durable.Found) (string, error) {
	switch f.Kind {
	case 0:
		return accountPath(f.Account), nil
	case reward.TransactionPart:
		return transactionPath(f.Account, f.ID), nil
	}
	return linkTo("review", "account", f.Account, "kind", f.Kind, "id", f.ID)
}

// longestAsked bounds a text that is searched for, in bytes: the longest id as part
// of an address, with room for what is around it.
const longestAsked = 3*event.MaxText + 512

// labels are words that stand before an id in tables, logs and mails.
var labels = []string{"account", "account id", "acct", "subject", "transaction", "transaction id", "txn", "purchase", "refund", "refund id", "chargeback", "chargeback id", "id"}

// asked are the ids that a pasted text may stand for: it as it is, then without
// marks that have no width, without quotes and brackets around it, without a word
// such as "account:" before it, out of an address of this console, without any space
// in it, in small letters and in capitals.
func asked(text string) (ids []string) {
	add := func(id string) {
		if id != "" && len(id) <= event.MaxText && utf8.ValidString(id) && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	add(text)
	add(cleaned(text))
	bare := unwrapped(text)
	add(bare)
	if u, err := url.Parse(bare); err == nil && strings.Contains(u.Path, Path) {
		add(u.Query().Get("id"))
	}
	if label, rest, ok := strings.Cut(bare, ":"); ok && slices.Contains(labels, strings.ToLower(strings.TrimSpace(label))) {
		bare = unwrapped(rest)
		add(bare)
	}
	joined := strings.Join(strings.Fields(bare), "")
	add(joined)
	add(strings.ToLower(joined))
	add(strings.ToUpper(joined))
	return ids
}

// unwrapped returns a text without what a clipboard puts around it.
func unwrapped(text string) string {
	return strings.TrimFunc(cleaned(text), func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune("\"'`“”‘’«»„<>()[]{}|,;.", r)
	})
}
