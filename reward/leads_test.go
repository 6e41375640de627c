package reward_test

import (
	"testing"

	"pgregory.net/rapid"

	"recoup/reward"
)

// watched is a shelf that notes what is asked of it by name.
type watched struct {
	*cupboard
	asked []place
}

func (w *watched) Find(kind reward.PartKind, id string) []byte {
	w.asked = append(w.asked, place{kind, id})
	return w.cupboard.Find(kind, id)
}

// leads is what some parts lead to, and what that leads to, themselves among it.
func (c *cupboard) leads(t rapid.TB, account string, from []place) map[place]bool {
	t.Helper()
	found := make(map[place]bool)
	for len(from) > 0 {
		at := from[0]
		p, there := c.parts[at]
		if from = from[1:]; found[at] || !there {
			continue
		}
		found[at] = true
		reward.Leads(account, &p, true, func(kind reward.PartKind, id string) {
			if _, there := c.parts[place{kind, id}]; !there && kind != reward.BucketPart {
				t.Fatalf("%v %s leads to %v %s, which is not there", at.kind, at.id, kind, id)
			}
			from = append(from, place{kind, id})
		})
	}
	return found
}

// TestLeadsAreWhatIsAskedFor: of plain terms, who reads what a purchase or a refund leads to,
// and what the account's working parts do, has all that the account asks for by name while it
// is opened and while somebody looks at the two.
func TestLeadsAreWhatIsAskedFor(t *testing.T) {
	asked := make(map[reward.PartKind]int)
	rapid.Check(t, func(t *rapid.T) {
		program := drawProgram(t)
		accounts, shelves := make(map[string]*reward.Account), make(map[string]*cupboard)
		for _, e := range withResolutions(t, drawTrace(t, program, 60)) {
			if shelves[e.Account] == nil {
				shelves[e.Account] = &cupboard{parts: make(map[place]reward.Part)}
				accounts[e.Account] = shelves[e.Account].open(t, e.Account, program)
			}
			accounts[e.Account].Apply(&e, nil)
			shelves[e.Account].put(accounts[e.Account])
		}
		for id, shelf := range shelves {
			if len(shelf.head) == 0 {
				continue
			}
			var working []reward.Part
			var from []place
			for at := range shelf.working {
				working, from = append(working, shelf.parts[at]), append(from, at)
			}
			for at := range shelf.parts {
				if at.kind > reward.ChargebackPart {
					continue
				}
				w := &watched{cupboard: shelf}
				a, err := reward.Open(id, program, shelf.head, inSomeOrder(working), w)
				if err != nil {
					t.Fatal(err)
				}
				switch at.kind {
				case reward.TransactionPart:
					a.Detail(at.id)
				case reward.RefundPart:
					a.Refund(at.id)
				default:
					a.ReviewsIn(at.kind, at.id)
				}
				known := shelf.leads(t, id, append([]place{at}, from...))
				for _, x := range w.asked {
					if _, there := shelf.parts[x]; there && !known[x] {
						t.Fatalf("who looks at %v %s of %s asks for %v %s, to which nothing leads", at.kind, at.id, id, x.kind, x.id)
					}
					if x != at {
						asked[x.kind]++
					}
				}
			}
		}
	})
	for _, kind := range []reward.PartKind{reward.TransactionPart, reward.RefundPart, reward.ChargebackPart, reward.BucketPart} {
		if asked[kind] == 0 {
			t.Errorf("in no trace a %v was asked for", kind)
		}
	}
}
