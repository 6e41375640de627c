package console

import (
	"net/url"
	"slices"
	"strconv"

	"recoup/internal/console/locale"
	"recoup/internal/store/durable"
	"recoup/reward"
)

// activity is what happened to an account as a bank's app tells it: by day, the latest
// first, each event in a sentence with what it did to the balance.
type activity struct {
	Days    []activityDay
	Filters []activityFilter
	Shown   string // the filter; empty: all
	Earlier string // the address of earlier events; empty: there are none
	Later   bool   // these are not the latest events
	Cut     bool   // not everything was looked through for what the filter wants
}

// activityDay is the events of a day, which is one of UTC.
type activityDay struct {
	Day     reward.Instant
	Entries []activityEntry
}

// activityEntry is one event.
type activityEntry struct {
	moment
	Says        string // what happened, in a sentence
	Transaction string // that it is about; empty: none, or several
	Purchase    *reward.Detail
	Became      *reward.Detail // the purchase, where the event is its settlement and more has happened to it
	Change      int64          // of the balance; Balance is what it was after it
	Balance     int64
	Changed     bool
}

// activityFilter is a choice of what to see.
type activityFilter struct {
	Name, Title, Path string
	Chosen            bool
}

// The bounds of what is read and shown of the log.
const (
	shownActivity    = 25  // entries on one page
	activityPage     = 100 // events at a time
	mostActivityRead = 500 // events, looking for what a filter wants
)

// activityKinds are the filters by name, with the types of events that each shows.
var activityKinds = []struct {
	name  string
	types []reward.Type
}{
	{"purchases", []reward.Type{reward.TransactionAuthorized, reward.TransactionSettled, reward.TransactionCanceled, reward.TransactionReversed, reward.TransactionItemized}},
	{"returns", []reward.Type{reward.RefundPending, reward.RefundPosted, reward.RefundCanceled, reward.RefundReversed, reward.ChargebackPosted, reward.ChargebackReversed}},
	{"payouts", []reward.Type{reward.RedemptionRequested, reward.RedemptionReversed, reward.RedemptionAuthorized, reward.RedemptionCaptured, reward.RedemptionReleased}},
	{"decisions", []reward.Type{
		reward.AdjustmentPosted, reward.RefundLinked, reward.RefundCounted, reward.RefundDismissed, reward.ChargebackDismissed, reward.TransactionDismissed, reward.RedemptionDismissed, reward.AttributeDismissed,
		reward.AccountOpened, reward.AccountClosed,
	}},
	{"changes", nil}, // whatever changed the balance
}

func activityTitle(l *locale.Locale, name string) string {
	switch name {
	case "purchases":
		return l.Sprintf("Purchases")
	case "returns":
		return l.Sprintf("Returns")
	case "payouts":
		return l.Sprintf("Payouts")
	case "decisions":
		return l.Sprintf("Decided by hand")
	case "changes":
		return l.Sprintf("What changed the balance")
	}
	return l.Sprintf("Everything")
}

// wanted reports whether a filter shows an event.
func wanted(filter string, v *durable.LoggedView) bool {
	for _, k := range activityKinds {
		if k.name == filter {
			return k.types == nil && len(v.Postings) > 0 || slices.Contains(k.types, v.Event.Type)
		}
	}
	return true
}

// activityOf reads the latest events before a number of the log.
func (c *Console) activityOf(v *visit, account *durable.AccountView) (a activity, err error) {
	before, err := strconv.ParseInt(v.given("before"), 10, 64)
	if err != nil || before < 0 {
		before = 0
	}
	a.Later = before > 0
	for _, k := range activityKinds {
		if k.name == v.given("show") {
			a.Shown = k.name
		}
	}
	for _, name := range []string{"", "purchases", "returns", "payouts", "decisions", "changes"} {
		path := accountPath(account.Account)
		if name != "" {
			path += "&" + url.Values{"show": {name}}.Encode()
		}
		a.Filters = append(a.Filters, activityFilter{name, activityTitle(v.locale, name), path + "#history", name == a.Shown})
	}
	list, next, err := c.activityList(v, account, &a, before)
	if err != nil {
		return a, err
	}
	if next != 0 {
		if a.Earlier, err = linkTo("account", "id", account.Account, "show", a.Shown, "before", next); err != nil {
			return a, err
		}
	}
	var ids []string
	for i := range list {
		if id := purchaseOf(&list[i]); id != "" {
			ids = append(ids, id)
		}
	}
	purchases, err := c.ledger.TransactionsNamed(v.ctx(), account.Account, ids)
	if err != nil {
		return a, err
	}
	told := v.telling(account)
	told.Merchant = func(id string) string { return purchases[id].Merchant }
	for i := range list {
		e := v.activityEntry(account, &list[i], told)
		if p, known := purchases[e.Transaction]; known {
			if e.Purchase = &p; e.Event.Type == reward.TransactionSettled && p.Status != reward.Settled {
				e.Became = &p
			}
		}
		e.Says = v.says(&list[i].Event, list[i].Result, account, e.Purchase)
		day := e.At - e.At%reward.Day
		if n := len(a.Days); n == 0 || a.Days[n-1].Day != day {
			a.Days = append(a.Days, activityDay{Day: day})
		}
		of := &a.Days[len(a.Days)-1]
		of.Entries = append(of.Entries, e)
	}
	return a, nil
}

// activityList reads the events to show, and from where to go on; zero: there are no more.
func (c *Console) activityList(v *visit, account *durable.AccountView, a *activity, before int64) (list []durable.LoggedView, next int64, err error) {
	for read := 0; ; {
		page, err := c.ledger.History(v.ctx(), account.Account, before, activityPage)
		if err != nil {
			return nil, 0, err
		}
		for i := range page {
			if before = page[i].Number; !wanted(a.Shown, &page[i]) {
				continue
			}
			if len(list) == shownActivity {
				return list, list[len(list)-1].Number, nil
			}
			list = append(list, page[i])
		}
		read += len(page)
		switch {
		case len(page) < activityPage:
			return list, 0, nil
		case read >= mostActivityRead:
			a.Cut = true
			return list, before, nil
		}
	}
}

func (v *visit) activityEntry(account *durable.AccountView, logged *durable.LoggedView, told reward.Telling) activityEntry {
	e := activityEntry{moment: momentOfEvent(v.locale, logged, purchaseOf(logged), told), Transaction: purchaseOf(logged)}
	for _, p := range logged.Postings {
		e.Change += p.Amount
		e.Balance, e.Changed = p.Balance, true
	}
	return e
}

// says tells in a sentence what happened. What it did to the balance stands beside it,
// and why below.
func (v *visit) says(e *reward.Event, r reward.Result, account *durable.AccountView, purchase *reward.Detail) string {
	l := v.locale
	spent, earned := v.money(account.Currency)(e.Amount), v.money(account.Reward.Name)(e.Amount)
	merchant := e.Merchant
	if merchant == "" && purchase != nil {
		merchant = purchase.Merchant
	}
	refused := r.Outcome == reward.Rejected
	switch e.Type {
	case reward.TransactionSettled:
		if merchant != "" {
			return l.Sprintf("Bought for %s at %s", spent, merchant)
		}
		return l.Sprintf("Bought for %s", spent)
	case reward.TransactionAuthorized:
		if merchant != "" {
			return l.Sprintf("Authorised %s at %s", spent, merchant)
		}
		return l.Sprintf("Authorised %s", spent)
	case reward.RefundPosted:
		if merchant != "" {
			return l.Sprintf("%s came back from %s", spent, merchant)
		}
		return l.Sprintf("%s came back", spent)
	case reward.RefundPending:
		return l.Sprintf("A refund of %s is announced", spent)
	case reward.ChargebackPosted:
		if e.HasAmount {
			return l.Sprintf("%s was charged back", spent)
		}
		return l.Sprintf("The purchase was charged back")
	case reward.RedemptionRequested:
		if refused {
			return l.Sprintf("A payout of %s was refused", earned)
		}
		return l.Sprintf("%s was paid out", earned)
	case reward.RedemptionAuthorized:
		if refused {
			return l.Sprintf("A payout of %s was not authorised", earned)
		}
		return l.Sprintf("A payout of %s was authorised", earned)
	case reward.RedemptionReversed:
		return l.Sprintf("A payout came back")
	case reward.AdjustmentPosted:
		switch {
		case refused:
			return l.Sprintf("An adjustment of %s was refused", v.locale.Change(e.Amount, account.Reward.Name))
		case e.Amount < 0:
			return l.Sprintf("%s was taken by hand", v.money(account.Reward.Name)(-e.Amount))
		}
		return l.Sprintf("%s was given by hand", earned)
	case reward.CycleClosed:
		return l.Sprintf("The statement closed")
	case reward.AccountOpened:
		return l.Sprintf("The account was opened")
	case reward.AccountClosed:
		return l.Sprintf("The account was closed")
	}
	return ""
}
