package seal_test

import (
	"errors"
	"strings"
	"testing"

	"recoup/internal/store/seal"
)

func keys(t *testing.T, text ...string) *seal.Keys {
	t.Helper()
	k, err := seal.Parse(strings.Join(text, "\n"))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestWhatIsSealedOpensInItsPlaceAlone(t *testing.T) {
	old, young := seal.NewKey(), seal.NewKey()
	first := keys(t, old)
	for _, text := range []string{"", "whsec_abc", strings.Repeat("x", 70_000)} {
		sealed := first.Seal("endpoint a", text)
		if text != "" && strings.Contains(sealed, text) || !seal.IsSealed(sealed) || seal.KeyOf(sealed) != first.ID() || sealed == first.Seal("endpoint a", text) {
			t.Fatalf("%q is sealed as %q", text, sealed)
		}
		// Also once another key seals.
		for _, k := range []*seal.Keys{first, keys(t, "# the new one", young, "", old), keys(t, young+","+old)} {
			if got, err := k.Open("endpoint a", sealed); err != nil || got != text {
				t.Errorf("opened it is %q, %v", got, err)
			}
		}
		var missing *seal.MissingKeyError
		for _, k := range []*seal.Keys{nil, keys(t, young)} {
			if _, err := k.Open("endpoint a", sealed); !errors.As(err, &missing) || missing.Key != first.ID() {
				t.Errorf("without the key: %v", err)
			}
		}
		for _, wrong := range []struct{ place, sealed string }{
			{"endpoint b", sealed}, {"endpoint a", sealed[:len(sealed)-4]}, {"endpoint a", sealed + "!"}, {"endpoint a", "sealed:1:" + first.ID() + ":"},
		} {
			if got, err := first.Open(wrong.place, wrong.sealed); err == nil || errors.As(err, &missing) {
				t.Errorf("%q opens in %q as %q, %v", wrong.sealed, wrong.place, got, err)
			}
		}
	}
}

func TestWithoutKeysNothingIsSealed(t *testing.T) {
	var none *seal.Keys
	if got := none.Seal("p", "text"); got != "text" || none.ID() != "" {
		t.Errorf("%q under %q", got, none.ID())
	}
	if got, err := keys(t, seal.NewKey()).Open("p", "text"); err != nil || got != "text" || seal.KeyOf("text") != "" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestWhatAreNoKeys(t *testing.T) {
	const secret = "c2VjcmV0"
	for _, text := range []string{"", "#", secret, seal.NewKey() + "\n" + secret, seal.NewKey() + "x", strings.Repeat(secret, 100)} {
		if _, err := seal.Parse(text); err == nil || strings.Contains(err.Error(), secret) {
			t.Errorf("%q: %v", text, err)
		}
	}
	var many []string
	for range 17 {
		many = append(many, seal.NewKey())
	}
	if _, err := seal.Parse(strings.Join(many, "\n")); err == nil {
		t.Error("17 keys are taken")
	}
}
