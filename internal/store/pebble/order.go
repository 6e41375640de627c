package pebble

import (
	"bytes"
	"slices"

	lsm "github.com/cockroachdb/pebble/v2"
)

// order is the order of keys: that of their bytes. Its Split says which keys a file's
// filter is told of: those that are looked up one by one, and usually are not there.
// What is only ever gone through, or is always there, counts as one key for all that
// begins alike, so that the filters, which must be in memory to be of use, stay small.
var order = func() *lsm.Comparer {
	c := *lsm.DefaultComparer
	c.Name = "recoup.order.1"
	c.Split = split
	c.ImmediateSuccessor = func(dst, prefix []byte) []byte {
		if k := slices.Concat(prefix, []byte{0}); split(k) < len(k) {
			return append(dst, key(prefix).after()...)
		}
		return append(append(dst, prefix...), 0)
	}
	return &c
}()

// split is how much of a key the filter of a file is told.
func split(k []byte) int {
	if len(k) == 0 {
		return 0
	}
	switch k[0] {
	case eventSpace, dueSpace, nameSpace, reviewSpace, statementSpace, numberSpace:
		return 1
	case accountSpace, historySpace:
		at := textEnd(k[1:])
		if at < 0 || at+1 >= len(k) {
			return len(k)
		}
		switch k[1+at] {
		case workingTag, bucketTag, settledTag, reviewTag, statementTag:
			return at + 2
		}
	}
	return len(k)
}

// textEnd is where a text ends that begins there, with the mark of its end; -1: it does
// not.
func textEnd(k []byte) int {
	for from := 0; ; {
		at := bytes.IndexByte(k[from:], 0)
		switch {
		case at < 0 || from+at+1 == len(k):
			return -1
		case k[from+at+1] == 1:
			return from + at + 2
		}
		from += at + 2
	}
}

// spans has the log of events lie in files of its own. Numbers rise, so none of them
// overlaps another, and merging moves them as they are. Values stay beside their keys:
// the rest of a key is no version of it.
func spans(from []byte) (policy lsm.SpanPolicy, before []byte, err error) {
	policy.DisableValueSeparationBySuffix = true
	switch {
	case bytes.Compare(from, key{eventSpace}) < 0:
		before = key{eventSpace}
	case from[0] == eventSpace:
		before = key{eventSpace + 1}
	}
	return policy, before, nil
}

// Order is the order of the keys, for tests that open the tree of a folder by themselves.
func Order() *lsm.Comparer { return order }
