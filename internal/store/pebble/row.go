package pebble

import (
	"encoding/binary"
	"errors"

	"recoup/internal/kit/packed"
	"recoup/internal/store/durable"
	"recoup/ledger"
	"recoup/reward"
)

// Values are variable-length integers, and texts with their lengths before them; the
// last member of a value stands as it is.

var (
	errDamaged = errors.New("it is cut off, or not one")
	errMissing = errors.New("it is not there, though something leads to it")
)

// again reads a text that is likely to be the same as another, which is then used.
func (s *scanner) again(other string) string {
	if b := s.Text(); string(b) != other {
		return string(b)
	}
	return other
}

func (s *scanner) err() error {
	if s.Bad {
		return errDamaged
	}
	return nil
}

func appendAccount(dst []byte, a *durable.AccountRow) []byte {
	dst = packed.AppendText(dst, a.Program)
	dst = binary.AppendVarint(dst, a.Version)
	dst = binary.AppendVarint(dst, a.Last)
	dst = binary.AppendVarint(dst, int64(a.Due))
	return append(dst, a.Head...)
}

// readAccount reads a row. Its head is the caller's; at the version held there is none.
func readAccount(id string, v []byte, held int64) (durable.AccountRow, error) {
	s := scanner{packed.Reader{Left: v}}
	a := durable.AccountRow{Account: id, Program: string(s.Text()), Version: s.Int(), Last: s.Int(), Due: reward.Instant(s.Int())}
	if a.Version != held {
		a.Head = append([]byte{}, s.Left...)
	}
	return a, s.err()
}

func appendPart(dst []byte, p *reward.Part) []byte {
	dst = binary.AppendVarint(dst, p.Bucket)
	dst = binary.AppendVarint(dst, int64(p.Settled))
	dst = binary.AppendVarint(dst, int64(p.ReviewSince))
	return append(dst, p.Data...)
}

// readPart reads a part, whose data is the caller's.
func readPart(k durable.PartKey, working bool, v []byte) (durable.Part, error) {
	s := scanner{packed.Reader{Left: v}}
	p := durable.Part{Account: k.Account, Part: reward.Part{
		Kind: k.Kind, ID: k.ID, Working: working,
		Bucket: s.Int(), Settled: reward.Instant(s.Int()), ReviewSince: reward.Instant(s.Int()),
	}}
	p.Data = append([]byte{}, s.Left...)
	return p, s.err()
}

func appendEvent(dst []byte, e *durable.EventRow) []byte {
	dst = packed.AppendText(dst, e.Account)
	dst = binary.AppendVarint(dst, e.Sequence)
	dst = binary.AppendVarint(dst, e.Before)
	dst = binary.AppendVarint(dst, int64(e.Received))
	dst = packed.AppendText(dst, e.Source)
	dst = packed.AppendText(dst, e.ID)
	dst = packed.AppendText(dst, e.Type)
	dst = append(dst, byte(e.Outcome), byte(e.Code))
	dst = packed.AppendText(dst, e.Event)
	mark := byte(0)
	if e.Postings != nil {
		mark |= hasPostings
	}
	if e.Principal == "" {
		return append(append(dst, mark), e.Postings...)
	}
	return append(packed.AppendText(append(dst, mark|hasPrincipal), e.Principal), e.Postings...)
}

// The mark of an event says what follows it. Rows of before there were principals have
// none.
const (
	hasPostings byte = 1 << iota
	hasPrincipal
)

// readEvent reads an event over the row of the one read before. The event itself and its
// postings lie in the value.
func readEvent(number int64, v []byte, e *durable.EventRow) error {
	s := scanner{packed.Reader{Left: v}}
	e.Number = number
	e.Account, e.Sequence, e.Before, e.Received = s.again(e.Account), s.Int(), s.Int(), reward.Instant(s.Int())
	e.Source, e.ID, e.Type = s.again(e.Source), string(s.Text()), s.again(e.Type)
	e.Outcome, e.Code = reward.Outcome(s.Byte()), reward.Code(s.Byte())
	e.Event, e.Postings = s.Text(), nil
	mark, principal := s.Byte(), ""
	if mark&hasPrincipal != 0 {
		principal = s.again(e.Principal)
		s.Bad = s.Bad || principal == ""
	}
	e.Principal = principal
	if mark&hasPostings != 0 {
		e.Postings = s.Left
	}
	s.Bad = s.Bad || mark&^(hasPostings|hasPrincipal) != 0
	return s.err()
}

// reference is what an identity leads to.
type reference struct{ number, sequence int64 }

func appendReference(dst []byte, r reference) []byte {
	return binary.AppendVarint(binary.AppendVarint(dst, r.number), r.sequence)
}

func readReference(v []byte) (reference, error) {
	s := scanner{packed.Reader{Left: v}}
	return reference{s.Int(), s.Int()}, s.err()
}

func appendStatement(dst []byte, st *durable.StatementRow, program string) []byte {
	for _, n := range []int64{st.Last, st.Opening, st.Granted, st.ClawedBack, st.Redeemed, st.Adjusted, st.Closing} {
		dst = binary.AppendVarint(dst, n)
	}
	return append(dst, program...)
}

func readStatement(account string, cycle reward.Cycle, v []byte) (st durable.StatementRow, program string, err error) {
	s := scanner{packed.Reader{Left: v}}
	st = durable.StatementRow{Account: account, Last: s.Int(), Statement: ledger.Statement{
		Cycle: cycle, Opening: s.Int(), Granted: s.Int(), ClawedBack: s.Int(),
		Redeemed: s.Int(), Adjusted: s.Int(), Closing: s.Int(),
	}}
	st.Statement = st.Kept()
	return st, s.rest(), s.err()
}
