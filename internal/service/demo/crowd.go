package demo

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"recoup/internal/traffic"
	"recoup/reward"
)

// crowd is the customers of one program whom nobody knows by name.
type crowd struct {
	program  string
	prefix   string // of their accounts: acct-001, acct-002, …
	facts    string // prefix of the ids of their purchases and refunds
	accounts int
	monthly  int // about how many events a month
	seed     uint64
}

var crowds = []crowd{
	{program: everyday, prefix: "acct-", accounts: 200, monthly: 1150, seed: 11},
	{program: travel, prefix: "travel-", facts: "v-", accounts: 50, monthly: 350, seed: 12},
	{program: nippon, prefix: "nippon-", facts: "n-", accounts: 30, monthly: 250, seed: 13},
	{program: welcome, prefix: "welcome-", facts: "w-", accounts: 6, monthly: 70, seed: 14},
	{program: quarter, prefix: "quarter-", facts: "q-", accounts: 6, monthly: 70, seed: 15},
	{program: coffee, prefix: "coffee-", facts: "c-", accounts: 4, monthly: 70, seed: 16},
	{program: miles, prefix: "miles-", facts: "m-", accounts: 5, monthly: 70, seed: 17},
}

// lively are the crowds that go on while somebody looks: those of plain terms.
var lively = crowds[:3]

// member is the id of an account of a crowd; they count from one.
func (w *crowd) member(n int) string { return fmt.Sprintf("%s%03d", w.prefix, n) }

// deliveries returns what becomes of the crowd from the calendar's start until a
// few minutes before its present moment, in the order of delivery.
func (w *crowd) deliveries(c calendar) ([]delivery, error) {
	terms, err := firstTerms(w.program)
	if err != nil {
		return nil, err
	}
	// Half a month more than needed, of which what lies ahead is left out.
	const months = history + 2
	options := traffic.Options{
		Accounts: w.accounts, Events: w.monthly * months, Days: 30 * months, Seed: w.seed, Program: terms, Start: c.start(),
		ReturnShare: 85, OverRefunds: 15, Duplicates: 3, Disorder: 15,
	}
	end := c.ago(3 * time.Minute)
	opened := map[string]bool{}
	var list []delivery
	at := c.start()
	for e := range traffic.Generate(options) {
		happened := e.Time.Time()
		if happened.After(end) {
			continue
		}
		if happened.After(at) { // what is not was delivered late
			at = happened
		}
		w.rename(&e)
		if e.Type == reward.AccountOpened {
			e.Fact, opened[e.Account] = w.program, true
		}
		if w.program != everyday && !opened[e.Account] {
			opened[e.Account] = true
			list = append(list, delivery{at, reward.Event{
				Source: e.Source, ID: "open", Account: e.Account, Time: e.Time, Type: reward.AccountOpened, Fact: w.program,
			}, false})
		}
		list = append(list, delivery{at, e, false})
		if e.Type == reward.RefundPosted && e.Transaction == "" {
			list = append(list, workOff(c, at, &e)...)
		}
	}
	return list, nil
}

// rename gives ids that tell one crowd from another.
func (w *crowd) rename(e *reward.Event) {
	if n, err := strconv.Atoi(strings.TrimPrefix(e.Account, "acct-")); err == nil {
		e.Account = w.member(n)
	}
	for _, id := range []*string{&e.Transaction, &e.Fact} {
		if *id != "" {
			*id = w.facts + *id
		}
	}
}

// workOff has somebody look at a refund that named no purchase, a week later, as
// is done with most of those that are not new.
func workOff(c calendar, at time.Time, refund *reward.Event) []delivery {
	looked := at.Add(time.Duration(5+len(refund.Account)%4) * 24 * time.Hour)
	if looked.After(c.days(14)) || strings.HasSuffix(refund.Fact, "7") {
		return nil
	}
	return []delivery{{looked, reward.Event{
		Source: Source, ID: "dismiss " + refund.Fact, Account: refund.Account, Time: reward.At(looked), Type: reward.RefundDismissed,
		Fact: refund.Fact, Reason: "same shop, and the amount fits: the match is right", Actor: maria.Name,
	}, false}}
}

// lately returns what some of the crowd bought in the last minutes, so that there
// is something new whenever somebody looks.
func lately(c calendar) (list []delivery) {
	w := &crowds[0]
	for i, s := range []shop{bistro, greengrocer, bookshop} {
		t := newTale(w.member(2 + 5*i))
		t.settles(c.ago(time.Duration(2+7*i)*time.Minute), fmt.Sprintf("lately-%d", i+1), int64(18_40+i*7_15), s)
		list = append(list, t.list...)
	}
	return list
}
