package console

import (
	"net/url"
	"slices"
	"strings"
	"unicode"

	"recoup/access"
	"recoup/event"
	"recoup/reward"
	"recoup/store/durable"
)

// searchPage is what was found under an id.
type searchPage struct {
	Asked  string
	Found  []durable.Found
	Nearby []string // accounts whose ids begin with what was asked
}

// mostFound is how many places an id may be found in before the rest is left out.
const mostFound = 50

func (c *Console) searchRoutes() {
	c.page("GET "+Path+"search", access.Read, c.search)
}

// search looks for an account, a transaction, a refund or a chargeback by its id, as
// it was pasted and then without what a clipboard, a mail or a table put around it.
// What is in one place alone is shown at once.
func (c *Console) search(v *visit) error {
	body := searchPage{Asked: v.given("q")}
	for _, id := range asked(v.r.URL.Query().Get("q")) {
		found, err := c.ledger.Find(v.ctx(), id, mostFound)
		if err != nil {
			return err
		}
		if len(found) == 0 {
			continue
		}
		if len(found) == 1 {
			return c.foundOne(v, found[0])
		}
		body.Found = found
		return v.show("search", "accounts", "Search", body)
	}
	if ids := asked(body.Asked); len(ids) > 0 {
		nearby, err := c.ledger.AccountsFrom(v.ctx(), ids[len(ids)-1], "", mostFound)
		if err != nil {
			return err
		}
		body.Nearby = nearby
	}
	return v.show("search", "accounts", "Search", body)
}

// foundOne goes to what was found.
func (c *Console) foundOne(v *visit, f durable.Found) error {
	path, err := c.placeOf(v, f)
	if err != nil {
		return err
	}
	return v.moved(path, "")
}

// placeOf is the page that shows what was found: an account's, or the purchase that
// a refund or chargeback is of.
func (c *Console) placeOf(v *visit, f durable.Found) (string, error) {
	switch f.Kind {
	case 0:
		return accountPath(f.Account), nil
	case reward.TransactionPart:
		return transactionPath(f.Account, f.ID), nil
	}
	return linkTo("review", "account", f.Account, "kind", f.Kind, "id", f.ID)
}

// asked are the ids that a pasted text may stand for: it as it is, then without
// quotes and brackets around it, without a word such as "account:" before it, out of
// an address of this console, without any space in it, and in small letters.
func asked(text string) (ids []string) {
	add := func(id string) {
		if id = cleaned(id); id != "" && len(id) <= event.MaxText && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	add(text)
	bare := strings.TrimFunc(cleaned(text), func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune("\"'`“”‘’«»„<>()[]{}|,;.", r)
	})
	add(bare)
	if u, err := url.Parse(bare); err == nil && u.Query().Get("id") != "" {
		add(u.Query().Get("id"))
	}
	if label, rest, ok := strings.Cut(bare, ":"); ok && slices.Contains([]string{"account", "acct", "subject", "transaction", "txn", "refund", "id"}, strings.ToLower(strings.TrimSpace(label))) {
		bare = cleaned(rest)
		add(bare)
	}
	joined := strings.Join(strings.Fields(bare), "")
	add(joined)
	add(strings.ToLower(joined))
	return ids
}
