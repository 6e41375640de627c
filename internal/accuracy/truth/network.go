package truth

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"
)

// Refund is a return, or a part of one, or several, as a network delivers it.
type Refund struct {
	ID     string
	At     time.Time
	Amount int64
	// Link is the purchase that it names, rightly or not; "" for none.
	Link string
	// Merchant, Category and MCC are what it says of where the goods came from.
	Merchant, Category, MCC string
	// Of is what it is truly of; the amounts add up to Amount.
	Of []Share
}

// Share is an amount of one purchase, in minor units.
type Share struct {
	Purchase int
	Amount   int64
}

// network turns returns into refunds. What becomes of a return depends on the seed and
// on its number alone, so that a history can change elsewhere.
type network struct {
	history *History
	seed    uint64
	refunds []Refund
}

func (n *network) draw(r *Return) *rand.Rand { return rand.New(rand.NewPCG(n.seed, uint64(r.Number))) }

// refund begins the refund of a return: it says nothing yet.
func (n *network) refund(r *Return) *Refund {
	n.refunds = append(n.refunds, Refund{
		ID: fmt.Sprintf("r%d", r.Number), At: r.At, Amount: r.Amount, Of: []Share{{r.Purchase, r.Amount}},
	})
	return &n.refunds[len(n.refunds)-1]
}

// says is how much a refund says of what it is of.
type says uint8

const (
	nothing    says = 0
	merchant   says = 1
	kind       says = 2
	everything says = merchant | kind
)

func anything(rng *rand.Rand) says { return says(rng.IntN(4)) }

// tell has a refund say what is true of a purchase: of its kind the category, the code
// or both.
func (f *Refund) tell(rng *rand.Rand, s says, p *Purchase) {
	how := rng.IntN(3)
	if s&merchant != 0 {
		f.Merchant = p.Merchant
	}
	if s&kind == 0 {
		return
	}
	if how != 0 {
		f.Category = p.Kind.Category
	}
	if how != 1 || f.Category == "" {
		f.MCC = p.Kind.MCC
	}
}

// plain delivers each return as one refund, which says what it is let to.
func plain(what func(*rand.Rand) says) func(*network, []Return) {
	return func(n *network, returns []Return) {
		for _, r := range returns {
			rng := n.draw(&r)
			s := what(rng)
			n.refund(&r).tell(rng, s, n.history.purchase(r.Purchase))
		}
	}
}

func always(s says) func(*rand.Rand) says { return func(*rand.Rand) says { return s } }

// purchaseID is a purchase's id on the wire.
func purchaseID(number int) string { return fmt.Sprintf("t%d", number) }

// linked delivers refunds that name their purchase.
func linked(n *network, returns []Return) {
	for _, r := range returns {
		n.refund(&r).Link = purchaseID(r.Purchase)
	}
}

// split delivers each return in two to four refunds, days apart, each of which says
// something else.
func split(n *network, returns []Return) {
	for _, r := range returns {
		rng := n.draw(&r)
		parts := min(int64(2+rng.IntN(3)), r.Amount)
		left, at := r.Amount, r.At
		for i := range parts {
			amount := left
			if more := parts - 1 - i; more > 0 {
				amount = 1 + rng.Int64N(left-more)
			}
			f := n.refund(&r)
			f.ID += fmt.Sprintf("-%d", i)
			f.At, f.Amount, f.Of = at, amount, []Share{{r.Purchase, amount}}
			f.tell(rng, anything(rng), n.history.purchase(r.Purchase))
			left -= amount
			at = at.Add(time.Duration(rng.IntN(4*24)) * time.Hour)
		}
	}
}

// merged delivers the returns at one shop two by two, as one refund when the second is
// made. It says of their kind only what is true of both.
func merged(n *network, returns []Return) {
	waiting := make(map[string]Return) // by merchant
	returns = slices.Clone(returns)
	slices.SortStableFunc(returns, func(a, b Return) int { return a.At.Compare(b.At) })
	for _, r := range returns {
		p := n.history.purchase(r.Purchase)
		first, both := waiting[p.Merchant]
		if !both {
			waiting[p.Merchant] = r
			continue
		}
		delete(waiting, p.Merchant)
		rng := n.draw(&r)
		s := anything(rng)
		if n.history.purchase(first.Purchase).Kind != p.Kind {
			s &^= kind
		}
		f := n.refund(&r)
		f.Amount += first.Amount
		f.Of = append(f.Of, Share{first.Purchase, first.Amount})
		f.tell(rng, s, p)
	}
	for _, r := range returns { // those that found no second
		p := n.history.purchase(r.Purchase)
		if alone, is := waiting[p.Merchant]; is && alone.Number == r.Number {
			plain(anything)(n, []Return{r})
		}
	}
}

// late delivers refunds two to seven months after the goods came back.
func late(n *network, returns []Return) {
	for _, r := range returns {
		rng, p := n.draw(&r), n.history.purchase(r.Purchase)
		f := n.refund(&r)
		f.At = f.At.Add(time.Duration(60+rng.IntN(140)) * day)
		if last := p.At.Add(window); f.At.After(last) {
			f.At = last
		}
		f.tell(rng, anything(rng), p)
	}
}

// early delivers refunds up to nine days before the purchase settles.
func early(n *network, returns []Return) {
	for _, r := range returns {
		rng, p := n.draw(&r), n.history.purchase(r.Purchase)
		f := n.refund(&r)
		f.At = p.At.Add(-time.Duration(1+rng.IntN(9*24)) * time.Hour)
		f.tell(rng, anything(rng), p)
	}
}

// deadLink delivers refunds that name a purchase which never comes, and otherwise say
// what is true.
func deadLink(n *network, returns []Return) {
	for _, r := range returns {
		rng := n.draw(&r)
		f := n.refund(&r)
		f.Link = fmt.Sprintf("lost-%d", r.Number)
		f.tell(rng, anything(rng), n.history.purchase(r.Purchase))
	}
}

// wrongLink delivers refunds that name another purchase of the account, if there is
// one.
func wrongLink(n *network, returns []Return) {
	for _, r := range returns {
		rng := n.draw(&r)
		f := n.refund(&r)
		f.tell(rng, everything, n.history.purchase(r.Purchase))
		others := slices.DeleteFunc(slices.Clone(n.history.Purchases), func(p Purchase) bool { return p.Number == r.Purchase })
		if len(others) > 0 {
			f.Link = purchaseID(others[rng.IntN(len(others))].Number)
		}
	}
}

// otherMerchant delivers refunds under the merchant id of the shop's returns desk, half
// of them with the kind of the goods.
func otherMerchant(n *network, returns []Return) {
	for _, r := range returns {
		rng, p := n.draw(&r), n.history.purchase(r.Purchase)
		f := n.refund(&r)
		if rng.IntN(2) == 0 {
			f.tell(rng, kind, p)
		}
		f.Merchant = p.Merchant + "-returns"
	}
}

// otherCode delivers refunds under the code of a returns desk, half of them with the
// shop's merchant id.
func otherCode(n *network, returns []Return) {
	for _, r := range returns {
		rng := n.draw(&r)
		f := n.refund(&r)
		if rng.IntN(2) == 0 {
			f.tell(rng, merchant, n.history.purchase(r.Purchase))
		}
		f.MCC = "7399" // business services
	}
}

// mix delivers each return in one of several ways, drawn for it.
func mix(ways ...func(*network, []Return)) func(*network, []Return) {
	return func(n *network, returns []Return) {
		drawn := make([][]Return, len(ways))
		for _, r := range returns {
			way := rand.New(rand.NewPCG(^n.seed, uint64(r.Number))).IntN(len(ways))
			drawn[way] = append(drawn[way], r)
		}
		for i, way := range ways {
			way(n, drawn[i])
		}
	}
}
