package compare

import (
	"cmp"
	"errors"
	"slices"

	"recoup/internal/issuer"
	"recoup/internal/scenario"
	"recoup/reward"
)

// portSide plays against an issuer behind the port.
type portSide struct{ issuer.Issuer }

var _ side = portSide{}

func (s portSide) open(account string) error           { return s.Open(account) }
func (s portSide) setClock(now reward.Instant) error   { return s.SetClock(now.Time()) }
func (s portSide) closeStatement(account string) error { return s.CloseStatement(account) }

func (s portSide) redeem(account, redemption string, amount int64) (bool, error) {
	return s.Redeem(issuer.Redemption{Account: account, Redemption: redemption, Amount: amount})
}

func (s portSide) balance(account string) (shown issuer.Balance, paidOut int64, err error) {
	if shown, err = s.Balance(account); err == nil {
		paidOut, err = issuer.PaidOut(s.Issuer, account)
	}
	return shown, paidOut, err
}

// moves are the calls of the port that events stand for.
var moves = map[reward.Type]scenario.Kind{
	reward.TransactionAuthorized: scenario.Authorize, reward.TransactionCanceled: scenario.Cancel,
	reward.TransactionSettled: scenario.Settle, reward.TransactionReversed: scenario.Withdraw,
	reward.RefundPending: scenario.Announce, reward.RefundCanceled: scenario.CancelRefund,
	reward.RefundPosted: scenario.Refund, reward.RefundReversed: scenario.UndoRefund,
	reward.ChargebackPosted: scenario.Chargeback, reward.ChargebackReversed: scenario.UndoChargeback,
	reward.AttributeSet: scenario.SetAttribute, reward.AttributeWithdrawn: scenario.WithdrawAttribute, reward.TransactionItemized: scenario.Itemize,
	reward.CycleClosed: scenario.CloseStatement, reward.AccountClosed: scenario.CloseAccount,
}

func (s portSide) deliver(e *reward.Event) (hasMove bool, err error) {
	kind, known := moves[e.Type]
	if !known {
		return false, nil
	}
	m := scenario.Move{
		Kind: kind, ID: cmp.Or(e.Fact, e.Transaction), Of: e.Transaction, Amount: e.Amount,
		Merchant: e.Merchant, MCC: e.MCC.String(), Category: e.Category, Happened: e.Time.Time(), Labels: e.Labels, Items: slices.Collect(e.Items.All()),
	}
	if kind == scenario.SetAttribute {
		m.Labels = reward.MakeLabels(map[string]string{e.Category: e.Method})
	}
	if _, err = scenario.Deliver(s.Issuer, e.Account, &m); errors.Is(err, issuer.ErrUnsupported) {
		return false, nil
	}
	return true, err
}
