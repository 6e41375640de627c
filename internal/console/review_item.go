package console

import (
	"net/http"

	"recoup/internal/kit/tabular"
	"recoup/internal/service/scope"
	"recoup/internal/store/durable"
	"recoup/reward"
)

// reviewPage is one refund, chargeback or purchase, with what is open about it and
// what somebody may decide.
type reviewPage struct {
	Part durable.PartKey
	reward.Units
	Open     []openReview
	Refund   *reward.RefundDetail // nil: it is about something else
	Names    string               // the purchase that it is, or names; empty: none
	Purchase *reward.Detail       // that one; nil: it has not posted
	Said     []saying
	SaidCut  bool // there is more than was looked through
	// Placed is where an unlinked refund lies, and Candidates what it may be of.
	Placed     []reward.Candidate
	Candidates []candidate
	More       int  // candidates that are not shown
	MayAct     bool // of the person
	Links      bool // the refund counts, and nobody has said for good of which purchase it is
	Refused    []refusedDelivery
	Counts     *reward.Refused // the delivery that can count as a refund of its own; nil: there is none
	Form       resolutionForm
}

// openReview is something that is open for review, in words.
type openReview struct {
	durable.ReviewView
	Text string
	Age  reward.Instant
}

// saying is an event about what is under review, as it was sent.
type saying struct {
	durable.LoggedView
	What    string
	Became  string // what became of it; empty: it was done
	Bad     bool   // it was refused
	Change  int64  // of the balance, in minor units
	Rewards bool   // the event's amount is of rewards
}

// candidate is a purchase that a refund may be of, with what speaks for it and
// against it.
type candidate struct {
	reward.Candidate
	For, Against []string
	Chosen       bool
}

// How many candidates are read, and how many of them are shown. Those that the
// refund lies on are shown wherever they come.
const (
	readCandidates  = 200
	shownCandidates = 15
)

var errNoReview = refuse(http.StatusNotFound, "There is nothing of this id to review", "The account has no refund, chargeback or purchase of this kind and id. Search for the id above, or look at the account.")

// reviewable are the parts of an account that reviews are about.
var reviewable = map[string]reward.PartKind{
	reward.RefundPart.String(): reward.RefundPart, reward.ChargebackPart.String(): reward.ChargebackPart, reward.TransactionPart.String(): reward.TransactionPart,
	reward.RedemptionPart.String(): reward.RedemptionPart,
}

func (c *Console) review(v *visit) error {
	account, part, err := c.partAsked(v)
	if err != nil {
		return err
	}
	return c.showReview(v, http.StatusOK, &account, part, resolutionForm{Event: newFormID(resolutionIDs)})
}

// partAsked is the account and the part that a query names.
func (c *Console) partAsked(v *visit) (durable.AccountView, durable.PartKey, error) {
	q := v.r.URL.Query()
	kind, ok := reviewable[q.Get("kind")]
	if !ok || !isText(q.Get("id")) || !isText(q.Get("account")) {
		return durable.AccountView{}, durable.PartKey{}, errNoReview
	}
	account, err := c.accountAsked(v, "account")
	return account, durable.PartKey{Account: account.Account, Kind: kind, ID: q.Get("id")}, err
}

// showReview answers with what is under review, and with the form as it was filled
// in.
func (c *Console) showReview(v *visit, status int, account *durable.AccountView, part durable.PartKey, form resolutionForm) error {
	body := reviewPage{Part: part, Units: account.Units, MayAct: v.may(scope.Operate), Form: form}
	open, err := c.ledger.ReviewsOf(v.ctx(), part)
	if err != nil {
		return err
	}
	if err := c.readSaid(v, account, &body); err != nil {
		return err
	}
	if err := c.readSubject(v, &body, open); err != nil {
		return err
	}
	if body.Refund == nil && body.Purchase == nil && len(open)+len(body.Said) == 0 {
		return errNoReview
	}
	words := reviewWords{l: v.locale, money: v.money(account.Currency), rewards: v.money(account.Reward.Name), page: &body}
	if terms, ok := c.programs.Get(account.Program); ok {
		words.parkDays = terms.In(terms.CycleAt(v.now)).Refunds.ParkDays
	}
	for _, o := range open {
		body.Open = append(body.Open, openReview{o, words.of(&o), max(0, v.now-o.Since)})
	}
	body.readRefused()
	if body.Counts != nil && body.Form.As == "" {
		if body.Form.As, err = c.ledger.FreeRefundID(v.ctx(), part.Account, part.ID); err != nil {
			return err
		}
	}
	return v.render(status, "review", view{Title: v.locale.Sprintf("%s %s, under review", v.locale.Say(partName(part.Kind)), tabular.Visible(part.ID)), Section: "reviews", Body: body})
}

// readSaid reads what was delivered and decided about it.
func (c *Console) readSaid(v *visit, account *durable.AccountView, body *reviewPage) error {
	var list []durable.LoggedView
	var err error
	if p := body.Part; p.Kind == reward.TransactionPart {
		list, body.SaidCut, err = c.ledger.TransactionHistory(v.ctx(), p.Account, p.ID)
	} else {
		list, body.SaidCut, err = c.ledger.FactHistory(v.ctx(), p.Account, p.Kind, p.ID)
	}
	if err != nil {
		return err
	}
	for i := range list {
		m := momentOfEvent(v.locale, &list[i], "", v.telling(account))
		s := saying{LoggedView: list[i], What: m.What, Rewards: m.Rewards, Became: m.Refused, Bad: list[i].Result.Outcome == reward.Rejected}
		for j := range list[i].Postings {
			s.Change += list[i].Postings[j].Amount
		}
		body.Said = append(body.Said, s)
	}
	return nil
}

// readSubject reads what it is that is under review, and for a refund the
// purchases that it lies on or may be of.
func (c *Console) readSubject(v *visit, body *reviewPage, open []durable.ReviewView) error {
	account, id := body.Part.Account, body.Part.ID
	switch body.Part.Kind {
	case reward.RefundPart:
		refund, ok, err := c.ledger.Refund(v.ctx(), account, id)
		if err != nil {
			return err
		}
		if !ok {
			return nil
		}
		body.Refund, body.Names = &refund, refund.Transaction
		body.Links = refund.Status == reward.ReversalPosted && (!refund.Linked || len(open) > 0)
		if err := c.readCandidates(v, body); err != nil {
			return err
		}
	case reward.TransactionPart:
		body.Names = id
	default:
		for i := range open {
			body.Names = open[i].Transaction
		}
		for i := range body.Said {
			if t := body.Said[i].Event.Transaction; t != "" && body.Said[i].Result.Outcome != reward.Rejected {
				body.Names = t
			}
		}
	}
	if body.Names == "" {
		return nil
	}
	purchase, ok, err := c.ledger.Transaction(v.ctx(), account, body.Names)
	if ok {
		body.Purchase = &purchase
	}
	return err
}

// readCandidates reads the purchases that a refund may be of.
func (c *Console) readCandidates(v *visit, body *reviewPage) error {
	list, err := c.ledger.Candidates(v.ctx(), body.Part.Account, body.Part.ID, readCandidates)
	if err != nil {
		return err
	}
	for i := range list {
		if list[i].Placed > 0 {
			body.Placed = append(body.Placed, list[i])
		}
		if i >= shownCandidates && list[i].Placed == 0 && list[i].Transaction != body.Form.Transaction {
			body.More++
			continue
		}
		row := candidateOf(v.locale, body.Refund, &list[i], v.money(body.Currency))
		row.Chosen = list[i].Transaction == body.Form.Transaction
		body.Candidates = append(body.Candidates, row)
	}
	return nil
}
