// Package attack searches for the best strategy of an opportunistic customer against
// a design: sections 3.4 (documented moves and nothing else), 7.2 (what it may come
// to) and 7.3 (the tiers of defence) of the paper. Every strategy within bounds is
// looked at.
package attack

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"recoup/internal/issuer"
	"recoup/internal/lab/design"
	"recoup/reward"
)

// Program is the program that attacks are searched on, the one of the
// paper's case I (section 5.1): 5 % on groceries, up to $50 of rewards a month.
// Nothing else earns anything.
func Program() *reward.Program {
	return &reward.Program{
		ID: "double-dip", Currency: "USD",
		Refunds: reward.RefundTerms{PendingDays: 30, MatchDays: 10, ParkDays: 30, WindowDays: 400, FirmDays: 180, Movable: 32},
		Rules: []reward.Rule{
			{ID: "grocery", Match: reward.Match{Categories: []string{"GROCERY"}}, Rate: reward.MaxRate / 20, Cap: 50_00},
		},
	}
}

// Bounds are the limits within which the search for an attack is exhaustive.
type Bounds struct {
	// Program is what the designs promise; nil is the paper's.
	Program *reward.Program `json:"-"`
	// Cycles are those in which the customer may buy. In one more he may still
	// redeem and return.
	Cycles int `json:"cycles"`
	// PurchasesPerCycle is how many purchases he makes in a cycle at most.
	PurchasesPerCycle int `json:"purchases_per_cycle"`
	// MovesPerCycle is how many moves he makes in a cycle at most; zero is as many
	// as he likes.
	MovesPerCycle int `json:"moves_per_cycle"`
	// Days of the month on which he acts, ascending. A day that a month lacks is
	// its last.
	Days []int `json:"days"`
	// Amounts are the prices he may pay, in minor units.
	Amounts []int64 `json:"amounts"`
	// ReturnDays is the merchant's return window: a purchase is taken back for
	// less than so many days.
	ReturnDays int `json:"return_days"`
	// Offers are what he may buy; nil is each of Amounts at the shop of what the program
	// promises first.
	Offers []Offer `json:"offers,omitzero"`
	// PostDays pass from buying until the purchase posts, and RefundDays from bringing it
	// back until the refund does. Returns are counted from buying, maturity from posting.
	PostDays   int `json:"post_days,omitzero"`
	RefundDays int `json:"refund_days,omitzero"`
	// Matter adds the days that the terms make something of: on either side of where an
	// offer begins or ends, to buy; and of each day on which something can be bought when it
	// posts, matures, can be returned for the last time, and expires. The search begins with
	// the first offer that does not begin before.
	Matter bool `json:"days_that_matter,omitzero"`
	// Unmerged has positions looked at again that were reached before on another
	// way. It finds the same, and takes long.
	Unmerged bool `json:"unmerged,omitzero"`
}

// DefaultBounds are three cycles with a purchase in each, at the price that fills
// the cap or at half of it, on the first day of a month, in its middle or on its
// last day, and a return window of 30 days (the paper's, section 5.2).
func DefaultBounds() Bounds {
	price := priceOf(Program())
	return Bounds{Cycles: 3, PurchasesPerCycle: 1, Days: []int{1, 16, 31}, Amounts: []int64{price, price / 2}, ReturnDays: 30}
}

// Of returns the bounds for another program: two cycles, of which the second shows what
// comes again. Its prices are what the first tier, bonus for spend, limit or step of the
// program is reached at, and half of it; or else $1,000 and half of that, in its minor units.
// Of what takes so many purchases the price is what one of them must be of.
func (b Bounds) Of(p *reward.Program) Bounds {
	b.Program, b.Cycles = p, 2
	price := priceOf(p)
	b.Amounts = []int64{price, max(1, price/2)}
	return b
}

// Wide returns the bounds that a program is proven within: also the other shops of what it
// promises, as many purchases at a time as it asks for, and, to buy, the days on either side
// of each close and of where an offer begins or ends; to act, all days that then matter. What
// takes several purchases at a time is bought in one cycle.
func (b Bounds) Wide() Bounds {
	b.Matter, b.Days, b.Offers = true, []int{1, 31}, offers(b.program(), b.Amounts)
	if countOf(b.program()) > 1 {
		b.Cycles = 1
	}
	return b
}

// offers are what the customer may buy.
func (b *Bounds) offers() []Offer {
	if b.Offers != nil {
		return b.Offers
	}
	var shop Offer
	if list := promises(b.program()); len(list) > 0 {
		shop = shopOf(list[0].matches)
	} else {
		shop = shopOf(nil)
	}
	list := make([]Offer, len(b.Amounts))
	for i, amount := range b.Amounts {
		list[i], list[i].Amount, list[i].Count = shop, amount, 1
	}
	return list
}

func (b *Bounds) program() *reward.Program {
	if b.Program == nil {
		return Program()
	}
	return b.Program
}

// check refuses bounds that make no sense or no end.
func (b *Bounds) check() error {
	within := func(what string, n, low, high int) error {
		if n < low || n > high {
			return fmt.Errorf("lab: bounds: %s %d: expected %d to %d", what, n, low, high)
		}
		return nil
	}
	for _, err := range []error{
		within("cycles", b.Cycles, 1, 12),
		within("purchases per cycle", b.PurchasesPerCycle, 1, 10),
		within("moves per cycle", b.MovesPerCycle, 0, 1000),
		within("return days", b.ReturnDays, 0, 400),
		within("post days", b.PostDays, 0, 30),
		within("refund days", b.RefundDays, 0, 90),
		within("number of days", len(b.Days), 1, 31),
		within("number of amounts", len(b.Amounts), 1, 10),
	} {
		if err != nil {
			return err
		}
	}
	for i, d := range b.Days {
		if d < 1 || d > 31 || i > 0 && d <= b.Days[i-1] {
			return fmt.Errorf("lab: bounds: days %v: expected days of a month from 1 to 31, ascending", b.Days)
		}
	}
	for _, a := range b.Amounts {
		if a < 1 || a > reward.MaxAmount {
			return fmt.Errorf("lab: bounds: amount %d: expected 1 to %d minor units", a, reward.MaxAmount)
		}
	}
	return nil
}

// Exposure is what one design loses to a customer who plays nothing but
// documented moves (paper, section 3.4), and plays them best. Only cash counts
// that nothing backs: what was redeemed or paid out, less the entitlement of
// what is kept after the last return. The reward on a purchase that is kept is
// nobody's loss. Amounts are in minor units.
type Exposure struct {
	Design string `json:"design"`
	Title  string `json:"title"`
	// NotSupported: the design cannot say the program's terms.
	NotSupported bool `json:"not_supported,omitzero"`

	// Repeatable is taken in every cycle by a customer who keeps the account going
	// and never owes anything: what the last cycle adds to the most that can be
	// taken without a debt. PerYear is twelve times that.
	Repeatable int64 `json:"repeatable_per_cycle"`
	PerYear    int64 `json:"repeatable_per_year"`
	// WithOneMore is Repeatable where the customer makes one purchase more in each
	// cycle. Where it is above the cap, no cap bounds the loss.
	WithOneMore int64 `json:"repeatable_with_one_more_purchase"`

	// Once is taken without a debt too, and does not come again: a bonus for signing up.
	Once int64 `json:"once_without_a_debt"`

	// WalkAway is what never coming back adds to it, once: the negative balance
	// that stays. WalkAwayFromOne is the same where all is bought in one cycle.
	// The difference is that purchases of several cycles can be redeemed before
	// the first of them must be returned.
	WalkAwayFromOne int64 `json:"walk_away_from_one_cycle"`
	WalkAway        int64 `json:"walk_away"`

	// Float is what purchases of one cycle bring of it.
	Float Float `json:"float"`

	// Strategies is how many different strategies the bounds allow, and Positions
	// how many different positions those lead to. All were looked at.
	Strategies uint64 `json:"strategies"`
	Positions  int    `json:"positions"`

	// Best are the strategies that bring this: what repeats first, from the
	// purchases of one cycle and of all, then walking away from all and from one,
	// then the float. What would bring nothing is left out.
	Best []Strategy `json:"best"`
}

// Float is cash that nothing backs any more, for as long as the books do not show
// it as a debt and in the end do: a late clawback.
type Float struct {
	Amount     int64 `json:"amount"` // at its height, minor units
	Days       int64 `json:"days"`   // in which there was any
	AmountDays int64 `json:"amount_days"`
}

// Report says what designs lose to the best attacks within the bounds.
type Report struct {
	Currency string     `json:"currency"`
	Bounds   Bounds     `json:"bounds"`
	Designs  []Exposure `json:"designs"`
}

// All searches for the best attacks on each of the designs.
func All(ctx context.Context, designs []design.Design, b Bounds) (*Report, error) {
	r := &Report{Currency: b.program().RewardUnit(), Bounds: b, Designs: make([]Exposure, len(designs))}
	errs := make([]error, len(designs))
	free := make(chan struct{}, runtime.GOMAXPROCS(0))
	var all sync.WaitGroup
	for i, d := range designs {
		free <- struct{}{}
		all.Go(func() {
			defer func() { <-free }()
			e, err := On(ctx, d, b)
			if err != nil {
				errs[i] = err
				return
			}
			r.Designs[i] = *e
		})
	}
	all.Wait()
	if i := slices.IndexFunc(errs, func(err error) bool { return err != nil }); i >= 0 {
		return nil, errs[i]
	}
	return r, nil
}

// On searches for the best attacks on a design, through every strategy that
// the bounds allow. The design's issuers must be Cloners.
func On(ctx context.Context, d design.Design, b Bounds) (*Exposure, error) {
	if err := b.check(); err != nil {
		return nil, err
	}
	if p := b.program(); p.Layers != nil && b.Cycles < 2 {
		return nil, fmt.Errorf("lab: bounds: cycles %d: expected 2 or more, since what program %s promises may come once", b.Cycles, p.ID)
	}
	searched := func(cycles, purchases int, float bool) (*result, error) {
		if cycles == 0 {
			return new(result), nil
		}
		narrower := b
		narrower.Cycles, narrower.PurchasesPerCycle = cycles, purchases
		r, err := attack(ctx, d, narrower, float)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", d.Name, err)
		}
		return r, nil
	}
	one, err := searched(1, b.PurchasesPerCycle, true)
	if errors.Is(err, issuer.ErrUnsupported) {
		return &Exposure{Design: d.Name, Title: d.Title, NotSupported: true}, nil
	}
	if err != nil {
		return nil, err
	}
	oneWithMore, err := searched(1, b.PurchasesPerCycle+1, false)
	if err != nil {
		return nil, err
	}
	allButOne, err := searched(b.Cycles-1, b.PurchasesPerCycle, false)
	if err != nil {
		return nil, err
	}
	all, err := searched(b.Cycles, b.PurchasesPerCycle, false)
	if err != nil {
		return nil, err
	}
	e := &Exposure{
		Design: d.Name, Title: d.Title,
		Once:            all.gain[toRepeat] - int64(b.Cycles)*(all.gain[toRepeat]-allButOne.gain[toRepeat]),
		Repeatable:      all.gain[toRepeat] - allButOne.gain[toRepeat],
		WalkAwayFromOne: one.gain[toTake] - one.gain[toRepeat],
		WalkAway:        all.gain[toTake] - all.gain[toRepeat],
		Strategies:      all.strategies, Positions: all.positions,
	}
	e.WithOneMore = max(0, oneWithMore.gain[toRepeat]-e.Once)
	e.PerYear = 12 * e.Repeatable
	return e, e.tell(d, one, all)
}

// tell adds the best strategies, played once more.
func (e *Exposure) tell(d design.Design, one, all *result) error {
	several := all.game.bounds.Cycles > 1
	for _, best := range []struct {
		of     *result
		aim    aim
		wanted bool
	}{
		{one, toRepeat, e.Repeatable > 0 && one.gain[toRepeat] == e.Repeatable},
		{all, toRepeat, e.Repeatable > 0 && several},
		{all, toRepeat, e.Once > 0 && e.Repeatable == 0},
		{all, toTake, e.WalkAway > 0},
		{one, toTake, e.WalkAwayFromOne > 0 && several},
		{one, toFloat, one.gain[toFloat] > 0},
	} {
		if !best.wanted {
			continue
		}
		s, err := best.of.game.tell(d, best.aim, best.of.moves[best.aim])
		if err != nil {
			return fmt.Errorf("%s: %w", d.Name, err)
		}
		if best.aim == toFloat {
			e.Float = s.Float
		}
		s.Once = best.aim == toRepeat && e.Repeatable == 0
		e.Best = append(e.Best, *s)
	}
	return nil
}
