package scenario

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"recoup/program"
	"recoup/reward"
)

// Format writes a scenario as a file that Parse reads as the same scenario again,
// but for the numbers of lines. The program is written out in full, with the
// built-in categories. Of comments there is the one at the top.
//
// The scenario must be one that a file can hold: ids and merchants are words,
// categories are words in capitals, times are whole minutes.
func Format(s *Scenario) []byte {
	f := &formatter{scenario: s}
	for line := range strings.SplitSeq(s.About, "\n") {
		if s.About != "" {
			f.line("# %s", line)
		}
	}
	f.line("title: %s", s.Title)
	if len(s.Shows) > 0 {
		f.line("shows: %s", strings.Join(s.Shows, ", "))
	}
	f.program(s.Program)
	f.line("")
	for i := range s.Steps {
		f.step(&s.Steps[i])
	}
	return []byte(f.text.String())
}

// formatter writes one file, line by line.
type formatter struct {
	scenario *Scenario
	text     strings.Builder
}

// program writes all versions, the first one first.
func (f *formatter) program(p *reward.Program) {
	if p.Earlier == nil {
		f.line("program:")
	} else {
		f.program(p.Earlier)
		f.line("program from %s:", p.From)
	}
	for line := range strings.Lines(string(program.Write(p))) {
		f.line("  %s", line)
	}
}

// margin is how far expectations are indented: as far as moves.
const margin = len("2026-01-05 10:00  ")

func (f *formatter) line(format string, args ...any) {
	f.text.WriteString(strings.TrimRight(fmt.Sprintf(format, args...), " \n"))
	f.text.WriteByte('\n')
}

// step writes a move with the answer expected of it, and below it the rest of
// what is expected.
func (f *formatter) step(step *Step) {
	words, expect := describe(step, f.scenario.Program.Units()), step.Expect
	if len(expect) > 0 && expect[0].Design == Recoup && expect[0].Answer != NoAnswer {
		words += " -> " + expect[0].Answer.String()
		expect = expect[1:]
	}
	f.line("%-*s%s", margin, timeText(step.At), words)
	for len(expect) > 0 {
		expect = f.expect(expect)
	}
}

// DescribeMove returns a step's move as a file has it. Amounts are in the currency, and so
// are rewards.
func DescribeMove(step *Step, currency string) string {
	return describe(step, reward.Units{Currency: currency, Reward: reward.Unit{Name: currency}})
}

func describe(step *Step, units reward.Units) string {
	m, unit := &step.Move, reward.Unit{Name: units.Currency}
	if m.Kind == Redeem {
		unit = units.Reward
	}
	i := slices.IndexFunc(forms, func(f form) bool { return f.kind == m.Kind })
	if i < 0 {
		panic(fmt.Sprintf("scenario: a move of unknown kind %d", m.Kind))
	}
	has := forms[i].clauses
	words := []string{forms[i].words}
	add := func(more ...string) { words = append(words, more...) }
	if has&withID != 0 {
		add(m.ID)
	}
	if m.Again {
		return "again " + strings.Join(words, " ")
	}
	if m.Another {
		words[0] = "another " + words[0]
	}
	if has&withAmount != 0 || has&mayHaveAmount != 0 && m.Amount != 0 {
		add(amountText(m.Amount, unit))
	}
	if m.Of != "" {
		add("of", m.Of)
	}
	if m.As != "" {
		add("as", m.As)
	}
	if m.Merchant != "" {
		add("at", m.Merchant)
	}
	if m.MCC != "" {
		add("mcc", m.MCC)
	}
	if m.Category != "" {
		add(m.Category)
	}
	add(labelText(m.Labels)...)
	for _, item := range m.Items {
		add("item", item.ID, amountText(item.Amount, unit))
		if item.MCC != 0 {
			add("mcc", item.MCC.String())
		}
		if item.Category != "" {
			add(item.Category)
		}
		add(labelText(item.Labels)...)
	}
	if has&withDate != 0 && !m.Happened.Equal(step.At) {
		add("dated", timeText(m.Happened))
	}
	for i, part := range m.Really {
		if i == 0 {
			add("really", part.Purchase)
		} else {
			add("and", part.Purchase)
		}
		if len(m.Really) > 1 || part.Amount != m.Amount {
			add(amountText(part.Amount, unit))
		}
	}
	return strings.Join(words, " ")
}

// expect writes one line of expectations and returns those behind it.
func (f *formatter) expect(list []Expectation) []Expectation {
	designs := sameOf(list)
	prefix := "expect"
	if len(designs) > 1 || designs[0] != Recoup {
		prefix = "expect at " + strings.Join(designs, ", ") + ":"
	}
	for len(list) >= len(designs) && slices.Equal(sameOf(list[:len(designs)]), designs) {
		e := &list[0]
		switch {
		case e.Answer != NoAnswer:
			prefix += " " + e.Answer.String()
		case e.Review != "":
			prefix += " review " + e.Review
		default:
			prefix += " " + e.what() + " " + amountText(e.Amount, f.scenario.Program.Units().Reward)
		}
		list = list[len(designs):]
	}
	f.line("%*s%s", margin, "", prefix)
	return list
}

// sameOf returns the designs, each once, of which the first expectations say the
// same.
func sameOf(list []Expectation) []string {
	var designs []string
	for _, e := range list {
		same := e.Answer == list[0].Answer && e.Review == list[0].Review && e.Bonus == list[0].Bonus && e.Quantity == list[0].Quantity && e.Amount == list[0].Amount
		if !same || slices.Contains(designs, e.Design) {
			break
		}
		designs = append(designs, e.Design)
	}
	return designs
}

// timeText writes a time, without a time of day at midnight.
func timeText(t time.Time) string {
	t = t.UTC()
	if t.Hour() == 0 && t.Minute() == 0 {
		return t.Format(time.DateOnly)
	}
	return t.Format("2006-01-02 15:04")
}

// labelText writes labels as words.
func labelText(l reward.Labels) (words []string) {
	for name, value := range l.All() {
		words = append(words, name+"="+value)
	}
	return words
}

// amountText writes minor units with the decimals of the unit.
func amountText(minor int64, unit reward.Unit) string {
	decimals := program.Decimals(unit)
	sign, digits := "", fmt.Sprint(minor)
	if minor < 0 {
		sign, digits = "-", digits[1:]
	}
	if short := decimals + 1 - len(digits); short > 0 {
		digits = strings.Repeat("0", short) + digits
	}
	if decimals == 0 {
		return sign + digits
	}
	return sign + digits[:len(digits)-decimals] + "." + digits[len(digits)-decimals:]
}
