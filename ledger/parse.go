package ledger

import (
	"bytes"
	"fmt"
	"math"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"recoup/reward"
)

// ParsePostings reads postings that AppendPostings wrote, appends them to into
// as those of the account, and returns it. It takes nothing else: a space, a
// member in another place, a zero that could be left out are errors, and so is
// what no posting has, such as a number below one. An empty b has no postings.
// With an error, into comes back as it was.
func ParsePostings(b []byte, account string, into []reward.Posting) ([]reward.Posting, error) {
	if len(b) == 0 || string(b) == "[]" {
		return into, nil
	}
	start := len(into)
	r := reader{b: b}
	r.must("[")
	for {
		into = append(into, reward.Posting{Account: account})
		r.posting(into)
		if !r.has(",") {
			break
		}
	}
	r.must("]")
	if r.wanted == "" && r.at < len(b) {
		r.want("nothing more")
	}
	if r.wanted != "" {
		return into[:start], fmt.Errorf("journal of account %s: posting %d: expected %s at byte %d, found %s",
			account, len(into)-start, r.wanted, r.at+1, excerpt(b[r.at:]))
	}
	return into, nil
}

// excerptLength is the most that an error repeats of a journal, in bytes.
const excerptLength = 32

func excerpt(rest []byte) string {
	switch {
	case len(rest) == 0:
		return "the end"
	case len(rest) > excerptLength:
		return fmt.Sprintf("%q…", rest[:excerptLength])
	}
	return fmt.Sprintf("%q", rest)
}

// reader reads the canonical form from left to right. At the first thing that is
// not as it should be it stands still: what it reads from then on is nothing.
type reader struct {
	b       []byte
	at      int
	wanted  string // what was expected where it stands; "" as long as all is well
	scratch []byte
}

func (r *reader) want(what string) {
	if r.wanted == "" {
		r.wanted = what
	}
}

// has reads a piece of text if it is next.
func (r *reader) has(s string) bool {
	if r.wanted != "" || len(r.b)-r.at < len(s) || string(r.b[r.at:r.at+len(s)]) != s {
		return false
	}
	r.at += len(s)
	return true
}

func (r *reader) must(s string) {
	if !r.has(s) {
		r.want(s)
	}
}

// posting reads the last of the list; those before it are of the same journal
// and often have the same texts.
func (r *reader) posting(list []reward.Posting) {
	p := &list[len(list)-1]
	like := p
	if len(list) > 1 {
		like = &list[len(list)-2]
	}
	r.must(`{"number":`)
	p.Number = r.number(1, math.MaxInt64)
	r.must(`,"at":"`)
	p.At = r.instant()
	r.must(`","cycle":"`)
	p.Cycle = r.cycle()
	r.must(`","kind":"`)
	p.Kind = r.kind()
	p.Source = r.text(`,"source":`, like.Source)
	p.Event = r.text(`,"event":`, like.Event)
	p.Transaction = r.text(`,"transaction":`, like.Transaction)
	p.Item = r.text(`,"item":`, like.Item)
	p.Fact = r.text(`,"fact":`, like.Fact)
	p.Program = r.text(`,"program":`, like.Program)
	p.Version = int32(r.positive(`,"version":`, math.MaxInt32))
	p.Rule = r.text(`,"rule":`, like.Rule)
	p.Layer = r.text(`,"layer":`, like.Layer)
	p.Period = r.text(`,"period":`, like.Period)
	p.Reason = r.text(`,"reason":`, like.Reason)
	p.Actor = r.text(`,"actor":`, like.Actor)
	p.Approver = r.text(`,"approver":`, like.Approver)
	r.must(`,"amount":`)
	if p.Amount = r.number(math.MinInt64, math.MaxInt64); p.Amount == 0 {
		r.want("an amount other than 0 before this")
	}
	r.must(`,"balance":`)
	p.Balance = r.number(math.MinInt64, math.MaxInt64)
	if r.has(`,"formula":{"method":"`) {
		r.formula(&p.Formula)
	}
	r.must("}")
}

func (r *reader) formula(f *reward.Formula) {
	switch {
	case r.has(`proportional"`):
		f.Method = reward.Proportional
	case r.has(`rerate"`):
		f.Method = reward.Rerate
	default:
		r.want(`proportional or rerate`)
	}
	f.Purchase = r.positive(`,"purchase":`, math.MaxInt64)
	f.Reversed = r.positive(`,"reversed":`, math.MaxInt64)
	f.Base = r.positive(`,"base":`, math.MaxInt64)
	f.Original = r.positive(`,"original":`, math.MaxInt64)
	f.Before = r.positive(`,"before":`, math.MaxInt64)
	f.After = r.positive(`,"after":`, math.MaxInt64)
	if r.has(`,"rate":"`) {
		f.Rate = r.rate()
	}
	f.Cap = reward.NoCap
	if r.has(`,"cap":`) {
		f.Cap = r.number(0, math.MaxInt64)
	}
	f.Used = r.positive(`,"used":`, math.MaxInt64)
	if r.has(`,"exact":"`) {
		f.Exact = r.fraction()
	}
	f.Spend = r.positive(`,"spend":`, math.MaxInt64)
	f.Purchases = r.positive(`,"purchases":`, math.MaxInt64)
	if *f == (reward.Formula{}) {
		r.want("no formula that is empty before this")
	}
	r.must("}")
}

// positive reads a number that is left out where it is zero.
func (r *reader) positive(name string, limit int64) int64 {
	if !r.has(name) {
		return 0
	}
	return r.number(1, limit)
}

// number reads an integer from least to most.
func (r *reader) number(least, most int64) int64 {
	if r.wanted != "" {
		return 0
	}
	at := r.at
	negative := at < len(r.b) && r.b[at] == '-'
	if negative {
		at++
	}
	first := at
	// The magnitude of the least integer is the largest, one more than that of
	// the greatest.
	var magnitude uint64
	for ; at < len(r.b) && '0' <= r.b[at] && r.b[at] <= '9' && at-first < 19; at++ {
		magnitude = magnitude*10 + uint64(r.b[at]-'0')
	}
	n := int64(magnitude)
	if negative {
		n = -n
	}
	fits := magnitude <= math.MaxInt64 || negative && magnitude == 1<<63
	canonical := at > first && (r.b[first] != '0' || at == first+1 && !negative)
	if !fits || !canonical || n < least || n > most {
		r.want(fmt.Sprintf("an integer from %d to %d", least, most))
		return 0
	}
	r.at = at
	return n
}

// until reads up to the quote that ends a text without escapes.
func (r *reader) until() []byte {
	if r.wanted != "" {
		return nil
	}
	n := bytes.IndexByte(r.b[r.at:], '"')
	return r.b[r.at : r.at+max(n, 0)]
}

func (r *reader) instant() reward.Instant {
	raw := r.until()
	var t time.Time
	var again [len("2006-01-02T15:04:05.000000000Z")]byte
	if t.UnmarshalText(raw) == nil && !t.Before(earliest) && !t.After(latest) {
		at := reward.At(t)
		if bytes.Equal(appendInstant(again[:0], at), raw) {
			r.at += len(raw)
			return at
		}
	}
	r.want("a time in UTC such as 2026-01-05T10:00:00Z")
	return 0
}

var earliest, latest = reward.EarliestInstant.Time(), reward.LatestInstant.Time()

func (r *reader) cycle() reward.Cycle {
	raw := r.until()
	c, ok := reward.ParseCycle(string(raw))
	if !ok {
		r.want("a cycle such as 2026-01")
		return 0
	}
	r.at += len(raw)
	return c
}

func (r *reader) kind() reward.Kind {
	raw := r.until()
	k, ok := reward.ParseKind(string(raw))
	if !ok {
		r.want("a kind of posting such as grant")
		return 0
	}
	r.at += len(raw)
	r.must(`"`)
	return k
}

func (r *reader) rate() reward.Rate {
	raw := r.until()
	rate, err := reward.ParseRate(string(raw))
	if err != nil || rate == 0 || rate.String() != string(raw) {
		r.want("a rate above 0% such as 4.75%")
		return 0
	}
	r.at += len(raw)
	r.must(`"`)
	return rate
}

func (r *reader) fraction() reward.Fraction {
	raw := r.until()
	f, ok := reward.ParseFraction(string(raw))
	if !ok || f.String() != string(raw) {
		r.want("a rate such as 3 per 100")
		return reward.Fraction{}
	}
	r.at += len(raw)
	r.must(`"`)
	return f
}

// text reads a member that is left out where it is empty. The string is the one
// of the posting before if that is equal, to spare an allocation.
func (r *reader) text(name, like string) string {
	if !r.has(name) {
		return ""
	}
	content := r.quoted()
	if string(content) == like {
		return like
	}
	return string(content)
}

// quoted returns the content of a text, which holds until the next one.
func (r *reader) quoted() []byte {
	rest := r.b[r.at:]
	for i, c := range rest {
		switch {
		case i == 0 && c == '"':
		case i == 0 || c < ' ' || c > '~' || c == '\\':
			return r.escaped(rest)
		case c == '"' && i > 1:
			r.at += i + 1
			return rest[1:i]
		case c == '"':
			return r.escaped(rest)
		}
	}
	return r.escaped(rest)
}

// escaped is quoted for a text with escapes or with letters beyond ASCII.
func (r *reader) escaped(rest []byte) []byte {
	end := 1
	for end < len(rest) && rest[end] != '"' {
		if rest[end] == '\\' {
			end++
		}
		end++
	}
	if end = end + 1; end <= len(rest) && end > 2 {
		if content, err := jsontext.AppendUnquote(r.scratch[:0], rest[:end]); err == nil {
			r.scratch = content
			if again, err := jsontext.AppendQuote(nil, content); err == nil && bytes.Equal(again, rest[:end]) {
				r.at += end
				return content
			}
		}
	}
	r.want("text in quotes, not empty and with no more escapes than it needs")
	return nil
}
