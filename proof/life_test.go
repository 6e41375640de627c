package proof_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// terms are a program of two rules; caps of -1 are none.
type terms struct {
	method string
	timing string   // of clawbacks: refund or statement
	rates  [2]int64 // millionths of a percent
	caps   [2]int64 // minor units a month
}

func drawTerms(r *rand.Rand) *terms {
	p := &terms{method: []string{"rerate", "proportional"}[r.IntN(2)], timing: []string{"refund", "statement"}[r.IntN(2)]}
	for i := range p.rates {
		p.rates[i] = []int64{5_000_000, 4_750_000, 1_500_000, 1_000_000, 333_333}[r.IntN(5)]
		p.caps[i] = []int64{-1, 0, 50, 300, 2_000}[r.IntN(5)]
	}
	return p
}

func (p *terms) yaml() string {
	var b strings.Builder
	fmt.Fprintf(&b, "id: p\ncurrency: USD\nclawback_method: %s\ntiming: {clawback: %s}\n", p.method, p.timing)
	fmt.Fprintf(&b, "refunds: {pending_days: 365, park_days: 365, window_days: 400, match_days: 30}\nrules:\n")
	for i, match := range []string{"match: {category: [GROCERY]}, ", ""} {
		fmt.Fprintf(&b, "  - {id: r%d, %srate: %d.%06d%%", i, match, p.rates[i]/1_000_000, p.rates[i]%1_000_000)
		if p.caps[i] >= 0 {
			fmt.Fprintf(&b, ", cap: {reward: %d, per: cycle}", p.caps[i])
		}
		b.WriteString("}\n")
	}
	return b.String()
}

// life is one account's events, for the engine and for the model. Each purchase is at a
// merchant of its own, so that nothing above its price is of another.
type life struct {
	account      string
	random       *rand.Rand
	p            *terms
	events, told bytes.Buffer
	seen         map[string]int

	now       time.Time
	cycle     time.Month // that is open
	number    int
	purchases []bought   // posted and to come
	facts     []posted   // refunds and chargebacks that were delivered
	pending   []announce // as they came
}

type bought struct {
	id, price int
	settled   bool
	waiting   bool // something is known of it that is to be returned
	withdrawn bool
}

type posted struct {
	id, of int
	kind   string // refund or chargeback
	line   map[string]any
	told   string
	undone bool
}

type announce struct{ id, of, amount int }

const months = 3

func drawLife(r *rand.Rand, p *terms, account string) *life {
	l := &life{account: account, random: r, p: p, seen: make(map[string]int), now: time.Date(2026, time.January, 3, 0, 0, 0, 0, time.UTC)}
	fmt.Fprintf(&l.told, "account %s %s", p.method, p.timing)
	for range months {
		fmt.Fprintf(&l.told, " %d %d", p.caps[0], p.caps[1])
	}
	fmt.Fprintln(&l.told)
	l.buy()
	for range 3 + r.IntN(22) {
		l.step()
	}
	fmt.Fprintln(&l.told, "end")
	return l
}

// waits reports whether something is to be returned of what has not been bought.
func (l *life) waits() bool {
	return slices.ContainsFunc(l.purchases, func(b bought) bool { return b.waiting && !b.settled })
}

func (l *life) next() int { l.number++; return l.number }

// send writes an event for the engine. The first of a cycle closes the one before.
func (l *life) send(id, kind string, at time.Time, data map[string]any) {
	if m := at.Month(); m > l.cycle {
		if l.cycle > 0 {
			l.say("close")
			l.seen["closed"]++
		}
		l.cycle = m
	}
	text, err := json.Marshal(map[string]any{"specversion": "1.0", "id": id, "source": "proof", "type": kind, "time": at.Format(time.RFC3339), "subject": l.account, "data": data})
	if err != nil {
		panic(err)
	}
	l.events.Write(append(text, '\n'))
}

func (l *life) say(format string, values ...any) { fmt.Fprintf(&l.told, format+"\n", values...) }

func (l *life) step() {
	l.now = l.now.Add(time.Duration(1+l.random.IntN(70)) * time.Hour)
	switch l.random.IntN(12) {
	case 0, 1, 2, 3:
		l.buy()
	case 4, 5, 6:
		l.giveBack()
	case 7:
		l.undo()
	case 8:
		l.announceReturn()
	case 9:
		l.again()
	case 10:
		l.adjust()
	case 11:
		l.redeem()
	}
}

// buy settles a purchase; one of which something was returned already, if there is one.
func (l *life) buy() {
	at := slices.IndexFunc(l.purchases, func(b bought) bool { return !b.settled })
	if at < 0 || l.random.IntN(3) == 0 {
		l.purchases = append(l.purchases, bought{id: l.next(), price: 1 + l.random.IntN(30_000)})
		at = len(l.purchases) - 1
	}
	b := &l.purchases[at]
	b.settled = true
	when := l.now
	if l.random.IntN(6) == 0 { // it comes late, and counts where it belongs
		when = l.now.AddDate(0, 0, -l.random.IntN(20))
		when = later(when, time.Date(2026, time.January, 3, 0, 0, 0, 0, time.UTC))
		l.seen["late"]++
	}
	rule, data := l.random.IntN(2), l.amount(b.price)
	data["transaction"], data["merchant"] = fmt.Sprint("t", b.id), fmt.Sprint("m", b.id)
	if rule == 0 {
		data["category"] = "GROCERY"
	}
	if l.p.caps[rule] >= 0 && int64(b.price)*l.p.rates[rule]/100_000_000 > l.p.caps[rule] {
		l.seen["cut by a cap"]++
	}
	l.send(fmt.Sprint("buy", b.id), "transaction.settled", when, data)
	l.say("buy %d %d %d %d", min(int(when.Month())-1, months-1)*2+rule, b.id, b.price, l.p.rates[rule])
	l.urgent(b.withdrawn || slices.ContainsFunc(l.facts, func(f posted) bool { return f.of == b.id && f.kind == "chargeback" && !f.undone }))
}

func later(x, y time.Time) time.Time {
	if x.Before(y) {
		return y
	}
	return x
}

func (l *life) amount(n int) map[string]any { return map[string]any{"amount": n, "currency": "USD"} }

// some is a purchase: mostly one that posted.
func (l *life) some() *bought {
	if len(l.purchases) == 0 || l.random.IntN(15) == 0 {
		l.purchases = append(l.purchases, bought{id: l.next(), price: 1 + l.random.IntN(30_000)})
		l.seen["before its purchase"]++
	}
	return &l.purchases[l.random.IntN(len(l.purchases))]
}

// part is an amount to return: all of it, a part, or more than there is.
func (l *life) part(b *bought) int {
	switch l.random.IntN(5) {
	case 0:
		return b.price
	case 1:
		l.seen["over-refund"]++
		return b.price + 1 + l.random.IntN(500)
	}
	return 1 + l.random.IntN(b.price)
}

func (l *life) giveBack() {
	b := l.some()
	b.waiting = true
	id, of := l.next(), fmt.Sprint("t", b.id)
	switch l.random.IntN(6) {
	case 0: // disputed, whole
		data := map[string]any{"chargeback": fmt.Sprint("c", id), "transaction": of}
		l.fact(id, b.id, "chargeback", data, fmt.Sprintf("whole %d %d", id, b.id))
		l.urgent(b.settled)
	case 1:
		n := l.part(b)
		data := map[string]any{"chargeback": fmt.Sprint("c", id), "transaction": of, "amount": n}
		l.fact(id, b.id, "chargeback", data, fmt.Sprintf("return %d %d %d", id, b.id, n))
		l.urgent(b.settled)
	case 2: // the clearing itself is withdrawn
		l.send(fmt.Sprint("withdraw", id), "transaction.reversed", l.now, map[string]any{"transaction": of})
		l.say("whole %d %d", 1_000_000+b.id, b.id)
		l.urgent(b.settled && !b.withdrawn)
		b.withdrawn = true
	default:
		n := l.part(b)
		if at := slices.IndexFunc(l.pending, func(x announce) bool { return x.of == b.id && x.amount == n }); at >= 0 {
			l.say("cancel %d", l.pending[at].id) // it is taken for the one that was announced
			l.pending = slices.Delete(l.pending, at, at+1)
		}
		data := l.amount(n)
		data["refund"], data["transaction"] = fmt.Sprint("r", id), of
		l.fact(id, b.id, "refund", data, fmt.Sprintf("return %d %d %d", id, b.id, n))
	}
}

// urgent says that what waits for the close is posted now (assumption A5), if it is so.
func (l *life) urgent(is bool) {
	if is {
		l.say("close")
		if l.p.timing == "statement" {
			l.seen["urgent"]++
		}
	}
}

func (l *life) fact(id, of int, kind string, data map[string]any, told string) {
	if l.p.timing == "statement" && kind == "refund" {
		l.seen["deferred"]++
	}
	l.send(fmt.Sprint("fact", id), kind+".posted", l.now, data)
	l.say("%s", told)
	l.facts = append(l.facts, posted{id: id, of: of, kind: kind, line: data, told: told})
}

func (l *life) undo() {
	if len(l.facts) == 0 {
		return
	}
	f := &l.facts[l.random.IntN(len(l.facts))]
	l.seen["undone"]++
	l.send(fmt.Sprint("undo", l.next()), f.kind+".reversed", l.now, map[string]any{f.kind: fmt.Sprint(f.kind[:1], f.id)})
	l.say("undo %d", f.id)
	l.urgent(!f.undone && slices.ContainsFunc(l.purchases, func(b bought) bool { return b.id == f.of && b.settled }))
	f.undone = true
}

// again delivers a fact a second time, under an event id of its own.
func (l *life) again() {
	if len(l.facts) == 0 {
		return
	}
	f := l.facts[l.random.IntN(len(l.facts))]
	l.seen["delivered again"]++
	l.send(fmt.Sprint("again", l.next()), f.kind+".posted", l.now, f.line)
	l.say("%s", f.told)
}

// announceReturn has a merchant authorise a return of a posted purchase, or one that was
// authorised be paid or called off.
func (l *life) announceReturn() {
	if len(l.pending) > 0 {
		x := l.pending[0]
		l.pending = l.pending[1:]
		refund := fmt.Sprint("r", x.id)
		l.say("cancel %d", x.id)
		if l.random.IntN(3) == 0 {
			l.seen["canceled"]++
			l.send(fmt.Sprint("cancel", x.id), "refund.canceled", l.now, map[string]any{"refund": refund})
			return
		}
		data := l.amount(max(1, x.amount-l.random.IntN(2)*l.random.IntN(x.amount)))
		data["refund"], data["transaction"] = refund, fmt.Sprint("t", x.of)
		l.fact(x.id, x.of, "refund", data, fmt.Sprintf("return %d %d %d", x.id, x.of, data["amount"]))
		return
	}
	at := slices.IndexFunc(l.purchases, func(b bought) bool { return b.settled })
	if at < 0 {
		return
	}
	b := &l.purchases[at]
	id, n := l.next(), l.part(b)
	l.seen["announced"]++
	data := l.amount(n)
	data["refund"], data["transaction"] = fmt.Sprint("r", id), fmt.Sprint("t", b.id)
	l.send(fmt.Sprint("announce", id), "refund.pending", l.now, data)
	l.say("announce %d %d %d", id, b.id, n)
	l.pending = append(l.pending, announce{id, b.id, n})
}

func (l *life) adjust() {
	n := l.random.IntN(400) - 150
	if n == 0 {
		n = 1
	}
	data := l.amount(n)
	id := l.next()
	data["adjustment"] = fmt.Sprint("j", id)
	data["reason"], data["actor"] = "goodwill", "ops"
	l.send(fmt.Sprint("adjust", id), "adjustment.posted", l.now, data)
	l.say("adjust %d", n)
}

// redeem asks for a payout, where nothing waits for its purchase.
func (l *life) redeem() {
	if l.waits() {
		return
	}
	n := 1 + l.random.IntN(1_500)
	id := l.next()
	data := l.amount(n)
	data["redemption"] = fmt.Sprint("d", id)
	l.send(fmt.Sprint("redeem", id), "redemption.requested", l.now, data)
	l.say("redeem %d", n)
}
