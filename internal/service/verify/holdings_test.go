package verify_test

import (
	"bytes"
	"testing"

	"recoup/internal/store/durable"
	"recoup/internal/store/erasure"
	"recoup/reward"
)

// holdings are all that a database has of one account, for an insider to change.
type holdings struct {
	testing.TB
	account    string
	row        *durable.AccountRow // nil: none
	events     []durable.EventRow
	parts      []durable.Part
	statements []durable.StatementRow
	seal       []byte // nil: none
	key        []byte // its erasure key; nil: none
	// elsewhere is the number of an event of another account.
	elsewhere int64
}

// records are the records of the account, by table.
func (h *holdings) records() map[string]*[]byte {
	return map[string]*[]byte{"seals": &h.seal, erasure.Table: &h.key}
}

// event returns the event with a sequence.
func (h *holdings) event(sequence int64) *durable.EventRow {
	h.Helper()
	for i := range h.events {
		if h.events[i].Sequence == sequence {
			return &h.events[i]
		}
	}
	h.Fatalf("%s has no event %d", h.account, sequence)
	return nil
}

// part returns the first part of a kind.
func (h *holdings) part(kind reward.PartKind) *durable.Part {
	h.Helper()
	var first *durable.Part
	for i := range h.parts {
		if p := &h.parts[i]; p.Kind == kind && (first == nil || p.ID < first.ID) {
			first = p
		}
	}
	if first == nil {
		h.Fatalf("%s has no %v", h.account, kind)
	}
	return first
}

// statement returns the statement of a cycle.
func (h *holdings) statement(cycle reward.Cycle) *durable.StatementRow {
	h.Helper()
	for i := range h.statements {
		if h.statements[i].Cycle == cycle {
			return &h.statements[i]
		}
	}
	h.Fatalf("%s has no statement of %v", h.account, cycle)
	return nil
}

// replace replaces the one text by the other, which must be there.
func (h *holdings) replace(in *[]byte, old, new string) {
	h.Helper()
	if !bytes.Contains(*in, []byte(old)) {
		h.Fatalf("%s: there is no %s in %s", h.account, old, *in)
	}
	*in = bytes.Replace(*in, []byte(old), []byte(new), 1)
}

// without leaves out the one that p points into the list at.
func without[T any](list []T, p *T) (left []T) {
	for i := range list {
		if &list[i] != p {
			left = append(left, list[i])
		}
	}
	return left
}

// flipped returns the bytes with a bit of one of them turned round.
func flipped(b []byte, at int) []byte {
	b = bytes.Clone(b)
	b[(at+len(b))%len(b)] ^= 2
	return b
}
