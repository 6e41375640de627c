package webhook_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"recoup/internal/store/outbox"
	"recoup/internal/store/record"
	"recoup/internal/store/seal"
)

func TestSecretsAreSealed(t *testing.T) {
	databases(t, func(t *testing.T, d *database) {
		old, young := seal.NewKey(), seal.NewKey()
		with := func(keys ...string) *seal.Keys {
			k, err := seal.Parse(strings.Join(keys, ","))
			if err != nil {
				t.Fatal(err)
			}
			return k
		}
		lies := func(id string) (text string) {
			t.Helper()
			err := d.Read(t.Context(), func(r record.Reader) error {
				e, _, err := outbox.Endpoints.Get(t.Context(), r, id)
				text = e.Secrets
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			return text
		}
		plain, secret := add(t, d.outbox(), "https://example.com/plain")
		if !strings.Contains(lies(plain.ID), secret) {
			t.Fatal("without a key it is not there as it is")
		}
		o := d.outbox().Sealed(with(old))
		sealed, secret := add(t, o, "https://example.com/sealed")
		if text := lies(sealed.ID); strings.Contains(text, secret) || seal.KeyOf(text) != with(old).ID() {
			t.Errorf("in the database is %q", text)
		}
		if err := o.Check(t.Context()); err != nil {
			t.Errorf("with the key: %v", err)
		}
		// Without the key nothing is lost or replaced.
		var missing *seal.MissingKeyError
		if err := d.outbox().Check(t.Context()); !errors.As(err, &missing) || !strings.Contains(err.Error(), sealed.ID) {
			t.Errorf("without the key: %v", err)
		}
		if _, err := d.outbox().Rotate(t.Context(), sealed.ID, time.Hour); !errors.As(err, &missing) {
			t.Errorf("rotated without the key: %v", err)
		}
		// Another key seals from now on, and the old one can go.
		both := d.outbox().Sealed(with(young, old))
		for _, want := range []int{2, 0} {
			if n, err := both.Reseal(t.Context()); err != nil || n != want {
				t.Errorf("%d sealed anew, %v; want %d", n, err, want)
			}
		}
		alone := d.outbox().Sealed(with(young))
		if counts, err := alone.Keys(t.Context()); err != nil || len(counts) != 1 || counts[with(young).ID()] != 2 {
			t.Errorf("sealed are %v, %v", counts, err)
		}
		if err := alone.Check(t.Context()); err != nil {
			t.Errorf("with the new key alone: %v", err)
		}
		if _, err := alone.Rotate(t.Context(), sealed.ID, time.Hour); err != nil || seal.KeyOf(lies(sealed.ID)) != with(young).ID() {
			t.Errorf("a new secret: %v, %q", err, lies(sealed.ID))
		}
	})
}
