package console

import (
	"html/template"

	"recoup/internal/console/locale"
	"recoup/internal/console/overview"
	"recoup/internal/console/risk"
	"recoup/internal/kit/page"
	"recoup/reward"
)

// moneyTile is a sum of money, how it came to be that by month, and how much it changed
// since the month before ended.
type moneyTile struct {
	Amount int64
	Tone   string
	Line   template.HTML
	Change int64
	Since  reward.Cycle // the month at whose end the change begins; 0: it is not known
}

// money is the first row of the overview.
type money struct{ Owed, Held, Debt, Lost moneyTile }

// moneyOf are the tiles of a currency: what we owe, what of it is held, what they owe us,
// and what is lost for good.
func moneyOf(l *locale.Locale, sums *overview.Currency, of *risk.Currency) (m money) {
	var months []reward.Cycle
	var owed, debt, lost []int64
	for _, at := range of.Months {
		months, owed, debt, lost = append(months, at.Month), append(owed, at.Owed), append(debt, at.Debt), append(lost, at.Lost)
	}
	var heldMonths []reward.Cycle
	var held []int64
	for _, at := range sums.HeldMonths {
		heldMonths, held = append(heldMonths, at.Month), append(held, at.Held)
	}
	m.Owed = tileOf(l.Sprintf("What we owe, by month, in %s", sums.Currency), "blue", "blue", sums.Owed, months, owed)
	m.Held = tileOf(l.Sprintf("What is held, by month, in %s", sums.Currency), "amber", "part", sums.Held, heldMonths, held)
	m.Debt = tileOf(l.Sprintf("What they owe us, by month, in %s", sums.Currency), "red", "bad", sums.Debt, months, debt)
	m.Lost = tileOf(l.Sprintf("What is lost for good, by month, in %s", sums.Currency), "red", "bad", of.Lost(), months, lost)
	return m
}

// tileOf is a sum now, with what it was at the ends of months, the last of which is not over.
func tileOf(title, class, tone string, now int64, months []reward.Cycle, levels []int64) moneyTile {
	t := moneyTile{Amount: now}
	if now != 0 {
		t.Tone = tone
	}
	if n := len(levels); n > 1 {
		levels[n-1] = now
		t.Change, t.Since = now-levels[n-2], months[n-2]
		spark := page.Spark{Title: title, Class: class, Levels: levels}
		t.Line = spark.SVG()
	}
	return t
}
