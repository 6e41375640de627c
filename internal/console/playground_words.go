package console

import (
	"fmt"
	"strconv"

	"recoup/internal/console/locale"
	"recoup/internal/console/play"
	"recoup/reward"
)

// moveWords says moves in a cardholder's words, one after the other: purchases are
// numbered as they come.
type moveWords struct {
	locale *locale.Locale
	bought int
}

// next says the next move, which begins at a time.
func (w *moveWords) next(m play.Move, from reward.Instant) string {
	amount := w.locale.Amount(m.Amount, play.Currency)
	switch m.Kind {
	case play.Buy:
		w.bought++
		text := "Buy " + goods(m.Category) + " for " + amount + at(m.Merchant)
		return text + " (" + purchaseName(w.bought) + ")" + late(m.Days)
	case play.Refund:
		switch {
		case !m.Unlinked:
			return "Return " + purchaseName(m.Of) + ": " + amount + " is refunded" + late(m.Days)
		case m.Of == 0:
			return "A refund of " + amount + at(m.Merchant) + " for nothing bought here" + late(m.Days)
		}
		return "Return " + purchaseName(m.Of) + ": " + amount + " is refunded, without naming it" + late(m.Days)
	case play.Chargeback:
		text := "Win a dispute over " + purchaseName(m.Of)
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
	case play.Close:
		return "The statement of " + from.Time().Month().String() + " closes"
	}
	panic(fmt.Sprintf("console: a move of unknown kind %d", m.Kind)) // play.Run.Check refuses it
}

// goods names what is bought: groceries have a rate of their own.
func goods(category string) string {
	switch category {
	case "GROCERY":
		return "groceries"
	case "":
		return "something"
	}
	return category
}

func at(merchant string) string {
	if merchant == "" {
		return ""
	}
	return " at " + merchant
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

func purchaseName(n int) string { return "t" + strconv.Itoa(n) }
