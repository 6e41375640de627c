package probe

import (
	"fmt"
	"net/http"

	"recoup/internal/issuer"
)

func (a *answer) accepted(k *call) (bool, error) {
	var d Decision
	err := a.read(k, &d, "accepted")
	return d.Accepted, err
}

// fact is a call that brings something which must not happen twice.
func fact(path, account, id string, body any) *call {
	k := post(path, body)
	k.account, k.id, k.once = account, id, true
	return k
}

func (c *Client) deliver(k *call) error {
	a, err := c.perform(k)
	if err != nil || a.ok() {
		return err
	}
	return c.refused(k, a)
}

// refused tells a program's refusal, which it notes, from a call that could not be
// made, which is an error.
func (c *Client) refused(k *call, a *answer) error {
	e := a.refusal(k)
	switch {
	case a.status == http.StatusNotImplemented, a.missing(e):
		return fmt.Errorf("%w: %w", e, issuer.ErrUnsupported)
	case !e.Spoken, k.due, aboutTheCall(a.status):
		return e
	}
	c.refusals = append(c.refusals, Refusal{k.account, k.String(), k.id, e.Status, e.Message})
	c.count(func(s *Stats) { s.Refusals++ })
	return nil
}

// missing reports whether the target does not know the path at all.
func (a *answer) missing(e *StatusError) bool {
	return (a.status == http.StatusNotFound || a.status == http.StatusMethodNotAllowed) && !e.Spoken
}

// aboutTheCall reports whether a status speaks of the request and not of what was
// asked for.
func aboutTheCall(status int) bool {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusMethodNotAllowed, http.StatusNotAcceptable,
		http.StatusProxyAuthRequired, http.StatusLengthRequired, http.StatusRequestEntityTooLarge,
		http.StatusRequestURITooLong, http.StatusUnsupportedMediaType, http.StatusMisdirectedRequest,
		http.StatusUpgradeRequired, http.StatusRequestHeaderFieldsTooLarge:
		return true
	}
	return false
}

// make makes a call that must succeed.
func (c *Client) make(k *call) error {
	_, err := c.must(k)
	return err
}

func (c *Client) must(k *call) (*answer, error) {
	a, err := c.perform(k)
	if err != nil || a.ok() {
		return a, err
	}
	e := a.refusal(k)
	if a.status == http.StatusNotImplemented || a.missing(e) && k.path != "/accounts" {
		return nil, fmt.Errorf("%w: %w", e, issuer.ErrUnsupported)
	}
	return nil, e
}
