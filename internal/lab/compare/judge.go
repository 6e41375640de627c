package compare

import "recoup/internal/scenario"

// result adds up what the fields ended with, and judges it by what Recoup knows
// that was told all links.
func (c *comparing) result() *Comparison {
	r := c.sofar
	r.NotSupported = c.unsaid
	if c.to != 0 {
		r.From, r.To = c.from.Time(), c.to.Time()
	}
	truth := c.told.truth
	r.Judged = Judged{
		LinksWithheld: c.told != c.recoup,
		Refunds:       truth.refunds, Unlinked: truth.unlinked, UnlinkedAmount: truth.unlinkedAmount,
	}
	dues := make(map[string]scenario.Due)
	for id, state := range c.told.accounts() {
		a := truth.account(id)
		d := a.due(reversedIn(&state))
		dues[id] = d
		r.Accounts++
		r.Entitlement += d.Exact
		r.NetSpend += state.NetSpend
		r.Judged.ByReckoning += a.due(a.reversed()).Exact - d.Exact
	}
	r.Purchased = c.told.purchased
	for _, f := range c.fields[:c.designs] {
		f.measure(dues)
		r.Designs = append(r.Designs, f.figures)
	}
	if !r.Judged.LinksWithheld {
		return &r
	}
	c.toldField.measure(dues)
	r.Told = &c.toldField.figures
	before := r.Designs[len(r.Designs)-1].Shortfall
	for _, resolved := range c.resolving {
		resolved.field.measure(dues)
		resolved.Figures = resolved.field.figures
		resolved.GivenBack = before - resolved.Figures.Shortfall
		r.Resolutions = append(r.Resolutions, resolved.Resolution)
	}
	return &r
}
