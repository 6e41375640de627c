package demo

import (
	"cmp"
	"fmt"
	"time"

	"recoup/reward"
)

// Source is the source of the events of all accounts with a story.
const Source = "processor"

// delivery is an event with the time at which it was delivered.
type delivery struct {
	at    time.Time
	event reward.Event
	// exact: its receipt is to be dated by it alone, since people will look at it.
	exact bool
}

// shop is where somebody buys.
type shop struct {
	merchant string
	mcc      string
}

var (
	greengrocer = shop{"green-valley-market", "5411"}
	soundCellar = shop{"sound-cellar", "5732"}
	cameraHouse = shop{"camera-house", "5732"}
	bookshop    = shop{"harbour-books", "5942"}
	bistro      = shop{"bistro-lumiere", "5812"}
	hotel       = shop{"hotel-bellevue", "7011"}
	airline     = shop{"northern-air", "4511"}
	department  = shop{"department-miyako", "5651"}
	sushi       = shop{"sushi-hanzo", "5812"}
	cafe        = shop{"bean-there", "5814"}
)

// tale writes the events of one account down. Amounts are minor units of its
// currency.
type tale struct {
	account  string
	currency string
	unit     string // of rewards; "" for the currency
	list     []delivery
}

func newTale(account string) *tale { return &tale{account: account, currency: "USD"} }

// tell adds an event that was delivered when it happened.
func (t *tale) tell(at time.Time, e reward.Event) {
	e.Source, e.ID = Source, fmt.Sprintf("%.100s-%d", t.account, len(t.list)+1)
	e.Account, e.Time = t.account, reward.At(at)
	t.list = append(t.list, delivery{at, e, true})
}

// money is tell for events with an amount.
func (t *tale) money(at time.Time, amount int64, e reward.Event) {
	e.Amount, e.HasAmount, e.Currency = amount, true, t.currency
	t.tell(at, e)
}

// joins opens the account under another program than the default one.
func (t *tale) joins(at time.Time, program, currency string) {
	t.currency = currency
	t.tell(at, reward.Event{Type: reward.AccountOpened, Fact: program})
}

// buys is authorised a day before it settles.
func (t *tale) buys(at time.Time, purchase string, amount int64, s shop) {
	t.purchase(reward.TransactionAuthorized, at.Add(-20*time.Hour), purchase, amount, s)
	t.settles(at, purchase, amount, s)
}

// settles is a purchase without an authorisation before it.
func (t *tale) settles(at time.Time, purchase string, amount int64, s shop) {
	t.purchase(reward.TransactionSettled, at, purchase, amount, s)
}

func (t *tale) purchase(what reward.Type, at time.Time, purchase string, amount int64, s shop) {
	mcc, _ := reward.ParseMCC(s.mcc)
	t.money(at, amount, reward.Event{Type: what, Transaction: purchase, Merchant: s.merchant, MCC: mcc})
}

// returns is a refund that names its purchase.
func (t *tale) returns(at time.Time, refund, purchase string, amount int64) {
	t.money(at, amount, reward.Event{Type: reward.RefundPosted, Fact: refund, Transaction: purchase})
}

// refundedBy is a refund that names a shop and no purchase.
func (t *tale) refundedBy(at time.Time, s shop, refund string, amount int64) {
	mcc, _ := reward.ParseMCC(s.mcc)
	t.money(at, amount, reward.Event{Type: reward.RefundPosted, Fact: refund, Merchant: s.merchant, MCC: mcc})
}

// announces is a return that the shop has taken and not paid for yet.
func (t *tale) announces(at time.Time, refund, purchase string, amount int64) {
	t.money(at, amount, reward.Event{Type: reward.RefundPending, Fact: refund, Transaction: purchase})
}

// disputes charges a whole purchase back.
func (t *tale) disputes(at time.Time, chargeback, purchase string) {
	t.tell(at, reward.Event{Type: reward.ChargebackPosted, Fact: chargeback, Transaction: purchase})
}

// redeems asks for a payout, which may be denied.
func (t *tale) redeems(at time.Time, redemption string, amount int64) {
	t.tell(at, reward.Event{
		Type: reward.RedemptionRequested, Fact: redemption, Method: "statement_credit",
		Amount: amount, HasAmount: true, Currency: cmp.Or(t.unit, t.currency),
	})
}

// says is an event about a fact, such as its undoing.
func (t *tale) says(at time.Time, what reward.Type, fact string) {
	t.tell(at, reward.Event{Type: what, Fact: fact})
}
