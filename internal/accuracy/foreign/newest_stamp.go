package foreign

import (
	"slices"
	"time"

	"recoup/internal/issuer"
)

// newestBStamp is a phone company's wallet: a percent on everything, kept to the satang
// through any return, and beside it a stamp card that is thrown away when it is full.
var newestBStamp = Design{
	Name: "newest-stamp",
	Source: "Section 4.3 (V2), with a window that is no period: stamp cards that turn into points by themselves (rewardloyalty.co/docs/stamp-cards/redeeming-rewards: " +
		"the reward is credited with the last stamp and the card starts again at 0; faq: a qualifying purchase meets a minimum amount), " +
		"Yoyo Wallet (support.yoyowallet.com, article 360013345612)",
	Published: "Stamp Wallet, in baht; amounts here are satang. A purchase earns 1% of its price, each purchase rounded down to the satang, at once. A purchase of 200 baht or more also " +
		"earns a stamp. Ten stamps are exchanged for 100 baht by themselves, in the moment of the tenth, and a new card begins; there is no limit to the number of cards, and stamps " +
		"do not expire. All can be redeemed as soon as it is on the account. If a purchase is refunded or charged back, in whole or in part and however late, the 1% is computed again on what you kept " +
		"and the difference is deducted, and the purchase loses its stamp if you kept less than 200 baht of it. Your balance may go below zero; what you earn next pays that off. What is " +
		"refunded beyond the price does not count. A refund that does not say what it is for is taken off your latest purchases at that merchant, then " +
		"off your latest others, then off your next ones.",
	How: "The 1% is computed again at each fact, forever. Stamps are rows of the open card, and a refund deletes its purchase's row; when the tenth comes, the rows are " +
		"dropped and 100 baht posted. Of a purchase whose card was full there is no row to delete, so nothing is taken for its stamp.",
	Class: "V2",
	Leak: "Ten purchases of 200 baht earn 20 baht of percent and, with the tenth, 100 baht for the stamps: 120 baht. Redeem, return all ten: 20 baht is deducted, the balance is -20 baht, " +
		"and 100 baht is kept on a net spending of nothing. Returning the first nine before the tenth would have left one stamp.",
	Currency: "THB",
	New: func() Engine {
		return newestBOpenHouse(func(time.Time) newestBHolder {
			return &newestBStampWallet{percent: map[string]int64{}}
		})
	},
}

const (
	newestBStampFrom = 20000
	newestBStampFull = 10
	newestBStampGift = 10000
)

type newestBStampWallet struct {
	newestBBook
	file    newestBFile
	percent map[string]int64 // posted by purchase
	card    []string         // purchases with a stamp on the open card
}

func (w *newestBStampWallet) count(changed []*newestBSale, now time.Time, refund string) {
	for _, s := range changed {
		_, known := w.percent[s.id]
		by := s.kept/100 - w.percent[s.id]
		w.percent[s.id] += by
		w.move(now, by, s.id, refund, "1%")
		switch {
		case s.kept < newestBStampFrom:
			w.card = slices.DeleteFunc(w.card, func(id string) bool { return id == s.id })
		case !known:
			w.card = append(w.card, s.id)
		}
	}
	if len(w.card) >= newestBStampFull {
		w.card = nil
		w.post(Posting{At: now, Kind: Earned, Amount: newestBStampGift, Note: "ten stamps"})
	}
}

func (w *newestBStampWallet) tick(time.Time) {}

func (w *newestBStampWallet) settle(s issuer.Settlement, now time.Time) {
	w.count(w.file.buy(s), now, "")
}

func (w *newestBStampWallet) back(b newestBBack, now time.Time) {
	w.count(w.file.dig(b), now, b.id)
}

func (w *newestBStampWallet) free(time.Time) int64 { return w.balance() }
