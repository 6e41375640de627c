package pebble

import (
	"encoding/binary"
	"errors"

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

func appendText[T string | []byte](dst []byte, s T) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

func (s *scanner) varint() int64 {
	n, size := binary.Varint(s.left)
	if size <= 0 {
		s.bad = true
		return 0
	}
	s.left = s.left[size:]
	return n
}

// blob reads a text that lies in the value.
func (s *scanner) blob() []byte {
	n, size := binary.Uvarint(s.left)
	if size <= 0 || n > uint64(len(s.left)-size) {
		s.bad = true
		return nil
	}
	b := s.left[size : size+int(n)]
	s.left = s.left[size+int(n):]
	return b
}

// again reads a text that is likely to be the same as another, which is then used.
func (s *scanner) again(other string) string {
	if b := s.blob(); string(b) != other {
		return string(b)
	}
	return other
}

func (s *scanner) err() error {
	if s.bad {
		return errDamaged
	}
	return nil
}

func appendAccount(dst []byte, a *durable.AccountRow) []byte {
	dst = appendText(dst, a.Program)
	dst = binary.AppendVarint(dst, a.Version)
	dst = binary.AppendVarint(dst, a.Last)
	dst = binary.AppendVarint(dst, int64(a.Due))
	return append(dst, a.Head...)
}

// readAccount reads a row. Its head is the caller's; at the version held there is none.
func readAccount(id string, v []byte, held int64) (durable.AccountRow, error) {
	s := scanner{left: v}
	a := durable.AccountRow{Account: id, Program: string(s.blob()), Version: s.varint(), Last: s.varint(), Due: reward.Instant(s.varint())}
	if a.Version != held {
		a.Head = append([]byte{}, s.left...)
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
	s := scanner{left: v}
	p := durable.Part{Account: k.Account, Part: reward.Part{
		Kind: k.Kind, ID: k.ID, Working: working,
		Bucket: s.varint(), Settled: reward.Instant(s.varint()), ReviewSince: reward.Instant(s.varint()),
	}}
	p.Data = append([]byte{}, s.left...)
	return p, s.err()
}

func appendEvent(dst []byte, e *durable.EventRow) []byte {
	dst = appendText(dst, e.Account)
	dst = binary.AppendVarint(dst, e.Sequence)
	dst = binary.AppendVarint(dst, e.Before)
	dst = binary.AppendVarint(dst, int64(e.Received))
	dst = appendText(dst, e.Source)
	dst = appendText(dst, e.ID)
	dst = appendText(dst, e.Type)
	dst = append(dst, byte(e.Outcome), byte(e.Code))
	dst = appendText(dst, e.Event)
	mark := byte(0)
	if e.Postings != nil {
		mark |= hasPostings
	}
	if e.Principal == "" {
		return append(append(dst, mark), e.Postings...)
	}
	return append(appendText(append(dst, mark|hasPrincipal), e.Principal), e.Postings...)
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
	s := scanner{left: v}
	e.Number = number
	e.Account, e.Sequence, e.Before, e.Received = s.again(e.Account), s.varint(), s.varint(), reward.Instant(s.varint())
	e.Source, e.ID, e.Type = s.again(e.Source), string(s.blob()), s.again(e.Type)
	e.Outcome, e.Code = reward.Outcome(s.byte()), reward.Code(s.byte())
	e.Event, e.Postings = s.blob(), nil
	mark, principal := s.byte(), ""
	if mark&hasPrincipal != 0 {
		principal = s.again(e.Principal)
		s.bad = s.bad || principal == ""
	}
	e.Principal = principal
	if mark&hasPostings != 0 {
		e.Postings = s.left
	}
	s.bad = s.bad || mark&^(hasPostings|hasPrincipal) != 0
	return s.err()
}

// reference is what an identity leads to.
type reference struct{ number, sequence int64 }

func appendReference(dst []byte, r reference) []byte {
	return binary.AppendVarint(binary.AppendVarint(dst, r.number), r.sequence)
}

func readReference(v []byte) (reference, error) {
	s := scanner{left: v}
	return reference{s.varint(), s.varint()}, s.err()
}

func appendStatement(dst []byte, st *durable.StatementRow, program string) []byte {
	for _, n := range []int64{st.Last, st.Opening, st.Granted, st.ClawedBack, st.Redeemed, st.Adjusted, st.Closing} {
		dst = binary.AppendVarint(dst, n)
	}
	return append(dst, program...)
}

func readStatement(account string, cycle reward.Cycle, v []byte) (st durable.StatementRow, program string, err error) {
	s := scanner{left: v}
	st = durable.StatementRow{Account: account, Last: s.varint(), Statement: ledger.Statement{
		Cycle: cycle, Opening: s.varint(), Granted: s.varint(), ClawedBack: s.varint(),
		Redeemed: s.varint(), Adjusted: s.varint(), Closing: s.varint(),
	}}
	return st, s.rest(), s.err()
}
