package pebble

import (
	"bytes"
	"encoding/binary"
	"strings"

	"recoup/internal/kit/packed"
	"recoup/internal/store/durable"
	"recoup/reward"
)

// A key begins with a byte that says what is under it. Numbers in keys are eight bytes
// in an order that is theirs. A text in the middle of a key ends with 0 1 and has 0 0xff
// for each 0 in it, so texts are in byte order and none is the beginning of another; at
// the end of a key it stands as it is.
const (
	eventSpace     = 'e' // number: the event
	accountSpace   = 'a' // account, and what of it most units of work need
	historySpace   = 'h' // account, and the rest, which grows
	dueSpace       = 'd' // due, account
	nameSpace      = 'n' // era, id of a part, account, kind
	reviewSpace    = 'r' // since, account, kind, id
	statementSpace = 's' // cycle, account: the statement with its program
	recordSpace    = 't' // table, key: the value
	numberSpace    = 'm' // no event has a number above the one under this key
)

// What an account has, in this order: in the space of accounts
const (
	headTag    byte = iota // the row
	workingTag             // kind, id: a working part
	// and in that of histories. Were these beside the rows, a row would share its block
	// with the history of its account, and no cache would hold those of many accounts.
	restingTag   // kind, id: another part
	bucketTag    // kind, bucket, id
	settledTag   // kind, settled, id
	reviewTag    // since, kind, id
	statementTag // cycle: the statement
	identityTag  // source, id: number and sequence of the event
)

// key is a key as it is put together.
type key []byte

func (k key) byte(b byte) key { return append(k, b) }

func (k key) int(n int64) key { return binary.BigEndian.AppendUint64(k, uint64(n)^1<<63) }

func (k key) text(s string) key {
	for {
		at := strings.IndexByte(s, 0)
		if at < 0 {
			return append(append(k, s...), 0, 1)
		}
		k = append(append(k, s[:at]...), 0, 0xff)
		s = s[at+1:]
	}
}

func (k key) rest(s string) key { return append(k, s...) }

// account begins a key of an account.
func (k key) account(id string, tag byte) key {
	space := byte(historySpace)
	if tag <= workingTag {
		space = accountSpace
	}
	return k.byte(space).text(id).byte(tag)
}

func (k key) part(p durable.PartKey, tag byte) key {
	return k.account(p.Account, tag).byte(byte(p.Kind)).rest(p.ID)
}

func (k key) identity(id durable.Identity) key {
	return k.account(id.Account, identityTag).text(id.Source).rest(id.ID)
}

func (k key) event(number int64) key { return k.byte(eventSpace).int(number) }

func (k key) due(at reward.Instant, account string) key {
	return k.byte(dueSpace).int(int64(at)).text(account)
}

func (k key) name(era int64, p durable.PartKey) key {
	return k.nameOf(era, p.ID).text(p.Account).byte(byte(p.Kind))
}

// nameOf begins the names that parts with an id got in an era.
func (k key) nameOf(era int64, id string) key { return k.byte(nameSpace).int(era).text(id) }

func (k key) review(at durable.ReviewPlace) key {
	return k.byte(reviewSpace).int(int64(at.Since)).text(at.Account).byte(byte(at.Kind)).rest(at.ID)
}

func (k key) reviewOf(at durable.ReviewPlace) key {
	return k.account(at.Account, reviewTag).int(int64(at.Since)).byte(byte(at.Kind)).rest(at.ID)
}

func (k key) bucket(p durable.PartKey, bucket int64) key {
	return k.account(p.Account, bucketTag).byte(byte(p.Kind)).int(bucket).rest(p.ID)
}

func (k key) settled(p durable.PartKey, at reward.Instant) key {
	return k.account(p.Account, settledTag).byte(byte(p.Kind)).int(int64(at)).rest(p.ID)
}

func (k key) statement(cycle reward.Cycle, account string) key {
	return k.byte(statementSpace).int(int64(cycle)).text(account)
}

func (k key) statementOf(account string, cycle reward.Cycle) key {
	return k.account(account, statementTag).int(int64(cycle))
}

func (k key) record(table, name string) key { return k.byte(recordSpace).text(table).rest(name) }

// after is the first key that does not begin with this one.
func (k key) after() key {
	next := bytes.Clone(k)
	for i := len(next) - 1; i >= 0; i-- {
		if next[i]++; next[i] != 0 {
			return next[:i+1]
		}
	}
	return nil
}

// scanner takes a key or a value apart. bad says that it is not one, or cut off.
type scanner struct{ packed.Reader }

// keyOf takes a key apart whose first byte is known.
func keyOf(k []byte) *scanner { return &scanner{packed.Reader{Left: k[1:]}} }

func (s *scanner) int() int64 {
	if len(s.Left) < 8 {
		s.Bad = true
		return 0
	}
	n := binary.BigEndian.Uint64(s.Left) ^ 1<<63
	s.Left = s.Left[8:]
	return int64(n)
}

// text reads a text and the mark at its end.
func (s *scanner) text() string {
	at := bytes.IndexByte(s.Left, 0)
	if at < 0 || at+1 == len(s.Left) {
		s.Bad = true
		return ""
	}
	if s.Left[at+1] == 1 {
		text := string(s.Left[:at])
		s.Left = s.Left[at+2:]
		return text
	}
	var text []byte
	for {
		text = append(text, s.Left[:at]...)
		end := s.Left[at+1] == 1
		s.Left = s.Left[at+2:]
		if end {
			return string(text)
		}
		text = append(text, 0)
		if at = bytes.IndexByte(s.Left, 0); at < 0 || at+1 == len(s.Left) {
			s.Bad = true
			return ""
		}
	}
}

func (s *scanner) rest() string {
	text := string(s.Left)
	s.Left = nil
	return text
}
