package reward

import (
	"iter"
	"slices"
	"strings"
)

// MaxLabels is how many labels a purchase may have.
const MaxLabels = 16

// Labels are texts by name that a purchase carries, in one text so that events
// compare. The zero value has none.
type Labels string

// A name and its value end with a character that no text of an event may have.
const labelEnd = "\x00"

// MakeLabels returns labels of names and values. Neither may have a control character.
func MakeLabels(byName map[string]string) Labels {
	names := make([]string, 0, len(byName))
	for name := range byName {
		names = append(names, name)
	}
	slices.Sort(names)
	var b strings.Builder
	for _, name := range names {
		b.WriteString(name + labelEnd + byName[name] + labelEnd)
	}
	return Labels(b.String())
}

// All yields names and values, by name.
func (l Labels) All() iter.Seq2[string, string] {
	return func(yield func(name, value string) bool) {
		for rest := string(l); rest != ""; {
			name, after, _ := strings.Cut(rest, labelEnd)
			value, next, _ := strings.Cut(after, labelEnd)
			if !yield(name, value) {
				return
			}
			rest = next
		}
	}
}

// Get returns the value of a name, "" if it has none.
func (l Labels) Get(name string) string {
	for n, value := range l.All() {
		if n == name {
			return value
		}
	}
	return ""
}
