package webhook_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"recoup/internal/kit/signing"
	"recoup/internal/service/webhook"
	"recoup/internal/store/outbox"
	"recoup/internal/store/record"
)

func TestEndpointsAreListedWithoutTheirSecrets(t *testing.T) {
	inPebble(t, func(t *testing.T, d *database) {
		first, secret, err := d.outbox().Add(t.Context(), "https://example.com/a?b=c", []string{outbox.ReviewOpened, outbox.BalanceNegative, outbox.ReviewOpened}, false)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(secret, "whsec_") || len(secret) != len("whsec_")+44 {
			t.Errorf("the secret is %q", secret)
		}
		d.advance(time.Second)
		second, other := add(t, d.outbox(), "https://example.com/b")
		if first.ID == second.ID || secret == other {
			t.Error("two endpoints have the same id or secret")
		}
		d.notify(t, outbox.ReviewOpened, "a1")
		if err := d.outbox().Disable(t.Context(), first.ID); err != nil {
			t.Fatal(err)
		}
		d.advance(time.Second)
		if err := d.outbox().Disable(t.Context(), first.ID); err != nil {
			t.Fatal(err)
		}
		list, err := d.outbox().List(t.Context())
		if err != nil || len(list) != 2 || list[0].ID != first.ID || list[1].ID != second.ID {
			t.Fatalf("the endpoints are %+v, %v", list, err)
		}
		e := list[0]
		if e.URL != "https://example.com/a?b=c" || !slices.Equal(e.Types, []string{outbox.BalanceNegative, outbox.ReviewOpened}) ||
			!e.Created.Equal(first.Created) || !e.Disabled.Equal(d.now().Add(-time.Second)) || e.Due != 1 || e.Dead != 0 {
			t.Errorf("the first endpoint is %+v", e)
		}
		if e := list[1]; e.Types != nil || !e.Disabled.IsZero() || e.Due != 1 {
			t.Errorf("the second endpoint is %+v", e)
		}
	})
}

func TestWhatIsNotThere(t *testing.T) {
	inPebble(t, func(t *testing.T, d *database) {
		o, ctx := d.outbox(), t.Context()
		for name, do := range map[string]func() error{
			"disable": func() error { return o.Disable(ctx, "ep_none") },
			"enable":  func() error { return o.Enable(ctx, "ep_none") },
			"remove":  func() error { return o.Remove(ctx, "ep_none") },
			"rotate":  func() error { _, err := o.Rotate(ctx, "ep_none", 0); return err },
			"replay":  func() error { return o.Replay(ctx, 1) },
			"all":     func() error { _, err := o.ReplayAll(ctx, "ep_none"); return err },
		} {
			if err := do(); !errors.Is(err, webhook.ErrNotFound) {
				t.Errorf("%s: %v", name, err)
			}
		}
		// What is only waiting is no dead letter.
		e, _ := add(t, o, "https://example.com")
		d.notify(t, outbox.RewardPosted, "a1")
		if err := o.Replay(ctx, 1); !errors.Is(err, webhook.ErrNotFound) {
			t.Error(err)
		}
		if n, err := o.ReplayAll(ctx, e.ID); n != 0 || err != nil {
			t.Errorf("%d were replayed, %v", n, err)
		}
	})
}

func TestRefusedEndpoints(t *testing.T) {
	inPebble(t, func(t *testing.T, d *database) {
		for _, c := range []struct {
			url          string
			allowPrivate bool
			want         string
		}{
			{"http://example.com/", false, "expected https"},
			{"ftp://example.com/", true, "expected the URL of an endpoint"},
			{"example.com", true, "expected the URL of an endpoint"},
			{"https:///path", true, "expected the URL of an endpoint"},
			{"https://a b/", true, "expected the URL of an endpoint"},
			{"https://user:word@example.com/", true, "without a user and password"},
			{"https://example.com/#part", true, "without a fragment"},
			{"https://127.0.0.1/", false, "private addresses are not allowed"},
		} {
			_, _, err := d.outbox().Add(t.Context(), c.url, nil, c.allowPrivate)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v, want %q", c.url, err, c.want)
			}
		}
		_, _, err := d.outbox().Add(t.Context(), "https://example.com", []string{"reward.lost"}, false)
		if err == nil || !strings.Contains(err.Error(), "expected one of reward.posted, ") {
			t.Errorf("an unknown type: %v", err)
		}
		if list, err := d.outbox().List(t.Context()); len(list) != 0 || err != nil {
			t.Errorf("added were %+v, %v", list, err)
		}
	})
}

// During the overlap receivers may use either secret, afterwards only the new.
func TestRotation(t *testing.T) {
	inPebble(t, func(t *testing.T, d *database) {
		r := answering(t, 200)
		e, first := add(t, d.outbox(), r.URL)
		p := dispatch(t, d.outbox(), onThisMachine)
		// signedWith sends a notice and reports which of the secrets signed it.
		n := 0
		signedWith := func(secrets ...string) (right []bool) {
			n++
			d.notify(t, outbox.RewardPosted, strings.Repeat("a", n))
			p.Wake()
			p.next(t)
			got := r.next(t)
			for _, s := range secrets {
				err := signing.Verify(got.header, []byte(got.body), s, d.now(), time.Second)
				if err != nil && !errors.Is(err, signing.ErrSignature) {
					t.Fatal(err)
				}
				right = append(right, err == nil)
			}
			if signatures := len(strings.Fields(got.header.Get(signing.HeaderSignature))); signatures != countTrue(right) {
				t.Errorf("%d signatures, want %d", signatures, countTrue(right))
			}
			return right
		}
		rotate := func(overlap time.Duration) string {
			secret, err := d.outbox().Rotate(t.Context(), e.ID, overlap)
			if err != nil {
				t.Fatal(err)
			}
			return secret
		}
		expect := func(when string, got []bool, want ...bool) {
			t.Helper()
			if !slices.Equal(got, want) {
				t.Errorf("%s: %v, want %v", when, got, want)
			}
		}
		second := rotate(24 * time.Hour)
		expect("at once", signedWith(first, second), true, true)
		d.advance(24*time.Hour - 1)
		expect("just before the overlap ends", signedWith(first, second), true, true)
		third := rotate(time.Hour)
		expect("after a second rotation", signedWith(first, second, third), true, true, true)
		d.advance(1)
		expect("when the first overlap has ended", signedWith(first, second, third), false, true, true)
		fourth := rotate(0)
		expect("after one without overlap", signedWith(first, second, third, fourth), false, false, false, true)
		d.read(t, func(r record.Reader) error {
			kept, ok, err := outbox.Endpoints.Get(t.Context(), r, e.ID)
			if !ok || kept.Secrets != fourth {
				t.Errorf("the secrets that are kept are %q, want the newest alone", kept.Secrets)
			}
			return err
		})
	})
}

func countTrue(list []bool) (n int) {
	for _, b := range list {
		if b {
			n++
		}
	}
	return n
}

// What is left of a removed endpoint is swept up in time.
func TestNothingIsLeftOfARemovedEndpoint(t *testing.T) {
	inPebble(t, func(t *testing.T, d *database) {
		r := answering(t, 200)
		removed, _ := add(t, d.outbox(), "https://example.com/")
		d.notify(t, outbox.RewardPosted, many(1500)...)
		if err := d.outbox().Remove(t.Context(), removed.ID); err != nil {
			t.Fatal(err)
		}
		if left := d.left(t); len(left) != 0 {
			t.Fatalf("%d deliveries are left", len(left))
		}
		kept, _ := add(t, d.outbox(), "https://example.com/", outbox.ReviewOpened)
		d.notify(t, outbox.ReviewOpened, "kept")
		if err := d.outbox().Disable(t.Context(), kept.ID); err != nil {
			t.Fatal(err)
		}
		// What a store wrote that did not know yet, and a dispatcher gave up.
		d.change(t, func(tx record.Tx) error {
			for i := range int64(1500) {
				late := outbox.Delivery{Endpoint: removed.ID, Event: i, Number: i, Body: []byte("{}")}
				if err := outbox.Deliveries.Put(tx, late.Key(), &late); err != nil {
					return err
				}
				if err := outbox.DeadLetters.Put(tx, late.DeadKey(), &late); err != nil {
					return err
				}
			}
			return nil
		})
		add(t, d.outbox(), r.URL)
		p := dispatch(t, d.outbox(), onThisMachine)
		for range 2 {
			// Each time it looks, it deletes a thousand of both.
			d.notify(t, outbox.RewardPosted, "sentinel")
			p.Wake()
			if a := p.next(t); a.Fate != webhook.Delivered {
				t.Fatalf("the attempt is %+v", a)
			}
			d.advance(time.Minute)
		}
		if left := d.left(t); len(left) != 1 || left[0].Endpoint != kept.ID {
			t.Errorf("%d deliveries are left, want the one that waits for a disabled endpoint", len(left))
		}
		d.read(t, func(r record.Reader) error {
			n, err := outbox.DeadLetters.Count(t.Context(), r, record.Span{})
			if n != 0 {
				t.Errorf("%d dead letters are left", n)
			}
			return err
		})
	})
}

// Counting ends somewhere, so that looking at the numbers costs little.
func TestOnlySoManyAreCounted(t *testing.T) {
	inPebble(t, func(t *testing.T, d *database) {
		first, _ := add(t, d.outbox(), "https://example.com/a", outbox.RewardPosted)
		d.advance(time.Second)
		second, _ := add(t, d.outbox(), "https://example.com/b", outbox.ReviewOpened)
		d.notify(t, outbox.RewardPosted, many(webhook.MostCounted+1)...)
		d.notify(t, outbox.ReviewOpened, many(3)...)
		if err := d.outbox().Disable(t.Context(), first.ID); err != nil {
			t.Fatal(err)
		}
		list, err := d.outbox().List(t.Context())
		if err != nil || len(list) != 2 || list[0].Due != webhook.MostCounted || list[1].ID != second.ID || list[1].Due != 3 {
			t.Errorf("the endpoints are %+v, %v", list, err)
		}
		c, err := d.outbox().Counts(t.Context())
		if want := (webhook.Counts{Endpoints: 2, Disabled: 1, Due: webhook.MostCounted + 3}); c != want || err != nil {
			t.Errorf("counted are %+v, %v, want %+v", c, err, want)
		}
	})
}
