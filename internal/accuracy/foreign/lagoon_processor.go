package foreign

import (
	"strconv"
	"strings"
	"time"
)

// lagoonProcessor has its rewards reckoned elsewhere: it writes lines, a processor reads them.
var lagoonProcessor = Design{
	Name:   "lagoon-processor",
	Source: "from memory, after Norwegian travel cards with quarterly limits; the processor and its lines are the author's guess",
	Published: "4% on travel, up to kr 500 in a calendar quarter (Oslo), and 1% on everything else, with the next night's file. Returns " +
		"are taken off at once, also later and below zero; the limit of a quarter is on net purchases, so what a return frees goes " +
		"to other travel of that quarter.",
	How: "Purchases go to the processor in a file at 02:00, returns and disputes at once, each as a line of fields. The processor keeps its own " +
		"books and answers each line with the change of the whole account; the answer to a return names the return alone. Merchants' " +
		"banks number a retransmitted return anew, so the processor knows repeated lines by their day and amount, " +
		"and leaves them out.",
	Class: "other",
	Leak: "Of two returns of the same amount on one day, the second is taken for a repetition. Buy two tickets of kr 2,000 (kr 80 each) and " +
		"return both on one day: only one kr 80 is taken back, kr 80 are kept for nothing.",
	Currency: "NOK",
	New: func() Engine {
		return lagoonNewDesk(&lagoonProcessorPlan{zone: lagoonZone("Europe/Oslo"), file: map[*lagoonAccount][]string{},
			books: map[*lagoonAccount]*lagoonAccount{}})
	},
}

const lagoonProcessorCap = 50000

type lagoonProcessorPlan struct {
	lagoonIdle
	zone  *time.Location
	file  map[*lagoonAccount][]string       // lines that wait for the night
	books map[*lagoonAccount]*lagoonAccount // the processor's own
}

func (*lagoonProcessorPlan) rate(p *lagoonPurchase) int64 {
	if p.category == "TRAVEL" {
		return 4
	}
	return 1
}

// line writes a line: kind, name, purchase, time, amount, category.
func (x *lagoonProcessorPlan) line(kind, name, purchase string, at time.Time, amount int64, category string) string {
	return strings.Join([]string{kind, name, purchase, at.In(x.zone).Format(time.RFC3339Nano), strconv.FormatInt(amount, 10), category}, "\x1f")
}

// read is the processor's: it enters a line and says what the answer should name.
func (x *lagoonProcessorPlan) read(books *lagoonAccount, line string, now time.Time) (answer Posting) {
	f := strings.Split(line, "\x1f")
	at, _ := time.Parse(time.RFC3339Nano, f[3])
	amount, _ := strconv.ParseInt(f[4], 10, 64)
	switch f[0] {
	case "CLR":
		books.addPurchase(lagoonPurchase{id: f[1], amount: amount, category: f[5], at: at})
		return Posting{At: now, Transaction: f[1]}
	case "RTN":
		if !books.fresh("return ", at.In(x.zone).Format(time.DateOnly)+" "+f[4]) {
			break
		}
		fallthrough
	case "DSP":
		if f[0] == "DSP" && !books.fresh("dispute ", f[1]) {
			break
		}
		books.addReturn(lagoonReturn{id: f[1], purchase: f[2], amount: amount, at: at, seen: now})
	}
	return Posting{At: now, Refund: f[1]}
}

// worth is what the processor's books say that the account has earned.
func (x *lagoonProcessorPlan) worth(books *lagoonAccount, now time.Time, prudent bool) (sum int64) {
	quarters := map[int]int64{}
	for i, left := range books.kept(now, lagoonMatch{rank: x.rate, prudent: prudent}) {
		p := books.purchases[i]
		local := p.at.In(x.zone)
		if quarter := local.Year()*4 + int(local.Month()-1)/3; x.rate(p) == 4 {
			earned := min(left*4/100, lagoonProcessorCap-quarters[quarter])
			quarters[quarter] += earned
			sum += earned
		} else {
			sum += left / 100
		}
	}
	return sum
}

// send has lines read one by one, and posts the answers.
func (x *lagoonProcessorPlan) send(a *lagoonAccount, now time.Time, lines ...string) {
	if x.books[a] == nil {
		x.books[a] = lagoonNewAccount(a.name, a.opened)
	}
	for _, line := range lines {
		answer := x.read(x.books[a], line, now)
		a.level("", x.worth(x.books[a], now, false), answer)
	}
}

func (x *lagoonProcessorPlan) settled(a *lagoonAccount, p *lagoonPurchase, _ time.Time) {
	x.file[a] = append(x.file[a], x.line("CLR", p.id, "", p.at, p.amount, p.category))
}

// returned sends a line; of a return that has waited in vain once more, which the processor
// takes for what it is, a repetition, and reckons the account anew.
func (x *lagoonProcessorPlan) returned(a *lagoonAccount, r *lagoonReturn, now time.Time) {
	kind := "RTN"
	if r.dispute {
		kind = "DSP"
	}
	x.send(a, now, x.line(kind, r.id, r.purchase, r.at, r.amount, ""))
}

func (x *lagoonProcessorPlan) next(after time.Time) time.Time {
	return lagoonNightly(after, x.zone, 2)
}

// due sends the file of the night.
func (x *lagoonProcessorPlan) due(a *lagoonAccount, at time.Time) {
	x.send(a, at, x.file[a]...)
	delete(x.file, a)
}

func (x *lagoonProcessorPlan) redeemable(a *lagoonAccount, now time.Time) int64 {
	if x.books[a] == nil {
		return 0
	}
	return a.free(min(a.total, x.worth(x.books[a], now, true)))
}
