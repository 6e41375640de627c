package lab

import (
	"io"
)

// Report is what the lab found, on one page for people who decide on reward
// programs.
type Report struct {
	sections []section
	tiles    []tile
}

// NewReport runs the lab. A comparison is shown if there is one.
func NewReport(c *Comparison) (*Report, error) {
	ours, err := FindDesign(recoupName)
	if err != nil {
		return nil, err
	}
	issuers, err := IssuerTable(AllDesigns())
	if err != nil {
		return nil, err
	}
	timelines, err := timelineSection(append(Designs(), ours))
	if err != nil {
		return nil, err
	}
	gaps, err := GapTable()
	if err != nil {
		return nil, err
	}
	r := &Report{sections: []section{issuerSection(issuers), timelines}}
	if c != nil {
		r.sections = append(r.sections, comparisonSection(c))
	}
	r.sections = append(r.sections, gapSection(gaps))
	return r, nil
}

// Write writes the page: one file of HTML that needs nothing from elsewhere.
func (r *Report) Write(w io.Writer) error {
	p := page{
		Heading: "Refunded but rewarded",
		Lead: []string{
			"Cashback is paid on purchases that can be taken back. Where a refund does not take the reward back as well, or only after the reward can be cashed, a customer can buy, redeem, return and keep the reward on no spend at all, month after month, with nothing but a card and a receipt. This page shows which designs of reward programs allow that, what it costs each of them, and what ends it.",
		},
		Tiles: r.tiles, Sections: r.sections,
	}
	return p.write(w)
}
