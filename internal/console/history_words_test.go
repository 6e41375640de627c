package console

import (
	"testing"

	"recoup/reward"
)

// Whatever the rules say of an event is said in a sentence, and not by its code.
func TestEveryCodeIsSaidInWords(t *testing.T) {
	for code := reward.NoCode + 1; code.String() != "unknown"; code++ {
		if codeWords[code] == "" {
			t.Errorf("no words for %v: expected them among codeWords in history.go", code)
		}
	}
}
