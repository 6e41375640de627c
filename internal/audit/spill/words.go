package spill

import (
	"strings"
	"sync"
)

// Bounds of the table of words: about 10 MiB at most.
const (
	maxWords    = 1 << 16
	maxWordSize = 64
)

// words numbers the texts that many rows share: merchants and categories. It takes
// what comes first, which are the frequent ones, until it is full; others are
// spelt out in their rows. The texts of rows that are handed out are the table's,
// once each. It is safe for concurrent use.
type words struct {
	mu      sync.RWMutex
	numbers map[string]uint64
	texts   []string
}

func newWords() *words { return &words{numbers: map[string]uint64{}} }

// number returns a word's number, and false if it has none.
func (w *words) number(text string) (uint64, bool) {
	w.mu.RLock()
	n, known := w.numbers[text]
	full := len(w.texts) >= maxWords
	w.mu.RUnlock()
	if known || full || len(text) > maxWordSize {
		return n, known
	}
	return w.enter(text)
}

func (w *words) enter(text string) (uint64, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	n, known := w.numbers[text]
	switch {
	case known:
		return n, true
	case len(w.texts) >= maxWords:
		return 0, false
	}
	n = uint64(len(w.texts))
	text = strings.Clone(text)
	w.texts = append(w.texts, text)
	w.numbers[text] = n
	return n, true
}

// list returns the words by number.
func (w *words) list() []string {
	w.mu.RLock()
	defer w.mu.RUnlock()
	return w.texts[:len(w.texts):len(w.texts)]
}
