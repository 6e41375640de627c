package foreign

import (
	"fmt"
	"time"
)

var tulipZurich = tulipZone("Europe/Zurich")

var tulipVoucherDesign = Design{
	Name:   "tulip-voucher",
	Source: "Style of Swiss retailers' stamp and voucher schemes (blue vouchers of 5 francs, sent in runs); section 5.3 III-A",
	Published: "A blue voucher of 5.00 CHF for each full 500.00 CHF that you spend (fuel, dining and restaurants not counted), a red voucher of 4.00 CHF for each full " +
		"80.00 CHF spent on dining and restaurants; what is short of a voucher carries over for ever. Vouchers are sent on the 1st of a month for what we had heard of by then, and can be used at once, in part too. " +
		"Returns are deducted from the spend: whole vouchers that are no longer covered are withdrawn at once, used ones are owed. A return that we cannot assign is deducted from both counts.",
	How: "Spend counters per colour over the account's life; vouchers issued in runs, withdrawn whole on the day of the return (a return of one franc may withdraw five) " +
		"and issued anew by a later run when the count has recovered. No row names a purchase.",
	Class:    "robust",
	Currency: "CHF",
	New: func() Engine {
		return tulipOpen(func(f *tulipFile) tulipClerk {
			return &tulipVoucher{f: f, counted: map[*tulipBuy]bool{}, due: tulipCycle(f.now, tulipZurich, 1).AddDate(0, 1, 0),
				books: []*tulipStamps{
					{colour: "blue", each: 50000, worth: 500, not: []string{"FUEL", "DINING", "RESTAURANT"}},
					{colour: "red", each: 8000, worth: 400, only: []string{"DINING", "RESTAURANT"}},
				}}
		})
	},
}

// tulipStamps is a series of vouchers.
type tulipStamps struct {
	colour      string
	each, worth int64 // spend for a voucher, and what one is worth
	only, not   []string
	issued      int64
}

// takes reports whether spend of the category counts.
func (s *tulipStamps) takes(category string) bool {
	for _, n := range s.not {
		if n == category {
			return false
		}
	}
	for _, o := range s.only {
		if o == category {
			return true
		}
	}
	return len(s.only) == 0
}

// tulipVoucher counts spend and sends vouchers.
type tulipVoucher struct {
	f       *tulipFile
	books   []*tulipStamps
	counted map[*tulipBuy]bool
	astray  int64
	due     time.Time
}

// covered is how many vouchers of the series the spend that a run has counted pays for.
func (c *tulipVoucher) covered(s *tulipStamps) int64 {
	spend := -c.astray
	for _, b := range c.f.buys {
		if c.counted[b] && s.takes(b.category) {
			spend += b.net()
		}
	}
	return max(0, spend) / s.each
}

func (c *tulipVoucher) bought(*tulipBuy) {}

func (c *tulipVoucher) returned(b *tulipBuy, r tulipReturn) {
	if b == nil {
		c.astray += r.amount
	}
	for _, s := range c.books {
		if n := s.issued - c.covered(s); n > 0 {
			s.issued -= n
			c.f.post(Reversed, -n*s.worth, "", r.id, fmt.Sprintf("%d %s withdrawn", n, s.colour))
		}
	}
}

func (c *tulipVoucher) next() time.Time { return c.due }

func (c *tulipVoucher) run(at time.Time) {
	c.due = at.AddDate(0, 1, 0)
	for _, b := range c.f.buys {
		c.counted[b] = true
	}
	for _, s := range c.books {
		if n := c.covered(s) - s.issued; n > 0 {
			s.issued += n
			c.f.post(Earned, n*s.worth, "", "", fmt.Sprintf("%d %s", n, s.colour))
		}
	}
}

func (c *tulipVoucher) redeemable() int64 { return c.f.balance }
