package scenario

import (
	"strings"

	"recoup/program"
)

// remark keeps the comments before the first line of the head.
func (p *parser) remark(line string) {
	text, isComment := strings.CutPrefix(line, "#")
	if !isComment || len(p.heads) > 0 || len(p.s.Steps) > 0 {
		return
	}
	if p.s.About != "" {
		p.s.About += "\n"
	}
	p.s.About += strings.TrimSpace(text)
}

// head reads a member of the head.
func (p *parser) head(content string) error {
	key, value, found := strings.Cut(content, ":")
	value = strings.TrimSpace(value)
	if !found || key != "title" && key != "shows" && key != "program" {
		return p.errorf("%q: expected \"title:\", \"shows:\", \"program:\" or a step, which begins with its date", clip(content))
	}
	if before, twice := p.heads[key]; twice {
		return p.errorf("%s: given before, on line %d", key, before)
	}
	p.heads[key], p.in = p.line, key
	if key == "program" {
		if value != "" {
			return p.errorf("program: expected it indented on the lines below")
		}
		return nil
	}
	if value == "" {
		return p.errorf("%s: expected a text behind the colon", key)
	}
	if key == "title" {
		p.s.Title = value
		return nil
	}
	for label := range strings.SplitSeq(value, ",") {
		label = strings.TrimSpace(label)
		if label == "" {
			return p.errorf("shows: expected labels separated by commas, such as \"V1, G4\"")
		}
		p.s.Shows = append(p.s.Shows, label)
	}
	return nil
}

// endHead checks that the head is complete and reads the program.
func (p *parser) endHead() error {
	for _, key := range []string{"title", "program"} {
		if p.heads[key] == 0 {
			return p.errorf("expected %q before the first step", key+":")
		}
	}
	return p.readProgram()
}

// readProgram reads the indented lines below "program:". All other lines are
// blanked, so that errors name the lines of this file.
func (p *parser) readProgram() error {
	first := p.heads["program"] // the index of the line below "program:"
	lines := make([]string, len(p.lines))
	margin, hasID := "", false
	for i := first; i < len(p.lines); i++ {
		line := p.lines[i]
		if line != "" && !isIndented(line) && line[0] != '#' {
			break
		}
		lines[i] = line
		content := strings.TrimLeft(line, " ")
		if withoutComment(content) == "" {
			continue
		}
		indent := line[:len(line)-len(content)]
		if margin == "" {
			margin = indent
		}
		hasID = hasID || indent == margin && strings.HasPrefix(content, "id:")
	}
	if !hasID {
		lines[first-1] = margin + "id: scenario" // it needs none here
	}
	var err error
	p.s.Program, err = program.Parse(p.s.File, []byte(strings.Join(lines, "\n")))
	return err
}
