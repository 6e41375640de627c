package foreign

import "time"

// freshCoins is a marketplace's coins, kept in a journal of double entry.
type freshCoins struct {
	freshDesk[freshCoinsBook]
}

// freshCoinsBook is a member's part of the journal, and the returns that are in clearing
// with the sellers.
type freshCoinsBook struct {
	journal  []freshCoinsEntry
	clearing []freshCoinsCase
	settle   time.Time        // the next settlement with sellers
	granted  map[string]int64 // by order, as booked
}

// freshCoinsEntry moves coins from one account to another.
type freshCoinsEntry struct {
	at       time.Time
	from, to freshCoinsAccount
	coins    int64
	order    string
}

// freshCoinsAccount is an account of the journal.
type freshCoinsAccount string

const (
	freshCoinsMember  freshCoinsAccount = "member"
	freshCoinsPromo   freshCoinsAccount = "promotion" // what coins cost
	freshCoinsSellers freshCoinsAccount = "sellers"   // what sellers give back for returns
)

// freshCoinsCase is a return in clearing.
type freshCoinsCase struct {
	p  *freshPurchase
	by *freshReturn
}

const (
	freshCoinsLeast = 500
	freshCoinsMost  = 3_000
)

var freshCoinsDesign = Design{
	Name: "fresh-coins",
	Source: "Shopee Coins (Singapore), help.shopee.sg and help.shopee.ph (100 coins are S$1, coins come when an order is completed, with limits; coins of returned orders are not earned); " +
		"rates and the settlement on the 5th are ours; paper, case III-B (issuer F)",
	Published: "3 coins for every S$1 in the categories ONLINE and DINING, 1 coin for every S$1 everywhere else, in proportion and rounded down to the coin for each purchase; a coin is one cent. " +
		"A purchase of less than S$5 earns nothing, and none earns more than 3,000 coins. " +
		"Coins are credited when the purchase clears and can be used at once, in any number. They do not lapse. " +
		"Coins of what is returned, refunded in part or charged back, at any time, are deducted: the purchase counts as one of the price of what you keep. " +
		"They are deducted when returns are settled with the sellers, at the beginning of the 5th of each month (UTC), and may not be used from the return on. If you have used them by then your coins go below zero, and the next coins make that good, for as long as it takes. " +
		freshGuessExact,
	How: "A journal of double entry. Clearing a purchase books promotion → member at once. A return opens a case in clearing; the settlement run of the 5th of each month (00:00 UTC) books member → sellers for all cases, " +
		"and may take the member's account below zero. What can be used is the member's account in the journal, which knows nothing of open cases. " +
		"The finance team asked for it: sellers reimburse the coins of returned orders, so both legs of the entry have to be booked with the settlement or the books do not balance at month's end. " +
		"A hold on coins of open cases was written down as a follow-up when the journal went live.",
	Class: "V3(b)",
	Leak: "Between a return and the next 5th its coins can still be used. Buy for S$1,000 online on 6 March (3,000 coins), return it on 8 March, use 3,000 coins (S$30) on 10 March: on 5 April the account stands at −3,000, " +
		"which who does not come back never makes good. Who stays repays it.",
	Currency: "SGD",
	New: func() Engine {
		e := &freshCoins{}
		e.house, e.exact = e, true
		return e
	},
}

// freshCoinsFor is how many coins a purchase of such a price earns.
func freshCoinsFor(category string, price int64) int64 {
	if price < freshCoinsLeast {
		return 0
	}
	percent := int64(1)
	if category == "ONLINE" || category == "DINING" {
		percent = 3
	}
	return min(freshCoinsMost, price*percent/100)
}

func (e *freshCoins) opened(f *freshFile[freshCoinsBook]) {
	f.own = freshCoinsBook{settle: freshCoinsFifth(f.opened), granted: map[string]int64{}}
}

// freshCoinsFifth is the first 5th after a time.
func freshCoinsFifth(t time.Time) time.Time {
	if fifth := freshMonth(t).AddDate(0, 0, 4); fifth.After(t) {
		return fifth
	}
	return freshMonth(t).AddDate(0, 1, 4)
}

// book writes the journal, and what is the member's of it into the ledger.
func (e *freshCoins) book(f *freshFile[freshCoinsBook], entry freshCoinsEntry, by *freshReturn, note string) {
	if entry.coins == 0 {
		return
	}
	f.own.journal = append(f.own.journal, entry)
	if entry.from == freshCoinsMember {
		entry.coins = -entry.coins
	}
	f.own.granted[entry.order] += entry.coins
	f.change(entry.at, entry.coins, entry.order, by, note)
}

func (e *freshCoins) moved(f *freshFile[freshCoinsBook], cleared *freshPurchase, others []*freshPurchase, by *freshReturn) {
	if cleared != nil {
		coins := freshCoinsFor(cleared.category, cleared.amount)
		e.book(f, freshCoinsEntry{e.now, freshCoinsPromo, freshCoinsMember, coins, cleared.id}, nil, "order completed")
		if cleared.back > 0 { // its return was told of first
			f.own.clearing = append(f.own.clearing, freshCoinsCase{cleared, by})
		}
	}
	for _, p := range others {
		f.own.clearing = append(f.own.clearing, freshCoinsCase{p, by})
	}
}

// run settles with the sellers on each 5th that has come.
func (e *freshCoins) run(f *freshFile[freshCoinsBook]) {
	for ; !e.now.Before(f.own.settle); f.own.settle = f.own.settle.AddDate(0, 1, 0) {
		for _, open := range f.own.clearing {
			over := f.own.granted[open.p.id] - freshCoinsFor(open.p.category, open.p.kept())
			entry := freshCoinsEntry{f.own.settle, freshCoinsMember, freshCoinsSellers, over, open.p.id}
			if over < 0 { // the return was of another order after all
				entry.from, entry.to, entry.coins = freshCoinsSellers, freshCoinsMember, -over
			}
			e.book(f, entry, open.by, "return settled")
		}
		f.own.clearing = nil
	}
}

// spendable is the member's account.
func (e *freshCoins) spendable(f *freshFile[freshCoinsBook]) int64 { return f.balance }
