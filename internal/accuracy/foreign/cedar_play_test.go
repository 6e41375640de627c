package foreign

import (
	"fmt"
	"testing"
	"time"

	"recoup/internal/issuer"
)

// cedarPlay delivers the first n facts, each twice at times, and goes on to end.
func cedarPlay(t *testing.T, d Design, h cedarHistory, n int, end time.Time) (Engine, []cedarUse) {
	t.Helper()
	e := d.New()
	cedarDo(t, e.SetClock(cedarStart), e.Open(cedarName))
	var uses []cedarUse
	for i, f := range h.facts[:n] {
		cedarDo(t, e.SetClock(f.deliver))
		for range 1 + i%2 {
			switch {
			case f.settle != nil:
				cedarDo(t, e.Settle(*f.settle))
			case f.refund != nil:
				cedarDo(t, e.Refund(*f.refund))
			case f.charge != nil:
				cedarDo(t, e.Chargeback(*f.charge))
			}
		}
		if f.redeem > 0 {
			amount := cedarBalance(t, e).Redeemable * f.redeem / 100
			ok, err := e.Redeem(issuer.Redemption{Account: cedarName, Redemption: fmt.Sprint(i), Amount: amount})
			if err != nil || ok != (amount > 0) {
				t.Fatalf("%s: redeeming %d: %v %v", d.Name, amount, ok, err)
			}
			if ok {
				uses = append(uses, cedarUse{f.deliver, amount})
			}
		}
	}
	cedarDo(t, e.SetClock(end))
	return e, uses
}

// cedarNever plays the same as if what came back had never been bought, with the same
// money paid out.
func cedarNever(t *testing.T, d Design, h cedarHistory, n int, end time.Time, uses []cedarUse) Engine {
	t.Helper()
	back := map[string]int64{}
	for i, f := range h.facts[:n] {
		switch {
		case f.refund != nil:
			back[h.truth[i]] += f.refund.Amount
		case f.charge != nil && f.charge.Amount == 0:
			back[h.truth[i]] += 1 << 40
		case f.charge != nil:
			back[h.truth[i]] += f.charge.Amount
		}
	}
	e := d.New().(*cedarEngine)
	cedarDo(t, e.SetClock(cedarStart), e.Open(cedarName))
	for _, f := range h.facts[:n] {
		for len(uses) > 0 && !uses[0].at.After(f.deliver) {
			cedarDo(t, e.SetClock(uses[0].at))
			e.accounts[cedarName].use(uses[0].at, uses[0].amount)
			uses = uses[1:]
		}
		cedarDo(t, e.SetClock(f.deliver))
		if f.settle != nil {
			s := *f.settle
			if s.Amount -= back[s.Transaction]; s.Amount > 0 {
				cedarDo(t, e.Settle(s))
			}
		}
	}
	cedarDo(t, e.SetClock(end))
	return e
}

func cedarDo(t *testing.T, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}

func cedarBalance(t *testing.T, e Engine) issuer.Balance {
	t.Helper()
	b, err := e.Balance(cedarName)
	cedarDo(t, err)
	return b
}

// cedarNet is the balance and what was paid by itself; redemptions are the same in both.
func cedarNet(t *testing.T, e Engine) int64 {
	t.Helper()
	paid, err := e.(issuer.Payer).PaidOut(cedarName)
	cedarDo(t, err)
	return cedarBalance(t, e).Balance + paid
}
