package phrase

import (
	"regexp"
	"strings"
)

// kind is what a token of a template's source is.
type kind int

const (
	words   kind = iota // text
	output              // an action that writes a value
	insert              // an action that writes another template
	control             // any other action
	opening             // a tag
	closing
	void  // a tag of an element that has no end
	other // comments and the like
)

type token struct {
	kind kind
	text string // as the source has it
	name string // of a tag's element
}

// scan cuts a template's source into tokens, which are all of it.
func scan(source string) (list []token) {
	for source != "" {
		t := first(source)
		list = append(list, t)
		source = source[len(t.text):]
	}
	return list
}

var tagName = regexp.MustCompile(`^</?([a-z][a-z0-9]*)`)

func first(s string) token {
	switch name := tagName.FindStringSubmatch(s); {
	case strings.HasPrefix(s, "{{"):
		text := s[:actionEnd(s)]
		return token{kind: kindOf(text), text: text}
	case name != nil:
		t := token{kind: opening, text: s[:tagEnd(s)], name: name[1]}
		if strings.HasPrefix(s, "</") {
			t.kind = closing
		} else if voids[t.name] {
			t.kind = void
		}
		return t
	case strings.HasPrefix(s, "<!"):
		return token{kind: other, text: s[:strings.IndexByte(s, '>')+1]}
	}
	end := len(s)
	for _, mark := range []string{"{{", "<"} {
		if i := strings.Index(s[1:], mark); i >= 0 {
			end = min(end, i+1)
		}
	}
	return token{kind: words, text: s[:end]}
}

// actionEnd is where the action ends that a text begins with. Strings in it may have
// any characters.
func actionEnd(s string) int {
	if strings.HasPrefix(inner(s), "/*") {
		if i := strings.Index(s, "*/"); i >= 0 {
			return i + strings.Index(s[i:], "}}") + 2
		}
	}
	var quote byte
	for i := 2; i < len(s); i++ {
		switch c := s[i]; {
		case quote != 0 && c == '\\' && quote == '"':
			i++
		case c == quote:
			quote = 0
		case quote == 0 && (c == '"' || c == '`'):
			quote = c
		case quote == 0 && strings.HasPrefix(s[i:], "}}"):
			return i + 2
		}
	}
	return len(s)
}

// tagEnd is where the tag ends that a text begins with. It may have actions in it.
func tagEnd(s string) int {
	quoted := false
	for i := 0; i < len(s); i++ {
		switch {
		case strings.HasPrefix(s[i:], "{{"):
			i += actionEnd(s[i:]) - 1
		case s[i] == '"':
			quoted = !quoted
		case s[i] == '>' && !quoted:
			return i + 1
		}
	}
	return len(s)
}

// inner is an action without its braces, and without what trims space around it.
func inner(action string) string {
	text := strings.TrimPrefix(action, "{{")
	text = strings.TrimPrefix(text, "- ")
	text = strings.TrimSuffix(text, "}}")
	return strings.TrimSpace(strings.TrimSuffix(text, " -"))
}

var assignment = regexp.MustCompile(`^\$\w*(, *\$\w*)? *:?= `)

// kindOf tells actions apart.
func kindOf(action string) kind {
	text := inner(action)
	word, _, _ := strings.Cut(text, " ")
	switch {
	case strings.HasPrefix(text, "/*"), assignment.MatchString(text):
		return control
	}
	switch word {
	case "if", "else", "end", "range", "with", "define", "block", "break", "continue":
		return control
	case "template":
		return insert
	}
	return output
}

// voids are the elements that have no end, inlines those that are within a sentence.
// Elements whose content is no language are left as they are.
var (
	voids   = set("area base br col embed hr img input link meta source track wbr")
	inlines = set("a abbr b bdi br cite code em i img kbd mark q s small span strong sub sup time u wbr")
	silent  = set("code kbd pre script style svg textarea")
)

func set(names string) map[string]bool {
	all := make(map[string]bool)
	for _, name := range strings.Fields(names) {
		all[name] = true
	}
	return all
}
