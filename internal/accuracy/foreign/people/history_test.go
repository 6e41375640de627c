package people_test

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"recoup/internal/accuracy/foreign/people"
)

var usual = people.Options{Each: 12, Seed: 1, Days: 730}

// The same seed makes the same history, and another one another.
func TestSeed(t *testing.T) {
	first, again := people.Make(usual), people.Make(usual)
	if !reflect.DeepEqual(first, again) {
		t.Error("the same seed made two histories")
	}
	other := usual
	other.Seed = 2
	if reflect.DeepEqual(first.Moves, people.Make(other).Moves) {
		t.Error("two seeds made the same moves")
	}
}

// Nobody does anything before the account is opened.
func TestNothingHappensBeforeAnAccountIsOpened(t *testing.T) {
	for seed := range uint64(12) {
		h := people.Make(people.Options{Each: 12, Seed: seed, Days: 730})
		for _, m := range h.Moves {
			if opened := h.Opened[m.Account]; m.Delivered.Before(opened) || m.When().Before(opened) {
				t.Errorf("seed %d: %s of %s at %s, and the account is opened at %s", seed, m.ID, m.Account, m.When(), opened)
			}
		}
	}
}

// What a history must have in it for a program to be seen from all sides.
func TestVariety(t *testing.T) {
	h := people.Make(usual)
	purchases := map[string]people.Move{}
	for _, m := range h.Moves {
		if m.Kind == people.Buy {
			purchases[m.ID] = m
		}
	}
	returned, parts := map[string]int64{}, map[string]int{}
	spent := map[kindOfQuarter]int64{}
	saw := map[string]int{}
	for i := range h.Moves {
		m := &h.Moves[i]
		if m.Again {
			saw["delivered again"]++
			continue
		}
		if of, is := map[people.Kind]string{people.Redeem: "redemptions", people.Authorize: "authorisations", people.Cancel: "cancelled"}[m.Kind]; is {
			saw[of]++
			continue
		}
		if !m.Happened.IsZero() {
			saw["told of late"]++
		}
		if m.Kind == people.Buy {
			saw["of "+m.Category]++
			spent[quarterOf(m)] += m.Amount
		}
		if !m.TakesBack() {
			continue
		}
		of := purchases[m.Purchase]
		now := quarterOf(m)
		if was := quarterOf(&of); was.number < now.number && spent[now] > 200_000 && spent[was] < 400_000 {
			saw["of an old quarter, the new one being full"]++
		}
		if m.When().Month() != m.Delivered.Month() {
			saw["told of in another month"]++
		}
		if day := m.When().Weekday(); day == time.Saturday && m.Amount < of.Amount {
			saw["a part, on a Saturday"]++
		}
		saw["back to "+m.Category]++
		returned[m.Purchase] += m.Amount
		parts[m.Purchase]++
		for name, is := range map[string]bool{
			"of 1 unit":                m.Amount == 1,
			"whole":                    m.Amount == of.Amount,
			"a part":                   m.Amount < of.Amount,
			"above the price":          m.Amount > of.Amount,
			"chargebacks":              m.Kind == people.Dispute,
			"unlinked":                 m.Told == "",
			"another name of merchant": m.Merchant != of.Merchant,
			"unlinked, another name":   m.Told == "" && m.Merchant != of.Merchant,
			"before the purchase":      m.Delivered.Before(of.Delivered),
			"on the day":               m.When().Sub(of.When()) < 24*time.Hour,
			"after 90 days":            m.When().Sub(of.When()) > 90*24*time.Hour,
			"after 180 days":           m.When().Sub(of.When()) > 180*24*time.Hour,
			"after a year":             m.When().Sub(of.When()) > 365*24*time.Hour,
			"at 400 days":              m.When().Sub(of.When()) > 399*24*time.Hour,
		} {
			if is {
				saw[name]++
			}
		}
	}
	for id, sum := range returned {
		if sum > purchases[id].Amount {
			saw["more in all than was paid"]++
		}
	}
	for _, n := range parts {
		if n == 50 {
			saw["in fifty parts"]++
		}
	}
	for name, least := range map[string]int{
		"of 1 unit": 50, "whole": 500, "a part": 500, "above the price": 20, "chargebacks": 50, "unlinked": 200, "another name of merchant": 100,
		"unlinked, another name": 50, "before the purchase": 20, "on the day": 200, "after 90 days": 100, "after 180 days": 20, "after a year": 5, "at 400 days": 1,
		"more in all than was paid": 50, "in fifty parts": 3, "delivered again": 100, "redemptions": 1000, "told of late": 100,
		"authorisations": 500, "cancelled": 30,
		"of HOME": 300, "of ELECTRONICS": 300, "of FASHION": 500, "of RESTAURANT": 50,
		"back to HOME": 150, "back to ELECTRONICS": 150, "back to FASHION": 300, "back to RESTAURANT": 30,
		"of an old quarter, the new one being full": 100, "told of in another month": 100, "a part, on a Saturday": 1000,
	} {
		if saw[name] < least {
			t.Errorf("%s: %d, expected %d or more", name, saw[name], least)
		}
	}
	if !slices.IsSortedFunc(h.Moves, func(a, b people.Move) int { return a.Delivered.Compare(b.Delivered) }) {
		t.Error("the moves are not in the order of their delivery")
	}
	if last := h.Moves[len(h.Moves)-1].Delivered; h.End.Sub(last) < 30*24*time.Hour {
		t.Errorf("the history ends at %s, and the last move is of %s: expected a quiet time", h.End, last)
	}
}

// kindOfQuarter is what somebody buys of one kind in a quarter, of which a cap may be.
type kindOfQuarter struct {
	account, category string
	number            int
}

func quarterOf(m *people.Move) kindOfQuarter {
	return kindOfQuarter{m.Account, m.Category, m.When().Year()*4 + int(m.When().Month()-1)/3}
}

// Without what was returned nothing is returned, nothing comes twice, and what is left
// of each purchase is what was not sent back.
func TestKept(t *testing.T) {
	h := people.Make(usual)
	left := map[string]int64{}
	for _, m := range h.Moves {
		switch {
		case m.Again:
		case m.Kind == people.Buy:
			left[m.ID] += m.Amount
		case m.TakesBack():
			left[m.Purchase] -= m.Amount
		}
	}
	for _, m := range h.Kept().Moves {
		switch {
		case m.Kind == people.Redeem:
		case m.Kind != people.Buy || m.Again || m.Amount != left[m.ID]:
			t.Fatalf("without what was returned there is %+v: expected a purchase of %d", m, left[m.ID])
		default:
			delete(left, m.ID)
		}
	}
	for id, amount := range left {
		if amount > 0 {
			t.Fatalf("%s is left out, and %d of it was kept", id, amount)
		}
	}
}

// With names, every refund names the purchase that it is of, and nothing else changes.
func TestNamed(t *testing.T) {
	h := people.Make(usual)
	for i, m := range h.Named().Moves {
		was := h.Moves[i]
		if was.Told = m.Told; was != m {
			t.Fatalf("%+v became %+v", h.Moves[i], m)
		}
		if m.TakesBack() && m.Told != m.Purchase {
			t.Fatalf("%+v names %q: expected its purchase", m, m.Told)
		}
	}
}
