package console

import (
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"recoup/event"
	"recoup/internal/store/durable"
	"recoup/program"
	"recoup/reward"
)

// reviewFilter is which reviews are looked at, as the fields of a form have it.
type reviewFilter struct {
	Kind    string // as reward.ReviewKind is written
	Account string
	Older   string // than so many days
	Amount  string // at least, in units of whatever currency
	View    string // one of views
	Sort    string // one of orders
	Kinds   []reward.ReviewKind
	Ages    []int

	KindWrong, OlderWrong, AmountWrong string // what is wrong with a field

	kind  reward.ReviewKind
	older int
	least int64 // in units of the finest currency
	// across are the currencies of all programs.
	across []string
}

// finest is a currency with four decimals. None has more, so that an amount in its
// minor units is exact in every currency.
const finest = "CLF"

// mostDays is the most days that a review may be asked to be older than.
const mostDays = 36_500

// reviewFilter reads the filter that a query asks for.
func (c *Console) reviewFilter(v *visit) *reviewFilter { return c.filterIn(v, v.r.URL.Query()) }

// filterIn reads a filter.
func (c *Console) filterIn(v *visit, q url.Values) *reviewFilter {
	given := func(name string) string { return cleaned(q.Get(name)) }
	f := &reviewFilter{
		Kind: given("kind"), Account: given("account"), Older: given("older"), Amount: given("amount"), View: given("view"), Sort: given("sort"), Ages: []int{3, 7, 30, 90},
	}
	if !slices.Contains(views, f.View) {
		f.View = viewOpen
	}
	if orders[f.Sort] == nil {
		f.Sort = ""
	}
	for k := reward.WaitsForTransaction; k <= reward.LastReview; k++ {
		f.Kinds = append(f.Kinds, k)
		if k.String() == f.Kind {
			f.kind = k
		}
	}
	for _, version := range c.programs.List() {
		f.across = append(f.across, version.Terms.Currency)
	}
	var err error
	if f.Kind != "" && f.kind == 0 {
		f.KindWrong = "There is no such kind of review."
	}
	if f.Older != "" {
		if f.older, err = strconv.Atoi(f.Older); err != nil || f.older < 0 || f.older > mostDays {
			f.OlderWrong = "Expected whole days, such as 30."
		}
	}
	if f.Amount != "" {
		if f.least, err = v.locale.ParseAmount(f.Amount, finest); err != nil {
			f.AmountWrong = v.locale.Sprintf("Expected an amount such as %s.", v.locale.Example(finest))
		}
	}
	return f
}

// valid reports whether the filter can be applied.
func (f *reviewFilter) valid() bool { return f.KindWrong+f.OlderWrong+f.AmountWrong == "" }

// Any reports whether something is left out.
func (f *reviewFilter) Any() bool { return f.Kind+f.Account+f.Older+f.Amount+f.View != "" }

// Custom reports whether the age is none of those to choose from.
func (f *reviewFilter) Custom() bool {
	for _, days := range f.Ages {
		if f.Older == strconv.Itoa(days) {
			return false
		}
	}
	return f.Older != ""
}

// query is the filter as a query, with more values besides.
func (f *reviewFilter) query(more url.Values) url.Values {
	q := url.Values{}
	for name, value := range map[string]string{"kind": f.Kind, "account": f.Account, "older": f.Older, "amount": f.Amount, "view": f.View, "sort": f.Sort} {
		if value != "" {
			q.Set(name, value)
		}
	}
	for name, values := range more {
		q[name] = values
	}
	return q
}

// selects is what the ledger is asked for. It knows amounts in minor units alone,
// so it is told the least that is enough in any currency.
func (f *reviewFilter) selects(now reward.Instant) durable.ReviewFilter {
	s := durable.ReviewFilter{Account: f.Account, Kind: f.kind}
	if f.older > 0 {
		s.Before = now - reward.Instant(f.older)*reward.Day
	}
	for i, currency := range f.across {
		if least := f.leastIn(currency); i == 0 || least < s.MinAmount {
			s.MinAmount = least
		}
	}
	return s
}

// lets reports whether the amount of a review is large enough in its currency.
func (f *reviewFilter) lets(v *durable.ReviewView) bool { return v.Amount >= f.leastIn(v.Currency) }

// leastIn is the least amount that is let through, in minor units of a currency.
func (f *reviewFilter) leastIn(currency string) int64 {
	decimals, _ := program.MinorUnits(currency)
	most, _ := program.MinorUnits(finest)
	least := f.least
	for ; decimals < most; decimals++ {
		least = least/10 + min(1, least%10)
	}
	return least
}

// errNoPlace says that a place in the list cannot be read.
var errNoPlace = refuse(http.StatusBadRequest, "There is no such place in the list", "Begin at the list's beginning: choose Reviews above.")

// placeText is a place in the list as an address has it: when, what, whose and its
// id, the texts in base64.
func placeText(p durable.ReviewPlace) string {
	return strings.Join([]string{
		strconv.FormatInt(int64(p.Since), 10), strconv.Itoa(int(p.Kind)), placeEncoding.EncodeToString([]byte(p.Account)), placeEncoding.EncodeToString([]byte(p.ID)),
	}, ".")
}

var placeEncoding = base64.RawURLEncoding.Strict()

// parsePlace reads what placeText wrote; nothing is the list's beginning.
func parsePlace(text string) (p durable.ReviewPlace, err error) {
	if text == "" {
		return p, nil
	}
	parts := strings.Split(text, ".")
	if len(parts) != 4 {
		return p, errNoPlace
	}
	since, err := strconv.ParseInt(parts[0], 10, 64)
	kind, kindErr := strconv.ParseUint(parts[1], 10, 8)
	account, accountErr := placeEncoding.DecodeString(parts[2])
	id, idErr := placeEncoding.DecodeString(parts[3])
	if errors.Join(err, kindErr, accountErr, idErr) != nil || !isText(string(account)) || !isText(string(id)) {
		return p, errNoPlace
	}
	return durable.ReviewPlace{Since: reward.Instant(since), Account: string(account), Kind: reward.PartKind(kind), ID: string(id)}, nil
}

// isText reports whether something may be an id or a reason: not empty, not too
// long, and without control characters.
func isText(text string) bool {
	return text != "" && len(text) <= event.MaxText && utf8.ValidString(text) && !strings.ContainsFunc(text, unicode.IsControl)
}
