package console

import (
	"fmt"

	"recoup/internal/console/locale"
	"recoup/internal/console/play"
	"recoup/reward"
)

// moveWords says moves in a cardholder's words, one after the other.
type moveWords struct {
	locale *locale.Locale
	unit   string   // of rewards
	names  []string // of the run's purchases
	bought int
}

// name is what people call a purchase.
func (w *moveWords) name(n int) string {
	if n > len(w.names) {
		return w.locale.Say("what is yet to be bought")
	}
	return w.names[n-1]
}

// next says the next move, which begins at a time.
func (w *moveWords) next(m play.Move, from reward.Instant) string {
	l := w.locale
	amount := l.Amount(m.Amount, play.Currency)
	if m.Kind == play.Redeem {
		amount = l.Amount(m.Amount, w.unit)
	}
	switch m.Kind {
	case play.Buy:
		w.bought++
		return l.Sprintf("Buy %s for %s", w.name(w.bought), amount) + w.at(m.Merchant) + play.Marks(w.locale, m) + w.onReceipt(m.Items) + w.late(m.Days)
	case play.Refund:
		switch {
		case !m.Unlinked:
			return l.Sprintf("Return %s: %s is refunded", w.name(m.Of), amount) + w.late(m.Days)
		case m.Of == 0:
			return l.Sprintf("A refund of %s for nothing bought here", amount) + w.at(m.Merchant) + w.late(m.Days)
		}
		return l.Sprintf("Return %s: %s is refunded, without naming it", w.name(m.Of), amount) + w.late(m.Days)
	case play.Chargeback:
		if m.Amount != 0 {
			return l.Sprintf("Win a dispute over %s, for %s", w.name(m.Of), amount) + w.late(m.Days)
		}
		return l.Sprintf("Win a dispute over %s", w.name(m.Of)) + w.late(m.Days)
	case play.Redeem:
		if m.Amount == 0 {
			return l.Say("Redeem all that there is")
		}
		return l.Sprintf("Redeem %s", amount)
	case play.Wait:
		return w.daysPass(m.Days)
	case play.Set:
		text := ""
		for name, value := range m.Labels.All() {
			text += l.Sprintf("The account's %s is %s from now on", name, value)
		}
		return text
	case play.Close:
		return l.Sprintf("The statement of %s closes", l.Month(from.Time().Month()))
	}
	panic(fmt.Sprintf("console: a move of unknown kind %d", m.Kind)) // play.Run.Check refuses it
}

// onReceipt says that a purchase has a receipt.
func (w *moveWords) onReceipt(items reward.Items) string {
	n := 0
	for range items.All() {
		n++
	}
	if n == 0 {
		return ""
	}
	return ", " + w.locale.Sprintf("%d lines on the receipt", n)
}

func (w *moveWords) at(merchant string) string {
	if merchant == "" {
		return ""
	}
	return " " + w.locale.Sprintf("at %s", play.Shop(w.locale, merchant))
}

func (w *moveWords) late(days int) string {
	switch days {
	case 0:
		return ""
	case 1:
		return ", " + w.locale.Say("which is told a day late")
	}
	return ", " + w.locale.Sprintf("which is told %d days late", days)
}

func (w *moveWords) daysPass(n int) string {
	if n == 1 {
		return w.locale.Say("A day passes")
	}
	return w.locale.Sprintf("%d {1:day passes|days pass}", n)
}
