package ledger

import (
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"recoup/reward"
)

// AppendPostings appends the postings of one event to dst, as a JSON array that
// ParsePostings turns into the same postings again and that a person can read:
//
//	[{"number":3,"at":"2026-01-05T10:00:00Z","cycle":"2026-01","kind":"clawback","source":"core","event":"e7",
//	  "transaction":"t1","program":"everyday","version":1,"rule":"grocery","amount":-500,"balance":0,
//	  "formula":{"method":"proportional","purchase":10000,"reversed":10000,"base":10000,"original":500,"before":500,"rate":"5%","cap":5000}}]
//
// with neither line breaks nor spaces. Amounts are minor units. A text or number
// that is not there is "" or 0, but a cap that is not there is no cap; a formula
// that is not there has nothing in it. The account is not written: a journal is
// kept under it.
//
// The form is canonical: there is one way to write a posting, so hashes of
// journals can be compared. New members may be added where they are left out of
// older postings.
func AppendPostings(dst []byte, postings []reward.Posting) []byte {
	dst = append(dst, '[')
	for i := range postings {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendPosting(dst, &postings[i])
	}
	return append(dst, ']')
}

func appendPosting(dst []byte, p *reward.Posting) []byte {
	dst = append(dst, `{"number":`...)
	dst = strconv.AppendInt(dst, p.Number, 10)
	dst = append(dst, `,"at":"`...)
	dst = appendInstant(dst, p.At)
	dst = append(dst, `","cycle":"`...)
	dst = appendCycle(dst, p.Cycle)
	dst = append(dst, `","kind":"`...)
	dst = append(dst, p.Kind.String()...)
	dst = append(dst, '"')
	dst = appendText(dst, `,"source":`, p.Source)
	dst = appendText(dst, `,"event":`, p.Event)
	dst = appendText(dst, `,"transaction":`, p.Transaction)
	dst = appendText(dst, `,"item":`, p.Item)
	dst = appendText(dst, `,"fact":`, p.Fact)
	dst = appendText(dst, `,"program":`, p.Program)
	dst = appendNumber(dst, `,"version":`, int64(p.Version))
	dst = appendText(dst, `,"rule":`, p.Rule)
	dst = appendText(dst, `,"layer":`, p.Layer)
	dst = appendText(dst, `,"period":`, p.Period)
	dst = appendText(dst, `,"reason":`, p.Reason)
	dst = appendText(dst, `,"actor":`, p.Actor)
	dst = appendText(dst, `,"approver":`, p.Approver)
	dst = append(dst, `,"amount":`...)
	dst = strconv.AppendInt(dst, p.Amount, 10)
	dst = append(dst, `,"balance":`...)
	dst = strconv.AppendInt(dst, p.Balance, 10)
	if p.Formula != (reward.Formula{}) {
		dst = appendFormula(dst, &p.Formula)
	}
	return append(dst, '}')
}

var methodNames = [...]string{reward.Proportional: "proportional", reward.Rerate: "rerate"}

func appendFormula(dst []byte, f *reward.Formula) []byte {
	dst = append(dst, `,"formula":{"method":"`...)
	dst = append(dst, methodNames[f.Method]...)
	dst = append(dst, '"')
	dst = appendNumber(dst, `,"purchase":`, f.Purchase)
	dst = appendNumber(dst, `,"reversed":`, f.Reversed)
	dst = appendNumber(dst, `,"base":`, f.Base)
	dst = appendNumber(dst, `,"original":`, f.Original)
	dst = appendNumber(dst, `,"before":`, f.Before)
	dst = appendNumber(dst, `,"after":`, f.After)
	if f.Rate != 0 {
		dst = append(dst, `,"rate":"`...)
		dst = append(dst, f.Rate.String()...)
		dst = append(dst, '"')
	}
	if f.Cap != reward.NoCap {
		dst = append(dst, `,"cap":`...)
		dst = strconv.AppendInt(dst, f.Cap, 10)
	}
	dst = appendNumber(dst, `,"used":`, f.Used)
	if f.Exact != (reward.Fraction{}) {
		dst = appendText(dst, `,"exact":`, f.Exact.String())
	}
	dst = appendNumber(dst, `,"spend":`, f.Spend)
	dst = appendNumber(dst, `,"purchases":`, f.Purchases)
	return append(dst, '}')
}

// appendNumber appends a member unless it is zero.
func appendNumber(dst []byte, name string, n int64) []byte {
	if n == 0 {
		return dst
	}
	return strconv.AppendInt(append(dst, name...), n, 10)
}

// appendText appends a member unless it is empty. The error it leaves aside is
// about invalid UTF-8, which no decoded event has and which is replaced.
func appendText(dst []byte, name, s string) []byte {
	if s == "" {
		return dst
	}
	dst, _ = jsontext.AppendQuote(append(dst, name...), s)
	return dst
}

func appendInstant(dst []byte, at reward.Instant) []byte {
	return at.Time().AppendFormat(dst, time.RFC3339Nano)
}

// appendCycle is Cycle.String without the way over the calendar.
func appendCycle(dst []byte, c reward.Cycle) []byte {
	year, month := int(c)/12, int(c)%12+1
	return append(dst, digit(year/1000), digit(year/100), digit(year/10), digit(year), '-', digit(month/10), digit(month))
}

func digit(n int) byte { return '0' + byte(n%10) }
