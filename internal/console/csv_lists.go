package console

import (
	"net/http"

	"recoup/internal/service/scope"
	"recoup/internal/service/security"
)

// listRoutes are the lists of other pages as files. Each has the rows of its page, and not
// only those of one part of it.
func (c *Console) listRoutes() {
	c.page("GET "+Path+"accounts.csv", scope.Read, c.accountsFile)
	c.page("GET "+Path+"debts.csv", scope.Read, c.debtsFile)
	c.page("GET "+Path+"held.csv", scope.Read, c.heldFile)
	c.page("GET "+Path+"statements.csv", scope.Read, c.statementsFile)
	c.page("GET "+Path+"adjustments.csv", scope.Read, c.adjustmentsFile)
	if c.security != nil {
		c.page("GET "+Path+"security.csv", scope.Admin, c.securityFile)
	}
}

func (c *Console) accountsFile(v *visit) error {
	s := v.file("accounts", "account", "program", "balance", "held", "reserved", "redeemed", "currency", "closed", "last event")
	prefix, after := v.given("from"), ""
	for {
		ids, err := c.ledger.AccountsFrom(v.ctx(), prefix, after, pageLength)
		if err != nil {
			return s.done(err)
		}
		list, err := c.ledger.Standings(v.ctx(), ids)
		if err != nil {
			return s.done(err)
		}
		for i := range list {
			a := &list[i]
			unit := a.Reward.Name
			if !s.row(a.Account, a.Program, moneyCell{a.Balance, unit}, moneyCell{a.Held, unit}, moneyCell{a.Reserved, unit}, moneyCell{a.Redeemed, unit}, unit, a.Closed, a.Latest) {
				return s.done(nil)
			}
		}
		if len(ids) < pageLength {
			return s.done(nil)
		}
		after = ids[len(ids)-1]
	}
}

func (c *Console) debtsFile(v *visit) error {
	_, sums, err := c.figuresIn(v)
	if err != nil {
		return err
	}
	from, to, known := v.daysAsked()
	if !known {
		return errNoPage
	}
	s := v.file("debts", "account", "program", "debt", "currency", "since", "days", "closed", "last event")
	for i := range sums.Debts.Debtors {
		d := &sums.Debts.Debtors[i]
		if d.Days < from || to != 0 && d.Days > to {
			continue
		}
		if !s.row(d.Account, d.Program, moneyCell{d.Debt, sums.Currency}, sums.Currency, d.Since, d.Days, d.Closed, d.Latest) {
			break
		}
	}
	return s.done(nil)
}

func (c *Console) heldFile(v *visit) error {
	_, sums, err := c.figuresIn(v)
	if err != nil {
		return err
	}
	s := v.file("held", "account", "program", "held", "balance", "currency", "last event")
	for i := range sums.Holders {
		h := &sums.Holders[i]
		if !s.row(h.Account, h.Program, moneyCell{h.Held, sums.Currency}, moneyCell{h.Balance, sums.Currency}, sums.Currency, h.Latest) {
			break
		}
	}
	return s.done(nil)
}

func (c *Console) statementsFile(v *visit) error {
	cycle, ok := cycleOf(v.given("cycle"))
	currency := v.given("currency")
	if !ok || currency == "" {
		return refuse(http.StatusNotFound, "There is no such month", "Expected one such as 2026-10, and a currency.")
	}
	s := v.file("statements", "account", "cycle", "open", "opening", "granted", "taken back", "redeemed", "expired", "adjusted", "closing", "currency")
	for after, more := "", true; more; {
		rows, next, further, err := c.ledger.CycleStatements(v.ctx(), cycle, currency, after, pageLength)
		if err != nil {
			return s.done(err)
		}
		for i := range rows {
			r := &rows[i]
			if !s.row(r.Account, cycle.String(), r.Open, moneyCell{r.Opening, currency}, moneyCell{r.Granted, currency}, moneyCell{r.ClawedBack, currency}, moneyCell{r.Redeemed, currency}, moneyCell{r.Expired, currency}, moneyCell{r.Adjusted, currency}, moneyCell{r.Closing, currency}, currency) {
				return s.done(nil)
			}
		}
		after, more = next, further
	}
	return s.done(nil)
}

// adjustmentsFile is the proposals that were decided, the latest first, after those that
// wait.
func (c *Console) adjustmentsFile(v *visit) error {
	s := v.file("adjustments", "number", "account", "what", "about", "amount", "currency", "reason", "proposed by", "proposed", "state", "decided by", "decided", "note")
	for after := int64(0); ; {
		list, err := c.proposals.Open(v.ctx(), after, pageLength)
		if err != nil {
			return s.done(err)
		}
		for i := range list {
			p := &list[i]
			after = p.Number
			if !s.row(p.Number, p.Account, p.Action.String(), p.About, moneyCell{p.Amount, p.Currency}, p.Currency, p.Reason, p.Proposer.Name, p.Proposed, p.State.String(), "", "", "") {
				return s.done(nil)
			}
		}
		if len(list) < pageLength {
			break
		}
	}
	for before := int64(0); ; {
		list, err := c.proposals.Recent(v.ctx(), before, pageLength)
		if err != nil {
			return s.done(err)
		}
		for i := range list {
			p := &list[i]
			before = p.Number
			if !s.row(p.Number, p.Account, p.Action.String(), p.About, moneyCell{p.Amount, p.Currency}, p.Currency, p.Reason, p.Proposer.Name, p.Proposed, p.State.String(), p.Decider.Name, p.Decided, p.Note) {
				return s.done(nil)
			}
		}
		if len(list) < pageLength {
			return s.done(nil)
		}
	}
}

func (c *Console) securityFile(v *visit) error {
	s := v.file("security", "number", "time", "what", "principal", "name", "address", "detail", "missed")
	for before := int64(0); ; {
		list, err := c.security.Before(v.ctx(), before, security.MaxPage)
		if err != nil {
			return s.done(err)
		}
		for i := range list {
			e := &list[i]
			before = e.Number
			if !s.row(e.Number, e.Time, e.What.String(), e.Principal, e.Name, e.Address, e.Detail, e.Missed) {
				return s.done(nil)
			}
		}
		if len(list) < security.MaxPage {
			return s.done(nil)
		}
	}
}
