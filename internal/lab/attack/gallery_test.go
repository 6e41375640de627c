package attack_test

import (
	"os"
	"strings"
	"testing"

	"recoup/examples/programs"
	"recoup/internal/lab/attack"
	"recoup/internal/lab/design"
	"recoup/internal/scenario"
	"recoup/program"
)

// gallery is what the search says of the gallery's programs: what a customer is left with
// who redeems, returns and never comes back, in minor units. Terms that it does not know
// are refused by name.
var gallery = map[string]struct {
	gain    int64
	refused string
}{
	"activation": {gain: 10_00}, "app-only": {gain: 10_00}, "birthday-week": {gain: 10_00}, "capped-purchase": {gain: 5_00},
	"chosen-category": {gain: 10_00}, "first-purchases": {gain: 100_00}, "flat-rate": {gain: 20_00}, "item-points": {gain: 1_000},
	"merchant-offer": {gain: 10_00}, "minimum-purchase": {gain: 50_00}, "monthly-credit": {gain: 10_00}, "points-per-dollar": {gain: 3_000},
	"rotating-category": {gain: 50_00}, "shared-cap": {gain: 10_00}, "spend-steps": {gain: 10_00}, "status-levels": {gain: 10_00},
	"whole-steps":  {gain: 20_00},
	"signup-bonus": {}, "annual-spend": {}, "coffee-stamps": {}, "every-fourth": {},
	"airline-miles": {refused: "calendar months in UTC"}, "weekday-offer": {refused: "calendar months in UTC"},
	"expiring-points": {refused: "do not expire"},
}

// TestTheGalleryIsSearched: all that can be had is what matures at once, in two or three
// moves, and 30 days of maturity close it. The way plays as the scenario that it is told as.
func TestTheGalleryIsSearched(t *testing.T) {
	for _, name := range programs.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want, known := gallery[name]
			if !known {
				t.Fatal("the table says nothing of it")
			}
			if name != "flat-rate" && name != "signup-bonus" && want.refused == "" && os.Getenv("RECOUP_LONG") == "" {
				t.Skip("all of them take half a minute: RECOUP_LONG=1, as make test-long has it")
			}
			document, _ := programs.Document(name)
			p, err := program.Parse(name, document)
			if err != nil {
				t.Fatal(err)
			}
			proof, err := attack.Prove(t.Context(), p, attack.DefaultBounds().Of(p))
			if want.refused != "" {
				if err == nil || !strings.Contains(err.Error(), want.refused) {
					t.Fatalf("%v, want %s", err, want.refused)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if proof.Gain != want.gain || proof.Debt != want.gain || (proof.MaturityDays == 30) != (want.gain > 0) || proof.Strategies < 10_000 {
				t.Fatalf("a gain of %d, want %d, of a debt of %d, closed by %d days, in %d courses", proof.Gain, want.gain, proof.Debt, proof.MaturityDays, proof.Strategies)
			}
			if few := name == "coffee-stamps" || name == "every-fourth"; (proof.Earned == 0) != few {
				t.Fatalf("%d can be earned within the bounds", proof.Earned)
			}
			if want.gain == 0 {
				return
			}
			s, err := scenario.Parse("counterexample.txt", []byte(proof.Scenario))
			if err != nil {
				t.Fatalf("%v in\n%s", err, proof.Scenario)
			}
			recoup, err := design.Find("Recoup")
			if err != nil {
				t.Fatal(err)
			}
			played, err := scenario.Play(s, recoup.New(s.Program))
			if err != nil || len(scenario.Check(played, "Recoup")) > 0 {
				t.Fatalf("played, it is %+v (%v)", scenario.Check(played, "Recoup"), err)
			}
			if end := played.Last(); end.Amount(scenario.Balance) != -want.gain {
				t.Errorf("played, it ends with a balance of %d, want %d", end.Amount(scenario.Balance), -want.gain)
			}
		})
	}
}
