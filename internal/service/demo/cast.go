package demo

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"recoup/reward"
)

// Story is an account that shows one idea.
type Story struct {
	Account string
	Title   string // a few words
	Text    string // what happened, in some sentences
}

// Cast lists the accounts with a story, in the order in which they are best
// looked at. The texts are true at whatever moment the data is loaded, and stay
// true until somebody adds events to the accounts.
func Cast() []Story {
	list := make([]Story, len(cast))
	for i := range cast {
		list[i] = cast[i].Story
	}
	return list
}

// part is a story with what it is made of.
type part struct {
	Story
	tell func(t *tale, c calendar)
}

// stories returns the events of all accounts with a story.
func stories(c calendar) (list []delivery) {
	for i := range cast {
		t := newTale(cast[i].Account)
		cast[i].tell(t, c)
		list = append(list, t.list...)
	}
	return list
}

// Accounts whose ids are legal and troublesome: pages must show them as the text
// that they are.
var (
	markupAccount = `<b>bold</b>&"quoted"'`
	bidiAccount   = "🛍️ shop-\u202egnirrefer-elpmas"
	longAccount   = "a-very-long-account-" + strings.Repeat("0123456789abcdef", 14)
)

// attacks is how many months in a row the double dip is tried.
const attacks = history

var cast = slices.Concat(returners, promised, waiters, corrected, quiet)

// promised have programs that promise more than rates.
var promised = []part{
	{Story{"tara", "A bonus for signing up, redeemed, and its spend returned",
		"Tara bought furniture for $520.00 in her first days: $5.20, and the $200.00 that the card promises for $500.00 in 90 days. She redeemed $200.00 when both had matured, and then took the furniture back. " +
			"No purchase carries a bonus, so elsewhere it would be hers; here the spend that it was for is gone, and so are the $5.20 and the $200.00. She owes $200.00."},
		func(t *tale, c calendar) {
			t.joins(c.month(4, 2), welcome, "USD")
			t.buys(c.month(4, 4), "tara-furniture", 520_00, department)
			t.redeems(c.month(3, 20), "tara-payout", 200_00)
			t.returns(c.month(2, 5), "tara-return", "tara-furniture", 520_00)
		}},
	{Story{"victor", "An offer that was activated half way",
		"Victor bought groceries for $100.00 and earned 1 %. A week later he activated the 5 % of the quarter, and bought for $200.00: $10.00. What is asked is the day of the purchase: " +
			"half of the second came back in the next month and took half of its $10.00. He has $6.00."},
		func(t *tale, c calendar) {
			t.joins(c.month(2, 1), quarter, "USD")
			t.buys(c.month(2, 3), "victor-groceries-1", 100_00, greengrocer)
			t.tell(c.month(2, 10), reward.Event{Type: reward.AttributeSet, Fact: "victor-offer", Category: "five-percent", Method: "activated"})
			t.buys(c.month(2, 12), "victor-groceries-2", 200_00, greengrocer)
			t.returns(c.month(1, 5), "victor-return", "victor-groceries-2", 100_00)
		}},
	{Story{"uma", "A stamp card that was full, and is not any more",
		"Five coffees in one month filled Uma's card, and she redeemed the $4.00. Then she sent one of them back. Four stamps are worth nothing: the $4.00 are taken back, and she owes them."},
		func(t *tale, c calendar) {
			t.joins(c.month(3, 1), coffee, "USD")
			for n := range 5 {
				t.settles(c.month(3, 3+n), fmt.Sprintf("uma-coffee-%d", n+1), 4_50, cafe)
			}
			t.redeems(c.month(3, 20), "uma-payout", 4_00)
			t.returns(c.month(3, 25), "uma-return", "uma-coffee-3", 4_50)
		}},
	{Story{"wanda", "A status that was bought with something that went back, and miles that expired",
		"Wanda bought a trip for $3,000.00: 3,000 miles, and silver from then on. She used 1,000; the other 2,000 expired after six months. As silver, a purchase of $1,000.00 earned 2,000. " +
			"Then $500.00 of the trip were refunded. Of its miles nothing is taken, since these had expired already. But $2,500.00 are below silver: the purchase of $1,000.00 falls to 1,000 miles, which are left."},
		func(t *tale, c calendar) {
			t.joins(c.month(8, 1), miles, "USD")
			t.unit = "MIL"
			t.buys(c.month(8, 5), "wanda-trip", 3000_00, airline)
			t.redeems(c.month(6, 10), "wanda-payout", 1_000)
			t.buys(c.month(3, 5), "wanda-laptop", 1000_00, soundCellar)
			t.returns(c.month(1, 12), "wanda-return", "wanda-trip", 500_00)
		}},
}

// returners gave something back, or tried to gain by it.
var returners = []part{
	{Story{"anna", "Redeemed, then returned: a debt that later rewards repay",
		"Anna bought headphones for $350.00 and earned $10.50. She redeemed $10.00 of it, then took the headphones back. " +
			"The whole reward was clawed back, and her balance fell to −$10.00. Groceries have repaid $9.00 since; she still owes $1.00."},
		func(t *tale, c calendar) {
			t.buys(c.month(2, 3), "anna-headphones", 350_00, soundCellar)
			t.redeems(c.month(2, 12), "anna-payout-1", 10_00)
			t.returns(c.month(2, 20), "anna-return", "anna-headphones", 350_00)
			t.buys(c.month(1, 8), "anna-groceries-1", 90_00, greengrocer)
			t.buys(c.month(1, 22), "anna-groceries-2", 60_00, greengrocer)
		}},
	{Story{"erin", "The double dip, month after month, and what it gains: nothing",
		"Erin buys groceries for $900.00, earns, redeems and returns them, again every month. The first time $45.00 were paid out, and the return " +
			"took them back: a balance of −$45.00. Since then each new reward has only repaid that debt until the next return, and every further " +
			"redemption was denied. What was paid out and what she owes add up to zero."},
		func(t *tale, c calendar) {
			for n := attacks; n >= 1; n-- {
				id := fmt.Sprintf("erin-%d", attacks+1-n)
				t.buys(c.month(n, 3), id, 900_00, greengrocer)
				t.redeems(c.month(n, 6), id+"-payout", 45_00)
				t.returns(c.month(n, 14), id+"-return", id, 900_00)
			}
		}},
	{Story{"ben", "A refund in three parts, and a cap that had cut a reward",
		"Ben bought groceries for $800.00 and for $700.00 in one month. The first earned $48.00; the monthly cap of $60.00 left $12.00 for the second. " +
			"He returned the first in three parts. Each took its share, and together they took exactly $48.00, so $12.00 are left. " +
			"Under the terms that take effect next month the return would also have made room under the cap for the second purchase."},
		func(t *tale, c calendar) {
			t.buys(c.month(2, 4), "ben-party", 800_00, greengrocer)
			t.buys(c.month(2, 9), "ben-pantry", 700_00, greengrocer)
			t.returns(c.month(2, 15), "ben-return-1", "ben-party", 100_00)
			t.returns(c.month(2, 24), "ben-return-2", "ben-party", 250_00)
			t.returns(c.month(1, 6), "ben-return-3", "ben-party", 450_00)
		}},
	{Story{"kim", "Rewards at the statement, on what was not returned",
		"Kim has the travel card. A flight for $300.00, of which $120.00 came back within the month, earned 3 % of $180.00 when the month closed. " +
			"A hotel for $400.00 was refunded weeks after it had earned $12.00: from that moment the $12.00 were held, so a redemption of $10.00 " +
			"was denied, and the next close took them. A redemption right after a close was denied as well, since the program waits five days for late refunds. " +
			"$7.80 are left, and one dinner of this month waits for the next close."},
		func(t *tale, c calendar) {
			t.joins(c.month(4, 20), travel, "USD")
			t.buys(c.month(3, 10), "kim-hotel", 400_00, hotel)
			t.buys(c.month(2, 8), "kim-dinner", 80_00, bistro)
			t.redeems(c.month(1, 3), "kim-payout-1", 10_00)
			t.returns(c.month(1, 15), "kim-hotel-refund", "kim-hotel", 400_00)
			t.redeems(c.month(1, 18), "kim-payout-2", 10_00)
			t.buys(c.month(1, 20), "kim-flight", 300_00, airline)
			t.returns(c.month(1, 25), "kim-flight-refund", "kim-flight", 120_00)
			t.settles(c.current(), "kim-dinner-2", 60_00, bistro)
		}},
}

// waiters have something that may not be redeemed yet.
var waiters = []part{
	{Story{"chloe", "Rewards that mature before they can be redeemed",
		"Chloe has the card in yen, whose rewards may be redeemed once they are 30 days old. An older purchase has matured: JPY 900, of which she redeemed JPY 500. " +
			"Two purchases of the last days have earned JPY 840, which are held. So a redemption of JPY 1,000 was denied, though her balance is JPY 1,240."},
		func(t *tale, c calendar) {
			t.joins(c.month(3, 20), nippon, "JPY")
			t.buys(c.month(2, 5), "chloe-coat", 90_000, department)
			t.redeems(c.month(1, 20), "chloe-payout-1", 500)
			t.buys(c.days(10), "chloe-suitcase", 48_000, department)
			t.buys(c.days(3), "chloe-omakase", 12_000, sushi)
			t.redeems(c.days(1), "chloe-payout-2", 1_000)
		}},
	{Story{"dan", "An announced refund holds the reward before the money moves",
		"Dan earned $24.00 on a television and $6.00 on groceries. Two days ago the shop took the television back; the refund has not posted. " +
			"The $24.00 are held already, so his redemption of $20.00 was denied. $6.00 are his to redeem. If the refund does not come within 30 days, the hold ends."},
		func(t *tale, c calendar) {
			t.buys(c.days(20), "dan-groceries", 100_00, greengrocer)
			t.buys(c.days(12), "dan-television", 800_00, soundCellar)
			t.announces(c.days(2), "dan-return", "dan-television", 800_00)
			t.redeems(c.days(1), "dan-payout", 20_00)
		}},
}

// corrected had something happen to them that somebody may want to look into.
var corrected = []part{
	{Story{"farid", "A refund that names no purchase, matched",
		"Farid bought two cameras at one shop, for $450.00 and for $800.00. The shop refunded $800.00 and did not say for which. It was placed on the purchase " +
			"that it fits exactly, whose $24.00 were clawed back; $13.50 are left. The match waits on the review list for somebody to confirm or correct it."},
		func(t *tale, c calendar) {
			t.buys(c.month(2, 6), "farid-camera-1", 450_00, cameraHouse)
			t.buys(c.month(2, 16), "farid-camera-2", 800_00, cameraHouse)
			t.refundedBy(c.days(8), cameraHouse, "farid-refund", 800_00)
		}},
	{Story{"grace", "Charged back, and the dispute lost: the reward is restored",
		"Grace disputed a purchase of $600.00, and the chargeback took its reward of $18.00 at once. A month later she lost the dispute: the purchase stands, and the $18.00 are back."},
		func(t *tale, c calendar) {
			t.buys(c.month(3, 5), "grace-laptop", 600_00, soundCellar)
			t.disputes(c.month(3, 25), "grace-dispute", "grace-laptop")
			t.says(c.month(2, 27), reward.ChargebackReversed, "grace-dispute")
		}},
	{Story{"hugo", "A refund whose purchase never arrived",
		"Nine days ago Hugo was refunded $75.00 for a purchase that has not been delivered. There is no reward of it to take, so the refund is parked and applies the moment the purchase arrives. " +
			"If it is still missing at the first statement after 30 days, the refund is matched with his other spend. It may turn out to be of his groceries, so $4.50 of their $7.20 are held until then: " +
			"that is what it would take, and $2.70 are his to redeem."},
		func(t *tale, c calendar) {
			t.buys(c.days(25), "hugo-groceries", 120_00, greengrocer)
			t.returns(c.days(9), "hugo-refund", "hugo-lost-purchase", 75_00)
		}},
	{Story{"ines", "Refunded more than was paid",
		"Ines returned a speaker of $200.00 and was refunded $215.00, with the postage. The refund takes the reward of $6.00 whole and nothing beyond it: her balance is $0.00. " +
			"The $15.00 too many are on the review list."},
		func(t *tale, c calendar) {
			t.buys(c.days(40), "ines-speaker", 200_00, soundCellar)
			t.returns(c.days(22), "ines-return", "ines-speaker", 215_00)
		}},
	{Story{"jonas", "The same purchase delivered twice, with two amounts",
		"A purchase of Jonas came as $120.00, and an hour later again as $210.00. The first delivery stands, with its reward of $3.60; the second changed nothing and is on the review list as a conflict."},
		func(t *tale, c calendar) {
			t.buys(c.days(5), "jonas-headset", 120_00, soundCellar)
			t.settles(c.days(5).Add(time.Hour), "jonas-headset", 210_00, soundCellar)
		}},
	{Story{"omar", "A gift returned by somebody who did not buy it",
		"Omar was refunded $60.00 for a gift that somebody else had paid for. All of his own spend, $25.00 of books, is taken to be what it was for, and its reward of $0.25 went. " +
			"For the other $35.00 there is no purchase and so no reward to take: it waits on the review list, and his balance is $0.00, never below."},
		func(t *tale, c calendar) {
			t.buys(c.days(70), "omar-books", 25_00, bookshop)
			t.refundedBy(c.days(33), bookshop, "omar-gift", 60_00)
		}},
	{Story{"paul", "A refund that bounced, and was paid again under its old number",
		"Paul returned a turntable of $250.00, and the refund took its reward of $7.50. His bank sent the money back, so the refund was undone and the $7.50 returned. " +
			"Then the shop paid again, under the same number. What was undone under a number does not count under it again, lest a late copy of it count twice; so his balance is $7.50 " +
			"and the second payment is on the review list, where somebody can have it count."},
		func(t *tale, c calendar) {
			t.buys(c.days(30), "paul-turntable", 250_00, soundCellar)
			t.returns(c.days(16), "paul-return", "paul-turntable", 250_00)
			t.says(c.days(13), reward.RefundReversed, "paul-return")
			t.returns(c.days(6), "paul-return", "paul-turntable", 250_00)
		}},
	{Story{"rosa", "A refund that names no purchase, and can be of one only",
		"Rosa bought groceries, and a camera for $320.00, all there is of hers at that shop. The shop refunded $320.00 and did not say for what, but there is nothing to doubt: the $9.60 of the camera " +
			"were clawed back, and her $4.80 from groceries are untouched. Such matches are listed apart from those that somebody should look at."},
		func(t *tale, c calendar) {
			t.buys(c.days(34), "rosa-groceries", 80_00, greengrocer)
			t.buys(c.days(28), "rosa-camera", 320_00, cameraHouse)
			t.refundedBy(c.days(9), cameraHouse, "rosa-refund", 320_00)
		}},
	{Story{"sven", "A refund in another currency",
		"Sven bought headphones for $180.00, settled in dollars, and took them back at a branch abroad, which refunded EUR 166.00. His account is in dollars, and nobody but his bank knows what that came to on the day: " +
			"the refund was refused and changed nothing. His $5.40 stay until somebody enters the amount in dollars on the review list, or dismisses it."},
		func(t *tale, c calendar) {
			t.buys(c.days(20), "sven-headphones", 180_00, soundCellar)
			t.currency = "EUR"
			t.returns(c.days(4), "sven-return", "sven-headphones", 166_00)
		}},
}

// quiet accounts are closed, new, or hard to show.
var quiet = []part{
	{Story{"leo", "A closed account that still takes refunds",
		"Leo earned $24.00, redeemed it and closed his account. A purchase that cleared afterwards earned nothing. A late refund of $100.00 took back its $6.00 all the same, " +
			"which leaves −$6.00 to be collected."},
		func(t *tale, c calendar) {
			t.buys(c.month(3, 8), "leo-groceries", 400_00, greengrocer)
			t.redeems(c.month(3, 20), "leo-payout", 24_00)
			t.tell(c.month(1, 10), reward.Event{Type: reward.AccountClosed})
			t.settles(c.month(1, 12), "leo-books", 40_00, bookshop)
			t.returns(c.month(1, 25), "leo-return", "leo-groceries", 100_00)
		}},
	{Story{"mia", "A new account",
		"Mia's account was opened yesterday, and nothing has happened on it."},
		func(t *tale, c calendar) {
			t.tell(c.days(1), reward.Event{Type: reward.AccountOpened, Fact: everyday})
		}},
	{Story{markupAccount, "An id that looks like markup",
		"Ids come from outside and may hold any text. This one is shown as it was sent, and nothing in it is bold. Groceries of $50.00 earned $3.00."},
		func(t *tale, c calendar) {
			t.buys(c.days(6), `<script>alert("t1")</script>`, 50_00, greengrocer)
		}},
	{Story{bidiAccount, "An id that changes the direction of writing",
		"This id has a sign that turns the text after it round, which must not reach beyond it. Groceries of $50.00 earned $3.00, and a conflicting delivery is on the review list."},
		func(t *tale, c calendar) {
			t.buys(c.days(4), "\u202etxt.1t", 50_00, greengrocer)
			t.settles(c.days(4).Add(time.Minute), "\u202etxt.1t", 50_01, greengrocer)
		}},
	{Story{longAccount, "An id that is very long",
		"An id may have up to 256 bytes, and a page should not grow as wide. Groceries of $50.00 earned $3.00."},
		func(t *tale, c calendar) {
			t.buys(c.days(4), "t1", 50_00, greengrocer)
		}},
}
