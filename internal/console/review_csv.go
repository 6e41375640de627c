package console

import (
	"net/http"

	"recoup/internal/console/overview"
)

// reviewsFile is the list of reviews as a file, by the filter and in the order of the page.
func (c *Console) reviewsFile(v *visit) error {
	f := c.reviewFilter(v)
	if !f.valid() {
		return c.reviews(v)
	}
	all, err := c.works(v.ctx())
	if err != nil {
		return err
	}
	var list []*overview.OpenReview
	if f.View == viewMine || f.View == viewSnoozed || f.View == viewReopened {
		rows, err := c.workedRows(v, f, all)
		if err != nil {
			return err
		}
		for i := range rows {
			list = append(list, &rows[i].OpenReview)
		}
	} else {
		var known bool
		if list, known = c.listed(v, f, all); !known {
			return refuse(http.StatusServiceUnavailable, "The reviews are being read", "They are read for the first time since the service started. Wait a moment and try again.")
		}
	}
	s := v.file("reviews", "kind", "about", "id", "purchase", "account", "amount", "currency", "at stake", "stake currency", "since", "assigned to", "notes")
	for i := range list {
		o := list[i]
		stake, amount := any(""), any("")
		if o.Staked {
			stake = moneyCell{o.Stake, o.Unit}
		}
		if o.Amount != 0 {
			amount = moneyCell{o.Amount, o.Currency}
		}
		w := all[o.Part]
		if !s.row(o.Kind.String(), aboutReview(v.locale, &o.ReviewView), reviewID(o.ReviewView), o.Transaction, o.Part.Account, amount, o.Currency, stake, o.Unit, o.Since, w.Assignee.Name, w.Notes) {
			break
		}
	}
	return s.done(nil)
}

// resolvedFile is the list of resolved reviews as a file.
func (c *Console) resolvedFile(v *visit) error {
	a := c.resolvedAsked(v)
	s := v.file("resolved-reviews", "at", "about", "id", "account", "was", "how", "reason", "by", "gives", "takes", "currency", "event")
	for {
		list, next, err := c.triage.Resolutions(v.ctx(), a, pageLength)
		if err != nil {
			return s.done(err)
		}
		for i := range list {
			r := &list[i]
			gives, takes, was := any(""), any(""), ""
			if r.Unit != "" {
				gives, takes = moneyCell{r.Gives, r.Unit}, moneyCell{r.Takes, r.Unit}
			}
			for j, kind := range r.Reviews {
				if j > 0 {
					was += " "
				}
				was += kind
			}
			if !s.row(r.At, partName(r.Kind), r.ID, r.Account, was, r.How, r.Reason, r.By.Name, gives, takes, r.Unit, r.Event) {
				return s.done(nil)
			}
		}
		if a.Before = next; next == 0 {
			return s.done(nil)
		}
	}
}
