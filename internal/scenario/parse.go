package scenario

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"recoup/program"
	"recoup/reward"
)

// Limits of a file, far above any that a person would read. Below them no sum
// of amounts overflows.
const (
	maxBytes = 1 << 20
	maxSteps = 1_000
	maxWord  = 64 // bytes of an id, a merchant, a category
)

// Parse reads a scenario. Errors begin with the file as it is called here, and
// the line.
func Parse(file string, text []byte) (*Scenario, error) {
	if len(text) > maxBytes {
		return nil, fmt.Errorf("%s: %d bytes; a scenario has at most %d", file, len(text), maxBytes)
	}
	if !utf8.Valid(text) {
		return nil, fmt.Errorf("%s: not UTF-8 text", file)
	}
	p := &parser{
		s:     &Scenario{File: file, Name: strings.TrimSuffix(path.Base(file), ".txt")},
		lines: strings.Split(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n"),
		heads: map[string]int{},
		first: map[fact]int{},
	}
	for i, line := range p.lines {
		p.line = i + 1
		if err := p.read(line); err != nil {
			return nil, err
		}
	}
	if err := p.finish(); err != nil {
		return nil, err
	}
	return p.s, nil
}

// parser reads one file, line by line.
type parser struct {
	s     *Scenario
	lines []string
	line  int
	// heads has the line of each member of the head; in is the one that indented
	// lines belong to.
	heads map[string]int
	in    string
	// versions are the places of the program and of what takes its place later.
	versions []version
	// first has the index of the step that first delivered a fact.
	first map[fact]int
}

// fact names what a step delivers.
type fact struct {
	kind Kind
	id   string
}

// errorf returns an error about the line being read.
func (p *parser) errorf(format string, args ...any) error {
	return p.errorAt(p.line, format, args...)
}

func (p *parser) errorAt(line int, format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s", p.s.File, line, fmt.Sprintf(format, args...))
}

// read takes one line in. What begins at the margin is a member of the head or
// a step; what is indented belongs to it.
func (p *parser) read(line string) error {
	content := withoutComment(line)
	indented := isIndented(line)
	switch {
	case strings.TrimSpace(content) == "":
		p.remark(line)
		return nil
	case !indented && len(p.s.Steps) == 0 && !isDigit(content[0]):
		return p.head(content)
	case !indented:
		return p.step(content)
	case p.in == "program":
		return nil // read as a whole, when all of it is there
	case len(p.s.Steps) > 0:
		return p.expect(content)
	}
	return p.errorf("indented without anything that it could belong to: expected a head such as \"title:\" at the margin")
}

// step reads a step's time and move. The first one ends the head.
func (p *parser) step(content string) error {
	if len(p.s.Steps) == 0 {
		if err := p.endHead(); err != nil {
			return err
		}
		p.in = ""
	}
	if len(p.s.Steps) == maxSteps {
		return p.errorf("more than %d steps", maxSteps)
	}
	at, words, err := p.time(strings.Fields(content))
	if err != nil {
		return err
	}
	if n := len(p.s.Steps); n > 0 && at.Before(p.s.Steps[n-1].At) {
		return p.errorf("before the step on line %d: expected steps in order of time", p.s.Steps[n-1].Line)
	}
	step := Step{Line: p.line, At: at, Text: textOf(words)}
	if err := p.readMove(&step, words); err != nil {
		return err
	}
	p.s.Steps = append(p.s.Steps, step)
	return nil
}

// time reads a date, with a time of day if the next word is one.
func (p *parser) time(words []string) (time.Time, []string, error) {
	if len(words) == 0 {
		return time.Time{}, nil, p.errorf("expected a date such as 2026-01-05")
	}
	at, err := time.Parse(time.DateOnly, words[0])
	if err != nil || at.Year() < 1971 || at.Year() > 2190 {
		return time.Time{}, nil, p.errorf("date %q: expected one such as 2026-01-05, from 1971 to 2190", clip(words[0]))
	}
	words = words[1:]
	if len(words) > 0 && isDigit(words[0][0]) {
		clock, err := time.Parse("15:04", words[0])
		if err != nil || len(words[0]) != len("15:04") {
			return time.Time{}, nil, p.errorf("time of day %q: expected one such as 09:30", clip(words[0]))
		}
		at = at.Add(time.Duration(clock.Hour())*time.Hour + time.Duration(clock.Minute())*time.Minute)
		words = words[1:]
	}
	return at, words, nil
}

// finish checks what only the whole file can tell.
func (p *parser) finish() error {
	if len(p.s.Steps) == 0 {
		return p.errorf("expected at least one step, such as \"2026-01-05 10:00  settle t1 100.00\"")
	}
	for _, step := range p.s.Steps {
		for _, part := range step.Move.Really {
			purchase, _, _ := strings.Cut(part.Purchase, "/")
			_, settled := p.first[fact{Settle, purchase}]
			if _, whole := p.first[fact{Settle, part.Purchase}]; !settled && !whole {
				return p.errorAt(step.Line, "%s %s: really %s, which is settled nowhere in the file",
					step.Move.Kind, step.Move.ID, part.Purchase)
			}
		}
	}
	return nil
}

// parseAmount reads a decimal amount as minor units: of the program's currency, or of
// what its rewards are in.
func (p *parser) parseAmount(word string, ofRewards bool) (int64, error) {
	unit := reward.Unit{Name: p.s.Program.Currency}
	if ofRewards {
		unit = p.s.Program.Units().Reward
	}
	amount, err := program.ParseReward(word, unit)
	if err == nil && (amount > reward.MaxAmount || amount < -reward.MaxAmount) {
		err = fmt.Errorf("amount %q: expected at most %s", word, program.Format(reward.MaxAmount, unit))
	}
	return amount, err
}

// withoutComment cuts off what stands behind a # at the beginning of a word.
func withoutComment(line string) string {
	for i := range len(line) {
		if line[i] == '#' && (i == 0 || line[i-1] == ' ' || line[i-1] == '\t') {
			return line[:i]
		}
	}
	return line
}

// textOf joins a move's words, without the answer expected of it.
func textOf(words []string) string {
	if i := slices.Index(words, "->"); i >= 0 {
		words = words[:i]
	}
	return strings.Join(words, " ")
}

func isIndented(line string) bool { return line != "" && (line[0] == ' ' || line[0] == '\t') }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// isWord says whether s can be an id or a merchant.
func isWord(s string) bool {
	if s == "" || len(s) > maxWord {
		return false
	}
	for _, c := range []byte(s) {
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !letter && !isDigit(c) && !strings.ContainsRune("-_.:/", rune(c)) {
			return false
		}
	}
	return true
}

// clip shortens what an error repeats.
func clip(s string) string {
	if r := []rune(s); len(r) > maxWord {
		return string(r[:maxWord]) + "…"
	}
	return s
}
