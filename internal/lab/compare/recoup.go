package compare

import (
	"context"
	"iter"
	"strconv"

	"recoup/internal/engine"
	"recoup/internal/issuer"
	"recoup/internal/lab/design"
	"recoup/internal/store/memory"
	"recoup/reward"
)

// recoupSide plays against Recoup's engine itself: events need no port, and
// come as they were delivered, redeliveries under their own ids. What customers
// and the clock do becomes events too.
type engineSide struct {
	program   *reward.Program
	store     *memory.Store
	engine    *engine.Engine
	now       reward.Instant
	one       [1]reward.Event
	results   []reward.Result
	purchased int64     // Σ of the purchases that posted, minor units
	linked    int       // refunds that somebody has linked
	truth     *entitled // told of everything that is delivered; nil: nobody asks
}

var _ side = (*engineSide)(nil)

// ownSource is the source of events that are not the stream's. It is empty, which
// no sender's can be, so the stream cannot use up their identities.
const ownSource = ""

func newEngineSide(p *reward.Program) *engineSide {
	s := memory.New(p)
	return &engineSide{program: p, store: s, engine: engine.New(s)}
}

// open opens accounts as the port does: under plain terms one begins with its first event.
func (r *engineSide) open(account string) error {
	if design.IsPlain(r.program) {
		return nil
	}
	e := reward.Event{Source: ownSource, ID: "open", Account: account, Time: r.now, Type: reward.AccountOpened}
	result, err := r.apply(e)
	if r.truth != nil {
		r.truth.add(&e, result)
	}
	return err
}

func (r *engineSide) setClock(now reward.Instant) error {
	r.now = now
	return nil
}

func (r *engineSide) deliver(e *reward.Event) (hasMove bool, err error) {
	if e.Type == reward.AccountOpened && !design.IsPlain(r.program) {
		return false, nil // as at the port, the account is open already
	}
	result, err := r.apply(*e)
	if e.Type == reward.TransactionSettled && result.Outcome == reward.Applied {
		r.purchased += e.Amount
	}
	if r.truth != nil {
		r.truth.add(e, result)
	}
	return true, err
}

// link is somebody's decision that a refund was of a purchase.
func (r *engineSide) link(account, refund, transaction string) error {
	r.linked++
	_, err := r.apply(reward.Event{
		Source: ownSource, ID: "link " + strconv.Itoa(r.linked), Account: account, Time: r.now, Type: reward.RefundLinked,
		Fact: refund, Transaction: transaction, Reason: "seen on the receipt", Actor: "lab",
	})
	return err
}

func (r *engineSide) closeStatement(account string) error {
	_, err := r.apply(reward.Event{Source: ownSource, ID: "close " + r.now.String(), Account: account, Time: r.now, Type: reward.CycleClosed})
	return err
}

func (r *engineSide) redeem(account, redemption string, amount int64) (bool, error) {
	result, err := r.apply(reward.Event{
		Source: ownSource, ID: redemption, Account: account, Time: r.now, Type: reward.RedemptionRequested,
		Fact: redemption, Amount: amount, HasAmount: true, Currency: r.program.RewardUnit(),
	})
	return result.Outcome == reward.Applied, err
}

func (r *engineSide) balance(account string) (issuer.Balance, int64, error) {
	return design.BalanceOf(r.store.Account(account), r.now), 0, nil
}

func (r *engineSide) apply(e reward.Event) (reward.Result, error) {
	r.one[0] = e
	var err error
	if r.results, err = r.engine.Apply(context.Background(), r.one[:], r.results[:0]); err != nil {
		return reward.Result{}, err
	}
	return r.results[0], nil
}

// accounts yields the accounts as they stand, with their purchases.
func (r *engineSide) accounts() iter.Seq2[string, reward.State] {
	return func(yield func(string, reward.State) bool) {
		for id := range r.store.Accounts() {
			if !yield(id, r.store.Account(id).State()) {
				return
			}
		}
	}
}
