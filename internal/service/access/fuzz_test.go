package access

import (
	"strings"
	"testing"
)

// FuzzBearer: what the parser accepts is a key in every detail, and it says so
// of every key.
func FuzzBearer(f *testing.F) {
	key, _ := newKey()
	for _, header := range []string{"", "Bearer " + key, "bearer  " + key, "Bearer", "Bearer rk__", "Basic eDp5", "Bearer " + key + key, "Bearer rk_" + strings.Repeat("_", 56), "\x00", "Bearer\t" + key} {
		f.Add(header)
	}
	f.Fuzz(func(t *testing.T, header string) {
		key, id, err := bearer(header)
		if err != nil {
			if key != "" || id != "" || (err == Missing) != (header == "") {
				t.Fatalf("bearer(%q) = %q, %q, %v", header, key, id, err)
			}
			return
		}
		if !strings.HasSuffix(header, " "+key) || !strings.EqualFold(strings.TrimRight(strings.TrimSuffix(header, key), " "), "bearer") {
			t.Fatalf("bearer(%q) finds the key %q", header, key)
		}
		if len(key) != keyLength || !strings.HasPrefix(key, prefix+id+"_") || len(id) != idLength {
			t.Fatalf("bearer(%q) accepts the key %q with the id %q", header, key, id)
		}
		if strings.ContainsFunc(key, func(c rune) bool {
			return c != '-' && c != '_' && !(c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z')
		}) {
			t.Fatalf("bearer(%q) accepts the key %q", header, key)
		}
	})
}

func TestEveryNewKeyIsAccepted(t *testing.T) {
	for range 1000 {
		key, id := newKey()
		if got, gotID, err := bearer("Bearer " + key); got != key || gotID != id || err != nil {
			t.Fatalf("bearer of the new key %q with the id %q: %q, %q, %v", key, id, got, gotID, err)
		}
	}
}
