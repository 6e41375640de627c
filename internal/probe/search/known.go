package search

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"recoup/internal/scenario"
	"recoup/reward"
)

// signatures has what the scenarios of the catalogue shrink to at the designs of
// the lab: lines of a signature, a tab, and the names of scenarios. A test writes it.
//
//go:embed signatures.txt
var signatures string

// likes are the scenarios that shrink to a signature.
var likes = sync.OnceValue(func() map[string][]string {
	m := map[string][]string{}
	for line := range strings.Lines(signatures) {
		if s, names, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
			m[s] = strings.Fields(names)
		}
	}
	return m
})

// like are the scenarios of the catalogue that shrink to the same as a find. Where
// rewards come at the close, a scenario is the same if it only lacks closes.
func (h *hunter) like(f *found) []string {
	names := likes()[f.signature]
	if names == nil && h.target.Program.Timing.Grant == reward.GrantAtStatement {
		words := slices.DeleteFunc(slices.Clone(f.words), func(word string) bool { return word == "close" })
		names = likes()[signature(words, f.verdict.kind)]
	}
	return names
}

// explained reports whether one of the scenarios, or a flaw that it shows, is known.
func explained(like, known []string) bool {
	return slices.ContainsFunc(like, func(name string) bool {
		if slices.Contains(known, name) {
			return true
		}
		s, err := scenario.Find(name)
		return err == nil && slices.ContainsFunc(s.Shows, func(shown string) bool { return slices.Contains(known, shown) })
	})
}
