package console

import (
	"fmt"
	"strconv"

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
	if n <= len(w.names) {
		return w.names[n-1]
	}
	return "what is yet to be bought"
}

// next says the next move, which begins at a time.
func (w *moveWords) next(m play.Move, from reward.Instant) string {
	amount := w.locale.Amount(m.Amount, play.Currency)
	if m.Kind == play.Redeem {
		amount = w.locale.Amount(m.Amount, w.unit)
	}
	switch m.Kind {
	case play.Buy:
		w.bought++
		return "Buy " + w.name(w.bought) + " for " + amount + at(m.Merchant) + play.Marks(m) + onReceipt(m.Items) + late(m.Days)
	case play.Refund:
		switch {
		case !m.Unlinked:
			return "Return " + w.name(m.Of) + ": " + amount + " is refunded" + late(m.Days)
		case m.Of == 0:
			return "A refund of " + amount + at(m.Merchant) + " for nothing bought here" + late(m.Days)
		}
		return "Return " + w.name(m.Of) + ": " + amount + " is refunded, without naming it" + late(m.Days)
	case play.Chargeback:
		text := "Win a dispute over " + w.name(m.Of)
		if m.Amount != 0 {
			text += ", for " + amount
		}
		return text + late(m.Days)
	case play.Redeem:
		if m.Amount == 0 {
			return "Redeem all that there is"
		}
		return "Redeem " + amount
	case play.Wait:
		return daysPass(m.Days)
	case play.Set:
		text := ""
		for name, value := range m.Labels.All() {
			text += "The account's " + name + " is " + value + " from now on"
		}
		return text
	case play.Close:
		return "The statement of " + from.Time().Month().String() + " closes"
	}
	panic(fmt.Sprintf("console: a move of unknown kind %d", m.Kind)) // play.Run.Check refuses it
}

// onReceipt says that a purchase has a receipt.
func onReceipt(items reward.Items) string {
	n := 0
	for range items.All() {
		n++
	}
	if n == 0 {
		return ""
	}
	return ", " + strconv.Itoa(n) + " lines on the receipt"
}

func at(merchant string) string {
	if merchant == "" {
		return ""
	}
	return " at " + play.Shop(merchant)
}

func late(days int) string {
	switch days {
	case 0:
		return ""
	case 1:
		return ", which is told a day late"
	}
	return ", which is told " + strconv.Itoa(days) + " days late"
}

func daysPass(n int) string {
	if n == 1 {
		return "A day passes"
	}
	return strconv.Itoa(n) + " days pass"
}
