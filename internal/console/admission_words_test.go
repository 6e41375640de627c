package console

import (
	"strings"
	"testing"

	"recoup/internal/console/locale"
	"recoup/internal/service/budget"
)

// TestEveryBudgetIsSaidInWords: in English as the budget says it itself, and in German with
// nothing of that left.
func TestEveryBudgetIsSaidInWords(t *testing.T) {
	english, german := locale.Choose("en", ""), locale.Choose("de", "")
	for class := budget.Reading; class <= budget.Connections; class++ {
		said := make(map[string]string)
		for _, what := range []string{"requests", "bytes", "events", "memory"} {
			r := &budget.Refusal{Class: class, What: what}
			if got, want := spentWords(english, r), strings.ReplaceAll(r.Error(), "_", " "); got != want {
				t.Errorf("%s in English: %q, want %q", r.Budget(), got, want)
			}
			got := spentWords(german, r)
			for _, word := range []string{" the ", " of ", " as ", "%!", strings.ReplaceAll(class.String(), "_", " ") + " "} {
				if got == r.Error() || strings.Contains(" "+got+" ", word) {
					t.Errorf("%s in German: %q has English in it", r.Budget(), got)
					break
				}
			}
			if other, is := said[got]; is {
				t.Errorf("in German %s and %s are both %q", other, r.Budget(), got)
			}
			said[got] = r.Budget()
		}
	}
}
