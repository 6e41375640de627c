package compare

import (
	"recoup/internal/issuer"
	"recoup/reward"
)

// portSide plays against an issuer behind the port. What the port leaves to some
// issuers may be nil.
type portSide struct {
	issuer.Issuer
	authorizer issuer.Authorizer
	withdrawer issuer.Withdrawer
	undoer     issuer.Undoer
	announcer  issuer.Announcer
	closer     issuer.Closer
}

var _ side = (*portSide)(nil)

func newPortSide(i issuer.Issuer) *portSide {
	s := &portSide{Issuer: i}
	s.authorizer, _ = i.(issuer.Authorizer)
	s.withdrawer, _ = i.(issuer.Withdrawer)
	s.undoer, _ = i.(issuer.Undoer)
	s.announcer, _ = i.(issuer.Announcer)
	s.closer, _ = i.(issuer.Closer)
	return s
}

func (s *portSide) open(account string) error           { return s.Open(account) }
func (s *portSide) setClock(now reward.Instant) error   { return s.SetClock(now.Time()) }
func (s *portSide) closeStatement(account string) error { return s.CloseStatement(account) }

func (s *portSide) redeem(account, redemption string, amount int64) (bool, error) {
	return s.Redeem(issuer.Redemption{Account: account, Redemption: redemption, Amount: amount})
}

func (s *portSide) balance(account string) (shown issuer.Balance, paidOut int64, err error) {
	if shown, err = s.Balance(account); err == nil {
		paidOut, err = issuer.PaidOut(s.Issuer, account)
	}
	return shown, paidOut, err
}

func (s *portSide) deliver(e *reward.Event) (hasMove bool, err error) {
	switch e.Type {
	case reward.TransactionSettled:
		return true, s.Settle(settlementOf(e))
	case reward.RefundPosted:
		return true, s.Refund(refundOf(e))
	case reward.ChargebackPosted:
		return true, s.Chargeback(issuer.Chargeback{
			Account: e.Account, Chargeback: e.Fact, Transaction: e.Transaction, Amount: e.Amount, At: e.Time.Time(),
		})
	case reward.CycleClosed:
		return true, s.CloseStatement(e.Account)
	case reward.TransactionAuthorized, reward.TransactionCanceled:
		if s.authorizer == nil {
			return false, nil
		}
		if e.Type == reward.TransactionCanceled {
			return true, s.authorizer.Cancel(e.Account, e.Transaction)
		}
		return true, s.authorizer.Authorize(settlementOf(e))
	case reward.TransactionReversed:
		if s.withdrawer == nil {
			return false, nil
		}
		return true, s.withdrawer.Withdraw(e.Account, e.Transaction)
	case reward.RefundPending, reward.RefundCanceled:
		if s.announcer == nil {
			return false, nil
		}
		if e.Type == reward.RefundCanceled {
			return true, s.announcer.CancelRefund(e.Account, e.Fact)
		}
		return true, s.announcer.AnnounceRefund(refundOf(e))
	case reward.RefundReversed, reward.ChargebackReversed:
		if s.undoer == nil {
			return false, nil
		}
		if e.Type == reward.RefundReversed {
			return true, s.undoer.ReverseRefund(e.Account, e.Fact)
		}
		return true, s.undoer.ReverseChargeback(e.Account, e.Fact)
	case reward.AccountClosed:
		if s.closer == nil {
			return false, nil
		}
		_, err := s.closer.CloseAccount(e.Account)
		return true, err
	}
	return false, nil
}

func settlementOf(e *reward.Event) issuer.Settlement {
	return issuer.Settlement{
		Account: e.Account, Transaction: e.Transaction, Amount: e.Amount,
		Merchant: e.Merchant, MCC: e.MCC.String(), Category: e.Category, At: e.Time.Time(),
	}
}

func refundOf(e *reward.Event) issuer.Refund {
	return issuer.Refund{
		Account: e.Account, Refund: e.Fact, Transaction: e.Transaction, Amount: e.Amount,
		Merchant: e.Merchant, MCC: e.MCC.String(), Category: e.Category, At: e.Time.Time(),
	}
}
