package probe

import (
	"errors"
	"fmt"
	"time"
)

// world is what a client knows of the target since its latest reset.
type world struct {
	settled map[purchase]int64 // prices of purchases
	account string             // the one that was opened last
	journal []entry            // all calls since it was opened that concern it
	gone    map[string]bool    // accounts that were there before a replay
	there   map[string]bool    // accounts that are there
	lost    bool               // nothing is known any more
}

type purchase struct{ account, transaction string }

// entry is a call that was answered.
type entry struct {
	call     *call
	ok       bool
	accepted bool    // of a redemption
	seen     Account // of a reading
}

func newWorld() world {
	return world{settled: map[purchase]int64{}, gone: map[string]bool{}, there: map[string]bool{}}
}

// begin makes an account the one that can be played again.
func (w *world) begin(account string, clock time.Time, send bool) {
	w.account, w.journal = account, nil
	w.there[account] = true
	if send && !clock.IsZero() {
		w.journal = append(w.journal, entry{call: post("/clock", Clock{clock}), ok: true})
	}
}

// perform makes a call of the port and notes it. After a failure that leaves it
// open whether it was done, it plays the account again.
func (c *Client) perform(k *call) (*answer, error) {
	if c.world.settled == nil {
		return nil, errors.New("probe: expected a reset before anything else")
	}
	if c.world.lost || k.account != "" && c.world.gone[k.account] {
		return nil, fmt.Errorf("%w: %s of account %s", ErrUncertain, k, k.account)
	}
	a, err := c.sendOrAccept(k)
	for replays := 0; errors.Is(err, errMaybeDone); replays++ {
		if replays == c.options.Replays || k.account != c.world.account {
			c.world.lost = true
			return nil, fmt.Errorf("%w, after %d replays: %w", ErrUncertain, replays, err)
		}
		if err = c.replay(); err == nil {
			a, err = c.sendOrAccept(k)
		}
	}
	if err != nil {
		return nil, err
	}
	c.world.note(k, a)
	return a, nil
}

// sendOrAccept makes a call that may change something. That an account is open
// already is no error if an earlier attempt may have opened it.
func (c *Client) sendOrAccept(k *call) (*answer, error) {
	c.reading = reading{}
	a, err := c.send(k)
	if err != nil || a.ok() || k.path != "/accounts" || !a.repeated {
		return a, err
	}
	if seen, err := c.read(k.account); err == nil && seen == (Account{}) {
		return &answer{status: 200, body: []byte("{}")}, nil
	}
	return a, nil
}

// note keeps a call for a replay.
func (w *world) note(k *call, a *answer) {
	if k.account != "" && k.account != w.account || w.account == "" {
		return
	}
	e := entry{call: k, ok: a.ok()}
	if k.path == "/redemptions" && e.ok {
		e.accepted, _ = a.accepted(k) // one that cannot be read ends the play
	}
	w.journal = append(w.journal, e)
}

// replay resets the target and makes the calls of the journal again.
func (c *Client) replay() error {
	c.count(func(s *Stats) { s.Replays++ })
	if err := c.reset(); err != nil {
		return err
	}
	w := &c.world
	for account := range w.there {
		if account != w.account {
			w.gone[account] = true
		}
	}
	w.there = map[string]bool{w.account: true}
	for i := range w.journal {
		e := &w.journal[i]
		if err := c.again(e); err != nil {
			return fmt.Errorf("playing account %s again: %w", w.account, err)
		}
	}
	return nil
}

// again makes a call of the journal.
func (c *Client) again(e *entry) error {
	if e.call.body == nil {
		return c.seeAgain(e)
	}
	a, err := c.sendOrAccept(e.call)
	if err != nil {
		return err
	}
	var accepted bool
	if e.call.path == "/redemptions" && a.ok() {
		if accepted, err = a.accepted(e.call); err != nil {
			return err
		}
	}
	if a.ok() != e.ok || accepted != e.accepted {
		return fmt.Errorf("%s: expected the same answer as before, found %d %s", e.call, a.status, printable(string(a.body)))
	}
	return nil
}

// seeAgain waits until a target that shows things late is where it was.
func (c *Client) seeAgain(e *entry) error {
	c.reading = reading{}
	seen, err := c.steady(e.call.account)
	if err == nil && seen != e.seen {
		err = fmt.Errorf("%s: expected the same as before, %+v, found %+v", e.call, e.seen, seen)
	}
	return err
}
