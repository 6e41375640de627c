package foreign

import "time"

var amberLarder = Design{
	Name: "amber-larder",
	Source: "After the public rules of Swedish supermarkets' cards (ICA, Coop: a percentage of purchases, sent by itself as bonus " +
		"cheques of SEK 25, a present for new members); from memory.",
	Published: "1% of a purchase in food shops (category GROCERY), 0.5% elsewhere, and SEK 200 once the net purchases of the first 90 " +
		"days reach SEK 5,000. On the 5th of each month what purchases older than 30 days have earned is sent as cheques of " +
		"SEK 25; nothing is paid on request. What is returned takes back what it earned, the welcome present too if its " +
		"purchases are not reached any more; a shortfall is made up from later bonus, without limit in time. A return that " +
		"names no purchase, or none that clears within 30 days, takes, at once or from later rewards, 1% and counts against " +
		"the welcome present.",
	How: "Bonus is booked as purchases clear, a row each. A return cancels the whole row of its purchase, naming both, and books " +
		"what is left of it anew. Payment is of full cheques, of the balance or of what old purchases alone would have earned less all paid " +
		"before, whichever is less.",
	Class:    "robust",
	Currency: "SEK",
	New:      amberNew("Europe/Stockholm", func(f *amberFile) amberHouse { return &amberLarderHouse{f: f, given: map[*amberBuy]int64{}} }),
}

const (
	amberLarderCheque  = 2_500
	amberLarderSpend   = 500_000
	amberLarderPresent = 20_000
	amberLarderNew     = 90 * 24 * time.Hour
	amberLarderAge     = 30 * 24 * time.Hour
)

// amberLarderHouse books bonus by receipt and sends cheques.
type amberLarderHouse struct {
	f       *amberFile
	given   map[*amberBuy]int64
	present int64 // the part of the welcome present that stands: all or nothing
}

func amberLarderBonus(b *amberBuy) int64 {
	if b.category == "GROCERY" {
		return b.net() / 100
	}
	return b.net() / 200
}

// worth is what purchases until an instant earn: by themselves, and as a welcome.
func (h *amberLarderHouse) worth(until time.Time) (alone, present int64) {
	var early int64
	for _, b := range h.f.buys {
		if b.at.After(until) {
			continue
		}
		alone += amberLarderBonus(b)
		if !b.at.Before(h.f.opened) && b.at.Before(h.f.opened.Add(amberLarderNew)) {
			early += b.net()
		}
	}
	if early-h.f.namelessSum() >= amberLarderSpend {
		present = amberLarderPresent
	}
	return alone, present
}

func (h *amberLarderHouse) debt() int64 {
	return h.f.debt(func(amount int64) int64 { return amberUp(amount, 100) })
}

func (h *amberLarderHouse) bought(b *amberBuy) {
	h.given[b] = b.amount / 200
	if b.category == "GROCERY" {
		h.given[b] = b.amount / 100
	}
	h.f.post(Earned, h.given[b], b.id, "", "bonus")
}

func (h *amberLarderHouse) returned(b *amberBuy, r *amberBack, _ int64) {
	h.f.post(Reversed, -h.given[b], b.id, r.id, "receipt cancelled")
	h.given[b] = amberLarderBonus(b)
	h.f.post(Earned, h.given[b], b.id, "", "bonus, receipt after return")
}

// level brings the welcome present and nameless returns up to date.
func (h *amberLarderHouse) level(r *amberBack) {
	refund := ""
	if r != nil {
		refund = r.id
	}
	alone, present := h.worth(h.f.now)
	if present > h.present {
		h.f.post(Earned, present, "", "", "welcome")
	} else {
		h.f.post(Reversed, present-h.present, "", refund, "welcome, purchases returned")
	}
	h.present = present
	h.f.withhold(h.debt(), alone, refund)
}

func (h *amberLarderHouse) next(after time.Time) time.Time {
	return amberNextDay(after, h.f.zone, 5)
}

// due sends cheques.
func (h *amberLarderHouse) due() {
	alone, present := h.worth(h.f.now.Add(-amberLarderAge))
	old := max(0, alone-h.debt()) + present - h.f.paid
	if pay := min(old, h.f.balance()) / amberLarderCheque * amberLarderCheque; pay > 0 {
		h.f.post(Paid, -pay, "", "", "bonus cheques")
	}
}

// free is nothing: bonus is paid by itself alone.
func (h *amberLarderHouse) free() int64 { return 0 }
