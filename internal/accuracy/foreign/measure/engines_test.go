package measure_test

import (
	"time"

	"recoup/internal/accuracy/foreign"
	"recoup/internal/issuer"
)

// plainCard is a card that pays one percent at once and takes back each refund's share
// of what is left: the sound one of the tests. What else it does is a function of the
// test, so that the harness is tried out on flaws of known size.
type plainCard struct {
	now     time.Time
	clients map[string]*client
	// take says what is taken back of a share, given the balance.
	take func(share, balance int64, late bool) int64
}

type client struct {
	sales    map[string]*sale
	order    []string // of the sales
	seen     map[string]bool
	books    []foreign.Posting
	balance  int64
	redeemed map[string]bool
}

type sale struct {
	left, reward int64
	month        time.Month
	early        int64 // returned before it was heard of
}

func newPlainCard(take func(share, balance int64, late bool) int64) foreign.Engine {
	return &plainCard{clients: map[string]*client{}, take: take}
}

func (p *plainCard) of(account string) *client {
	if p.clients[account] == nil {
		p.clients[account] = &client{sales: map[string]*sale{}, seen: map[string]bool{}, redeemed: map[string]bool{}}
	}
	return p.clients[account]
}

func (p *plainCard) Open(account string) error           { p.of(account); return nil }
func (p *plainCard) SetClock(now time.Time) error        { p.now = now; return nil }
func (p *plainCard) CloseStatement(string) error         { return nil }
func (p *plainCard) Postings(a string) []foreign.Posting { return p.of(a).books }

func (p *plainCard) Balance(a string) (issuer.Balance, error) {
	return issuer.Balance{Balance: p.of(a).balance, Redeemable: max(0, p.of(a).balance)}, nil
}

func (p *plainCard) post(c *client, kind foreign.Kind, amount int64, transaction, refund string) {
	if amount != 0 {
		c.balance += amount
		c.books = append(c.books, foreign.Posting{At: p.now, Kind: kind, Amount: amount, Transaction: transaction, Refund: refund})
	}
}

func (p *plainCard) Settle(s issuer.Settlement) error {
	c := p.of(s.Account)
	known := c.sales[s.Transaction]
	if known == nil {
		known = &sale{}
		c.sales[s.Transaction] = known
	}
	if s.Amount <= 0 || known.month != 0 {
		return nil
	}
	known.left, known.month = max(0, s.Amount-known.early), p.now.Month()
	known.reward = known.left / 100
	c.order = append(c.order, s.Transaction)
	p.post(c, foreign.Earned, known.reward, s.Transaction, "")
	return nil
}

func (p *plainCard) Refund(r issuer.Refund) error {
	return p.back(r.Account, r.Refund, r.Transaction, r.Amount)
}

// Chargeback without an amount takes what is left, of what is still to come too.
func (p *plainCard) Chargeback(c issuer.Chargeback) error {
	amount := c.Amount
	if amount == 0 {
		amount = 1 << 40
		if s := p.of(c.Account).sales[c.Transaction]; s != nil && s.month != 0 {
			amount = s.left
		}
	}
	return p.back(c.Account, c.Chargeback, c.Transaction, amount)
}

func (p *plainCard) back(account, id, of string, amount int64) error {
	c := p.of(account)
	if c.seen[id] {
		return nil
	}
	c.seen[id] = true
	if of != "" && c.sales[of] == nil {
		c.sales[of] = &sale{}
	}
	if s := c.sales[of]; s != nil && s.month == 0 {
		s.early += amount
		return nil
	}
	// What names no purchase is of the latest, at one rate for all, and what is above the
	// purchase that it names takes the place of what was.
	for i := len(c.order); i >= 0 && amount > 0; i-- {
		at := of
		if i < len(c.order) {
			at = c.order[i]
		}
		if s := c.sales[at]; s != nil {
			part := min(amount, s.left)
			p.takeBack(c, id, at, part)
			amount -= part
		}
	}
	return nil
}

func (p *plainCard) takeBack(c *client, id, of string, amount int64) {
	s := c.sales[of]
	s.left -= amount
	keep := s.left / 100
	share := s.reward - keep
	s.reward = keep
	p.post(c, foreign.Reversed, -p.take(share, c.balance, p.now.Month() != s.month), of, id)
}

func (p *plainCard) Redeem(r issuer.Redemption) (bool, error) {
	c := p.of(r.Account)
	if r.Amount <= 0 || r.Amount > c.balance || c.redeemed[r.Redemption] {
		return false, nil
	}
	c.redeemed[r.Redemption] = true
	c.balance -= r.Amount
	return true, nil
}

// The flaws: of a share of the reward, what is taken.
func all(share, _ int64, _ bool) int64               { return share }
func nothing(int64, int64, bool) int64               { return 0 }
func whatIsThere(share, balance int64, _ bool) int64 { return min(share, max(0, balance)) }
func sameMonth(share, _ int64, late bool) int64 {
	if late {
		return 0
	}
	return share
}

// designs are the card with each flaw.
func designs() []foreign.Design {
	card := func(name, class string, take func(share, balance int64, late bool) int64) foreign.Design {
		return foreign.Design{Name: name, Class: class, Currency: "USD", New: func() foreign.Engine { return newPlainCard(take) }}
	}
	return []foreign.Design{card("all", "robust", all), card("nothing", "V1", nothing), card("floor", "V3(a)", whatIsThere), card("month", "V2", sameMonth)}
}
