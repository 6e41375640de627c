package console

import (
	"net/http"

	"recoup/internal/console/weigh"
	"recoup/internal/kit/tabular"
	"recoup/internal/service/scope"
	"recoup/internal/store/durable"
	"recoup/internal/store/triage"
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
	Placed     []candidate
	Candidates []candidate
	More       int  // candidates that are not shown
	MayAct     bool // of the person
	Links      bool // the refund counts, and nobody has said for good of which purchase it is
	Refused    []refusedDelivery
	Counts     *reward.Refused // the delivery that can count as a refund of its own; nil: there is none
	Form       resolutionForm
	// Ways are the decisions to choose from, with what each would do, and Presets the
	// reasons for each.
	Ways    []way
	Presets []presets
	// Queue is the list in which it is worked, as a query; empty: in none. Before and After
	// are the addresses of its neighbours there.
	Queue, Back   string
	Before, After string
	Left          int64 // how much that list has; negative: it was not read yet
	Work          triage.Work
	Notes         []triage.Note
	Mine          bool // the person is who looks at it
	Today         string
	Customer      *customerText
	Desk          deskForm
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
	Raw     *rawEvent
	Changes []balanceChange
}

// candidate is a purchase that a refund may be of, with what speaks for it and
// against it.
type candidate struct {
	reward.Candidate
	For, Against []string
	Offered      bool           // it is among the ways
	Lies         *reward.Detail // the purchase, where the refund lies on it
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
	reward.RedemptionPart.String(): reward.RedemptionPart, reward.AttributePart.String(): reward.AttributePart,
}

func (c *Console) review(v *visit) error {
	account, part, err := c.partAsked(v)
	if err != nil {
		return err
	}
	form := resolutionForm{Event: newFormID(resolutionIDs)}
	if chosen := v.id("choose"); isText(chosen) { // to see what it would do
		form.Transaction, form.Choice = chosen, "link:"+chosen
	}
	return c.showReview(v, http.StatusOK, &account, part, form)
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
	return c.showReviewWith(v, status, account, part, form, deskForm{})
}

func (c *Console) showReviewWith(v *visit, status int, account *durable.AccountView, part durable.PartKey, form resolutionForm, desk deskForm) error {
	body := reviewPage{Part: part, Units: account.Units, MayAct: v.may(scope.Operate), Form: form, Desk: desk}
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
	if err := c.readDesk(v, &body, open); err != nil {
		return err
	}
	if body.MayAct {
		if body.Ways, err = c.ways(v, &body); err != nil {
			return err
		}
		body.Presets = presetsOf(v, body.Ways, body.Open)
	}
	body.Customer = c.forCustomer(v, account, &body)
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
		s := saying{LoggedView: list[i], Raw: m.Raw, Changes: m.Changes, What: m.What, Rewards: m.Rewards, Became: m.Refused, Bad: list[i].Result.Outcome == reward.Rejected}
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
		body.Links = weigh.Placeable(&refund, len(open) > 0)
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
	var lies []string
	for i := range list {
		if list[i].Placed > 0 {
			lies = append(lies, list[i].Transaction)
		}
	}
	purchases, err := c.ledger.TransactionsNamed(v.ctx(), body.Part.Account, lies)
	if err != nil {
		return err
	}
	for i := range list {
		row := candidateOf(v.locale, body.Refund, &list[i], v.money(body.Currency))
		if list[i].Placed > 0 {
			if d, ok := purchases[list[i].Transaction]; ok {
				row.Lies = &d
			}
			body.Placed = append(body.Placed, row)
		}
		if i >= shownCandidates && list[i].Placed == 0 && list[i].Transaction != body.Form.Transaction {
			body.More++
			continue
		}
		body.Candidates = append(body.Candidates, row)
	}
	return nil
}
