package scenario

import (
	"slices"
	"strings"

	"recoup/reward"
)

// expect reads one indented line of expectations of the step above it.
func (p *parser) expect(content string) error {
	step := &p.s.Steps[len(p.s.Steps)-1]
	words := strings.Fields(content)
	if words[0] != "expect" {
		return p.errorf("%q: expected \"expect\" below a step, or a step at the margin", clip(words[0]))
	}
	words = words[1:]
	designs := []string{Recoup}
	if len(words) > 0 && words[0] == "at" {
		names, rest, found := strings.Cut(strings.Join(words[1:], " "), ":")
		if !found {
			return p.errorf("expect at: expected a colon behind the designs, as in \"expect at C, F: leak 0.00\"")
		}
		designs, words = nil, strings.Fields(rest)
		for name := range strings.SplitSeq(names, ",") {
			name = strings.TrimSpace(name)
			if name == "" || len(name) > maxWord {
				return p.errorf("expect at: expected the names of designs separated by commas, as in \"expect at C, F: leak 0.00\"")
			}
			designs = append(designs, name)
		}
	}
	if len(words) == 0 {
		return p.errorf("expect: expected a quantity with its amount, such as \"balance 5.00\", a review or an answer")
	}
	for len(words) > 0 {
		e := Expectation{Line: p.line}
		var err error
		if words, err = p.expectation(step, &e, words); err != nil {
			return err
		}
		for _, e.Design = range designs {
			step.Expect = append(step.Expect, e)
		}
	}
	return nil
}

// expectation reads one answer, a review with what it is of, or a quantity with its
// amount, and returns the words behind it.
func (p *parser) expectation(step *Step, e *Expectation, words []string) ([]string, error) {
	if answer, known := parseAnswer(words[0]); known {
		if !answer.answers(step.Move.Kind) {
			return nil, p.errorf("expect %s: \"%s\" is not answered so", answer, step.Move.Kind)
		}
		e.Answer = answer
		return words[1:], nil
	}
	if words[0] == "review" {
		if len(words) == 1 || !isWord(words[1]) {
			return nil, p.errorf("expect review: expected the name of what is under review")
		}
		e.Review = words[1]
		return words[2:], nil
	}
	what := words[0]
	if what == "bonus" && len(words) > 1 {
		what += " " + words[1]
		if e.Bonus, words = words[1], words[1:]; !slices.Contains(bonusesOf(p.s.Program), e.Bonus) {
			return nil, p.errorf("expect bonus %q: expected one of the program's: %s", clip(e.Bonus), strings.Join(bonusesOf(p.s.Program), ", "))
		}
	} else {
		i := slices.Index(quantityNames[1:], what)
		if i < 0 {
			return nil, p.errorf("expect %q: expected one of %s, a bonus, a review or an answer", clip(what), strings.Join(quantityNames[1:], ", "))
		}
		e.Quantity = Quantity(i + 1)
	}
	if len(words) == 1 {
		return nil, p.errorf("expect %s: expected an amount", what)
	}
	var err error
	if e.Amount, err = p.parseAmount(words[1], true); err != nil {
		return nil, p.errorf("expect %s: %s", what, err)
	}
	return words[2:], nil
}

// bonusesOf are the ids of the bonuses of all versions.
func bonusesOf(p *reward.Program) (ids []string) {
	for ; p != nil; p = p.Earlier {
		for i := range p.Bonuses {
			if !slices.Contains(ids, p.Bonuses[i].ID) {
				ids = append(ids, p.Bonuses[i].ID)
			}
		}
	}
	return ids
}

// parseAnswer returns the answer of that name.
func parseAnswer(name string) (Answer, bool) {
	i := slices.Index(answerNames[1:], name)
	return Answer(i + 1), i >= 0
}
