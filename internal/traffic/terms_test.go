package traffic_test

import (
	"testing"

	"recoup/internal/traffic"
	"recoup/program"
	"recoup/reward"
)

// lived is what the engine makes of generated traffic.
type lived struct {
	accounts map[string]*reward.Account
	types    map[reward.Type]int
	outcomes map[reward.Result]int
	kinds    map[reward.Kind]int
	taken    map[string]int // clawbacks by rule or bonus
}

func live(t *testing.T, file string, o traffic.Options) (l lived, p *reward.Program) {
	t.Helper()
	p, err := program.Load("../../examples/programs/" + file + ".yaml")
	if err != nil {
		t.Fatal(err)
	}
	o.Program = p
	l = lived{map[string]*reward.Account{}, map[reward.Type]int{}, map[reward.Result]int{}, map[reward.Kind]int{}, map[string]int{}}
	for e := range traffic.Generate(o) {
		a := l.accounts[e.Account]
		if a == nil {
			a = reward.NewAccount(e.Account, p)
			l.accounts[e.Account] = a
			if p.Layers != nil && e.Type != reward.AccountOpened {
				t.Fatalf("%s begins with %s, not by being opened", e.Account, e.Type)
			}
		}
		result, postings := a.Apply(&e, nil)
		l.types[e.Type]++
		l.outcomes[result]++
		for i := range postings {
			l.kinds[postings[i].Kind]++
			if postings[i].Kind == reward.Clawback {
				l.taken[postings[i].Rule]++
			}
		}
		// What people ask for may not be there, nor then come back; everything else is in order.
		payout := e.Type == reward.RedemptionRequested || e.Type == reward.RedemptionReversed
		if result.Outcome == reward.Rejected && !payout {
			t.Fatalf("%+v is %v", e, result)
		}
	}
	return l, p
}

// Some buy to reach the sign-up bonus and send it back: they have had it, and lose it.
func TestPeopleBuyForABonusAndReturn(t *testing.T) {
	l, _ := live(t, "signup-bonus", traffic.Options{Accounts: 400, Events: 30_000, Days: 300, Seed: 3})
	had, lost := 0, l.taken["welcome"]
	for _, a := range l.accounts {
		for _, b := range a.State().Bonuses {
			if b.Reward > 0 {
				had++
			}
		}
	}
	if l.types[reward.AccountOpened] != len(l.accounts) {
		t.Errorf("%d accounts, %d opened", len(l.accounts), l.types[reward.AccountOpened])
	}
	if had < 20 || lost < 20 {
		t.Errorf("of %d accounts %d have the bonus, and it was taken back %d times: expected both often", len(l.accounts), had, lost)
	}
}

// An offer is activated by some, changed by a few, and not by others.
func TestSomePeopleActivateAnOffer(t *testing.T) {
	l, _ := live(t, "activation", traffic.Options{Accounts: 300, Events: 20_000, Days: 300, Seed: 4})
	set, withdrawn := l.types[reward.AttributeSet], l.types[reward.AttributeWithdrawn]
	within(t, "activations per mille of accounts", float64(set*1000)/float64(len(l.accounts)), 500, 700)
	within(t, "withdrawn per mille of activations", float64(withdrawn*1000)/float64(set), 150, 350)
}

// Stamp cards are full often enough to be seen, and come back in part.
func TestPeopleCollectStamps(t *testing.T) {
	l, _ := live(t, "coffee-stamps", traffic.Options{Accounts: 30, Events: 8_000, Days: 300, Seed: 5})
	full := 0
	for _, a := range l.accounts {
		for _, b := range a.State().Bonuses {
			if b.Reward > 0 {
				full++
			}
		}
	}
	if full < 50 || l.kinds[reward.Clawback] < 5 {
		t.Errorf("%d full cards, %d clawbacks", full, l.kinds[reward.Clawback])
	}
}

// Receipts have lines of what the program asks for, and refunds name them.
func TestReceipts(t *testing.T) {
	l, p := live(t, "item-points", traffic.Options{Accounts: 30, Events: 4_000, Seed: 6, Receipts: 500, ReturnShare: 200})
	if l.kinds[reward.Clawback] < 100 {
		t.Errorf("%d clawbacks", l.kinds[reward.Clawback])
	}
	purchases, itemized, refunds, named, asked := 0, 0, 0, 0, 0
	for e := range traffic.Generate(traffic.Options{Accounts: 30, Events: 4_000, Seed: 6, Receipts: 500, ReturnShare: 200, Program: p}) {
		switch e.Type {
		case reward.TransactionSettled:
			purchases++
			if e.Items != "" {
				itemized++
				for x := range e.Items.All() {
					if x.Labels.Get("kind") == "gift-card" || x.Category == "FRESH" {
						asked++
					}
				}
			}
		case reward.RefundPosted:
			refunds++
			if e.Items != "" {
				named++
			}
		}
	}
	within(t, "receipts per mille of purchases", float64(itemized*1000)/float64(purchases), 450, 550)
	within(t, "refunds per mille that name lines", float64(named*1000)/float64(refunds), 200, 500)
	if asked < itemized {
		t.Errorf("%d lines that the program asks for on %d receipts", asked, itemized)
	}
}

// The programs of the gallery can be generated for, those with tiers, steps, labels and
// points that expire among them: nothing is refused but what people ask for too much.
func TestEveryKindOfProgramHasTraffic(t *testing.T) {
	for _, file := range []string{"airline-miles", "expiring-points", "rotating-category", "status-levels", "app-only", "every-fourth", "spend-steps"} {
		l, _ := live(t, file, traffic.Options{Accounts: 20, Events: 2_500, Days: 400, Seed: 7, Receipts: 200})
		if l.kinds[reward.Grant] < 40 {
			t.Errorf("%s: %d grants", file, l.kinds[reward.Grant])
		}
	}
}

// An authorisation and its settlement say the same labels.
func TestLabelsStay(t *testing.T) {
	p, err := program.Load("../../examples/programs/app-only.yaml")
	if err != nil {
		t.Fatal(err)
	}
	said, with := map[string]reward.Labels{}, 0
	for e := range traffic.Generate(traffic.Options{Accounts: 30, Events: 5_000, Seed: 8, Program: p}) {
		if e.Type != reward.TransactionAuthorized && e.Type != reward.TransactionSettled {
			continue
		}
		if before, known := said[e.Transaction]; known && before != e.Labels {
			t.Fatalf("%s: labels %q, and then %q", e.Transaction, before, e.Labels)
		}
		said[e.Transaction] = e.Labels
		if e.Labels != "" {
			with++
		}
	}
	if with < len(said)/4 || with > len(said)*3 {
		t.Errorf("%d of %d have labels", with, len(said))
	}
}
