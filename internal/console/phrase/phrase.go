// Package phrase translates the source of HTML templates. What people read in it is
// cut into messages, which are the same in every language but for their words:
//
//	Counted {{moment .AsOf}}.             Counted {1}.
//	<b>None</b> of {{count .N}}           <b>None</b> of {1}
//	{{plural .N "account" "accounts"}}    {1:account|accounts}
//
// A message is as much text, with what is within a sentence, as there is between
// elements and actions that divide a page, or the text of an attribute that people
// read. A translation has what is in braces, and the tags, in any order; of forms that
// depend on a number as many as its language has. Attributes of tags, and what actions
// do, are the template's alone.
package phrase

import (
	"fmt"
	"strings"
	"unicode"
)

// Cut returns the messages of a template's source, as often as they are in it.
func Cut(source string) []string {
	var list []string
	t := translator{say: func(message string) (string, bool) {
		list = append(list, message)
		return "", false
	}}
	t.all(scan(source)) // nothing is put into place that could fail
	return list
}

// Options say how a template is translated.
type Options struct {
	// Say returns what is said for a message, and false to leave it English.
	Say func(message string) (string, bool)
	// Then is the name of a function that every value goes through before people read
	// it; empty: none.
	Then string
	// Isolate are the names of functions whose values keep their own direction among
	// words; nil: none.
	Isolate map[string]bool
}

// Translate returns a template's source in another language. It fails if a translation
// lacks what its message has.
func Translate(source string, o Options) (string, error) {
	t := translator{say: o.Say, then: o.Then, isolate: o.Isolate}
	t.all(scan(source))
	return t.out.String(), t.err
}

type translator struct {
	say     func(string) (string, bool)
	then    string
	isolate map[string]bool
	out     strings.Builder
	err     error
	plain   bool // within an element that has text alone
}

// all writes tokens, and translates the runs among them that may be messages.
func (t *translator) all(list []token) {
	from := 0
	for i := 0; i < len(list); i++ {
		tok := list[i]
		within := tok.kind == words || tok.kind == output || tok.kind == insert || tok.name != "" && inlines[tok.name]
		left := tok.kind == opening && (silent[tok.name] && !inlines[tok.name] || foreign(tok.text))
		if within && !left {
			continue
		}
		t.run(list[from:i])
		if left {
			end := elementEnd(list, i)
			for _, tok := range list[i:end] {
				t.raw(tok)
			}
			i, from = end-1, end
			continue
		}
		t.raw(tok)
		if tok.name == "title" || tok.name == "option" {
			t.plain = tok.kind == opening
		}
		from = i + 1
	}
	t.run(list[from:])
}

// foreign reports whether a tag says that its element is in a language of its own.
func foreign(tag string) bool {
	return strings.Contains(tag, ` lang="`) && !strings.HasPrefix(tag, "<html") || strings.Contains(tag, ` translate="no"`)
}

// elementEnd is the index after the end of the element that begins at an index, or of
// the list.
func elementEnd(list []token, i int) int {
	depth := 0
	for j := i; j < len(list); j++ {
		if list[j].name != list[i].name {
			continue
		}
		switch list[j].kind {
		case opening:
			depth++
		case closing:
			depth--
		}
		if depth == 0 {
			return j + 1
		}
	}
	return len(list)
}

// node is a token, or an element with what is in it: part of a run.
type node struct{ from, to int }

// run translates tokens none of which divides a page. A tag whose pair is elsewhere
// divides it after all.
func (t *translator) run(list []token) {
	var nodes []node
	for i := 0; i < len(list); {
		end := i + 1
		switch list[i].kind {
		case opening:
			end = pairEnd(list, i)
		case closing:
			end = 0
		}
		if end == 0 { // there is no pair
			t.piece(list, nodes)
			t.raw(list[i])
			nodes = nil
			i++
			continue
		}
		nodes = append(nodes, node{i, end})
		i = end
	}
	t.piece(list, nodes)
}

// pairEnd is the index after an element's end, or 0 if it does not end in the run.
func pairEnd(list []token, i int) int {
	var open []string
	for j := i; j < len(list); j++ {
		switch list[j].kind {
		case opening:
			open = append(open, list[j].name)
		case closing:
			if open[len(open)-1] != list[j].name {
				return 0
			}
			open = open[:len(open)-1]
		}
		if len(open) == 0 {
			return j + 1
		}
	}
	return 0
}

// piece translates nodes. Where all words are within elements, what is in each of them
// is a message of its own.
func (t *translator) piece(list []token, nodes []node) {
	direct := false
	for _, n := range nodes {
		direct = direct || n.to == n.from+1 && lettered(list[n.from])
	}
	if !direct {
		for _, n := range nodes {
			t.element(list[n.from:n.to])
		}
		return
	}
	bare := func(n node) bool { // no words and no values
		for _, tok := range list[n.from:n.to] {
			if tok.kind == output || tok.kind == insert || lettered(tok) {
				return false
			}
		}
		return list[n.from].kind != words || strings.TrimSpace(list[n.from].text) == ""
	}
	first, last := 0, len(nodes)
	for bare(nodes[first]) {
		first++
	}
	for bare(nodes[last-1]) {
		last--
	}
	for _, n := range nodes[:first] {
		t.element(list[n.from:n.to])
	}
	t.message(list[nodes[first].from:nodes[last-1].to])
	for _, n := range nodes[last:] {
		t.element(list[n.from:n.to])
	}
}

// element writes a token, or an element, whose content may be messages.
func (t *translator) element(list []token) {
	if len(list) == 1 || silent[list[0].name] || foreign(list[0].text) {
		for _, tok := range list {
			t.raw(tok)
		}
		return
	}
	t.raw(list[0])
	t.run(list[1 : len(list)-1])
	t.raw(list[len(list)-1])
}

// lettered reports whether a token has something to translate.
func lettered(t token) bool {
	switch t.kind {
	case words:
		text := entity.ReplaceAllString(t.text, "")
		return strings.IndexFunc(text, unicode.IsLetter) >= 0
	case output:
		return pluralAction.MatchString(inner(t.text))
	}
	return false
}

// raw writes a token as it is, but for what people read in a tag's attributes, and for
// what values go through.
func (t *translator) raw(tok token) {
	switch tok.kind {
	case output:
		t.out.WriteString(t.action(tok.text, !t.plain))
	case opening, void:
		t.out.WriteString(t.tag(tok.text))
	default:
		t.out.WriteString(tok.text)
	}
}

// action is one that writes a value, with what values go through.
func (t *translator) action(text string, isolated bool) string {
	if t.then == "" {
		return text
	}
	at := strings.LastIndex(text, "}}")
	if strings.HasSuffix(text[:at], " -") {
		at -= 2
	}
	done := strings.TrimRight(text[:at], " ") + " | " + t.then + text[at:]
	name, _, _ := strings.Cut(inner(text), " ")
	if isolated && t.isolate[name] {
		return "<bdi>" + done + "</bdi>"
	}
	return done
}

func (t *translator) fail(message, format string, args ...any) {
	if t.err == nil {
		t.err = fmt.Errorf("%q: %s", message, fmt.Sprintf(format, args...))
	}
}
