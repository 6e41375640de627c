package truth

import (
	"slices"
	"time"
)

// Kind is what a purchase is of, as a settlement can say it.
type Kind struct {
	Category string // "" for what no program has a category for
	MCC      string // four digits
}

// Shop is a merchant and the kinds that it sells.
type Shop struct {
	Merchant string
	Sells    []Kind
}

// The kinds that are bought. Nothing puts the last one into a category.
var (
	groceries = Kind{"GROCERY", "5411"}
	fuel      = Kind{"GAS", "5541"}
	meals     = Kind{"DINING", "5812"}
	hotels    = Kind{"TRAVEL", "7011"}
	homeGoods = Kind{"HOME", "5200"}
	books     = Kind{"", "5942"}
)

// shops are where accounts buy. That most sell several kinds, and each kind is sold at
// several, is what makes a refund without a link hard to place.
var shops = []Shop{
	{"hypermarket", []Kind{groceries, homeGoods, fuel}},
	{"grocer", []Kind{groceries}},
	{"station", []Kind{fuel, groceries}},
	{"bistro", []Kind{meals}},
	{"hotel", []Kind{hotels, meals}},
	{"warehouse", []Kind{homeGoods, books, groceries}},
	{"bookshop", []Kind{books, meals}},
}

// Purchase is one purchase of an account. Its id follows from its number.
type Purchase struct {
	Number   int // unlike that of any other purchase of the account
	At       time.Time
	Amount   int64 // minor units, above zero
	Merchant string
	Kind     Kind
}

// Return is goods brought back: what was returned of which purchase, and when.
type Return struct {
	Number   int // unlike that of any other return of the account
	Purchase int // the purchase's number
	Amount   int64
	At       time.Time
}

// History is what truly happened on one account. The returns of a purchase never add
// up to more than its amount.
type History struct {
	Purchases []Purchase
	Returns   []Return
}

// purchase returns the purchase of a number, nil if there is none.
func (h *History) purchase(number int) *Purchase {
	for i := range h.Purchases {
		if h.Purchases[i].Number == number {
			return &h.Purchases[i]
		}
	}
	return nil
}

// returned is how much of a purchase was brought back, in minor units.
func (h *History) returned(number int) (sum int64) {
	for _, r := range h.Returns {
		if r.Purchase == number {
			sum += r.Amount
		}
	}
	return sum
}

// clone returns a copy that can be changed on its own.
func (h *History) clone() *History {
	return &History{slices.Clone(h.Purchases), slices.Clone(h.Returns)}
}

// nextPurchase and nextReturn are numbers that are not taken.
func (h *History) nextPurchase() (n int) {
	for _, p := range h.Purchases {
		n = max(n, p.Number+1)
	}
	return n
}

func (h *History) nextReturn() (n int) {
	for _, r := range h.Returns {
		n = max(n, r.Number+1)
	}
	return n
}
