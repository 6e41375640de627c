package demo

import (
	"fmt"
	"time"

	"recoup/reward"
)

// openEnds adds to some accounts of the everyday crowd what does not go smoothly
// anywhere: events that wait for others, contradict others, or fit nothing. With
// those of the cast, at least two of every kind of review are open, of several
// ages. It also has cardholders who redeem, return and never come back.
func openEnds(c calendar) (list []delivery) {
	w := &crowds[0]
	end := func(account int, tell func(*tale)) {
		t := newTale(w.member(account))
		tell(t)
		list = append(list, t.list...)
	}
	// They wait for a purchase.
	end(31, func(t *tale) { t.returns(c.days(3), "open-refund-31", "open-purchase-31", 48_20) })
	end(44, func(t *tale) { t.disputes(c.days(75), "open-dispute-44", "open-purchase-44") })
	end(58, func(t *tale) {
		t.tell(c.days(120), reward.Event{Type: reward.TransactionReversed, Transaction: "open-purchase-58"})
	})
	// They wait for what they undo.
	end(52, func(t *tale) { t.says(c.days(40), reward.RefundReversed, "open-refund-52") })
	end(63, func(t *tale) { t.says(c.days(5), reward.ChargebackReversed, "open-dispute-63") })
	end(71, func(t *tale) { t.says(c.days(100), reward.RefundCanceled, "open-refund-71") })
	// More came back than was ever bought.
	end(207, func(t *tale) {
		t.buys(c.days(160), "open-purchase-207", 20_00, bookshop)
		t.refundedBy(c.days(150), bookshop, "open-refund-207", 75_00)
	})
	end(208, func(t *tale) { t.refundedBy(c.days(12), cameraHouse, "open-refund-208", 129_90) })
	end(209, func(t *tale) {
		t.buys(c.days(66), "open-purchase-209", 89_00, soundCellar)
		t.returns(c.days(61), "open-refund-209", "open-purchase-209", 97_90)
	})
	// Two deliveries contradict each other.
	end(85, func(t *tale) {
		t.buys(c.days(25), "open-purchase-85", 64_10, greengrocer)
		t.settles(c.days(25).Add(2*time.Hour), "open-purchase-85", 46_10, greengrocer)
	})
	end(90, func(t *tale) {
		t.buys(c.days(97), "open-purchase-90", 310_00, soundCellar)
		t.returns(c.days(90), "open-refund-90", "open-purchase-90", 31_00)
		t.returns(c.days(89), "open-refund-90", "open-purchase-90", 310_00)
	})
	// Paid again under the number of a refund that had bounced, and an undo that came
	// before what it undoes.
	end(221, func(t *tale) {
		t.buys(c.days(80), "open-purchase-221", 139_00, soundCellar)
		t.returns(c.days(70), "open-refund-221", "open-purchase-221", 139_00)
		t.says(c.days(66), reward.RefundReversed, "open-refund-221")
		t.returns(c.days(58), "open-refund-221", "open-purchase-221", 139_00)
	})
	end(222, func(t *tale) {
		t.buys(c.days(31), "open-purchase-222", 54_90, bookshop)
		t.says(c.days(24), reward.RefundReversed, "open-refund-222")
		t.returns(c.days(23), "open-refund-222", "open-purchase-222", 54_90)
	})
	// They name no purchase, and can be of one only.
	for i, days := range []int{110, 65, 21} {
		end(223+i, func(t *tale) {
			id := fmt.Sprintf("-%d", 223+i)
			t.buys(c.days(days+9), "open-purchase"+id, int64(74_50+i*31_00), bookshop)
			t.refundedBy(c.days(days), bookshop, "open-refund"+id, int64(74_50+i*31_00))
		})
	}
	// They are in another currency than the account: refused, and kept to be looked at.
	end(226, func(t *tale) {
		t.buys(c.days(62), "open-purchase-226", 95_00, cameraHouse)
		t.currency = "GBP"
		t.returns(c.days(47), "open-refund-226", "open-purchase-226", 74_20)
	})
	end(227, func(t *tale) {
		t.buys(c.days(35), "open-purchase-227", 12_40, greengrocer)
		t.currency = "EUR"
		t.settles(c.days(33), "open-purchase-227-abroad", 41_00, bistro)
	})
	for i, months := range []int{8, 6, 5, 3, 2, 1, 7, 4} {
		end(211+i, func(t *tale) { walkAway(t, c, months, int64(300_00+i*170_00)) })
	}
	return list
}

// walkAway is a cardholder who redeems a reward, returns the purchase and is not
// seen again: the debt that remains.
func walkAway(t *tale, c calendar, months int, amount int64) {
	id := fmt.Sprintf("camera-%d", months)
	t.buys(c.month(months, 3), id, amount, cameraHouse)
	t.redeems(c.month(months, 9), id+"-payout", amount*3/100)
	t.returns(c.month(months, 16), id+"-return", id, amount)
}
