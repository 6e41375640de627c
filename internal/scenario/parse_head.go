package scenario

import "strings"

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
	if month, later := strings.CutPrefix(key, "program from "); found && later {
		if err := p.laterVersion(month, value); err != nil {
			return err
		}
		p.in = "program"
		return nil
	}
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
		p.versions = append(p.versions, version{line: p.line})
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
	return p.readPrograms()
}
