package attack_test

import (
	"os"
	"slices"
	"testing"

	"recoup/examples/programs"
	"recoup/internal/lab/attack"
	"recoup/internal/lab/design"
	"recoup/internal/scenario"
	"recoup/program"
)

// TestTheGalleryIsSearched: none of the gallery's programs is refused. Of each somebody can
// redeem, return and never come back where purchases post after two days, refunds after five,
// and merchants take them back for thirty: 32 days of maturity close it, and 31 do not. The
// way plays as the scenario that it is told as, and comes to the same.
func TestTheGalleryIsSearched(t *testing.T) {
	short := []string{"flat-rate", "signup-bonus"}
	for _, name := range programs.Names() {
		t.Run(name, func(t *testing.T) {
			if !slices.Contains(short, name) && os.Getenv("RECOUP_LONG") == "" {
				t.Skip("all of them take minutes: RECOUP_LONG=1, as make test-long has it")
			}
			t.Parallel()
			document, _ := programs.Document(name)
			p, err := program.Parse(name, document)
			if err != nil {
				t.Fatal(err)
			}
			b := attack.DefaultBounds()
			b.PostDays, b.RefundDays = 2, 5
			proof, err := attack.Prove(t.Context(), p, b.Of(p).Wide())
			if err != nil {
				t.Fatal(err)
			}
			if proof.Gain <= 0 || proof.Debt != proof.Gain || proof.Earned == 0 || proof.Strategies < 400 {
				t.Fatalf("a gain of %d, of a debt of %d, of %d that can be earned, in %d courses", proof.Gain, proof.Debt, proof.Earned, proof.Strategies)
			}
			if proof.MaturityDays != 32 || proof.Closed != "maturity_days: 32" {
				t.Errorf("closed by %s, and by maturity of %d days", proof.Closed, proof.MaturityDays)
			}
			for _, change := range proof.Tried {
				if change.Says == "maturity_days: 31" && change.Leaves == 0 {
					t.Error("closed by 31 days as well")
				}
			}
			plays(t, proof)
		})
	}
}

// plays holds a counterexample's scenario file to what the search says of it, at an account
// that the search has not seen: the same answers, and the same profit by what is truly kept.
func plays(t *testing.T, proof *attack.Proof) {
	t.Helper()
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
	end := played.Last()
	if profit := end.Redeemed - end.Entitlement; profit != proof.Gain || max(0, -end.Balance) != proof.Debt {
		t.Errorf("played, it ends with a profit of %d and a balance of %d, want %d and a debt of %d", profit, end.Balance, proof.Gain, proof.Debt)
	}
}
