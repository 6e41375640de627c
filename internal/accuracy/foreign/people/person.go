package people

import (
	"fmt"
	"math/rand/v2"
	"time"
)

// person is somebody with a card, and what they have done so far.
type person struct {
	*rand.Rand
	account string
	nth     int
	opened  int // the day on which they got the card
	days    int
	moves   []Move
	bought  int // purchases, refunds and redemptions so far
	sent    int
	asked   int
}

// purchase is what somebody bought.
type purchase struct {
	Move
	left int64 // what was not returned yet
	day  int
}

// between is a number from low to high, both possible.
func (p *person) between(low, high int) int { return low + p.IntN(high-low+1) }

// chance is true in so many of a hundred cases.
func (p *person) chance(percent int) bool { return p.IntN(100) < percent }

// at is a moment of a day of the history.
func (p *person) at(day, minute int) time.Time {
	return start.AddDate(0, 0, day).Add(time.Duration(minute) * time.Minute)
}

// someTime is a moment of a day, at one of the hours when shops are open.
func (p *person) someTime(day int) time.Time { return p.at(day, p.between(7*60, 22*60)) }

// The kinds of shops, as places in their list.
const (
	grocery = iota
	dining
	fuel
	online
	other
	travel
	home
	electronics
	fashion
	restaurant
)

// kinds of shops, by how often people go there. To those after the usual ones only those go
// who look for what they sell.
var shops = []struct {
	category, mcc string
	often         int
	low, high     int // what one spends there, in units of a hundred minor units
}{
	grocery:     {"GROCERY", "5411", 30, 8, 180},
	dining:      {"DINING", "5812", 22, 4, 90},
	fuel:        {"FUEL", "5541", 14, 20, 95},
	online:      {"ONLINE", "5999", 18, 6, 400},
	other:       {"OTHER", "5999", 12, 3, 260},
	travel:      {"TRAVEL", "4511", 4, 90, 1800},
	home:        {"HOME", "5712", 0, 60, 1800},
	electronics: {"ELECTRONICS", "5732", 0, 40, 1500},
	fashion:     {"FASHION", "5651", 0, 50, 450},
	restaurant:  {"RESTAURANT", "5814", 0, 15, 160},
}

// usual is how many of them are those that everybody goes to.
const usual = travel + 1

// anyShop is one of the usual ones, each as often as the others.
func (p *person) anyShop() int { return p.IntN(usual) }

// shop chooses where somebody goes.
func (p *person) shop() int {
	all := 0
	for _, s := range shops {
		all += s.often
	}
	n := p.IntN(all)
	for i, s := range shops {
		if n -= s.often; n < 0 {
			return i
		}
	}
	return 0
}

// price is what somebody spends in a kind of shop: seldom a round sum.
func (p *person) price(shop int) int64 {
	s := &shops[shop]
	// Small sums are more frequent than large ones.
	most := p.between(s.low, s.high)
	return int64(p.between(s.low, most))*100 + int64(p.IntN(100))
}

// buy buys for an amount on a day, and the program hears of it at once.
func (p *person) buy(day, shop int, amount int64) *purchase { return p.buyLate(day, shop, amount, 0) }

// buyLate buys, and the program hears of it so many days later.
func (p *person) buyLate(day, shop int, amount int64, late int) *purchase {
	s := &shops[shop]
	p.bought++
	happened := p.someTime(day)
	m := Move{
		Delivered: happened, Kind: Buy, Account: p.account, ID: fmt.Sprintf("%s-p%d", p.account, p.bought), Amount: amount,
		Merchant: fmt.Sprintf("m-%d", 1+shop*10+p.IntN(7)), MCC: s.mcc, Category: s.category,
	}
	if late > 0 {
		m.Delivered, m.Happened = happened.AddDate(0, 0, late), happened
	}
	p.moves = append(p.moves, m)
	return &purchase{Move: m, left: amount, day: day}
}

// authorized says that a purchase was authorised for an amount, so many hours before it clears.
func (p *person) authorized(of *purchase, hours int, amount int64) {
	m := of.Move
	m.Delivered, m.Happened, m.Kind, m.Amount = m.When().Add(time.Duration(-hours)*time.Hour), time.Time{}, Authorize, amount
	p.moves = append(p.moves, m)
}

// cancelled authorises something that never clears.
func (p *person) cancelled(day, shop int, amount int64) {
	p.authorized(p.buy(day, shop, amount), 2, amount)
	p.moves[len(p.moves)-2].Kind = Cancel
}

// anything buys something somewhere.
func (p *person) anything(day int) *purchase {
	s := p.shop()
	return p.buy(day, s, p.price(s))
}

// how a refund comes.
type how uint8

const (
	linked    how = iota
	unlinked      // it names no purchase
	elsewhere     // it names no purchase, and the merchant under another name
	renamed       // it names its purchase, and the merchant under another name
	disputed      // it is a chargeback
)

// somehow is how refunds come: most name their purchase.
func (p *person) somehow() how {
	switch n := p.IntN(100); {
	case n < 76:
		return linked
	case n < 86:
		return unlinked
	case n < 90:
		return elsewhere
	case n < 95:
		return renamed
	}
	return disputed
}

// withReceipt is how refunds of what is dear come: who returns it has the receipt.
func (p *person) withReceipt() how {
	switch n := p.IntN(100); {
	case n < 85:
		return linked
	case n < 94:
		return renamed
	}
	return disputed
}

// sendBack returns an amount of a purchase after so many days.
func (p *person) sendBack(of *purchase, after int, amount int64, as how) *Move {
	if amount <= 0 {
		return nil
	}
	of.left = max(0, of.left-amount)
	p.sent++
	m := Move{
		Delivered: p.someTime(of.day + after), Kind: Return, Account: p.account, ID: fmt.Sprintf("%s-r%d", p.account, p.sent), Amount: amount,
		Purchase: of.ID, Told: of.ID, Merchant: of.Merchant, MCC: of.MCC, Category: of.Category,
	}
	if !m.Delivered.After(of.Delivered) && of.Happened.IsZero() {
		m.Delivered = of.Delivered.Add(time.Duration(p.between(5, 90)) * time.Minute)
	}
	switch as {
	case unlinked:
		m.Told = ""
	case elsewhere:
		m.Told, m.Merchant = "", fmt.Sprintf("returns-of-%s", of.Merchant)
	case renamed:
		m.Merchant = fmt.Sprintf("%s-online", of.Merchant)
	case disputed:
		m.Kind = Dispute
	}
	p.moves = append(p.moves, m)
	return &p.moves[len(p.moves)-1]
}

// redeem asks for so many percent of what can be redeemed.
func (p *person) redeem(day int, percent int64) {
	p.asked++
	p.moves = append(p.moves, Move{
		Delivered: p.at(day, 22*60+30), Kind: Redeem, Account: p.account, ID: fmt.Sprintf("%s-c%d", p.account, p.asked), Percent: percent,
	})
}

// redeemEvery asks for everything every so many days.
func (p *person) redeemEvery(days int) {
	for day := p.opened + days; day < p.days+quiet-60; day += days {
		p.redeem(day, 100)
	}
}

// tellAgain delivers a fact a second time, after so many days.
func (p *person) tellAgain(m Move, after int) {
	m.Delivered = m.Delivered.AddDate(0, 0, after)
	m.Again = true
	p.moves = append(p.moves, m)
}
