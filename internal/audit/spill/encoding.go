package spill

import (
	"encoding/binary"
	"errors"
	"time"

	"recoup/internal/audit/history"
	"recoup/internal/kit/packed"
	"recoup/reward"
)

// A row in a block is
//
//	kind << 4 | members  varint
//	account              text
//	ID                   text, if hasID
//	transaction          text, if hasTransaction
//	amount               signed varint
//	time                 signed varint: difference to the row before, in seconds if wholeSeconds, else in nanoseconds
//	merchant             word, MCC varint, category word: if hasTerms
//
// A text leaves out what it begins with in common with the same member of the row
// before: a byte with the length of that and the length of the rest, four bits
// each, where 15 says that a varint with what is above follows; then the rest. A
// word is 0 if empty, its number in the table plus 2, or 1 and a text of its own:
// a varint with its length, and its bytes. Nothing comes before the first row of a
// block.
const (
	hasID = 1 << iota
	hasTransaction
	hasTerms
	wholeSeconds
	memberBits = iota
)

// encoder writes the rows of one block.
type encoder struct {
	data                     []byte
	account, id, transaction []byte // of the row before
	at                       reward.Instant
}

// begin starts a block in the memory given.
func (e *encoder) begin(data []byte) {
	e.data = data[:0]
	e.account, e.id, e.transaction, e.at = e.account[:0], e.id[:0], e.transaction[:0], 0
}

func (e *encoder) add(r *history.Row, w *words) {
	since := int64(r.At - e.at) // may wrap around, and back when it is added
	e.at = r.At
	head := uint64(r.Kind) << memberBits
	if r.ID != "" {
		head |= hasID
	}
	if r.Transaction != "" {
		head |= hasTransaction
	}
	if r.Merchant != "" || r.MCC != 0 || r.Category != "" {
		head |= hasTerms
	}
	if since%int64(time.Second) == 0 {
		head |= wholeSeconds
		since /= int64(time.Second)
	}
	b := binary.AppendUvarint(e.data, head)
	b = appendText(b, &e.account, r.Account)
	if head&hasID != 0 {
		b = appendText(b, &e.id, r.ID)
	}
	if head&hasTransaction != 0 {
		b = appendText(b, &e.transaction, r.Transaction)
	}
	b = binary.AppendVarint(b, r.Amount)
	b = binary.AppendVarint(b, since)
	if head&hasTerms != 0 {
		b = appendWord(b, w, r.Merchant)
		b = binary.AppendUvarint(b, uint64(r.MCC))
		b = appendWord(b, w, r.Category)
	}
	e.data = b
}

func appendText(b []byte, before *[]byte, text string) []byte {
	previous := *before
	common := 0
	for common < len(previous) && common < len(text) && previous[common] == text[common] {
		common++
	}
	rest := text[common:]
	b = append(b, byte(min(common, 15)<<4|min(len(rest), 15)))
	if common >= 15 {
		b = binary.AppendUvarint(b, uint64(common-15))
	}
	if len(rest) >= 15 {
		b = binary.AppendUvarint(b, uint64(len(rest)-15))
	}
	*before = append(previous[:common], rest...)
	return append(b, rest...)
}

func appendWord(b []byte, w *words, text string) []byte {
	if text == "" {
		return append(b, 0)
	}
	if n, known := w.number(text); known {
		return binary.AppendUvarint(b, n+2)
	}
	b = append(b, 1)
	b = binary.AppendUvarint(b, uint64(len(text)))
	return append(b, text...)
}

var errMalformed = errors.New("malformed row")

// decoder reads the rows of one block after the other.
type decoder struct {
	words []string
	texts arena

	packed.Reader
	account, id, transaction []byte // of the row before
	at                       reward.Instant
}

// begin starts a block.
func (d *decoder) begin(data []byte) {
	d.Left, d.Bad = data, false
	d.account, d.id, d.transaction, d.at = d.account[:0], d.id[:0], d.transaction[:0], 0
}

// more says whether the block has another row.
func (d *decoder) more() bool { return len(d.Left) > 0 }

// next reads a row but for its account, which is in d.account until the next call.
func (d *decoder) next(r *history.Row) error {
	head := d.Uint()
	*r = history.Row{Kind: history.Kind(head >> memberBits)}
	d.text(&d.account)
	if head&hasID != 0 {
		d.text(&d.id)
		r.ID = d.texts.keep(d.id)
	}
	if head&hasTransaction != 0 {
		d.text(&d.transaction)
		r.Transaction = d.texts.keep(d.transaction)
	}
	r.Amount = d.Int()
	since := d.Int()
	if head&wholeSeconds != 0 {
		since *= int64(time.Second)
	}
	d.at += reward.Instant(since)
	r.At = d.at
	if head&hasTerms != 0 {
		r.Merchant = d.word()
		r.MCC = reward.MCC(d.Uint())
		r.Category = d.word()
	}
	if d.Bad {
		return errMalformed
	}
	return nil
}

// text turns the text of the row before into that of this row.
func (d *decoder) text(before *[]byte) {
	lengths := d.Byte()
	common, rest := uint64(lengths>>4), uint64(lengths&15)
	if common == 15 {
		common += d.Uint()
	}
	if rest == 15 {
		rest += d.Uint()
	}
	if common > uint64(len(*before)) {
		d.Fail()
		return
	}
	*before = append((*before)[:common], d.Bytes(rest)...)
}

func (d *decoder) word() string {
	switch n := d.Uint(); {
	case n == 0:
		return ""
	case n == 1:
		return d.texts.keep(d.Bytes(d.Uint()))
	case n-2 < uint64(len(d.words)):
		return d.words[n-2]
	}
	d.Fail()
	return ""
}
