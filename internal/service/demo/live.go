package demo

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"recoup/reward"
)

// Apply applies events, as engine.Group.Apply does.
type Apply func(ctx context.Context, events []reward.Event, results []reward.Result) ([]reward.Result, error)

// Live has an event happen on the crowd's accounts every few seconds, so that
// what is looked at moves: purchases, returns of some of them, redemptions. It
// ends with the context, or with the first error of apply.
func Live(ctx context.Context, apply Apply, now func() time.Time) error {
	t := trickle{began: now().UnixNano()}
	var results []reward.Result
	for {
		pause := time.NewTimer(time.Second + rand.N(4*time.Second))
		select {
		case <-ctx.Done():
			pause.Stop()
			return nil
		case <-pause.C:
		}
		var err error
		if results, err = apply(ctx, []reward.Event{t.next(now())}, results[:0]); err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return fmt.Errorf("an event of the demo: %w", err)
		}
	}
}

// trickle makes up events one by one. Its ids begin with the time that it began
// at, so that those of two runs differ.
type trickle struct {
	began  int64
	number int
	bought []reward.Event // settlements of this run, of which some are returned
}

// remembered is how many purchases may still be returned.
const remembered = 50

func (t *trickle) next(at time.Time) reward.Event {
	t.number++
	e := reward.Event{Source: Source, ID: fmt.Sprintf("live-%x-%d", t.began, t.number), Time: reward.At(at)}
	switch n := rand.N(100); {
	case n < 14 && len(t.bought) > 0:
		t.giveBack(&e, n < 4)
	case n < 22:
		w := &lively[rand.N(len(lively))]
		w.visit(&e)
		e.Type, e.Fact, e.Method = reward.RedemptionRequested, e.ID, "statement_credit"
		e.Amount = 500
	default:
		w := &lively[rand.N(len(lively))]
		w.visit(&e)
		s := shops[rand.N(len(shops))]
		mcc, _ := reward.ParseMCC(s.mcc)
		e.Type, e.Transaction, e.Merchant, e.MCC = reward.TransactionSettled, e.ID, s.merchant, mcc
		e.Amount = 500 + rand.N[int64](200_00)
		if t.bought = append(t.bought, e); len(t.bought) > remembered {
			t.bought = t.bought[1:]
		}
	}
	return e
}

var shops = []shop{greengrocer, soundCellar, cameraHouse, bookshop, bistro, hotel, airline, department, sushi}

// visit draws the account of an event, with its currency.
func (w *crowd) visit(e *reward.Event) {
	e.Account, e.Currency, e.HasAmount = w.member(1+rand.N(w.accounts/3)), "USD", true
	if w.program == nippon {
		e.Currency = "JPY"
	}
}

// giveBack returns a purchase or half of it, once.
func (t *trickle) giveBack(e *reward.Event, unlinked bool) {
	i := rand.N(len(t.bought))
	of := t.bought[i]
	t.bought = append(t.bought[:i], t.bought[i+1:]...)
	e.Type, e.Fact, e.Account = reward.RefundPosted, e.ID, of.Account
	e.Amount, e.HasAmount, e.Currency = of.Amount, true, of.Currency
	if rand.N(3) == 0 {
		e.Amount = of.Amount / 2
	}
	if unlinked {
		e.Merchant, e.MCC = of.Merchant, of.MCC
	} else {
		e.Transaction = of.Transaction
	}
}
