package play

import (
	"fmt"
	"slices"

	"recoup/internal/console/locale"
	"recoup/internal/scenario"
)

// Attack is one of the paper's attacks, or of those on its algorithms and on the
// matching of refunds, ready to be played step by step.
type Attack struct {
	ID    string // of the scenario in the catalogue that it is made of, if it is
	Class string // what it shows, such as "V1", "G1" or "M4"
	Title locale.Text
	Text  locale.Sentence // one line that explains it
	Run   Run             // all of it shown; the flawed design on the left
	// Captions tell what the attacker does, and why: one a move.
	Captions []locale.Sentence
}

// script is what an attack is made of besides its scenario, or its moves under a program
// of the gallery.
type script struct {
	scenario string // its name where there are moves
	program  string
	moves    []Move
	flawed   string // the design that it is about
	class    string
	title    locale.Text
	text     locale.Sentence
	captions []locale.Sentence
}

// told is a sentence about amounts of Currency, in minor units.
func told(format locale.Text, amounts ...int64) locale.Sentence {
	s := locale.Sentence{Format: format}
	for _, minor := range amounts {
		s.Values = append(s.Values, locale.Amount{Minor: minor, Unit: Currency})
	}
	return s
}

// Attacks returns the attacks in the order in which they are best read. Each call
// makes them afresh.
func Attacks() []Attack {
	list := make([]Attack, len(scripts))
	for i := range scripts {
		list[i] = scripts[i].attack()
	}
	return list
}

// FindAttack returns the attack with that ID.
func FindAttack(id string) (Attack, error) {
	i := slices.IndexFunc(scripts, func(s script) bool { return s.scenario == id })
	if i < 0 {
		ids := make([]string, len(scripts))
		for i := range scripts {
			ids[i] = scripts[i].scenario
		}
		return Attack{}, fmt.Errorf("attack %s: expected one of %q", quote(id), ids)
	}
	return scripts[i].attack(), nil
}

// attack makes the run of the catalogue's scenario. Days that pass before it
// begins are left out. That a script fits its scenario is part of the build: one
// that does not is a defect of this package.
func (s *script) attack() Attack {
	r := Run{Program: Program{Name: s.program}, Moves: slices.Clone(s.moves)}
	if s.moves == nil {
		file, err := scenario.Find(s.scenario)
		if err != nil {
			panic("play: " + err.Error())
		}
		if r, err = FromScenario(file); err != nil {
			panic("play: " + err.Error())
		}
	}
	for len(r.Moves) > 0 && r.Moves[0].Kind == Wait {
		r.Moves = r.Moves[1:]
	}
	r.Left, r.Right, r.At = s.flawed, scenario.Recoup, len(r.Moves)
	if len(s.captions) != len(r.Moves) {
		panic(fmt.Sprintf("play: attack %s: %d captions for %d moves", s.scenario, len(s.captions), len(r.Moves)))
	}
	if err := r.Check(); err != nil {
		panic("play: attack " + s.scenario + ": " + err.Error())
	}
	return Attack{s.scenario, s.class, s.title, s.text, r, slices.Clone(s.captions)}
}
