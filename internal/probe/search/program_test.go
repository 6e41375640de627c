package search_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"recoup/internal/issuer"
	"recoup/internal/lab/design"
	"recoup/internal/probe"
	"recoup/internal/probe/search"
	"recoup/reward"
)

// broken is Recoup with one thing done wrong.
type broken struct {
	issuer.Issuer
	refund     func(to issuer.Issuer, r issuer.Refund) error
	chargeback func(to issuer.Issuer, c issuer.Chargeback) error
	settle     func(to issuer.Issuer, s issuer.Settlement) error
	redeem     func(to issuer.Issuer, d issuer.Redemption) (bool, error)

	reversed map[string]int64
	now      time.Time
}

func (b *broken) SetClock(now time.Time) error { b.now = now; return b.Issuer.SetClock(now) }

func (b *broken) Refund(r issuer.Refund) error {
	defer func() { b.reversed[r.Transaction] += r.Amount }()
	if b.refund != nil {
		return b.refund(b.Issuer, r)
	}
	return b.Issuer.Refund(r)
}

func (b *broken) Chargeback(c issuer.Chargeback) error {
	if b.chargeback != nil {
		return b.chargeback(b.Issuer, c)
	}
	return b.Issuer.Chargeback(c)
}

func (b *broken) Settle(s issuer.Settlement) error {
	if b.settle != nil {
		return b.settle(b.Issuer, s)
	}
	return b.Issuer.Settle(s)
}

func (b *broken) Redeem(d issuer.Redemption) (bool, error) {
	if b.redeem != nil {
		return b.redeem(b.Issuer, d)
	}
	return b.Issuer.Redeem(d)
}

// Recoup with one thing done wrong is told from Recoup, and by just what is wrong.
func TestOneThingDoneWrongIsFound(t *testing.T) {
	for _, test := range []struct {
		name   string
		break_ func(*broken)
		want   string
		like   bool // the catalogue has it
	}{
		{"clawback of half", func(b *broken) {
			b.refund = func(to issuer.Issuer, r issuer.Refund) error { r.Amount = (r.Amount + 1) / 2; return to.Refund(r) }
		}, "settle, refund: leaks", true},
		{"chargebacks after a refund are lost", func(b *broken) {
			b.chargeback = func(to issuer.Issuer, c issuer.Chargeback) error {
				if b.reversed[c.Transaction] > 0 {
					return nil
				}
				return to.Chargeback(c)
			}
		}, "settle, refund part, chargeback rest: leaks", true},
		{"refunds on the last day of a month are lost", func(b *broken) {
			b.refund = func(to issuer.Issuer, r issuer.Refund) error {
				if b.now.AddDate(0, 0, 1).Day() == 1 {
					return nil
				}
				return to.Refund(r)
			}
		}, "settle, wait, refund: leaks", true},
		{"refunds after two weeks are lost", func(b *broken) {
			bought := map[string]time.Time{}
			b.settle = func(to issuer.Issuer, s issuer.Settlement) error { bought[s.Transaction] = b.now; return to.Settle(s) }
			b.refund = func(to issuer.Issuer, r issuer.Refund) error {
				if b.now.Sub(bought[r.Transaction]) > 14*24*time.Hour && !bought[r.Transaction].IsZero() {
					return nil
				}
				return to.Refund(r)
			}
		}, "settle, wait, refund: leaks", true},
		{"a refund of the rest is taken for a copy of the part", func(b *broken) {
			seen := map[string]int64{}
			b.refund = func(to issuer.Issuer, r issuer.Refund) error {
				if r.Transaction != "" && seen[r.Transaction] == r.Amount {
					return nil
				}
				seen[r.Transaction] = r.Amount
				return to.Refund(r)
			}
		}, "settle, refund part, refund rest: leaks", true},
		{"purchases of a thousand and more earn twice", func(b *broken) {
			b.settle = func(to issuer.Issuer, s issuer.Settlement) error {
				if s.Amount >= 1000_00 {
					s.Amount *= 2
				}
				return to.Settle(s)
			}
		}, "settle: leaks", false},
		{"every refund takes a cent more", func(b *broken) {
			b.refund = func(to issuer.Issuer, r issuer.Refund) error { r.Amount += 20; return to.Refund(r) }
		}, "", false}, // a unit a fact is rounding
	} {
		t.Run(test.name, func(t *testing.T) {
			p := everyday(atOnce)
			p.Rules[0].Cap = reward.NoCap
			target := targetOf(p, func() issuer.Issuer {
				b := &broken{Issuer: design.NewRecoup(p), reversed: map[string]int64{}}
				test.break_(b)
				return b
			})
			r := run(t, target, search.Options{Seed: 5, Sequences: 500, Finds: 3})
			if test.want == "" {
				if len(r.Finds) != 0 {
					t.Errorf("found %q", signatures(r))
				}
				return
			}
			i := slices.Index(signatures(r), test.want)
			if i < 0 {
				t.Fatalf("found %q, want %q", signatures(r), test.want)
			}
			if (len(r.Finds[i].Like) > 0) != test.like {
				t.Errorf("like %q", r.Finds[i].Like)
			}
		})
	}
}

// A target that cannot be reset gets accounts and ids of their own and time that
// goes on, and shows the same as one that can.
func TestWithoutReset(t *testing.T) {
	target := named(t, "V3(a)", everyday(atOnce))
	target.Reset = nil
	r := run(t, target, search.Options{Seed: 1, Sequences: 80})
	i := slices.Index(signatures(r), "settle, redeem, refund: leaks")
	if i < 0 {
		t.Fatalf("found %q, %s", signatures(r), r.Ended)
	}
	if f := &r.Finds[i]; f.Trace[0].Done != "settle t1 100.00 at m1 GROCERY" || strings.Contains(f.Scenario, "2027") {
		t.Errorf("%+v", f)
	}
	target = named(t, "V3(a)", everyday(atOnce))
	target.Reset = nil
	r = run(t, target, search.Options{Seed: 1, Sequences: 1000, From: time.Date(2170, 1, 1, 0, 0, 0, 0, time.UTC)})
	if r.Ended != "search: the target cannot be reset, and its calendar is used up" {
		t.Errorf("ended %q after %d sequences", r.Ended, r.Sequences)
	}
}

// standing is an issuer of which the clock cannot be set; it moves on to the next
// month when a statement is closed.
type standing struct {
	issuer.Issuer
	now time.Time
}

func (s *standing) SetClock(time.Time) error { panic("the target has no clock") }
func (s *standing) PaidOut(account string) (int64, error) {
	return issuer.PaidOut(s.Issuer, account)
}
func (s *standing) CloseStatement(account string) error {
	s.now = time.Date(s.now.Year(), s.now.Month()+1, 1, 0, 0, 0, 0, time.UTC)
	if err := s.Issuer.SetClock(s.now); err != nil {
		return err
	}
	return s.Issuer.CloseStatement(account)
}

func TestWithoutAClock(t *testing.T) {
	for name, want := range map[string]string{"A": "settle, refund: leaks", "B": "settle, close, refund: leaks", "Recoup": ""} {
		timing := atOnce
		if name == "B" {
			timing = atStatements
		}
		p := everyday(timing)
		d, err := design.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		target := targetOf(p, func() issuer.Issuer {
			s := &standing{d.New(p), time.Date(2026, 3, 5, 10, 0, 0, 0, time.UTC)}
			if err := s.Issuer.SetClock(s.now); err != nil {
				t.Fatal(err)
			}
			return s
		})
		target.Can.CanSetClock, target.Can.StatementClose = false, probe.ClosesByCall
		r := run(t, target, search.Options{Seed: 1, Finds: 20})
		if got := signatures(r); want == "" && len(got) > 0 || want != "" && !slices.Contains(got, want) {
			t.Errorf("%s: found %q, want %q", name, got, want)
		}
		for i := range r.Finds {
			if f := &r.Finds[i]; strings.Contains(f.Curl, "/clock") || strings.Contains(f.Scenario, "  close") != strings.Contains(f.Curl, "/statements/close") {
				t.Errorf("%s", f.Curl)
			}
		}
	}
}

// What the capabilities do not have is not sent.
func TestOnlyWhatTheTargetCan(t *testing.T) {
	no := false
	p := everyday(atOnce)
	prices := map[string]int64{}
	target := targetOf(p, func() issuer.Issuer {
		b := &broken{Issuer: design.NewRecoup(p), reversed: map[string]int64{}}
		b.settle = func(to issuer.Issuer, s issuer.Settlement) error {
			prices[s.Transaction] = s.Amount
			return to.Settle(s)
		}
		b.chargeback = func(issuer.Issuer, issuer.Chargeback) error { t.Error("a chargeback"); return nil }
		b.refund = func(to issuer.Issuer, r issuer.Refund) error {
			if price, known := prices[r.Transaction]; r.Transaction == "" || r.Category != "" || known && r.Amount < price {
				t.Errorf("%+v of a purchase of %d", r, price)
			}
			return to.Refund(r)
		}
		clear(prices)
		return b
	})
	target.Can = probe.Capabilities{Currency: "USD", CanSetClock: true, StatementClose: probe.ClosesByClock, UnlinkedRefunds: &no}
	if r := run(t, target, search.Options{Seed: 1, Sequences: 200}); r.Sequences != 200 || r.Defective != 0 {
		t.Errorf("%+v", r)
	}
}

// A move that the target says it has and turns out not to have is not tried again.
func TestAMoveThatThereIsNot(t *testing.T) {
	p := everyday(atOnce)
	chargebacks := 0
	target := targetOf(p, func() issuer.Issuer {
		b := &broken{Issuer: design.NewRecoup(p), reversed: map[string]int64{}}
		b.chargeback = func(issuer.Issuer, issuer.Chargeback) error { chargebacks++; return issuer.ErrUnsupported }
		return b
	})
	if r := run(t, target, search.Options{Seed: 1}); chargebacks == 0 || chargebacks > 8 || r.Defective != 0 {
		t.Errorf("%d chargebacks, %+v", chargebacks, r)
	}
}

// uncertain loses an account now and then, as a client does.
type uncertain struct {
	issuer.Issuer
	calls *int
}

func (u *uncertain) Refund(r issuer.Refund) error {
	if *u.calls++; *u.calls%7 == 0 {
		return probe.ErrUncertain
	}
	return u.Issuer.Refund(r)
}

func TestAFlakyTargetIsPlayedAgain(t *testing.T) {
	p := everyday(atOnce)
	d, err := design.Find("A")
	if err != nil {
		t.Fatal(err)
	}
	calls := 0
	target := targetOf(p, func() issuer.Issuer { return &uncertain{d.New(p), &calls} })
	r := run(t, target, search.Options{Seed: 1})
	if r.Replays == 0 || len(r.Finds) != 1 || r.Finds[0].Signature != "settle, refund: leaks" {
		t.Errorf("%d replays, found %q", r.Replays, signatures(r))
	}
	dead := targetOf(p, func() issuer.Issuer {
		return &broken{Issuer: design.NewRecoup(p), reversed: map[string]int64{}, settle: func(issuer.Issuer, issuer.Settlement) error { return probe.ErrUnstable }}
	})
	if r := run(t, dead, search.Options{Sequences: 10}); r.GivenUp < 9 || r.Defective != 0 {
		t.Errorf("%+v", r)
	}
}

// What shows once and not again is no find.
func TestADefectMustRepeat(t *testing.T) {
	p := everyday(atOnce)
	accounts := 0
	target := targetOf(p, func() issuer.Issuer {
		b := &broken{Issuer: design.NewRecoup(p), reversed: map[string]int64{}}
		if accounts++; accounts%20 == 1 {
			b.refund = func(issuer.Issuer, issuer.Refund) error { return nil }
		}
		return b
	})
	if r := run(t, target, search.Options{Seed: 1, Sequences: 300}); r.Unrepeated == 0 || len(r.Finds) != 0 {
		t.Errorf("unrepeated %d, found %q", r.Unrepeated, signatures(r))
	}
}

func TestBounds(t *testing.T) {
	target := named(t, "Literal (instant)", everyday(atOnce))
	r := run(t, target, search.Options{Seed: 1, Calls: 500})
	if r.Calls != 500 || r.Ended != "search: the calls are used up" {
		t.Errorf("%d calls, ended %q", r.Calls, r.Ended)
	}
	if r = run(t, target, search.Options{Seed: 1, Finds: 2}); len(r.Finds) != 2 || r.Ended != "2 finds" {
		t.Errorf("%d finds, ended %q", len(r.Finds), r.Ended)
	}
	if r = run(t, target, search.Options{Seed: 1, Finds: 1, Shrinks: 1}); len(r.Finds) != 1 || !r.Finds[0].Unshrunk {
		t.Errorf("%+v", r)
	}
}

func TestWhatCannotBeSearched(t *testing.T) {
	p := everyday(atOnce)
	good := named(t, "A", p)
	for want, change := range map[string]func(*search.Target, *search.Options){
		"search: expected a target":                                       func(s *search.Target, _ *search.Options) { s.Issuer = nil },
		"search: expected the terms of the target":                        func(s *search.Target, _ *search.Options) { s.Program = nil },
		"search: the program is in USD, and the target in EUR":            func(s *search.Target, _ *search.Options) { s.Can.Currency = "EUR" },
		"search: expected a target with a clock or one that can be reset": func(s *search.Target, _ *search.Options) { s.Can.CanSetClock, s.Reset = false, nil },
		"search: moves 51: expected 2 to 50":                              func(_ *search.Target, o *search.Options) { o.MaxMoves = 51 },
		"search: sequences -1: expected 1 to 10000000":                    func(_ *search.Target, o *search.Options) { o.Sequences = -1 },
	} {
		target, o := good, search.Options{}
		change(&target, &o)
		if _, err := search.Run(t.Context(), target, o); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	nothing := *p
	nothing.Rules = nil
	still := everyday(atStatements)
	for want, terms := range map[string]*reward.Program{
		"search: no rule of the terms earns anything that a purchase could be made under":       &nothing,
		"search: the target acts at statement closes, and it has none that could be waited for": still,
	} {
		target := good
		target.Program = terms
		if terms == still {
			target.Can.StatementClose = probe.ClosesNot
		}
		if r := run(t, target, search.Options{}); r.Ended != want || r.Plays != 0 {
			t.Errorf("ended %q after %d plays, want %q", r.Ended, r.Plays, want)
		}
	}
}
