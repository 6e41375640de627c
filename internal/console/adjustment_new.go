package console

import (
	"errors"
	"net/http"
	"strings"

	"recoup/internal/console/locale"
	"recoup/internal/kit/tabular"
	"recoup/internal/service/approval"
	"recoup/internal/store/durable"
	"recoup/program"
	"recoup/reward"
)

// newAdjustmentPage is the form for an adjustment, or asks for its account first.
type newAdjustmentPage struct {
	Account *durable.AccountView // nil: it is asked for
	Asked   string               // what was entered as the account
	Above   int64                // needs a second person, in minor units
	Example string               // of an amount in what rewards are in
	Form    adjustmentForm
}

// adjustmentForm is an adjustment as it was filled in, and what is wrong with it.
type adjustmentForm struct {
	Adjustment string // its id, from when the page was made
	Direction  string // give or take
	Amount     string
	Reason     string

	Problem                                  string // with the adjustment as a whole
	DirectionWrong, AmountWrong, ReasonWrong string
}

// wrong reports whether something is to be corrected.
func (f *adjustmentForm) wrong() bool {
	return f.Problem+f.DirectionWrong+f.AmountWrong+f.ReasonWrong != ""
}

func (c *Console) newAdjustment(v *visit) error {
	asked := v.r.URL.Query().Get("account")
	if asked == "" {
		return v.show("adjustment-new", "adjustments", "Adjust a balance", newAdjustmentPage{})
	}
	account, ok, err := c.ledger.Account(v.ctx(), asked)
	if err == nil && !ok {
		asked = cleaned(asked) // as it was pasted
		account, ok, err = c.ledger.Account(v.ctx(), asked)
	}
	switch {
	case err != nil:
		return err
	case !ok:
		return v.render(http.StatusNotFound, "adjustment-new", view{Title: "Adjust a balance", Section: "adjustments", Body: newAdjustmentPage{Asked: asked}})
	}
	return c.askAdjustment(v, http.StatusOK, &account, adjustmentForm{Adjustment: newFormID(adjustmentIDs)})
}

// askAdjustment answers with the form, as it was filled in.
func (c *Console) askAdjustment(v *visit, status int, account *durable.AccountView, form adjustmentForm) error {
	return v.render(status, "adjustment-new", view{
		Title: v.locale.Sprintf("Adjust the balance of %s", tabular.Visible(account.Account)), Section: "adjustments",
		Body: newAdjustmentPage{Account: account, Above: c.alone.In(account.Reward.Name), Example: v.locale.Example(account.Reward.Name), Form: form},
	})
}

// propose posts an adjustment, or has it wait for a second person.
func (c *Console) propose(v *visit) error {
	account, err := c.accountAsked(v, "account")
	if err != nil {
		return err
	}
	form := adjustmentForm{
		Adjustment: v.field("adjustment"), Direction: v.field("direction"), Amount: v.field("amount"), Reason: v.field("reason"),
	}
	if !isFormID(adjustmentIDs, form.Adjustment) {
		return errNoFormID
	}
	amount := form.read(v.locale, account.Reward)
	if form.wrong() {
		return c.askAdjustment(v, http.StatusUnprocessableEntity, &account, form)
	}
	p, _, waits, err := c.proposals.Propose(v.ctx(), approval.Proposal{
		Account: account.Account, Adjustment: form.Adjustment, Amount: amount, Currency: account.Reward.Name, Reason: form.Reason, Proposer: v.who(),
	}, c.alone)
	switch {
	case err == nil && waits:
		return v.moved(Path+"adjustments", "proposed")
	case err == nil && p.Number != 0:
		return v.moved(Path+"adjustments", "known")
	case err == nil:
		return v.moved(accountPath(account.Account), "adjusted")
	case errors.Is(err, approval.ErrAccountUnknown):
		return errNoAccount
	}
	status := form.refused(v.locale, err)
	if status == 0 {
		return err
	}
	return c.askAdjustment(v, status, &account, form)
}

// read returns the amount, with its sign, in minor units, and notes what is wrong.
func (f *adjustmentForm) read(l *locale.Locale, unit reward.Unit) (amount int64) {
	if f.Direction != "give" && f.Direction != "take" {
		f.DirectionWrong = "Choose whether to give or to take."
	}
	f.ReasonWrong = wrongReason(l, f.Reason)
	var err error
	switch amount, err = l.ParseAmount(f.Amount, unit.Name); {
	case f.Amount == "":
		f.AmountWrong = l.Sprintf("Enter an amount, such as %s.", l.Example(unit.Name))
	case strings.ContainsAny(f.Amount, "+-−"):
		f.AmountWrong = "Enter the amount without a sign: whether it is given or taken is chosen above."
	case err != nil:
		f.AmountWrong = amountWords(l, f.Amount, unit)
	case amount == 0:
		f.AmountWrong = "Expected more than zero."
	case amount > reward.MaxAmount:
		f.AmountWrong = l.Sprintf("Expected at most %s.", l.Amount(reward.MaxAmount, unit.Name))
	}
	if f.Direction == "take" {
		amount = -amount
	}
	return amount
}

// refused notes why the book did not take the adjustment and returns the status of
// the answer; zero: it failed for no reason of the rules.
func (f *adjustmentForm) refused(l *locale.Locale, err error) int {
	var invalid *approval.InvalidError
	var refused *approval.RefusedError
	var full *approval.FullError
	switch {
	case errors.As(err, &full):
		f.Problem = fullWords(l, full)
		return http.StatusConflict
	case errors.As(err, &invalid):
		switch invalid.Member {
		case "amount":
			f.AmountWrong = l.Sprintf("The amount: %s.", l.Sprintf(invalid.Problem, invalid.Values...))
		case "reason":
			f.ReasonWrong = l.Sprintf("The reason %s.", l.Sprintf(invalid.Problem, invalid.Values...))
		case "proposer", "actor":
			f.Problem = invalidPersonWords(l, invalid)
		default:
			f.Problem = l.Sprintf("The %s: %s.", memberName(invalid.Member), l.Sprintf(invalid.Problem, invalid.Values...))
		}
		return http.StatusUnprocessableEntity
	case errors.Is(err, approval.ErrReused):
		f.Problem = "The form was sent before with other contents, and that stands. If this is to be adjusted besides, send it again."
		f.Adjustment = newFormID(adjustmentIDs)
		return http.StatusConflict
	case errors.As(err, &refused):
		f.Problem = refusedWords(l, refused.Result)
		f.Adjustment = newFormID(adjustmentIDs) // this one is in the log, as refused
		return http.StatusConflict
	}
	return 0
}

// amountWords say how an amount of a unit is written.
func amountWords(l *locale.Locale, text string, unit reward.Unit) string {
	decimals := program.Decimals(unit)
	_, fraction, _ := strings.Cut(text, ".")
	switch {
	case decimals == 0 && fraction != "":
		return l.Sprintf("%s has no decimals: expected an amount such as %s.", unit.Name, l.Example(unit.Name))
	case len(fraction) > decimals && !strings.Contains(text, ","):
		return l.Sprintf("%s has %d decimals: expected an amount such as %s.", unit.Name, decimals, l.Example(unit.Name))
	}
	return l.Sprintf("Expected an amount such as %s, which can be read in one way only.", l.Example(unit.Name))
}
