package secrets

import (
	"os"
	"strings"
	"testing"
)

// A new key stands before the others; the file wins over the environment, and nothing is
// repeated of what is wrong.
func TestKeys(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv(Variable, "")
	if keys, err := Keys(""); keys != nil || err != nil {
		t.Errorf("without any there are %v, %v", keys, err)
	}
	if _, err := MustKeys(""); err == nil || !strings.Contains(err.Error(), "expected --secrets-key or RECOUP_SECRETS_KEY") {
		t.Errorf("where there must be some: %v", err)
	}
	first, err := New("keys")
	if err != nil {
		t.Fatal(err)
	}
	second, err := New("keys")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(Variable, "nonsense")
	keys, err := Keys("keys")
	if err != nil || keys.ID() != second.ID() || keys.ID() == first.ID() {
		t.Errorf("the file has %q, %v; the keys made were %q and %q", keys.ID(), err, first.ID(), second.ID())
	}
	if _, err := Keys(""); err == nil || strings.Contains(err.Error(), "nonsense") {
		t.Errorf("of nonsense it says %v", err)
	}
	if info, err := os.Stat("keys"); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file is %v, %v", info.Mode(), err)
	}
}
