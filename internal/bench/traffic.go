package bench

import (
	"math/rand/v2"
	"strconv"
	"time"

	"recoup/reward"
)

// traffic makes up the events of one client: of a hundred, 80 settlements, 10
// linked refunds, 5 redemptions, 2 authorisations, and one each of announced
// refunds, chargebacks and adjustments. Accounts are drawn evenly. What refers to
// a purchase refers to one of this client's that was answered, so each event has
// an outcome that is known beforehand, or one of two.
type traffic struct {
	client   int
	accounts int
	random   *rand.Rand
	last     int64 // microseconds of the latest id
	// purchases are open: answered, and not reversed yet. The oldest are
	// forgotten.
	purchases []purchase
	oldest    int // once there are maxPurchases
}

type purchase struct {
	account, id string
	amount      int64
}

// maxPurchases bounds what a client remembers.
const maxPurchases = 1024

func newTraffic(client, accounts int, seed uint64) *traffic {
	return &traffic{client: client, accounts: accounts, random: rand.New(rand.NewPCG(seed, uint64(client)))}
}

// source is that of all events of loads.
const source = "bench"

// next makes up an event of the moment.
func (t *traffic) next(now time.Time) reward.Event {
	suffix := t.suffix(now)
	e := reward.Event{Source: source, ID: "e" + suffix, Time: reward.At(now), Currency: "USD", HasAmount: true}
	kind := t.random.IntN(100)
	if kind >= 80 && kind < 92 && len(t.purchases) == 0 {
		kind = 0
	}
	if kind >= 80 && kind < 92 {
		p := t.takePurchase(kind != 91)
		e.Account, e.Transaction, e.Amount = p.account, p.id, p.amount
		switch {
		case kind < 90:
			e.Type, e.Fact = reward.RefundPosted, "r"+suffix
		case kind == 90:
			e.Type, e.Fact, e.Currency = reward.ChargebackPosted, "c"+suffix, ""
		default:
			e.Type, e.Fact = reward.RefundPending, "r"+suffix
		}
		return e
	}
	e.Account = accountName(t.random.IntN(t.accounts))
	switch {
	case kind < 80, kind >= 97 && kind < 99:
		e.Type, e.Transaction, e.Amount = reward.TransactionSettled, "t"+suffix, 100+t.random.Int64N(20_000)
		if kind >= 97 {
			e.Type = reward.TransactionAuthorized
		}
		place := t.random.IntN(len(places))
		e.Merchant, e.MCC = "m"+strconv.Itoa(place*100+t.random.IntN(100)), places[place]
	case kind < 97:
		e.Type, e.Fact, e.Amount = reward.RedemptionRequested, "d"+suffix, 1+t.random.Int64N(20)
	default:
		e.Type, e.Fact, e.Amount = reward.AdjustmentPosted, "a"+suffix, 1+t.random.Int64N(100)
		e.Reason, e.Actor = "goodwill", source
	}
	return e
}

// places are the merchant category codes of purchases: groceries, meals, fuel,
// clothes.
var places = func() (codes []reward.MCC) {
	for _, code := range []string{"5411", "5812", "5541", "5651"} {
		c, _ := reward.ParseMCC(code)
		codes = append(codes, c)
	}
	return codes
}()

// suffix is the part of ids that makes them unique and lets them sort by time:
// microseconds, each used once, and the client. It is of letters alone, so that none is
// ever taken for the number of a card.
func (t *traffic) suffix(now time.Time) string {
	t.last = max(t.last+1, now.UnixMicro())
	b := make([]byte, 0, 24)
	b = appendLetters(b, uint64(t.last), 13)
	b = appendLetters(b, uint64(t.client), 4)
	return string(b)
}

// appendLetters appends the digits of a number to the base of 16, each as a letter.
func appendLetters(b []byte, n uint64, digits int) []byte {
	for shift := 4 * (digits - 1); shift >= 0; shift -= 4 {
		b = append(b, "abcdefghijklmnop"[n>>shift&15])
	}
	return b
}

func accountName(n int) string {
	b := append(make([]byte, 0, 16), "acct-"...)
	for unit := 10_000_000; unit > 0; unit /= 10 {
		b = append(b, '0'+byte(n/unit%10))
	}
	return string(b)
}

// takePurchase draws an open purchase, which is open no longer if it is to be
// reversed.
func (t *traffic) takePurchase(reverse bool) purchase {
	i := t.random.IntN(len(t.purchases))
	p := t.purchases[i]
	if reverse {
		last := len(t.purchases) - 1
		t.purchases[i] = t.purchases[last]
		t.purchases = t.purchases[:last]
	}
	return p
}

// answered takes in what became of an event and reports whether it could.
func (t *traffic) answered(e *reward.Event, r reward.Result) bool {
	if r != (reward.Result{Outcome: reward.Applied}) {
		// Whether there is something to redeem depends on what others have done.
		return e.Type == reward.RedemptionRequested && r.Outcome == reward.Rejected &&
			(r.Code == reward.InsufficientBalance || r.Code == reward.OutstandingNegativeBalance || r.Code == reward.GraceHold)
	}
	if e.Type == reward.TransactionSettled {
		p := purchase{e.Account, e.Transaction, e.Amount}
		if len(t.purchases) < maxPurchases {
			t.purchases = append(t.purchases, p)
		} else {
			t.oldest = (t.oldest + 1) % maxPurchases
			t.purchases[t.oldest] = p
		}
	}
	return true
}
