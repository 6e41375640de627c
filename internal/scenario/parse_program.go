package scenario

import (
	"strings"
	"time"

	"recoup/program"
	"recoup/reward"
)

// version is where a program stands in the file, and the month from which it is
// in force; the first one's is zero.
type version struct {
	line int
	from reward.Cycle
}

// laterVersion takes note of a "program from 2026-02:".
func (p *parser) laterVersion(month, value string) error {
	at, err := time.Parse("2006-01", month)
	if err != nil || at.Year() < 1971 || at.Year() > 2190 {
		return p.errorf("program from %q: expected a month such as 2026-02, from 1971 to 2190", clip(month))
	}
	if value != "" {
		return p.errorf("program from %s: expected it indented on the lines below", month)
	}
	if len(p.versions) == 0 {
		return p.errorf("program from %s: expected \"program:\" before it, which is in force until then", month)
	}
	v := version{line: p.line, from: reward.CycleAt(reward.At(at))}
	if last := p.versions[len(p.versions)-1]; v.from <= last.from {
		return p.errorf("program from %s: expected a later month than on line %d", month, last.line)
	}
	p.versions = append(p.versions, v)
	return nil
}

// readPrograms reads all versions of the program, each a whole one.
func (p *parser) readPrograms() error {
	var newest *reward.Program
	for _, v := range p.versions {
		read, err := p.readProgram(v.line)
		if err != nil {
			return err
		}
		if newest != nil {
			if read.ID != newest.ID || read.Currency != newest.Currency {
				return p.errorAt(v.line, "program from %s: expected the id and the currency of the one before it, %s and %s",
					v.from, newest.ID, newest.Currency)
			}
			read.Version, read.From, read.Earlier = newest.Version+1, v.from, newest
		}
		newest = read
	}
	p.s.Program = newest
	return nil
}

// readProgram reads the indented lines below the one that begins a program. All
// other lines are blanked, so that errors name the lines of this file.
func (p *parser) readProgram(first int) (*reward.Program, error) {
	lines := make([]string, len(p.lines)) // first is the index of the line below
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
	return program.Parse(p.s.File, []byte(strings.Join(lines, "\n")))
}
