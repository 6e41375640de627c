package foreign

import "time"

// run is the night's batch, or the payout at noon.
func (p *basaltSluice) run(a *basaltAccount, at time.Time) {
	local := at.In(basaltNewYork)
	if local.Hour() == 12 {
		if sure := a.redeemable(at); sure >= basaltSluicePayout {
			a.book(Posting{At: at, Kind: Paid, Amount: -sure, Note: "to your bank account"})
			a.out += sure
			a.paid += sure
		}
		return
	}
	if p.gifted == 0 {
		p.gifted = basaltSluiceWelcome
		a.book(Posting{At: at, Kind: Earned, Amount: p.gifted, Note: "welcome"})
	}
	rewards, claim := p.state(a, at)
	for i, b := range a.buys {
		p.line(a, b, rewards[i], at, local.Weekday() == time.Sunday)
	}
	if claim != p.claim {
		row := Posting{At: at, Kind: Adjusted, Amount: p.claim - claim, Note: "goodwill, return looked into"}
		if row.Amount < 0 {
			row.Kind, row.Note = Reversed, "returned, purchase sought"
		}
		a.book(row)
		p.claim = claim
	}
}

// line brings one purchase to what it earns: first five days after it was heard of, then
// after each review as goodwill, and where a limit's room was freed on Sundays.
func (p *basaltSluice) line(a *basaltAccount, b *basaltBuy, reward int64, at time.Time, sunday bool) {
	l := p.lines[b.id]
	if b.heard.Add(5*basaltDays).After(at) || l.review.Add(basaltSluiceReview).After(at) {
		return
	}
	row := Posting{At: at, Kind: Earned, Amount: reward - l.booked, Transaction: b.id}
	switch {
	case row.Amount < 0:
		row.Kind = Reversed
	case !l.granted:
	case l.owed:
		row.Kind, row.Transaction, row.Note = Adjusted, "", "goodwill, your complaint about a return"
	case sunday:
		row.Transaction, row.Note = "", "room under the limit"
	default:
		return
	}
	a.book(row)
	l.booked, l.granted, l.owed = reward, true, false
}
