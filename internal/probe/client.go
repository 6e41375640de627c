package probe

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"recoup/internal/issuer"
)

// TokenVariable is the environment variable of the token that goes to sandboxes
// which want one.
const TokenVariable = "RECOUP_PROBE_TOKEN"

// DefaultRate is how many requests a second a client sends at most.
const DefaultRate = 50

// Options are how a target may be called. The zero Options are those to begin
// with.
type Options struct {
	// AllowHosts names hosts that may be called although they are not loopback
	// addresses.
	AllowHosts []string
	// Token goes into every request as a bearer token, if it is not empty.
	Token string
	// Rate is how many requests a second are sent at most; 0: DefaultRate.
	Rate int
	// Timeout is how long one request may take; 0: 10 seconds.
	Timeout time.Duration
	// Retries is how often a call is made again after a failure; 0: five times,
	// below zero: never.
	Retries int
	// Backoff is what is waited before the second attempt; 0: 100 ms. It doubles
	// from then on.
	Backoff time.Duration
	// Replays is how often, for one call, an account may be played again after a
	// reset; 0: twenty times, below zero: never.
	Replays int
	Settle  Settle
}

func (o Options) withDefaults() Options {
	o.Rate = cmp.Or(o.Rate, DefaultRate)
	o.Timeout = cmp.Or(o.Timeout, 10*time.Second)
	o.Retries = max(0, cmp.Or(o.Retries, 5))
	o.Backoff = cmp.Or(o.Backoff, 100*time.Millisecond)
	o.Replays = max(0, cmp.Or(o.Replays, 20))
	o.Settle = o.Settle.withDefaults()
	return o
}

// ErrUncertain says that nobody knows what the target has done. The account is of
// no use any more: reset the client and play its scenario again from the start.
var ErrUncertain = errors.New("probe: a call may have been done or not")

// Client is a target behind the port. It is not safe for concurrent use, apart
// from Stats.
//
// A fact that the program refuses with a 4xx and {"error":…} is an answer and no
// error: what it did to the balance is what counts. (Refusals has them.) So is a
// redemption, which was then not accepted. The purchase of an id that is new to
// the account may not be refused.
//
// After a fact that may have been delivered and may not (5xx, a timeout, a lost
// connection) the client does not deliver it again, since what the target would
// then do with it may be the very thing to find out. It resets the target and
// makes all calls again that concern the account which was opened last, from its
// opening on; if redemptions are then answered otherwise than before, that is an
// error. All other accounts are gone: a caller that comes back to one, or for
// which the options allow no more replays, gets ErrUncertain.
type Client struct {
	ctx     context.Context // of everything, since the port has none
	options Options
	url     *url.URL
	http    *http.Client
	limiter *rate.Limiter
	can     Capabilities

	clock    time.Time // the target's, or what stands for it; zero until it is set
	told     bool      // the target has said what its clock shows
	world    world
	lag      Lag
	reading  reading
	refusals []Refusal

	mutex sync.Mutex
	stats Stats // under mutex
}

// Interfaces that a target can be behind. The protocol has no more moves.
var (
	_ issuer.Issuer = (*Client)(nil)
	_ issuer.Payer  = (*Client)(nil)
)

// Connect checks that the target may be called, and asks it what it can do. The
// address is a URL such as http://127.0.0.1:9000. When ctx ends, so do all calls.
// Reset is the first call to make.
func Connect(ctx context.Context, address string, o Options) (*Client, error) {
	t, err := checkTarget(ctx, address, &o, lookUp)
	if err != nil {
		return nil, err
	}
	return connect(ctx, t.url, t.transport(), o)
}

func connect(ctx context.Context, u *url.URL, transport http.RoundTripper, o Options) (*Client, error) {
	o = o.withDefaults()
	c := &Client{
		ctx: ctx, options: o, url: u,
		http: &http.Client{
			Transport:     transport,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		limiter: rate.NewLimiter(rate.Limit(o.Rate), 1),
	}
	k := get("/capabilities")
	a, err := c.send(k)
	if err != nil {
		return nil, err
	}
	if !a.ok() {
		return nil, a.refusal(k)
	}
	if err := a.read(k, &c.can, "currency", "can_set_clock", "chargebacks", "partial_refunds", "statement_close"); err != nil {
		return nil, err
	}
	if err := c.can.check(); err != nil {
		return nil, fmt.Errorf("probe: %s: %w", k, err)
	}
	return c, nil
}

// Capabilities returns what the target says that it can do.
func (c *Client) Capabilities() Capabilities { return c.can }

// Stats returns what was done so far. It may be called at any time.
func (c *Client) Stats() Stats {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.stats
}

// Refusals returns the facts and redemptions that the program has refused since
// the latest Reset.
func (c *Client) Refusals() []Refusal { return c.refusals }

// Reset has the target forget all accounts. The clock may then be set anew.
func (c *Client) Reset() error {
	if err := c.reset(); err != nil {
		return err
	}
	c.world = newWorld()
	c.clock, c.refusals, c.reading = time.Time{}, nil, reading{}
	return nil
}

func (c *Client) reset() error {
	k := post("/reset", struct{}{})
	a, err := c.send(k)
	if err == nil && !a.ok() {
		err = a.refusal(k)
	}
	return err
}

// SetClock implements issuer.Issuer. Only a reset takes time back. A target
// without a clock is in one moment for ever: there, time within a month that
// begins with the first call after a reset passes without the target, and what
// lies beyond it is not supported. Whoever plays there must know that whatever a
// program does after some days does not happen.
func (c *Client) SetClock(now time.Time) error {
	now = now.UTC()
	switch {
	case now.Equal(c.clock):
		return nil
	case now.Before(c.clock):
		return fmt.Errorf("probe: clock %s: expected no time before %s, where the target's stands: a reset is needed", now.Format(time.RFC3339), c.clock.Format(time.RFC3339))
	case c.can.CanSetClock:
		if err := c.moveClock(now); err != nil {
			return err
		}
	case !c.clock.IsZero() && (now.Year() != c.clock.Year() || now.Month() != c.clock.Month()):
		return fmt.Errorf("probe: the target has no clock to move from %s to %s: %w", c.clock.Format(time.RFC3339), now.Format(time.RFC3339), issuer.ErrUnsupported)
	}
	c.clock = now
	return nil
}

// moveClock moves the target's clock, and believes what it says of its time.
func (c *Client) moveClock(now time.Time) error {
	k := post("/clock", Clock{now})
	a, err := c.must(k)
	if err != nil {
		return err
	}
	var is Clock
	if err := a.read(k, &is); err != nil {
		return err
	}
	if !is.Now.IsZero() && !is.Now.Equal(now) {
		return fmt.Errorf("probe: %s: expected the target's clock at %s, found it at %s", k, now.Format(time.RFC3339), is.Now.Format(time.RFC3339))
	}
	c.told = c.told || !is.Now.IsZero()
	return nil
}

// Open implements issuer.Issuer.
func (c *Client) Open(account string) error {
	if c.world.lost {
		return ErrUncertain
	}
	c.world.begin(account, c.clock, c.can.CanSetClock)
	return c.make(opening(account))
}

func opening(account string) *call {
	k := post("/accounts", OfAccount{account})
	k.account = account
	return k
}

// Settle implements issuer.Issuer. An MCC alone, which the target has no member
// for, is not supported: it would have another reward there.
func (c *Client) Settle(s issuer.Settlement) error {
	body, err := c.purchase(s)
	if err != nil {
		return err
	}
	_, again := c.world.settled[purchase{s.Account, s.Transaction}]
	k := fact("/settlements", s.Account, s.Transaction, body)
	k.due = !again
	err = c.deliver(k)
	if err == nil && !again {
		c.world.settled[purchase{s.Account, s.Transaction}] = s.Amount
	}
	return err
}

// purchase is the body that tells of a purchase.
func (c *Client) purchase(s issuer.Settlement) (Settlement, error) {
	if s.MCC != "" && s.Category == "" && !c.can.MCC {
		return Settlement{}, fmt.Errorf("probe: a purchase with a merchant category code: %w", issuer.ErrUnsupported)
	}
	body := Settlement{
		Account: s.Account, Transaction: s.Transaction, Amount: s.Amount, Merchant: s.Merchant, Category: s.Category, At: c.late(s.At),
	}
	if c.can.MCC {
		body.MCC = s.MCC
	}
	return body, nil
}

// Refund implements issuer.Issuer. A refund of part of its purchase, and one that
// names none, are not supported where the target says so.
func (c *Client) Refund(r issuer.Refund) error {
	if r.Transaction == "" && !c.can.unlinked() {
		return fmt.Errorf("probe: a refund that names no purchase: %w", issuer.ErrUnsupported)
	}
	if err := c.whole(r.Account, r.Transaction, r.Amount); err != nil {
		return err
	}
	body := Refund{
		Account: r.Account, Refund: r.Refund, Transaction: r.Transaction, Amount: r.Amount, Merchant: r.Merchant, At: c.late(r.At),
	}
	if c.can.MCC {
		body.MCC = r.MCC
	}
	if c.can.RefundCategory {
		body.Category = r.Category
	}
	return c.deliver(fact("/refunds", r.Account, r.Refund, body))
}

// Chargeback implements issuer.Issuer. Where the target needs an amount, that of
// the whole purchase is its price.
func (c *Client) Chargeback(b issuer.Chargeback) error {
	if !c.can.Chargebacks {
		return fmt.Errorf("probe: a chargeback: %w", issuer.ErrUnsupported)
	}
	body := Chargeback{Account: b.Account, Chargeback: b.Chargeback, Transaction: b.Transaction, Amount: b.Amount, At: c.late(b.At)}
	if body.Amount == 0 && !c.can.WholeChargebacks {
		price, ok := c.world.settled[purchase{b.Account, b.Transaction}]
		if !ok {
			return fmt.Errorf("probe: a chargeback of a purchase that is not known yet, without an amount: %w", issuer.ErrUnsupported)
		}
		body.Amount = price
	}
	if body.Amount != 0 {
		if err := c.whole(b.Account, b.Transaction, body.Amount); err != nil {
			return err
		}
	}
	return c.deliver(fact("/chargebacks", b.Account, b.Chargeback, body))
}

// whole says of a reversal of a part that there is none, if so.
func (c *Client) whole(account, transaction string, amount int64) error {
	if price, ok := c.world.settled[purchase{account, transaction}]; ok && amount < price && !c.can.PartialRefunds {
		return fmt.Errorf("probe: a reversal of %d of %d: %w", amount, price, issuer.ErrUnsupported)
	}
	return nil
}

// late is when a fact happened, if the target can be told and it was not just
// now.
func (c *Client) late(at time.Time) time.Time {
	if !c.can.Dates || at.Equal(c.clock) {
		return time.Time{}
	}
	return at
}

// CloseStatement implements issuer.Issuer. There is nothing to do where
// statements close by the clock.
func (c *Client) CloseStatement(account string) error {
	switch c.can.StatementClose {
	case ClosesByClock:
		return nil
	case ClosesNot:
		return fmt.Errorf("probe: a statement close: %w", issuer.ErrUnsupported)
	}
	err := c.make(fact("/statements/close", account, "", OfAccount{account}))
	if e := (*StatusError)(nil); errors.As(err, &e) && e.Status == http.StatusConflict && e.Spoken {
		return nil // none is due
	}
	return err
}

// Redeem implements issuer.Issuer.
func (c *Client) Redeem(r issuer.Redemption) (bool, error) {
	k := fact("/redemptions", r.Account, r.Redemption, Redemption{r.Account, r.Redemption, r.Amount})
	a, err := c.perform(k)
	if err != nil {
		return false, err
	}
	if !a.ok() {
		return false, c.refused(k, a)
	}
	return a.accepted(k)
}
