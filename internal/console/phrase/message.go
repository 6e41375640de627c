package phrase

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var (
	entity       = regexp.MustCompile(`&[a-z]+;|&#\d+;`)
	space        = regexp.MustCompile(`\s+`)
	pluralAction = regexp.MustCompile(`^plural (.+) "([^"]*)" "([^"]*)"$`)
	countAction  = regexp.MustCompile(`^count (.+)$`)
)

// message translates a run that is one.
func (t *translator) message(list []token) {
	m := build(list)
	t.out.WriteString(m.lead)
	said, ok := t.say(m.text)
	if !ok {
		said = m.text
	}
	t.place(m, said)
	t.out.WriteString(m.trail)
}

// built is a message with what its marks stand for.
type built struct {
	text        string
	lead, trail string // space around it
	values      []token
	tags        map[string]token // by what the message calls them: <b>, </b>, <b2>
}

func build(list []token) *built {
	m := &built{tags: make(map[string]token)}
	var b strings.Builder
	var open []string
	named := make(map[string]int)
	for _, tok := range list {
		switch tok.kind {
		case words:
			b.WriteString(tok.text)
		case output, insert:
			m.values = append(m.values, tok)
			b.WriteString("{" + strconv.Itoa(len(m.values)))
			if forms := pluralAction.FindStringSubmatch(inner(tok.text)); forms != nil {
				b.WriteString(":" + forms[2] + "|" + forms[3])
			}
			b.WriteString("}")
		case opening, void:
			name := tok.name
			if named[tok.name]++; named[tok.name] > 1 {
				name += strconv.Itoa(named[tok.name])
			}
			if tok.kind == opening {
				open = append(open, name)
			}
			m.tags["<"+name+">"] = tok
			b.WriteString("<" + name + ">")
		case closing: // elements in a run have both ends in it
			mark := "</" + open[len(open)-1] + ">"
			open = open[:len(open)-1]
			m.tags[mark] = tok
			b.WriteString(mark)
		}
	}
	whole := b.String()
	text := strings.TrimSpace(whole)
	at := strings.Index(whole, text)
	m.lead, m.trail = whole[:at], whole[at+len(text):]
	m.text = space.ReplaceAllString(text, " ")
	return m
}

var mark = regexp.MustCompile(`\{(\d+)(?::([^{}]*))?\}|</?[a-z]+[0-9]*>`)

// Marks are what a message has besides words: its values, by number, and its tags. A
// translation has the same ones.
func Marks(message string) []string {
	all := make(map[string]bool)
	for _, m := range mark.FindAllStringSubmatch(message, -1) {
		if m[1] != "" {
			all["{"+m[1]+"}"] = true
		} else {
			all[m[0]] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// place writes what is said for a message, with what its marks stand for.
func (t *translator) place(m *built, said string) {
	if !slices.Equal(Marks(said), Marks(m.text)) {
		t.fail(m.text, "expected the marks %v, found %v", Marks(m.text), Marks(said))
		return
	}
	rest := said
	for {
		at := mark.FindStringSubmatchIndex(rest)
		if at == nil {
			break
		}
		t.out.WriteString(rest[:at[0]])
		whole := rest[at[0]:at[1]]
		if at[2] < 0 {
			t.raw(m.tags[whole])
		} else {
			number, _ := strconv.Atoi(rest[at[2]:at[3]]) // one of the message's
			forms := ""
			if at[4] >= 0 {
				forms = rest[at[4]:at[5]]
			}
			t.value(m, number, forms)
		}
		rest = rest[at[1]:]
	}
	t.out.WriteString(rest)
}

// value writes what a number in braces stands for, or the form that goes with it.
func (t *translator) value(m *built, number int, forms string) {
	tok := m.values[number-1]
	expression := inner(tok.text)
	of := pluralAction.FindStringSubmatch(expression)
	switch {
	case of == nil && forms == "":
		t.raw(tok)
		return
	case of == nil:
		of = countAction.FindStringSubmatch(expression)
	}
	if of == nil || forms == "" {
		t.fail(m.text, "{%d} and forms that depend on a number do not go together", number)
		return
	}
	t.out.WriteString("{{plural " + of[1])
	for _, form := range strings.Split(forms, "|") {
		t.out.WriteString(" " + strconv.Quote(form))
	}
	t.out.WriteString("}}")
}

// read are the attributes that people read, and textual those that scripts write into
// pages for them.
var read = map[string]bool{"title": true, "alt": true, "aria-label": true, "placeholder": true, "label": true, "data-label": true}

const textual = "data-text-"

var attribute = regexp.MustCompile(`^\s([a-z][a-z0-9-]*)="`)

// tag is a tag with its attributes translated.
func (t *translator) tag(text string) string {
	var b strings.Builder
	quoted := false
	for i := 0; i < len(text); {
		if strings.HasPrefix(text[i:], "{{") {
			end := i + actionEnd(text[i:])
			b.WriteString(text[i:end])
			i = end
			continue
		}
		if name := attribute.FindStringSubmatch(text[i:]); name != nil && !quoted && (read[name[1]] || strings.HasPrefix(name[1], textual)) {
			b.WriteString(name[0])
			i += len(name[0])
			end := i + valueEnd(text[i:])
			b.WriteString(t.attribute(text[i:end]))
			i = end
			quoted = true // its end comes next
			continue
		}
		if text[i] == '"' {
			quoted = !quoted
		}
		b.WriteByte(text[i])
		i++
	}
	return b.String()
}

// valueEnd is where the value of an attribute ends that a text begins with.
func valueEnd(s string) int {
	for i := 0; i < len(s); i++ {
		switch {
		case strings.HasPrefix(s[i:], "{{"):
			i += actionEnd(s[i:]) - 1
		case s[i] == '"':
			return i
		}
	}
	return len(s)
}

// attribute is the value of an attribute that people read, which has no tags.
func (t *translator) attribute(value string) string {
	of := translator{say: t.say, then: t.then, plain: true}
	if of.then != "" {
		of.say = func(message string) (string, bool) {
			said, ok := t.say(message)
			return strings.ReplaceAll(said, `"`, "&#34;"), ok
		}
	}
	of.all(scan(value))
	if t.err == nil {
		t.err = of.err
	}
	return of.out.String()
}
