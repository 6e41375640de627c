package e2e_test

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"

	"recoup/internal/kit/broker"
)

// TestAFrozenConsumer: a consumer that has taken messages stops, as a machine does that is put
// to sleep, for longer than the broker waits for it. Another takes its messages over, and hands
// on what came later, too. Then the first goes on where it was, with what it took long ago.
// Nothing is lost or doubled, and every account has what it is owed, by the sender's own
// arithmetic.
func TestAFrozenConsumer(t *testing.T) {
	onEachBroker(t, func(t *testing.T, kind broker.Kind, _ int, seed uint64) {
		p := newPipeline(t, kind, 2, seed)
		p.visitors = nil // the broker is there all the time
		p.revive(theService)
		p.revive(theConsumers)
		c := newClient("http://" + p.address)
		defer c.http.CloseIdleConnections()
		const shares = 4
		<-p.send(0, shares)
		p.arrived(c, 1, shares)
		// Much is there at once, and nobody to take what a consumer has, so it keeps that.
		for _, one := range p.consumers {
			one.stop(t)
		}
		p.kill(theService)
		<-p.send(1, shares)
		for i := range p.consumers {
			p.consumers[i] = consuming(t, p.Broker, "http://"+p.address, "--batch", "100")
		}
		var frozen *service
		eventually(t, "a consumer holds messages", func() error {
			for _, one := range p.consumers {
				if strings.Contains(one.said.String(), "handing events to the service failed") {
					frozen = one
					return nil
				}
			}
			return errors.New("none says that nobody takes them")
		})
		noError(t, frozen.command.Process.Signal(syscall.SIGSTOP))
		p.revive(theService)
		p.service.ready(t)
		<-p.send(2, shares)
		p.arrived(c, 3, shares)
		noError(t, frozen.command.Process.Signal(syscall.SIGCONT))
		<-p.send(3, shares)
		p.settled()
		if p.ordered && !strings.Contains(frozen.said.String(), "could not be settled") {
			t.Error("the one that was stopped settled what another had taken over: it was not away for long enough")
		}
	})
}

// arrived waits until the ledger has every event of the first shares.
func (p *pipeline) arrived(c *client, share, of int) {
	p.Helper()
	eventuallyWithin(p, regrouped, fmt.Sprintf("%d of %d shares arrive", share, of), func() error {
		for _, h := range p.holders {
			want := make(map[string]bool)
			for _, line := range h.lines[:len(h.lines)*share/of] {
				want[line] = true
			}
			var is struct{ Version int }
			if err := c.get("/v1/accounts/"+h.account, &is); err != nil || is.Version < len(want) {
				return fmt.Errorf("%s has %d events, want %d (%v)", h.account, is.Version, len(want), err)
			}
		}
		return nil
	})
}
