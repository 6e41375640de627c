package foreign

import (
	"time"

	"recoup/internal/issuer"
)

// laterUnnamed is how programs with a laterShelf say what becomes of credits that do not
// fit a purchase.
const laterUnnamed = " A purchase's category is the one the merchant's bank reports, or if none is reported, that of its" +
	" merchant category code: 5411 GROCERY, 5812 to 5814 DINING, 5541 and 5542 FUEL, 4511 TRAVEL, 5964 and 5969 ONLINE, any other OTHER. A credit counts against the purchase it names, at most up to what was paid for it. A credit that" +
	" names no purchase counts against your newest purchases at the same merchant, then of the" +
	" same category, then of the same merchant code, then any; what is left over counts" +
	" against your next purchases. A credit that posts before the purchase it names waits for it. A won dispute counts like a return."

// laterBuy is a purchase as the shelf keeps it.
type laterBuy struct {
	id, merchant, mcc, category string
	amount                      int64
	claimed                     int64 // by returns; may be more than the amount
	at                          time.Time
	mark                        int // of the design: where its own record of the purchase is
	retired                     bool
}

// left is what the customer has kept of the purchase.
func (b *laterBuy) left() int64 { return max(0, b.amount-b.claimed) }

// laterBack is a refund or a chargeback.
type laterBack struct {
	key, name               string // key is unique among both
	to                      string // the purchase; empty: none named
	amount                  int64
	whole                   bool
	merchant, mcc, category string

	waiting bool // for the purchase it names
	owed    int64
	claims  []laterClaim
}

type laterClaim struct {
	buy    *laterBuy
	amount int64
}

// laterHit says that a return lowered what is kept of a purchase, by amount above zero.
type laterHit struct {
	buy    *laterBuy
	amount int64
}

func laterOfRefund(r issuer.Refund) laterBack {
	return laterBack{key: "refund " + r.Refund, name: r.Refund, to: r.Transaction, amount: r.Amount,
		merchant: r.Merchant, mcc: r.MCC, category: r.Category}
}

func laterOfChargeback(c issuer.Chargeback) laterBack {
	return laterBack{key: "chargeback " + c.Chargeback, name: c.Chargeback, to: c.Transaction,
		amount: c.Amount, whole: c.Amount == 0}
}

// laterShelf keeps the purchases of one account and puts returns to them. It decides
// nothing about rewards: designs ask it what is kept of which purchase.
type laterShelf struct {
	buys  map[string]*laterBuy
	lists map[string][]*laterBuy // by merchant, category, MCC; under "" all
	backs map[string]*laterBack
	early map[string][]*laterBack // by the purchase they wait for
	owed  []*laterBack
}

// arrive takes in a purchase. It returns nil for one that is there already, or of nothing.
func (s *laterShelf) arrive(p issuer.Settlement, at time.Time) (*laterBuy, error) {
	if p.Transaction == "" {
		return nil, errLaterNoName
	}
	if p.Amount > laterLargest {
		return nil, errLaterTooLarge
	}
	if p.Amount <= 0 || s.buys[p.Transaction] != nil {
		return nil, nil
	}
	if s.buys == nil {
		s.buys, s.lists = map[string]*laterBuy{}, map[string][]*laterBuy{}
	}
	b := &laterBuy{id: p.Transaction, merchant: p.Merchant, mcc: p.MCC, category: p.Category, amount: p.Amount, at: at}
	s.buys[b.id] = b
	for _, k := range laterKeys(b.merchant, b.category, b.mcc) {
		s.lists[k] = append(s.lists[k], b)
	}
	for _, r := range s.early[b.id] {
		r.waiting = false
		s.claim(r, b)
	}
	delete(s.early, b.id)
	for len(s.owed) > 0 && b.left() > 0 {
		r := s.owed[0]
		take := min(r.owed, b.left())
		b.claimed += take
		r.owed -= take
		r.claims = append(r.claims, laterClaim{b, take})
		if r.owed == 0 {
			s.owed = s.owed[1:]
		}
	}
	return b, nil
}

// back takes in a return and says which purchases it lowers. A return that was there
// before, or of nothing, does not.
func (s *laterShelf) back(r laterBack) ([]laterHit, error) {
	if r.key == "refund " || r.key == "chargeback " || r.whole && r.to == "" {
		return nil, errLaterNoName
	}
	if r.amount <= 0 && !r.whole || s.backs[r.key] != nil {
		return nil, nil
	}
	r.amount = min(r.amount, laterLargest)
	if s.backs == nil {
		s.backs, s.early = map[string]*laterBack{}, map[string][]*laterBack{}
	}
	s.backs[r.key] = &r
	if r.to == "" {
		return s.match(&r), nil
	}
	b := s.buys[r.to]
	if b == nil {
		r.waiting = true
		s.early[r.to] = append(s.early[r.to], &r)
		return nil, nil
	}
	return s.claim(&r, b), nil
}

func (s *laterShelf) claim(r *laterBack, b *laterBuy) []laterHit {
	before, amount := b.left(), r.amount
	if r.whole {
		amount = b.amount
	}
	b.claimed += amount
	r.claims = append(r.claims, laterClaim{b, amount})
	if d := before - b.left(); d > 0 {
		return []laterHit{{b, d}}
	}
	return nil
}

// match puts a return that names no purchase to those that it can be of.
func (s *laterShelf) match(r *laterBack) []laterHit {
	var hits []laterHit
	rest := r.amount
	for _, k := range laterKeys(r.merchant, r.category, r.mcc) {
		l := s.lists[k]
		for len(l) > 0 && l[len(l)-1].left() == 0 {
			l[len(l)-1].retired = true
			l = l[:len(l)-1]
		}
		if s.lists != nil {
			s.lists[k] = l
		}
		for i := len(l) - 1; i >= 0 && rest > 0; i-- {
			b := l[i]
			take := min(rest, b.left())
			if take == 0 {
				continue
			}
			rest -= take
			b.claimed += take
			r.claims = append(r.claims, laterClaim{b, take})
			hits = append(hits, laterHit{b, take})
		}
	}
	if rest > 0 {
		r.owed = rest
		s.owed = append(s.owed, r)
	}
	return hits
}

// undo takes a return back and says which purchases it had claims on, and whether it was
// there. Its id stays used.
func (s *laterShelf) undo(key string) (touched []*laterBuy, known bool) {
	r := s.backs[key]
	if r == nil {
		return nil, false
	}
	for _, c := range r.claims {
		c.buy.claimed -= c.amount
		touched = append(touched, c.buy)
		if c.buy.retired { // where it can be matched again
			c.buy.retired = false
			for _, k := range laterKeys(c.buy.merchant, c.buy.category, c.buy.mcc) {
				s.lists[k] = append(s.lists[k], c.buy)
			}
		}
	}
	r.claims = nil
	if r.waiting {
		r.waiting, r.amount, r.whole = false, 0, false
	}
	if r.owed > 0 {
		r.owed = 0
		var rest []*laterBack
		for _, o := range s.owed {
			if o != r {
				rest = append(rest, o)
			}
		}
		s.owed = rest
	}
	return touched, true
}

func laterKeys(merchant, category, mcc string) []string {
	var keys []string
	if merchant != "" {
		keys = append(keys, "merchant "+merchant)
	}
	if category != "" {
		keys = append(keys, "category "+category)
	}
	if mcc != "" {
		keys = append(keys, "code "+mcc)
	}
	return append(keys, "")
}
