package programs

import (
	"maps"
	"strings"
)

// due is the net reward, in minor units, had what came back never been bought. What comes
// of that life's events one by one is the measure, not the test.
func (c *course) due() int64 {
	end, _ := c.neverBought().play()
	return end.State().NetReward
}

// neverBought is the same life without what came back: no refund or chargeback is in it,
// and every purchase is of what was truly kept, or is not there. Nothing in it can be
// clawed back, so what it earns says nothing of how rewards are taken back: that is the
// measure of every course. Payouts are left out, as they change no net reward.
func (c *course) neverBought() *course {
	back := c.cameBack()
	second := &course{program: c.program}
	for _, s := range c.steps {
		switch group, _, _ := strings.Cut(s.kind, "."); group {
		case "refund", "chargeback", "redemption":
			continue
		case "transaction":
			t, _ := s.data["transaction"].(string)
			amount, _ := s.data["amount"].(int64)
			if s.kind == "transaction.reversed" || amount <= back[t] && amount > 0 {
				continue
			}
			kept := *s
			kept.data = maps.Clone(s.data)
			if amount > 0 {
				kept.data["amount"] = amount - back[t]
			}
			if list := items(s); list != nil {
				kept.data["items"] = keptItems(t, list, back)
			}
			s = &kept
		}
		second.steps = append(second.steps, s)
	}
	return second
}

// items are those that an event names.
func items(s *stage) (list []map[string]any) {
	named, _ := s.data["items"].([]any)
	for _, x := range named {
		list = append(list, x.(map[string]any))
	}
	return list
}

// keptItems are the items of a purchase without what came back of each.
func keptItems(t string, list []map[string]any, back map[string]int64) []any {
	kept := []any{}
	for _, x := range list {
		x = maps.Clone(x)
		amount := x["amount"].(int64) - back[itemOf(t, x)]
		if x["amount"] = amount; amount > 0 {
			kept = append(kept, x)
		}
	}
	return kept
}

// itemOf is how what came back of an item is listed, and how "really" names it.
func itemOf(t string, item map[string]any) string { return t + "/" + item["item"].(string) }

// cameBack is what of each purchase, and of each of its items, was returned and stayed
// so, in minor units. What a refund of a purchase with items does not say of them
// "really" says.
func (c *course) cameBack() map[string]int64 {
	bought := map[string]int64{}
	undone := map[any]bool{}
	for _, s := range c.steps {
		switch s.kind {
		case "transaction.settled":
			bought[s.data["transaction"].(string)] = s.data["amount"].(int64)
		case "refund.reversed":
			undone[s.data["refund"]] = true
		case "chargeback.reversed":
			undone[s.data["chargeback"]] = true
		}
	}
	back := map[string]int64{}
	for _, s := range c.steps {
		t, _ := s.data["transaction"].(string)
		amount, given := s.data["amount"].(int64)
		switch {
		case s.kind == "transaction.reversed" || s.kind == "chargeback.posted" && !given:
			amount = bought[t]
		case s.kind != "refund.posted" && s.kind != "chargeback.posted":
			continue
		}
		if undone[s.data["refund"]] || undone[s.data["chargeback"]] {
			continue
		}
		if t != "" {
			back[t] = min(bought[t], back[t]+amount)
		}
		for _, x := range items(s) {
			back[itemOf(t, x)] += x["amount"].(int64)
		}
		for really, part := range s.really {
			if t, _, isItem := strings.Cut(really, "/"); isItem && s.data["transaction"] == nil {
				back[t] += part
			}
			back[really] += part
		}
	}
	return back
}
