package durable_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"recoup/internal/store/durable"
	"recoup/internal/store/record"
	"recoup/internal/store/seal"
	"recoup/program"
	"recoup/reward"
)

const pan = "4111111111111111"

// suspect is a purchase with a card number where its merchant should be.
func suspect(account string, n int) durable.Suspect {
	id := fmt.Sprint("s", n)
	return durable.Suspect{Member: "data.merchant", Event: reward.Event{
		Source: "core", ID: id, Account: account, Time: reward.At(january) + reward.Instant(n), Type: reward.TransactionSettled,
		Transaction: id, Amount: int64(100 + n), HasAmount: true, Currency: "USD", Merchant: "pan-" + pan,
	}}
}

func newSecrets(t *testing.T, text string) *seal.Keys {
	t.Helper()
	keys, err := seal.Parse(text)
	ok(t, err)
	return keys
}

// everything is all that is kept of refused facts, as it lies in the database.
func everything(t *testing.T, d record.Store) string {
	t.Helper()
	var all strings.Builder
	ok(t, d.Read(context.Background(), func(r record.Reader) error {
		for _, table := range []string{"refused", "refused_named", "refused_open", "refused_open_of"} {
			err := r.Scan(context.Background(), table, record.Span{}, func(key string, value []byte) (bool, error) {
				fmt.Fprintf(&all, "%s %q %s\n", table, key, value)
				return true, nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	}))
	return all.String()
}

func TestWhatMayHaveACardNumberIsKeptApart(t *testing.T) {
	t.Parallel()
	old, young := seal.NewKey(), seal.NewKey()
	for name, driver := range databases {
		for _, secrets := range []*seal.Keys{nil, newSecrets(t, old)} {
			t.Run(fmt.Sprintf("%s, sealed %v", name, secrets != nil), func(t *testing.T) {
				t.Parallel()
				ctx := context.Background()
				d := driver(t)
				programs := newRegistry(t, d)
				programs.add(t, program.Everyday())
				now := epoch()
				tick := func() reward.Instant { now++; return now }
				open := func(secrets *seal.Keys) *durable.Store {
					return durable.New(d, durable.Options{Programs: programs.Programs, Now: tick, Secrets: secrets})
				}
				s := open(secrets)
				sent := []durable.Suspect{suspect(pan, 1), suspect("a", 2), suspect(pan, 1)}
				ok(t, s.KeepApart(ctx, sent))
				for i := range sent {
					if sent[i].Fate != durable.KeptApart {
						t.Errorf("the fate of %d is %v", i, sent[i].Fate)
					}
				}
				if all := everything(t, d); strings.Contains(all, pan) || strings.Count(all, "refused \"") != 2 {
					t.Errorf("kept is\n%s", all)
				}
				const masked = "************1111"
				list, _, _, err := s.Reviews(ctx, durable.ReviewFilter{Kind: reward.HasCardNumber}, durable.ReviewPlace{}, 10)
				if err != nil || len(list) != 2 || list[0].Kind != reward.HasCardNumber || list[0].Amount != 101 || list[0].Account != masked {
					t.Fatalf("on the list: %+v, %v", list, err)
				}
				if others, _, _, err := s.Reviews(ctx, durable.ReviewFilter{Kind: reward.ForeignCurrency}, durable.ReviewPlace{}, 10); err != nil || len(others) != 0 {
					t.Errorf("among facts in other currencies: %+v, %v", others, err)
				}
				r, is, err := s.Refused(ctx, masked, list[0].Part.ID)
				ok(t, err)
				if !is || r.Event.Merchant != "pan-"+masked || r.Member != "data.merchant" || r.IsSealed() != (secrets != nil) {
					t.Fatalf("%+v, %v", r, is)
				}
				if secrets == nil {
					if _, err := s.AsSent(&r); !errors.Is(err, durable.ErrMasked) {
						t.Errorf("as sent: %v", err)
					}
				} else {
					if e, err := s.AsSent(&r); err != nil || e != sent[0].Event {
						t.Errorf("as sent: %+v, %v", e, err)
					}
					// Another key seals from now on.
					both := newSecrets(t, young+"\n"+old)
					for _, want := range []int{2, 0} {
						if n, err := durable.ResealKeptApart(ctx, durable.One(d), both); err != nil || n != want {
							t.Errorf("%d sealed anew, %v; want %d", n, err, want)
						}
					}
					r, _, err = s.Refused(ctx, masked, list[0].Part.ID)
					ok(t, err)
					var missing *seal.MissingKeyError
					if _, err := s.AsSent(&r); !errors.As(err, &missing) {
						t.Errorf("with the old key: %v", err)
					}
					s = open(newSecrets(t, young))
					if e, err := s.AsSent(&r); err != nil || e != sent[0].Event {
						t.Errorf("with the new key: %+v, %v", e, err)
					}
				}

				// What is dismissed stays so, and what is let in is known again.
				if open, err := s.DecideRefused(ctx, &r, "dismiss", "maria", "a card"); err != nil || !open {
					t.Errorf("it was open: %v, %v", open, err)
				}
				(&world{Store: s}).apply(t, sent[1].Event)
				ok(t, s.KeepApart(ctx, sent))
				other := suspect("a", 2)
				other.Event.Amount++
				again := []durable.Suspect{sent[0], sent[1], other}
				ok(t, s.KeepApart(ctx, again))
				for i, want := range []durable.Fate{durable.Dismissed, durable.LetIn, durable.OtherLetIn} {
					if again[i].Fate != want {
						t.Errorf("the fate of %d is %v, want %v", i, again[i].Fate, want)
					}
				}
				if list, _, _, err := s.Reviews(ctx, durable.ReviewFilter{}, durable.ReviewPlace{}, 10); err != nil || len(list) != 0 {
					t.Errorf("left on the list: %+v, %v", list, err)
				}

				// Of one account not more than a bounded number waits.
				var many []durable.Suspect
				for i := range durable.MaxRefused + 5 {
					many = append(many, suspect("flooded", i))
				}
				ok(t, s.KeepApart(ctx, many))
				for i := range many {
					if want := durable.Fate(0); i >= durable.MaxRefused && many[i].Fate != durable.NoRoom || i < durable.MaxRefused && many[i].Fate != want {
						t.Fatalf("the fate of %d is %v", i, many[i].Fate)
					}
				}
			})
		}
	}
}
