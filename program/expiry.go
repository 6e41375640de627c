package program

import (
	"recoup/internal/kit/yamltree"
	"recoup/reward"
)

// readExpiry reads after how many months rewards expire that nobody used.
func (d *draft) readExpiry(n yamltree.Node) error {
	d.expires = &n
	return n.Mapping(yamltree.Required("months", "after how many months rewards expire",
		yamltree.Between(&d.p.ExpiryMonths, "months", 1, reward.MaxExpiryMonths)))
}

// shortestMonth bounds from below how long a reward may be used, by the months after
// which it expires.
const shortestMonth = 28 // days

// finishExpiry refuses rewards that could expire before anybody could use them.
func (d *draft) finishExpiry() error {
	p := d.p
	if p.ExpiryMonths == 0 || p.MaturityDays < shortestMonth*p.ExpiryMonths {
		return nil
	}
	most := shortestMonth*p.ExpiryMonths - 1
	if enough := p.MaturityDays/shortestMonth + 1; enough <= reward.MaxExpiryMonths {
		return d.expires.Fail("with maturity_days: %d rewards could expire before they may be redeemed: expected at least {months: %d}, or maturity_days of at most %d", p.MaturityDays, enough, most)
	}
	return d.expires.Fail("with maturity_days: %d rewards could expire before they may be redeemed: expected maturity_days of at most %d", p.MaturityDays, most)
}

// expiry is about rewards of a lifetime limit, what is held of which does not
// follow what has expired.
func (w *words) expiry() (list []string) {
	p := w.p
	if p.ExpiryMonths == 0 {
		return nil
	}
	for i := range p.Layers {
		for j := range p.Layers[i].Rules {
			if r := &p.Layers[i].Rules[j]; r.Per == reward.PerLifetime && !r.Whole && (r.Cap != reward.NoCap || r.Places > 0 || len(r.Steps) > 0) {
				list = append(list, w.tell("rules.%s: its limit is of a lifetime and rewards expire: an announced return of a purchase whose reward has expired holds as much of what has not, until it is posted and takes nothing.", r.ID))
			}
		}
	}
	return list
}
