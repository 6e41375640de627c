package foreign

import (
	"time"

	"recoup/internal/issuer"
)

// newestBMarket is a supermarket's wallet. Its members never see a balance below zero: what
// they owe stands on a slip beside the account and is held back from what they earn next.
var newestBMarket = Design{
	Name: "newest-market",
	Source: "Tesco Clubcard (nimblefins.co.uk/tesco-clubcard-sainsburys-nectar-points-warning; saga.co.uk on loyalty cards): points worth 1p, sent out " +
		"as vouchers every three months once there are 150; Holland & Barrett (help.hollandandbarrett.com, article 21708412452242): points of a " +
		"returned item are deducted, and points that were spent by then are made good by later purchases; Nectar collector rules",
	Published: "Market Wallet, in pounds; a point is worth a penny and amounts here are pence. A purchase collects 1.5% of its price, at petrol stations " +
		"(category codes 5541 and 5542) 0.5%, each purchase rounded to the nearest penny and half a penny to the even one. In a calendar quarter (UTC, by date " +
		"of purchase) you collect 20.00 at most. Points are yours at once and can be spent at our tills at any time. On 15 January, April, July " +
		"and October at 00:00 UTC we send what is on your account as a voucher, in full steps of 50p, if it is 1.50 or more; the rest stays. " +
		"When a purchase is refunded or charged back, in whole or in part and however late, the quarter in which it was made is computed again on what you " +
		"kept, and what is too much is deducted at once. Your balance never goes below zero: what you have spent by then is noted and held back " +
		"from the points you collect next, however long that takes. What is refunded beyond the price does not count. A refund " +
		"that does not say what it is for is taken off your latest purchases at that merchant, then off your latest others, then off your next ones.",
	How: "Each quarter has a target, the smaller of its cap and the sum of its purchases' points on what is kept, and is brought to it at each fact. A fall takes from the " +
		"balance what is there and writes the rest on slips, oldest first; a rise is posted whole, and what is on the slips is taken off it in the same moment. " +
		"Slips are no postings and never lapse. Vouchers pay out by themselves.",
	Class:    "robust",
	Currency: "GBP",
	New: func() Engine {
		return &newestBMarketHouse{newestBOpenHouse(func(now time.Time) newestBHolder {
			return &newestBMarketWallet{now: now, booked: map[time.Time]int64{}}
		})}
	},
}

// newestBMarketHouse also sends vouchers, unasked.
type newestBMarketHouse struct{ *newestBHouse }

func (h *newestBMarketHouse) PaidOut(account string) (int64, error) {
	a, err := h.find(account)
	if err != nil {
		return 0, err
	}
	return a.(*newestBMarketWallet).sent, nil
}

const newestBMarketCap = 2000

type newestBMarketWallet struct {
	newestBBook
	file   newestBFile
	now    time.Time
	booked map[time.Time]int64 // by quarter
	slips  []newestBMarketSlip
	sent   int64
}

// newestBMarketSlip is what could not be deducted.
type newestBMarketSlip struct {
	refund string
	owed   int64
}

func newestBMarketQuarter(t time.Time) time.Time {
	m := newestBMonth(t)
	return m.AddDate(0, -(int(m.Month())-1)%3, 0)
}

// newestBMarketMail is the first day after t on which vouchers go out.
func newestBMarketMail(t time.Time) time.Time {
	d := newestBMarketQuarter(t).AddDate(0, 0, 14)
	if !d.After(t) {
		d = d.AddDate(0, 3, 0)
	}
	return d
}

// count brings the quarters of these purchases to their targets.
func (w *newestBMarketWallet) count(changed []*newestBSale, now time.Time, sale, refund string) {
	done := map[time.Time]bool{}
	for _, c := range changed {
		q := newestBMarketQuarter(c.at)
		if done[q] {
			continue
		}
		done[q] = true
		var target int64
		for _, s := range w.file.sales {
			if !newestBMarketQuarter(s.at).Equal(q) {
				continue
			}
			rate := int64(15)
			if s.mcc == "5541" || s.mcc == "5542" {
				rate = 5
			}
			target += newestBHalfEven(s.kept, rate, 1000)
		}
		target = min(target, newestBMarketCap)
		by := target - w.booked[q]
		w.booked[q] = target
		if by < 0 {
			w.deduct(now, -by, sale, refund)
		} else {
			w.collect(now, by, sale, refund)
		}
	}
}

func (w *newestBMarketWallet) deduct(now time.Time, amount int64, sale, refund string) {
	there := min(amount, w.balance())
	w.move(now, -there, sale, refund, "points of what you returned")
	if rest := amount - there; rest > 0 {
		w.slips = append(w.slips, newestBMarketSlip{refund, rest})
	}
}

func (w *newestBMarketWallet) collect(now time.Time, amount int64, sale, refund string) {
	w.move(now, amount, sale, refund, "points")
	for amount > 0 && len(w.slips) > 0 {
		s := &w.slips[0]
		held := min(s.owed, amount)
		w.move(now, -held, "", s.refund, "held back for an earlier return")
		s.owed -= held
		amount -= held
		if s.owed == 0 {
			w.slips = w.slips[1:]
		}
	}
}

func (w *newestBMarketWallet) tick(now time.Time) {
	// A clock that has never been set says nothing of quarters that went by.
	if w.now.IsZero() {
		w.now = now
	}
	for d := newestBMarketMail(w.now); !d.After(now); d = newestBMarketMail(d) {
		if b := w.balance(); b >= 150 {
			v := b - b%50
			w.post(Posting{At: d, Kind: Paid, Amount: -v, Note: "voucher"})
			w.sent += v
		}
	}
	w.now = now
}

func (w *newestBMarketWallet) settle(s issuer.Settlement, now time.Time) {
	w.count(w.file.buy(s), now, s.Transaction, "")
}

func (w *newestBMarketWallet) back(b newestBBack, now time.Time) {
	w.count(w.file.dig(b), now, b.sale, b.id)
}

func (w *newestBMarketWallet) free(time.Time) int64 { return w.balance() }
