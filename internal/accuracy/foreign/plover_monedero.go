package foreign

import (
	"fmt"
	"time"

	"recoup/internal/issuer"
)

// ploverMonedero leaks otherwise: it takes the second of two equal returns of one ticket for
// the first one sent again.
var ploverMonedero = Design{
	Name: "plover-monedero",
	Source: "After the electronic purses of Mexican supermarkets and department stores, with " +
		"a campaign in November; from memory.",
	Published: "2 centavos for every full peso of a ticket, 5 for the home (HOME), and 10 for the " +
		"home from 13 to 16 November 2026. The money is in the purse at once. If you return " +
		"goods, what they earned leaves the purse, which may owe us.",
	How: "A ticket is granted at once. A return takes back what the ticket has earned too much; " +
		"rows name both. Tills send a return again under a new number when the line fails, so a " +
		"return is known again by its ticket and its amount, and not by its number. Returns " +
		"without a ticket are known by their number and cost 10 centavos for every peso begun." + ploverUnknown,
	Class: "other",
	Leak: "Of two equal partial returns of one ticket only the first is taken back. Two " +
		"televisions at MXN 6,000 on one ticket (HOME) earn MXN 600; each is returned by itself, the " +
		"first takes 300, the second is held for a repetition: MXN 300 for no purchase.",
	Currency: "MXN",
	New: func() Engine {
		zone := ploverZone("America/Mexico_City")
		desk := ploverNew(func(a *ploverAccount) ploverPlan { return &ploverPurse{a: a, zone: zone} })
		desk.refundKey = ploverTillKey
		return desk
	},
}

const ploverPeso = 100

// ploverTillKey is the flaw: equal returns of one ticket have the same key.
func ploverTillKey(r issuer.Refund) string {
	if r.Transaction == "" {
		return "number " + r.Refund
	}
	return fmt.Sprintf("ticket %s %d", r.Transaction, r.Amount)
}

type ploverPurse struct {
	a    *ploverAccount
	zone *time.Location
}

// rate is the centavos per full peso of a ticket.
func (p *ploverPurse) rate(b *ploverBuy) int64 {
	if b.category != "HOME" {
		return 2
	}
	y, m, d := b.at.In(p.zone).Date()
	if y == 2026 && m == time.November && d >= 13 && d <= 16 {
		return 10
	}
	return 5
}

func (p *ploverPurse) bought(b *ploverBuy) {
	p.a.post(Earned, p.rate(b)*b.units(ploverPeso), b.id, "", "Abono a monedero")
}

func (p *ploverPurse) back(b *ploverBuy, part ploverPart) {
	before := (b.left() + part.amount) / ploverPeso
	p.a.post(Reversed, -p.rate(b)*(before-b.units(ploverPeso)), b.id, part.id, "Devolución")
}

func (p *ploverPurse) loose(part ploverPart) int64 {
	charged := 10 * part.begun(ploverPeso)
	p.a.post(Reversed, -charged, "", part.id, "Devolución sin ticket")
	return charged
}

func (p *ploverPurse) lift(part ploverPart, charged int64) {
	p.a.post(Adjusted, charged, "", part.id, "Devolución: ticket encontrado")
}

// next is never: everything happens with its ticket.
func (p *ploverPurse) next(time.Time) time.Time { return time.Time{} }

func (p *ploverPurse) run() {}

func (p *ploverPurse) free() int64 { return p.a.balance() }
