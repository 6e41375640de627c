package marqeta

import (
	"errors"
	"strconv"

	"recoup/reward"
)

// ours begin the types of which whatever is not known is for a person to look at: it may be
// about money of a purchase.
var ours = []string{"authorization", "pindebit", "refund"}

// kind is a type of transactions: what it tells, or why it is of no interest.
type kind struct {
	tell   func(*message) (ignored string, err error)
	silent string
}

const (
	cash       = "cash is no purchase"
	disputed   = "a dispute counts when it moves funds"
	announced  = "a refund that is announced names no purchase whose reward could be held for it"
	raises     = "it raises a hold, by which nothing is earned"
	nothing    = "it is of nothing"
	overtaken  = "a later advice has said what is held"
	looksAtOne = "it looks at a card"
)

// kinds are the types that are known.
var kinds = map[string]kind{
	"authorization":                           {tell: (*message).held},
	"authorization.advice":                    {tell: (*message).advised},
	"authorization.cashback":                  {tell: (*message).held},
	"authorization.standin":                   {tell: (*message).held},
	"authorization.incremental":               {silent: raises},
	"authorization.reversal":                  {tell: (*message).released},
	"authorization.reversal.issuerexpiration": {tell: (*message).released},
	"authorization.clearing":                  {tell: (*message).cleared},
	"authorization.clearing.cashback":         {tell: (*message).cleared},

	"pindebit":          {tell: (*message).cleared},
	"pindebit.cashback": {tell: (*message).cleared},
	"pindebit.authorization.reversal.issuerexpiration": {tell: (*message).released},
	"pindebit.authorization":                           {tell: (*message).held},
	"pindebit.authorization.clearing":                  {tell: (*message).cleared},
	"pindebit.authorization.reversal":                  {tell: (*message).released},
	"pindebit.balanceinquiry":                          {silent: looksAtOne},

	"refund":                        {tell: (*message).refunded},
	"refund.authorization":          {silent: announced},
	"refund.authorization.advice":   {silent: announced},
	"refund.authorization.reversal": {silent: announced},
	"refund.authorization.clearing": {tell: (*message).refunded},
	"pindebit.refund":               {tell: (*message).refunded},
	"pindebit.refund.reversal":      {tell: (*message).refundUndone},

	"authorization.atm.withdrawal":          {silent: cash},
	"authorization.quasi.cash":              {silent: cash},
	"authorization.clearing.atm.withdrawal": {silent: cash},
	"authorization.clearing.quasi.cash":     {silent: cash},
	"pindebit.atm.withdrawal":               {silent: cash},
	"pindebit.quasi.cash":                   {silent: cash},

	"authorization.clearing.chargeback":                    {silent: disputed},
	"authorization.clearing.chargeback.representment":      {silent: disputed},
	"authorization.clearing.chargeback.provisional.credit": {tell: (*message).credited},
	"authorization.clearing.chargeback.completed":          {tell: (*message).credited},
	"authorization.clearing.chargeback.provisional.debit":  {tell: (*message).debited},
	"authorization.clearing.chargeback.reversal":           {tell: (*message).lost},
	"pindebit.chargeback":                                  {silent: disputed},
	"pindebit.chargeback.provisional.credit":               {tell: (*message).credited},
	"pindebit.chargeback.completed":                        {tell: (*message).credited},
	"pindebit.chargeback.provisional.debit":                {tell: (*message).debited},
	"pindebit.chargeback.reversal":                         {tell: (*message).lost},
}

// adviceKey is under which the time is kept of the latest advice about a hold.
func adviceKey(token string) string { return "advice " + token }

// held is a hold: a transaction by itself, under Marqeta's token, that is authorised and
// then released. Each of its clearings is another. So it does not matter which of them comes
// first, and by holds nothing is earned.
func (m *message) held() (string, error) {
	switch {
	case m.amount == 0:
		return nothing, nil
	case m.notes.Get(adviceKey(m.Token)) != "":
		return overtaken, nil
	}
	m.hold(m.Token)
	return "", nil
}

// advised is what is held after all, in the place of what the authorisation said.
func (m *message) advised() (string, error) {
	of := m.Preceding
	if of == "" { // an advice of a decision that the network took by itself
		of = m.Token
	}
	key := adviceKey(of)
	if before, err := strconv.ParseInt(m.notes.Get(key), 10, 64); err == nil && before > int64(m.at) {
		return overtaken, nil
	}
	m.notes.Put(key, strconv.FormatInt(int64(m.at), 10), m.account)
	if m.amount == 0 {
		return nothing, nil
	}
	m.hold(of)
	return "", nil
}

func (m *message) hold(token string) {
	m.add(reward.TransactionAuthorized, m.Token, m.at, func(e *reward.Event) {
		m.money(e, m.amount)
		e.Transaction = m.Prefixed(token)
	})
}

// released is a hold that is over. What of it was cleared is a purchase by itself.
func (m *message) released() (string, error) {
	if m.Preceding == "" {
		return "", errors.New("preceding_related_transaction_token: missing, and it is what is released")
	}
	m.release(m.Token)
	return "", nil
}

func (m *message) release(id string) {
	m.add(reward.TransactionCanceled, id, m.at, func(e *reward.Event) { e.Transaction = m.Prefixed(m.Preceding) })
}

// cleared is a purchase. Several clearings of one authorisation are several; the last says
// so, and releases the hold. The cash that a shop hands out is no part of it.
func (m *message) cleared() (string, error) {
	bought := m.amount
	if m.CashBack != "" {
		cash, err := m.CashBack.Minor(m.currency)
		if err != nil || cash < 0 || cash > m.amount {
			return "", errors.New("cash_back_amount: expected a part of the amount")
		}
		bought -= cash
	}
	if m.Preceding != "" && (m.Final == nil || *m.Final) {
		m.release(m.Token + ":released")
	}
	if bought == 0 {
		return nothing, nil
	}
	m.add(reward.TransactionSettled, m.Token, m.at, func(e *reward.Event) {
		m.money(e, bought)
		e.Transaction = m.Prefixed(m.Token)
	})
	return "", nil
}

// refunded is a refund. What precedes it is the refund's own authorisation, and no purchase.
func (m *message) refunded() (string, error) {
	if m.amount == 0 {
		return nothing, nil
	}
	m.add(reward.RefundPosted, m.Token, m.at, func(e *reward.Event) {
		m.money(e, m.amount)
		e.Fact = m.Prefixed(m.Token)
	})
	return "", nil
}

// refundUndone takes the refund back that precedes it.
func (m *message) refundUndone() (string, error) {
	if m.Preceding == "" {
		return "", errors.New("preceding_related_transaction_token: missing, and it is the refund")
	}
	m.add(reward.RefundReversed, m.Token, m.at, func(e *reward.Event) { e.Fact = m.Prefixed(m.Preceding) })
	return "", nil
}
