package foreign

import "time"

var harborMarket = Design{
	Name:   "harbor-market-wallet",
	Source: "After the public rules of Brazilian marketplaces' wallets (cashback up to a monthly ceiling), from memory.",
	Published: "3 % cashback on every purchase, up to R$ 60.00 per statement (closing on the 12th, São Paulo), in your wallet as soon as " +
		"the purchase is confirmed, to be used at once. Cashback of returned purchases is taken back.",
	How: "The wallet keeps a worksheet of the open statement: each event brings every purchase of the statement to what it should earn, " +
		"ceiling included, a row per purchase. With the close the worksheet is put away. A refund of a purchase of an earlier statement " +
		"finds no line there and books nothing.",
	Class: "V2",
	Leak: "A return after the statement's close keeps its cashback. Buy for R$ 2,000.00 on 5 March: R$ 60.00, redeem it. Return all of it " +
		"on 15 March: nothing is taken back, and R$ 60.00 are kept for R$ 0.00 of purchases.",
	Currency: "BRL",
	New:      harborNew(harborMarketPlan{zone: harborZone("America/Sao_Paulo")}),
}

const (
	harborMarketDay     = 12
	harborMarketCeiling = 6000
)

type harborMarketPlan struct {
	harborNone
	zone *time.Location
}

// heard levels the open statement. A purchase that clears late joins its own statement
// with what that has room for, once.
func (p harborMarketPlan) heard(k *harborBook, f harborFact) {
	k.match(func(*harborBuy) int64 { return 3 })
	open := harborCycle(k.now, harborMarketDay, p.zone)
	used := map[int64]int64{} // by statement
	for _, b := range k.buys {
		start := harborCycle(b.at, harborMarketDay, p.zone)
		earned := k.booked[b.id]
		if !start.Before(open) || f.buy == b {
			earned = min(b.net()*3/100, harborMarketCeiling-used[start.Unix()])
			k.level(b.id, earned, Posting{Transaction: b.id, Note: "Cashback"})
		}
		used[start.Unix()] += earned
	}
}

func (p harborMarketPlan) free(k *harborBook) int64 { return k.balance() }
