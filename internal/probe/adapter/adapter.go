package adapter

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"recoup/internal/issuer"
	"recoup/internal/probe"
)

// Everything is what an adapter of the whole port can do: one whose statements
// close by the clock.
func Everything(currency string) probe.Capabilities {
	return probe.Capabilities{
		Currency: currency, CanSetClock: true, Chargebacks: true, PartialRefunds: true, StatementClose: probe.ClosesByClock,
		MCC: true, RefundCategory: true, Dates: true, WholeChargebacks: true,
	}
}

// Of is what an adapter of an issuer can do: everything, and authorisations if the issuer
// hears of them.
func Of(i issuer.Issuer, currency string) probe.Capabilities {
	can := Everything(currency)
	_, can.Authorizations = i.(issuer.Authorizer)
	return can
}

// Handler serves issuers, a fresh one after each reset. It takes what the
// capabilities say and no more: members that they do not allow are errors, as
// unknown ones are. Calls are made one at a time.
func Handler(fresh func() issuer.Issuer, can probe.Capabilities) http.Handler {
	a := &adapter{fresh: fresh, can: can}
	a.reset()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /capabilities", func(w http.ResponseWriter, _ *http.Request) { write(w, http.StatusOK, &a.can) })
	mux.Handle("POST /reset", take(func(*struct{}) (any, error) { a.reset(); return nil, nil }))
	mux.Handle("POST /accounts", take(a.open, "account"))
	mux.Handle("POST /clock", take(a.clock, "now"))
	mux.Handle("POST /settlements", take(a.settle, "account", "transaction", "amount", "merchant", "category"))
	mux.Handle("POST /authorizations", take(a.authorize, "account", "transaction", "amount", "merchant", "category"))
	mux.Handle("POST /authorizations/cancel", take(a.cancel, "account", "transaction"))
	mux.Handle("POST /refunds", take(a.refund, "account", "refund", "amount"))
	if a.can.WholeChargebacks {
		mux.Handle("POST /chargebacks", take(a.chargeback, "account", "chargeback", "transaction"))
	} else {
		mux.Handle("POST /chargebacks", take(a.chargeback, "account", "chargeback", "transaction", "amount"))
	}
	mux.Handle("POST /statements/close", take(a.closeStatement, "account"))
	mux.Handle("POST /redemptions", take(a.redeem, "account", "redemption", "amount"))
	mux.HandleFunc("GET /accounts/{account}", func(w http.ResponseWriter, r *http.Request) {
		answer(w, func() (any, error) { return a.account(r.PathValue("account")) })
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		fail(w, http.StatusNotFound, fmt.Errorf("there is no %s %s", r.Method, r.URL.Path))
	})
	return a.oneAtATime(mux)
}

// adapter is one sandbox.
type adapter struct {
	fresh func() issuer.Issuer
	can   probe.Capabilities

	mutex  sync.Mutex // over all calls
	issuer issuer.Issuer
	opened map[string]bool
	now    time.Time // of the issuer
}

func (a *adapter) oneAtATime(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a.mutex.Lock()
		defer a.mutex.Unlock()
		next.ServeHTTP(w, r)
	})
}

func (a *adapter) reset() { a.issuer, a.opened, a.now = a.fresh(), map[string]bool{}, time.Time{} }

func (a *adapter) open(body *probe.OfAccount) (any, error) {
	if err := checkIDs("account", body.Account); err != nil {
		return nil, err
	}
	if a.opened[body.Account] {
		return nil, refusal{http.StatusConflict, "the account is open already"}
	}
	err := a.issuer.Open(body.Account)
	a.opened[body.Account] = err == nil
	return nil, err
}

func (a *adapter) clock(body *probe.Clock) (any, error) {
	if !a.can.CanSetClock {
		return nil, issuer.ErrUnsupported
	}
	if err := a.issuer.SetClock(body.Now); err != nil {
		return nil, err
	}
	if body.Now.After(a.now) {
		a.now = body.Now
	}
	return probe.Clock{Now: a.now}, nil
}

func (a *adapter) settle(body *probe.Settlement) (any, error) {
	return a.purchase(body, a.issuer.Settle)
}

func (a *adapter) purchase(body *probe.Settlement, deliver func(issuer.Settlement) error) (any, error) {
	if err := a.check(body.MCC, "", body.At, "account", body.Account, "transaction", body.Transaction); err != nil {
		return nil, err
	}
	return nil, deliver(issuer.Settlement{
		Account: body.Account, Transaction: body.Transaction, Amount: body.Amount,
		Merchant: body.Merchant, MCC: body.MCC, Category: body.Category, At: body.At,
	})
}

func (a *adapter) authorize(body *probe.Settlement) (any, error) {
	to, ok := a.issuer.(issuer.Authorizer)
	if !ok || !a.can.Authorizations {
		return nil, issuer.ErrUnsupported
	}
	return a.purchase(body, to.Authorize)
}

func (a *adapter) cancel(body *probe.Cancellation) (any, error) {
	to, ok := a.issuer.(issuer.Authorizer)
	if !ok || !a.can.Authorizations {
		return nil, issuer.ErrUnsupported
	}
	if err := a.check("", "", time.Time{}, "account", body.Account, "transaction", body.Transaction); err != nil {
		return nil, err
	}
	return nil, to.Cancel(body.Account, body.Transaction)
}

func (a *adapter) refund(body *probe.Refund) (any, error) {
	if err := a.check(body.MCC, body.Category, body.At, "account", body.Account, "refund", body.Refund); err != nil {
		return nil, err
	}
	if body.Transaction == "" && a.can.UnlinkedRefunds != nil && !*a.can.UnlinkedRefunds {
		return nil, refusal{http.StatusUnprocessableEntity, "transaction: expected the purchase that is refunded"}
	}
	return nil, a.issuer.Refund(issuer.Refund{
		Account: body.Account, Refund: body.Refund, Transaction: body.Transaction, Amount: body.Amount,
		Merchant: body.Merchant, MCC: body.MCC, Category: body.Category, At: body.At,
	})
}

func (a *adapter) chargeback(body *probe.Chargeback) (any, error) {
	if !a.can.Chargebacks {
		return nil, issuer.ErrUnsupported
	}
	if err := a.check("", "", body.At, "account", body.Account, "chargeback", body.Chargeback, "transaction", body.Transaction); err != nil {
		return nil, err
	}
	return nil, a.issuer.Chargeback(issuer.Chargeback{
		Account: body.Account, Chargeback: body.Chargeback, Transaction: body.Transaction, Amount: body.Amount, At: body.At,
	})
}

func (a *adapter) closeStatement(body *probe.OfAccount) (any, error) {
	if a.can.StatementClose != probe.ClosesByCall {
		return nil, issuer.ErrUnsupported
	}
	if err := a.known(body.Account); err != nil {
		return nil, err
	}
	return nil, a.issuer.CloseStatement(body.Account)
}

func (a *adapter) redeem(body *probe.Redemption) (any, error) {
	if err := a.check("", "", time.Time{}, "account", body.Account, "redemption", body.Redemption); err != nil {
		return nil, err
	}
	accepted, err := a.issuer.Redeem(issuer.Redemption{Account: body.Account, Redemption: body.Redemption, Amount: body.Amount})
	return probe.Decision{Accepted: accepted}, err
}

func (a *adapter) account(account string) (any, error) {
	if err := a.known(account); err != nil {
		return nil, err
	}
	shown, err := a.issuer.Balance(account)
	if err != nil {
		return nil, err
	}
	seen := probe.Account{Balance: shown.Balance, Redeemable: shown.Redeemable}
	seen.PaidOut, err = issuer.PaidOut(a.issuer, account)
	return seen, err
}

func (a *adapter) known(account string) error {
	if !a.opened[account] {
		return refusal{http.StatusNotFound, fmt.Sprintf("account %q is not open", account)}
	}
	return nil
}

// check refuses what the capabilities do not allow, ids that are none, and
// accounts that are not open. The ids are names and values, the account's first.
func (a *adapter) check(mcc, refundCategory string, at time.Time, ids ...string) error {
	switch {
	case mcc != "" && !a.can.MCC:
		return malformed("mcc: the capabilities do not have it")
	case refundCategory != "" && !a.can.RefundCategory:
		return malformed("category: the capabilities do not have it in refunds")
	case !at.IsZero() && !a.can.Dates:
		return malformed("at: the capabilities do not have it")
	}
	if err := checkIDs(ids...); err != nil {
		return err
	}
	return a.known(ids[1])
}

func checkIDs(ids ...string) error {
	for i := 0; i < len(ids); i += 2 {
		if n := len(ids[i+1]); n == 0 || n > probe.MaxID {
			return malformed("%s: expected 1 to %d bytes, found %d", ids[i], probe.MaxID, n)
		}
	}
	return nil
}

// refusal is an error with its status.
type refusal struct {
	status int
	text   string
}

func (r refusal) Error() string { return r.text }

func malformed(format string, args ...any) error {
	return refusal{http.StatusBadRequest, fmt.Sprintf(format, args...)}
}

// take decodes a body strictly, and answers. The members are those that must be
// there.
func take[T any](do func(*T) (any, error), members ...string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		content, err := io.ReadAll(http.MaxBytesReader(w, r.Body, probe.MaxBody))
		if long := (*http.MaxBytesError)(nil); errors.As(err, &long) {
			fail(w, http.StatusRequestEntityTooLarge, fmt.Errorf("expected a body of at most %d bytes", probe.MaxBody))
			return
		}
		if err != nil {
			return // who asked is gone
		}
		var body T
		var there map[string]jsontext.Value
		if err := errors.Join(json.Unmarshal(content, &there), json.Unmarshal(content, &body, json.RejectUnknownMembers(true))); err != nil {
			fail(w, http.StatusBadRequest, err)
			return
		}
		for _, m := range members {
			if v, ok := there[m]; !ok || v.Kind() == 'n' {
				fail(w, http.StatusBadRequest, fmt.Errorf("%s: expected this member", m))
				return
			}
		}
		answer(w, func() (any, error) { return do(&body) })
	})
}

// answer does something and writes what came of it: nothing is an empty object.
func answer(w http.ResponseWriter, do func() (any, error)) {
	v, err := do()
	var refused refusal
	switch {
	case errors.As(err, &refused):
		fail(w, refused.status, err)
	case errors.Is(err, issuer.ErrUnsupported):
		fail(w, http.StatusNotImplemented, err)
	case err != nil:
		fail(w, http.StatusUnprocessableEntity, err)
	case v == nil:
		write(w, http.StatusOK, struct{}{})
	default:
		write(w, http.StatusOK, v)
	}
}

func fail(w http.ResponseWriter, status int, err error) {
	write(w, status, probe.Failure{Error: err.Error()})
}

func write(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.MarshalWrite(w, v) // an error is of who asked: they are gone
}
