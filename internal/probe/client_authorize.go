package probe

import (
	"fmt"

	"recoup/internal/issuer"
)

// Authorize implements issuer.Authorizer, where the target has it.
func (c *Client) Authorize(s issuer.Settlement) error {
	if !c.can.Authorizations {
		return fmt.Errorf("probe: an authorisation: %w", issuer.ErrUnsupported)
	}
	body, err := c.purchase(s)
	if err != nil {
		return err
	}
	return c.deliver(fact("/authorizations", s.Account, s.Transaction, body))
}

// Cancel implements issuer.Authorizer, where the target has it.
func (c *Client) Cancel(account, transaction string) error {
	if !c.can.Authorizations {
		return fmt.Errorf("probe: the cancellation of an authorisation: %w", issuer.ErrUnsupported)
	}
	return c.deliver(fact("/authorizations/cancel", account, transaction, Cancellation{account, transaction}))
}

// Authorize implements issuer.Authorizer.
func (s *stage) Authorize(p issuer.Settlement) error {
	to, ok := s.target.Issuer.(issuer.Authorizer)
	if !ok || !s.target.Can.Authorizations {
		return issuer.ErrUnsupported
	}
	p.Account, p.Transaction, p.At = s.name(p.Account), s.name(p.Transaction), s.at(p.At)
	return s.call(func() error { return to.Authorize(p) })
}

// Cancel implements issuer.Authorizer.
func (s *stage) Cancel(account, transaction string) error {
	to, ok := s.target.Issuer.(issuer.Authorizer)
	if !ok || !s.target.Can.Authorizations {
		return issuer.ErrUnsupported
	}
	return s.call(func() error { return to.Cancel(s.name(account), s.name(transaction)) })
}
