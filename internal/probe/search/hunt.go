package search

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"recoup/internal/lab/design"
	"recoup/internal/lab/gaps"
	"recoup/internal/probe"
	"recoup/internal/scenario"
)

// hunter is one search.
type hunter struct {
	ctx     context.Context
	target  *Target
	options Options
	world   *world
	result  *Result
	from    time.Time // the month in which the next play begins
	finds   []*found
}

// found is a find before it is told.
type found struct {
	signature string
	words     []string
	course    *course
	verdict   *verdict
	whole     bool
	sequences int
	// aliases are the features of longer sequences that came down to it.
	aliases [][]string
}

// mostTries is how often a play is begun again after a failure that left it open
// what the target had done.
const mostTries = 4

// mostDraws is how many sequences are drawn until one does not contain a find that
// there is already.
const mostDraws = 20

// errGivenUp says that nobody can tell what the target does.
var errGivenUp = errors.New("search: the target is too flaky to tell")

func newHunter(ctx context.Context, t *Target, o Options) *hunter {
	return &hunter{
		ctx: ctx, target: t, options: o, world: newWorld(t.Program, t.Can), from: scenario.FirstOfMonth(o.From, 0),
		result: &Result{Seed: o.Seed, Currency: t.Program.Currency, Finds: []Find{}, Known: []Known{}},
	}
}

// hunt makes, plays and shrinks sequences until something ends it.
func (h *hunter) hunt() error {
	for i := range h.options.Sequences {
		if len(h.finds)-h.known() >= h.options.Finds {
			h.result.Ended = fmt.Sprintf("%d finds", h.options.Finds)
			return nil
		}
		c, within := h.next(uint64(i))
		err := h.examine(c, within)
		switch {
		case errors.Is(err, errGivenUp):
			h.result.GivenUp++
		case errors.Is(err, errCalls):
			h.result.Ended = errCalls.Error()
			return nil
		case errors.Is(err, errTime):
			h.result.Ended = errTime.Error()
			return nil
		case err != nil && h.ctx.Err() != nil:
			h.result.Ended = "search: " + context.Cause(h.ctx).Error()
			return nil
		case err != nil:
			return err
		}
		h.result.Sequences++
	}
	return nil
}

// next draws a course. Courses that contain what was found already are drawn again
// while there is hope; within is the find that the last one contains.
func (h *hunter) next(i uint64) (c *course, within *found) {
	random := rand.New(rand.NewPCG(h.options.Seed, i))
	for range mostDraws {
		c = h.world.draw(random, h.options.MaxMoves)
		s := h.world.build(c, "draft", "", h.from)
		words := features(s, lastMove(s)+1)
		i := slices.IndexFunc(h.finds, func(f *found) bool {
			return contains(words, f.words) || slices.ContainsFunc(f.aliases, func(a []string) bool { return contains(words, a) })
		})
		if i < 0 {
			return c, nil
		}
		within = h.finds[i]
	}
	return c, within
}

// examine plays a course, and if it shows a defect once more and again smaller and
// smaller. What contains a find with the same defect is not looked at further.
func (h *hunter) examine(c *course, within *found) error {
	v, err := h.play(c)
	if err != nil {
		return err
	}
	if v.unsupported != nil {
		h.avoid(v.unsupported)
		return nil
	}
	if v.kind == "" {
		return nil
	}
	h.result.Defective++
	if within != nil && within.verdict.kind == v.kind {
		within.sequences++
		return nil
	}
	repeats, err := h.repeats(c, v)
	if err != nil || !repeats {
		return err
	}
	var longer []string // the features once the moves were dropped
	known := func(v *verdict) bool {
		words := wordsOf(v)
		if longer == nil {
			longer = words
		}
		return h.find(words, v.kind) != nil
	}
	c, v, whole, err := h.shrink(c, v, known)
	if err != nil {
		return err
	}
	words := wordsOf(v)
	f := h.find(words, v.kind)
	if f == nil {
		if repeats, err = h.repeats(c, v); err != nil || !repeats {
			return err
		}
		f = &found{signature: signature(words, v.kind), words: words, course: c, verdict: v, whole: whole}
		h.finds = append(h.finds, f)
		h.say(f)
	}
	f.sequences++
	if longer != nil && !slices.Equal(longer, f.words) {
		f.aliases = append(f.aliases, longer)
	}
	return nil
}

func wordsOf(v *verdict) []string { return features(v.scenario, v.until) }

// find returns the find with these features or, as an alias, that kind of defect.
func (h *hunter) find(words []string, kind gaps.DefectKind) *found {
	i := slices.IndexFunc(h.finds, func(f *found) bool {
		return f.verdict.kind == kind && (slices.Equal(f.words, words) || slices.ContainsFunc(f.aliases, func(a []string) bool { return slices.Equal(a, words) }))
	})
	if i < 0 {
		return nil
	}
	return h.finds[i]
}

// avoid takes note of a move that the target turns out not to have.
func (h *hunter) avoid(m *scenario.Move) {
	no := false
	switch {
	case m.Kind == scenario.Chargeback:
		h.world.can.Chargebacks = false
	case m.Kind == scenario.Refund && m.Of == "":
		h.world.can.UnlinkedRefunds = &no
	default:
		h.world.can.PartialRefunds = false
	}
}

// repeats plays a course again in a fresh account.
func (h *hunter) repeats(c *course, v *verdict) (bool, error) {
	again, err := h.play(c)
	if err != nil {
		return false, err
	}
	if again.kind != v.kind || again.amount != v.amount {
		h.result.Unrepeated++
		return false, nil
	}
	return true, nil
}

// play plays a course in a fresh account and judges it.
func (h *hunter) play(c *course) (*verdict, error) {
	for range mostTries {
		v, err := h.playOnce(c)
		if errors.Is(err, probe.ErrUncertain) || errors.Is(err, probe.ErrUnstable) {
			h.result.Replays++
			continue
		}
		return v, err
	}
	return nil, errGivenUp
}

// errTime says that a target that cannot be reset has no time left.
var errTime = errors.New("search: the target cannot be reset, and its calendar is used up")

// latest is the last month in which a play may begin.
var latest = time.Date(2185, time.January, 1, 0, 0, 0, 0, time.UTC)

func (h *hunter) playOnce(c *course) (*verdict, error) {
	if err := h.ctx.Err(); err != nil {
		return nil, err
	}
	h.result.Plays++
	name, prefix := accountName, ""
	if h.target.Reset != nil {
		if err := h.target.Reset(); err != nil {
			return nil, err
		}
	} else {
		if h.from.After(latest) {
			return nil, errTime
		}
		name = fmt.Sprintf("%s-%d", accountName, h.result.Plays)
		prefix = fmt.Sprintf("s%d-", h.result.Plays)
	}
	s := h.world.build(c, name, prefix, h.from)
	if h.target.Reset == nil {
		// Two months later and not one, for what depends on the month.
		for last := s.Steps[len(s.Steps)-1].At; !h.from.After(last); {
			h.from = scenario.FirstOfMonth(h.from, 2)
		}
	}
	at := &stage{Target: h.target, calls: &h.result.Calls, most: h.options.Calls}
	got, err := scenario.Play(s, at)
	if err != nil {
		return nil, err
	}
	want, err := scenario.Play(s, design.NewRecoup(s.Program))
	if err != nil {
		return nil, err
	}
	v := judge(s, got, want, at.paid)
	if v.kind == gaps.PaysOut {
		same, err := paysTheSame(v, at.paid)
		if err != nil {
			return nil, err
		}
		if same {
			v.kind = ""
		}
	}
	return v, nil
}

// accountName is what accounts are called.
const accountName = "search"
