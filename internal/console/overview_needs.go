package console

import (
	"cmp"
	"slices"

	"recoup/internal/console/overview"
	"recoup/reward"
)

// need is something that waits for somebody: what, how many, since when, and the money at
// stake.
type need struct {
	Text   string
	Path   string
	Count  int64
	More   bool           // there are more
	Since  reward.Instant // of the oldest; 0: not known
	Age    reward.Instant // since then
	Stakes []stake
	Bad    bool // it is not to wait
}

// stake is money in a currency.
type stake struct {
	Amount   int64
	Currency string
}

// needs are what waits for somebody, what is worst first, then what waits longest.
func (c *Console) needs(v *visit, figures *overview.Figures, raised int) (list []need, err error) {
	add := func(n need, path string, pairs ...any) error {
		if n.Count == 0 {
			return nil
		}
		if n.Since != 0 {
			n.Age = max(0, v.now-n.Since)
		}
		n.Path, err = linkTo(path, pairs...)
		list = append(list, n)
		return err
	}
	l := v.locale
	for _, k := range figures.Reviews.Kinds {
		n := need{Text: l.Sprintf("reviews: %s", waiting(k.Kind)), Count: k.Open, More: figures.Reviews.Cut, Since: k.Oldest}
		if err := add(n, "reviews", "kind", k.Kind); err != nil {
			return nil, err
		}
	}
	open, err := c.proposals.Open(v.ctx(), 0, pageLength+1)
	if err != nil {
		return nil, err
	}
	proposed := need{Text: l.Sprintf("proposals that wait for a second person"), Count: int64(min(len(open), pageLength)), More: len(open) > pageLength}
	for i := range open {
		if p := &open[i]; proposed.Since == 0 || p.Proposed < proposed.Since {
			proposed.Since = p.Proposed
		}
	}
	aside := need{Text: l.Sprintf("accounts that are set aside: nothing is applied to them"), Bad: true}
	for _, a := range c.aside() {
		aside.Count++
		if at := reward.At(a.Since); aside.Since == 0 || at < aside.Since {
			aside.Since = at
		}
	}
	differences := need{Text: l.Sprintf("differences in the last verification"), Count: figures.Checks.Verify.Differences, Bad: true}
	if differences.Count > 0 {
		differences.Since = reward.At(figures.Checks.Verify.At)
	}
	for _, x := range []struct {
		need
		path string
	}{
		{aside, ""}, {differences, "checks"}, {proposed, "adjustments"},
		{need{Text: l.Sprintf("alerts about risk"), Count: int64(raised), Bad: true}, "risk"},
		{need{Text: l.Sprintf("webhook deliveries that were given up"), Count: figures.Webhooks.Dead, Bad: true}, "deliveries"},
	} {
		if err := add(x.need, x.path); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(list, func(x, y need) int {
		if x.Bad != y.Bad {
			if x.Bad {
				return -1
			}
			return 1
		}
		return cmp.Compare(x.Since, y.Since)
	})
	return list, nil
}
