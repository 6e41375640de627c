package judge_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"recoup/internal/audit/judge"
	"recoup/internal/flaw"
	"recoup/internal/intake/history"
	"recoup/program"
	"recoup/reward"
)

// read reads a history, a row a line:
//
//	2026-01-05 10:00 purchase t1 100.00 m1 GROCERY
//	2026-01-10 refund r1 40.00 of t1
//	2026-01-10 chargeback c1 40.00 of t1
//	2026-01-12 refund r2 20.00 at m1
//	2026-01-20 refund_reversed r1
//	2026-01-05 reward 5.00 t1
//	2026-01-07 redemption 5.00
//	2026-01-07 adjustment -1.00
//
// The hour is noon if it is left out; a purchase without a category earns the base
// rate. Rows of one moment stay as they are written.
func read(t testing.TB, text string) *history.History {
	t.Helper()
	h := &history.History{Account: "acct-1"}
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		r, err := readRow(words)
		if err != nil {
			t.Fatalf("%q: %v", strings.TrimSpace(line), err)
		}
		r.Account = h.Account
		h.Rows = append(h.Rows, r)
	}
	slices.SortStableFunc(h.Rows, func(a, b history.Row) int { return int(min(1, max(-1, a.At-b.At))) })
	return h
}

func readRow(words []string) (r history.Row, err error) {
	hour := "12:00"
	if strings.Contains(words[1], ":") {
		hour = words[1]
		words = slices.Delete(words, 1, 2)
	}
	r.At = at(words[0] + " " + hour)
	kinds := map[string]history.Kind{}
	for k := history.Purchase; k <= history.Redemption; k++ {
		kinds[k.String()] = k
	}
	kind, known := kinds[words[1]]
	if !known {
		return r, fmt.Errorf("%q is no kind of row", words[1])
	}
	r.Kind = kind
	rest := words[2:]
	switch kind {
	case history.Reward, history.Adjustment, history.Redemption:
		r.Amount, err = minor(rest[0])
		if len(rest) > 1 {
			r.Transaction = rest[1]
		}
		return r, err
	case history.RefundReversed, history.ChargebackReversed:
		r.ID = rest[0]
		return r, nil
	}
	r.ID = rest[0]
	if r.Amount, err = minor(rest[1]); err != nil {
		return r, err
	}
	switch rest = rest[2:]; {
	case kind == history.Purchase:
		r.Merchant = rest[0]
		if len(rest) > 1 {
			r.Category = rest[1]
		}
	case rest[0] == "of":
		r.Transaction = rest[1]
	default:
		r.Merchant = rest[1]
	}
	return r, nil
}

func minor(text string) (int64, error) { return program.ParseDecimal(text, "USD") }

func at(text string) reward.Instant {
	when, err := time.Parse("2006-01-02 15:04", text)
	if err != nil {
		panic(err)
	}
	return reward.At(when)
}

// everyday is 5 % on groceries up to $50 a month and 1 % on everything else.
func everyday() *reward.Program { return program.Everyday() }

// judged judges a history of the everyday program whose exports end at noon of the
// day.
func judged(t testing.TB, end, text string) *judge.Account {
	t.Helper()
	return judgedUnder(t, everyday(), end, text)
}

func judgedUnder(t testing.TB, p *reward.Program, end, text string) *judge.Account {
	t.Helper()
	a, err := judge.New(p, judge.Options{ReturnDays: 30, Simulate: true, End: at(end + " 12:00")}).Account(read(t, text))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// shown lists the flaws that show, as "G1 1.20", in order.
func shown(a *judge.Account) string {
	var list []string
	for _, s := range a.Signs {
		if s.Shown {
			list = append(list, fmt.Sprintf("%s %s", s.Flaw, decimal(s.Amount)))
		}
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}

// opportunities counts the signs of a flaw.
func opportunities(a *judge.Account, code flaw.Code) (n int) {
	for _, s := range a.Signs {
		if s.Flaw == code {
			n++
		}
	}
	return n
}

func decimal(minor int64) string {
	sign := ""
	if minor < 0 {
		sign, minor = "-", -minor
	}
	return sign + strconv.FormatInt(minor/100, 10) + fmt.Sprintf(".%02d", minor%100)
}

var outcomeNames = [...]string{"nothing at stake", "too early", "netted", "at once", "within cycle", "at close", "late", "partly", "never"}

func outcomes(a *judge.Account) string {
	var list []string
	for _, c := range a.Refunds {
		list = append(list, c.ID+" "+outcomeNames[c.Outcome])
	}
	return strings.Join(list, ", ")
}

// write writes a history down for people.
func write(h *history.History) string {
	var b strings.Builder
	for _, r := range h.Rows {
		fmt.Fprintln(&b, r.At.Time().Format(time.DateTime), r.Kind, r.ID, decimal(r.Amount), "of", r.Transaction, "at", r.Merchant)
	}
	return b.String()
}
