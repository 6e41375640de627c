package attack_test

import (
	"slices"
	"strings"
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
	plays(t, proof)
	s, err := scenario.Parse("counterexample.txt", []byte(proof.Scenario))
	if err != nil {
		t.Fatal(err)
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

// A refund that posts five days after the return, and a purchase two days after it was made:
// 30 days of maturity are then too few, and 32 enough. Nobody who buys at a close gets round
// it, and no other setting does as much.
func TestProveWithALag(t *testing.T) {
	of := func(days string) *attack.Proof {
		b := boundsOf(t, "id: lag\ncurrency: USD\nclawback_method: rerate\n"+days+"rules: [{id: all, rate: 5%, cap: {reward: 5000, per: cycle}}]\n")
		b.PostDays, b.RefundDays = 2, 5
		b = b.Wide()
		b.Cycles, b.Offers = 1, b.Offers[:1]
		proof, err := attack.Prove(t.Context(), b.Program, b)
		if err != nil {
			t.Fatal(err)
		}
		return proof
	}
	open := of("maturity_days: 30\n")
	if open.Gain != 50_00 || open.Closed != "maturity_days: 32" {
		t.Fatalf("found %+v", open)
	}
	plays(t, open)
	var tried []string
	for _, change := range open.Tried {
		if change.Leaves == 0 && change.Says != open.Closed {
			t.Errorf("%s closes it, too", change.Says)
		}
		tried = append(tried, change.Says)
	}
	want := []string{"maturity_days: 32", "maturity_days: 31", "redemption: {grace_days: 27}", "timing: {grant: statement}", "timing: {grant: statement}, redemption: {grace_days: 27}"}
	if !slices.Equal(tried, want) {
		t.Errorf("tried %q, want %q", tried, want)
	}
	if closed := of("maturity_days: 32\n"); closed.Gain != 0 || closed.Earned != 50_00 {
		t.Errorf("with 32 days: %+v", closed)
	}
}

// Where rewards expire too soon for a maturity that would close it, nothing that is tried
// does, and the command says what that was. What has expired is neither gained nor lost.
func TestProveSaysWhatDoesNotCloseIt(t *testing.T) {
	b := boundsOf(t, "id: soon\ncurrency: USD\nexpires: {months: 1}\nrules: [{id: all, rate: 5%}]\n")
	b.Days, b.Amounts, b.Cycles = []int{31}, b.Amounts[:1], 1
	b.Matter = true
	proof, err := attack.Prove(t.Context(), b.Program, b)
	if err != nil {
		t.Fatal(err)
	}
	if proof.Gain != 50_00 || proof.MaturityDays != 0 || proof.Tried[0].Says != "maturity_days: 30" || proof.Tried[0].Refused == "" {
		t.Fatalf("found %+v", proof)
	}
	plays(t, proof)
	var said strings.Builder
	if err := proof.WriteTable(&said); err != nil || !strings.Contains(said.String(), "maturity_days: 30: refused, ") {
		t.Errorf("%v\n%s", err, &said)
	}
}
