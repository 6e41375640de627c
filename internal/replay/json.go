package replay

import (
	"bufio"
	"io"
	"runtime"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"recoup/program"
	"recoup/reward"
)

// appendOutcome appends the line of the outcomes file for an event.
func appendOutcome(b []byte, e *reward.Event, r reward.Result) []byte {
	b = appendMember(b, `{"id":`, e.ID)
	b = appendMember(b, `,"source":`, e.Source)
	b = appendMember(b, `,"account":`, e.Account)
	b = appendMember(b, `,"outcome":`, r.Outcome.String())
	b = append(b, `,"code":`...)
	if r.Code == reward.NoCode {
		b = append(b, "null"...)
	} else {
		b = appendText(b, r.Code.String())
	}
	return append(b, "}\n"...)
}

// WriteState writes the final state as contract.md gives it, an account a line.
// Lines are made side by side, in chunks, and written in order.
func (r *Result) WriteState(w io.Writer) error {
	const chunk = 64
	chunks := make(chan chan []byte, runtime.GOMAXPROCS(0))
	go func() {
		defer close(chunks)
		for ids := range slices.Chunk(slices.Collect(r.Store.Accounts()), chunk) {
			lines := make(chan []byte, 1)
			chunks <- lines
			go func() { lines <- r.appendStates(nil, ids) }()
		}
	}()
	_, err := io.WriteString(w, `{"accounts":[`)
	separator := "\n"
	for lines := range chunks {
		text := <-lines
		if err != nil {
			continue // the goroutines above end only when they are heard out
		}
		if _, err = io.WriteString(w, separator); err == nil {
			_, err = w.Write(text)
		}
		separator = ",\n"
	}
	if err == nil {
		_, err = io.WriteString(w, "\n]}\n")
	}
	return err
}

// appendStates appends a line for each account, separated by commas.
func (r *Result) appendStates(b []byte, ids []string) []byte {
	for i, id := range ids {
		if i > 0 {
			b = append(b, ",\n"...)
		}
		b = appendState(b, r.Store.Account(id).State())
	}
	return b
}

func appendState(b []byte, s reward.State) []byte {
	b = appendMember(b, `{"account":`, s.Account)
	b = appendMember(b, `,"status":`, status(s))
	for _, m := range []struct {
		name  string
		value int64
	}{
		{"balance", s.Balance}, {"held", s.Held}, {"available", s.Available}, {"redeemed", s.Redeemed}, {"adjustments", s.Adjustments},
		{"net_spend", s.NetSpend}, {"net_reward", s.NetReward}, {"entitlement", s.Entitlement},
	} {
		b = appendNumber(b, m.name, m.value)
	}
	if len(s.Reservations) > 0 {
		b = appendReservations(b, s)
	}
	if s.Expiring != nil {
		b = appendExpiry(b, s)
	}
	b = append(b, `,"hold_until":`...)
	if s.HoldUntil == 0 {
		b = append(b, "null"...)
	} else {
		b = appendText(b, s.HoldUntil.String())
	}
	b = append(b, `,"transactions":[`...)
	for i, t := range s.Transactions {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendMember(b, `{"id":`, t.ID)
		b = appendMember(b, `,"status":`, t.Status.String())
		b = appendNumber(b, "amount", t.Amount)
		b = appendNumber(b, "reversed", t.Reversed)
		b = appendNumber(b, "reward_original", t.Original)
		b = appendNumber(b, "reward_retained", t.Retained)
		if t.Rewards != nil {
			b = appendLayers(b, t.Rewards)
		}
		if t.Items != nil {
			b = appendItems(b, t.Items)
		}
		b = append(b, '}')
	}
	b = append(b, ']')
	if s.Bonuses != nil {
		b = appendBonuses(b, s.Bonuses)
	}
	if s.Tiers != nil {
		b = appendTiers(b, s.Tiers)
	}
	return append(b, '}')
}

// appendLayers appends what a purchase earns in each of several layers.
func appendLayers(b []byte, layers []reward.LayerState) []byte {
	b = append(b, `,"rewards":[`...)
	for i, l := range layers {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendMember(b, `{"layer":`, l.Layer)
		if l.Rule == "" {
			b = append(b, `,"rule":null`...)
		} else {
			b = appendMember(b, `,"rule":`, l.Rule)
		}
		b = appendNumber(b, "original", l.Original)
		b = appendNumber(b, "retained", l.Retained)
		b = append(b, '}')
	}
	return append(b, ']')
}

// appendTiers appends how the tiers of an account stand.
func appendTiers(b []byte, tiers []reward.TierState) []byte {
	b = append(b, `,"tiers":[`...)
	for i, s := range tiers {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendMember(b, `{"tier":`, s.Tier)
		b = appendMember(b, `,"period":`, s.Period)
		b = appendNumber(b, "spend", s.Spend)
		if s.Level == "" {
			b = append(b, `,"level":null`...)
		} else {
			b = appendMember(b, `,"level":`, s.Level)
		}
		b = append(b, '}')
	}
	return append(b, ']')
}

// appendItems appends the line items of a purchase.
func appendItems(b []byte, items []reward.ItemState) []byte {
	b = append(b, `,"items":[`...)
	for i, x := range items {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendMember(b, `{"item":`, x.Item)
		b = appendNumber(b, "amount", x.Amount)
		b = appendNumber(b, "reversed", x.Reversed)
		b = appendNumber(b, "original", x.Original)
		b = appendNumber(b, "retained", x.Retained)
		if x.Rewards != nil {
			b = appendLayers(b, x.Rewards)
		}
		b = append(b, '}')
	}
	return append(b, ']')
}

// appendBonuses appends the bonuses of an account.
func appendBonuses(b []byte, bonuses []reward.BonusState) []byte {
	b = append(b, `,"bonuses":[`...)
	for i, s := range bonuses {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendMember(b, `{"bonus":`, s.Bonus)
		b = appendMember(b, `,"period":`, s.Period)
		b = appendNumber(b, "spend", s.Spend)
		b = appendNumber(b, "purchases", s.Purchases)
		b = appendNumber(b, "reward", s.Reward)
		b = append(b, '}')
	}
	return append(b, ']')
}

// appendExpiry appends what has expired of an account's rewards, and what will.
func appendExpiry(b []byte, s reward.State) []byte {
	b = appendNumber(b, "expired", s.Expired)
	b = append(b, `,"expiring":[`...)
	for i, x := range s.Expiring {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendMember(b, `{"cycle":`, x.Cycle.String())
		b = appendNumber(b, "amount", x.Amount)
		b = appendMember(b, `,"at":`, x.At.String())
		b = append(b, '}')
	}
	return append(b, ']')
}

// appendReservations appends what an account has reserved, which few have.
func appendReservations(b []byte, s reward.State) []byte {
	b = appendNumber(b, "reserved", s.Reserved)
	b = append(b, `,"reservations":[`...)
	for i, r := range s.Reservations {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendMember(b, `{"redemption":`, r.Redemption)
		b = appendNumber(b, "amount", r.Amount)
		b = appendMember(b, `,"expires":`, r.Expires.String())
		b = append(b, '}')
	}
	return append(b, ']')
}

// status is an account's status in words.
func status(s reward.State) string {
	if s.Closed {
		return "closed"
	}
	return "open"
}

// WriteReviews writes what is open on all accounts, one JSON line each.
func (r *Result) WriteReviews(w io.Writer) error {
	out := bufio.NewWriter(w)
	var b []byte
	for id := range r.Store.Accounts() {
		for _, v := range r.Store.Account(id).Reviews() {
			b = appendMember(b[:0], `{"account":`, v.Account)
			b = appendMember(b, `,"review":`, v.Kind.String())
			b = appendMember(b, `,"fact":`, v.Fact)
			b = appendMember(b, `,"transaction":`, v.Transaction)
			b = appendNumber(b, "amount", v.Amount)
			b = appendMember(b, `,"since":`, v.Since.String())
			out.Write(append(b, "}\n"...))
		}
	}
	return out.Flush()
}

// journal writes postings as JSON lines.
type journal struct {
	out     *bufio.Writer
	telling reward.Telling
	line    []byte
}

func newJournal(out *bufio.Writer, p *reward.Program) *journal {
	return &journal{out: out, telling: program.Telling(p)}
}

func (j *journal) write(e *reward.Event, postings []reward.Posting) {
	j.telling.Cause = e
	for i := range postings {
		p := &postings[i]
		b := appendMember(j.line[:0], `{"account":`, p.Account)
		b = appendNumber(b, "number", p.Number)
		b = appendMember(b, `,"time":`, p.At.String())
		b = appendMember(b, `,"kind":`, p.Kind.String())
		b = appendNumber(b, "amount", p.Amount)
		b = appendNumber(b, "balance", p.Balance)
		for _, m := range []struct{ name, value string }{
			{`,"transaction":`, p.Transaction}, {`,"item":`, p.Item}, {`,"fact":`, p.Fact}, {`,"rule":`, p.Rule},
		} {
			if m.value != "" {
				b = appendMember(b, m.name, m.value)
			}
		}
		b = appendMember(b, `,"program":`, p.Program)
		b = appendMember(b, `,"source":`, p.Source)
		b = appendMember(b, `,"event":`, p.Event)
		b = appendMember(b, `,"explanation":`, p.Explain(j.telling))
		j.line = append(b, "}\n"...)
		j.out.Write(j.line)
	}
}

func appendMember(b []byte, name, value string) []byte {
	return appendText(append(b, name...), value)
}

func appendNumber(b []byte, name string, value int64) []byte {
	b = append(b, ',', '"')
	b = append(b, name...)
	return strconv.AppendInt(append(b, '"', ':'), value, 10)
}

// appendText appends a JSON string. Text that came from the wire is valid UTF-8.
func appendText(b []byte, s string) []byte {
	b, err := jsontext.AppendQuote(b, s)
	if err != nil {
		panic("replay: text is not UTF-8: " + err.Error())
	}
	return b
}
