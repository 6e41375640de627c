package attack_test

import (
	"testing"

	"recoup/internal/lab/attack"
	"recoup/internal/lab/design"
	"recoup/internal/scenario"
)

// Without maturity somebody can redeem and never come back; the shortest way is said as a
// scenario, which plays, and 30 days of maturity close it. With them there is none.
func TestProve(t *testing.T) {
	open := boundsOf(t, "id: now\ncurrency: USD\nclawback_method: rerate\nrules: [{id: all, rate: 5%, cap: {reward: 5000, per: cycle}}]\n")
	proof, err := attack.Prove(t.Context(), open.Program, open)
	if err != nil {
		t.Fatal(err)
	}
	if proof.Gain != 50_00 || proof.Debt != 50_00 || proof.MaturityDays != 30 || len(proof.Counterexample.Moves) != 3 {
		t.Fatalf("found %+v", proof)
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
		t.Errorf("played, it is %+v (%v)", scenario.Check(played, "Recoup"), err)
	}
	if last := played.Last(); last.NetReward() != 0 || last.Amount(scenario.Balance) != -50_00 {
		t.Errorf("in the end net reward is %d and the balance %d", last.NetReward(), last.Amount(scenario.Balance))
	}

	closed := boundsOf(t, "id: later\ncurrency: USD\nclawback_method: rerate\nmaturity_days: 30\nrules: [{id: all, rate: 5%, cap: {reward: 5000, per: cycle}}]\n")
	proof, err = attack.Prove(t.Context(), closed.Program, closed)
	if err != nil || proof.Gain != 0 || proof.Scenario != "" || proof.Positions < 100 {
		t.Errorf("with maturity: %+v (%v)", proof, err)
	}
}
