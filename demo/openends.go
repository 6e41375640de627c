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
