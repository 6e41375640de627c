package stripe_test

import (
	"maps"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"recoup/internal/kit/sourcetest"
	"recoup/source"
	"recoup/source/stripe"
)

var balanceIs = regexp.MustCompile(`balance (-?\d+)`)

// TestWhatTheOrderCosts: of the scenarios that depend on the order of delivery, every balance that
// they end with in any. The refund of a purchase abroad that comes before it is taken at what was
// billed, so 5 % of the $3.00 between what was paid and what came back stays; of which of two
// purchases at one shop a refund is makes no difference to the account.
func TestWhatTheOrderCosts(t *testing.T) {
	for file, want := range map[string][]string{
		"refund-abroad-in-order":              {"0", "15"},
		"refund-before-its-purchase-in-order": {"0", "15"},
		"refund-of-two-captures-in-order":     {"300"},
	} {
		text, err := os.ReadFile("testdata/scenarios/" + file + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		bodies := slices.DeleteFunc(strings.Split(string(text), "\n"), func(line string) bool { return !strings.HasPrefix(line, "{") })
		ends := make(map[string]bool)
		draw := rand.New(rand.NewPCG(1, 1))
		for range 200 {
			order := slices.Concat(bodies, bodies)
			draw.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
			l := sourcetest.NewLedger(&stripe.Kind, source.Settings{Name: "stripe", Account: "cardholder"})
			for _, body := range order {
				l.Post(body)
			}
			ends[balanceIs.FindStringSubmatch(strings.Join(l.State(false), ""))[1]] = true
		}
		if got := slices.Sorted(maps.Keys(ends)); !slices.Equal(got, want) {
			t.Errorf("%s ends with %v, want %v", file, got, want)
		}
	}
}
