package probe

import (
	"fmt"
	"time"

	"recoup/internal/issuer"
)

// inferFrom is the first month of the inference. Examinations come later.
var inferFrom = time.Date(2024, time.January, 1, 0, 0, 0, 0, time.UTC)

// meter makes purchases and says what they earned. Each measurement has a month
// of its own, so that no cap is touched twice; where there is no clock, an account
// of its own.
type meter struct {
	stage   *stage
	account string
	month   time.Time // of the next measurement
	net     int64     // net reward when last looked at
	ids     int
	// anew: every measurement begins in the first month of a fresh account, since
	// what is earned depends on the month.
	anew bool
	// When rewards came, in all measurements so far.
	atSettlement, atStatement bool
	// watched: this account's first measurement is over, and nothing came late.
	watched bool
}

// open begins an account.
func (m *meter) open(account string) error {
	years, err := m.stage.fresh(inferFrom)
	if err != nil {
		return err
	}
	m.account, m.net, m.watched = account, 0, false
	m.month = inferFrom.AddDate(years, 0, 0)
	if err := m.stage.SetClock(m.month); err != nil {
		return err
	}
	return m.stage.Open(account)
}

// look returns how much net reward came since it was last called.
func (m *meter) look() (int64, error) {
	shown, err := m.stage.Balance(m.account)
	if err != nil {
		return 0, err
	}
	paid, err := m.stage.PaidOut(m.account)
	net := shown.Balance + paid
	came := net - m.net
	m.net = net
	return came, err
}

func (m *meter) buy(at Spot, amount int64) error {
	m.ids++
	err := m.stage.Settle(issuer.Settlement{
		Account: m.account, Transaction: fmt.Sprintf("%s-%d", m.account, m.ids),
		Amount: amount, Merchant: at.Merchant, MCC: at.MCC, Category: at.Category,
	})
	if err != nil {
		return fmt.Errorf("a purchase of %d at %s: %w", amount, at, err)
	}
	return nil
}

// purchase is one of a measurement.
type tried struct {
	at     Spot
	amount int64
}

// measure makes purchases within a month and returns what each seems to have
// earned by the statement close. Where rewards come at the close there is only
// their sum, which is given as that of the last.
func (m *meter) measure(list ...tried) (earned []int64, err error) {
	fresh := m.anew || !m.stage.hasClock()
	if fresh {
		if err := m.open(m.account); err != nil {
			return nil, err
		}
	}
	if err := m.stage.SetClock(m.month.AddDate(0, 0, 4).Add(10 * time.Hour)); err != nil {
		return nil, err
	}
	for i, p := range list {
		if err := m.buy(p.at, p.amount); err != nil {
			return nil, err
		}
		var came int64
		if m.atSettlement || !m.watched || i == len(list)-1 {
			if came, err = m.look(); err != nil {
				return nil, err
			}
		}
		if came > 0 {
			m.atSettlement = true
		}
		earned = append(earned, came)
	}
	if m.watched && !m.atStatement && !m.mustClose() {
		m.month = m.month.AddDate(0, 1, 0)
		return earned, nil
	}
	came, err := m.close()
	if came > 0 {
		m.atStatement = true
	}
	earned[len(earned)-1] += came
	m.watched = true
	return earned, err
}

// mustClose reports whether a month only ends if somebody says so.
func (m *meter) mustClose() bool {
	return m.stage.target.Can.StatementClose == ClosesByCall && m.stage.hasClock()
}

// close ends the month, where it can be ended.
func (m *meter) close() (came int64, err error) {
	if m.stage.target.Can.StatementClose == ClosesNot || !m.stage.hasClock() && m.stage.target.Can.StatementClose != ClosesByCall {
		return 0, nil
	}
	m.month = m.month.AddDate(0, 1, 0)
	if err := m.stage.SetClock(m.month); err != nil {
		return 0, err
	}
	if err := m.stage.CloseStatement(m.account); err != nil {
		return 0, err
	}
	return m.look()
}

// one measures a single purchase.
func (m *meter) one(at Spot, amount int64) (int64, error) {
	earned, err := m.measure(tried{at, amount})
	if err != nil {
		return 0, err
	}
	return earned[0], nil
}

// sum measures purchases of one place in one month together.
func (m *meter) sum(at Spot, amounts ...int64) (int64, error) {
	list := make([]tried, len(amounts))
	for i, a := range amounts {
		list[i] = tried{at, a}
	}
	earned, err := m.measure(list...)
	total := int64(0)
	for _, e := range earned {
		total += e
	}
	return total, err
}
