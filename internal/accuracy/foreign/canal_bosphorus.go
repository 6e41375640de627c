package foreign

import "time"

// canalBosphorus is a Turkish bank's bonus. Its wallet was made for shops' tills, where a
// bonus below zero cannot be shown, so what is taken back ends where the wallet is empty.
type canalBosphorus struct {
	canalPlain
	zone *time.Location
}

var canalBosphorusDesign = Design{
	Name:   "canal-bosphorus-bonus",
	Source: "after Turkish banks' bonus and campaigns (Bonus, Maximum, World), from memory",
	Published: "0.5 % bonus on all spending, at once. Campaign: for each full TRY 1,000 spent on electronics (ELECTRONICS) in a calendar month (Istanbul time) TRY 40 more, " +
		"five times a month at most. Bonus may be spent at once. Bonus of cancelled and returned purchases, campaign bonus too, is taken back.",
	How: "Purchases have a row each, the campaign a row whenever it comes to more or less. Every return has the bonus of purchase and campaign " +
		"made up anew and the difference taken back at once, but never more than there is in the wallet: the rest is forgotten, and the return counts as done.",
	Class: "V3(a)",
	Leak: "Who has spent the bonus owes nothing. A television of TRY 6,000 makes 30 and 5 × 40, TRY 230; spent the same day, the set returned a week " +
		"later: the wallet is empty, nothing is taken, and the next purchase's bonus may be spent in full. TRY 230 for nothing bought, every month.",
	Currency: "TRY",
	New: func() Engine {
		return canalOpenDesk(canalBosphorus{zone: canalZone("Europe/Istanbul")})
	},
}

// rate is for the order of nameless returns: what a unit earns, in tenths of a percent.
func (canalBosphorus) rate(b *canalBuy) int64 {
	if b.category == "ELECTRONICS" {
		return 45
	}
	return 5
}

func (p canalBosphorus) orders(f *canalFile) [][]*canalBuy {
	return [][]*canalBuy{canalDearest(f, p.rate)}
}

// change books what a purchase or campaign has come to more or less.
func (canalBosphorus) change(f *canalFile, d int64, transaction, refund, note string) {
	if d < 0 {
		d = max(d, -max(0, f.balance())) // the wallet's floor
	}
	f.move(d, transaction, refund, note)
}

func (p canalBosphorus) book(f *canalFile, c canalCause) {
	want := map[string]int64{}
	for _, b := range f.buys {
		d := b.left()*5/1000 - b.booked
		b.booked += d
		p.change(f, d, b.id, c.refund, "")
		if b.category == "ELECTRONICS" {
			want[b.at.In(p.zone).Format("2006-01")] += b.left()
		}
	}
	for _, key := range canalKeys(want, f.books) {
		total := 4000 * min(5, want[key]/100_000)
		p.change(f, total-f.books[key], "", "", "Elektronik kampanyası "+key)
		f.books[key] = total
	}
}
