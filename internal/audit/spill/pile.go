package spill

import (
	"cmp"
	"encoding/binary"
	"errors"
	"math/bits"
	"slices"

	"recoup/internal/audit/history"
	"recoup/internal/kit/packed"
	"recoup/reward"
)

// key says where a row comes: rows of one account side by side, and those in the
// order in which they are handed out. Two accounts of one hash stand among each
// other; Each tells them apart.
type key struct {
	hash   uint64 // of the account, its bytes reversed: shards go by the first ones
	at     uint64 // the moment, moved so that all are above zero
	number uint64 // the kind, in the first byte, and then how many rows came before
}

const keySize = 24

func (a *key) compare(b *key) int {
	return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.at, b.at), cmp.Compare(a.number, b.number))
}

// append writes the key so that bytes are ordered as keys are.
func (a *key) append(dst []byte) []byte {
	dst = binary.BigEndian.AppendUint64(dst, a.hash)
	dst = binary.BigEndian.AppendUint64(dst, a.at)
	return binary.BigEndian.AppendUint64(dst, a.number)
}

func readKey(b []byte) key {
	return key{binary.BigEndian.Uint64(b), binary.BigEndian.Uint64(b[8:]), binary.BigEndian.Uint64(b[16:])}
}

const (
	signBit   = 1 << 63
	kindShift = 56
)

func keyOf(r *history.Row, hash, number uint64) key {
	return key{bits.ReverseBytes64(hash), uint64(r.At) ^ signBit, uint64(r.Kind)<<kindShift | number}
}

// appendRow writes what the key does not say of a row.
func appendRow(dst []byte, r *history.Row) []byte {
	dst = packed.AppendText(dst, r.Account)
	dst = binary.AppendVarint(dst, r.Amount)
	dst = binary.AppendUvarint(dst, uint64(r.MCC))
	for _, text := range [...]string{r.ID, r.Transaction, r.Merchant, r.Category} {
		dst = packed.AppendText(dst, text)
	}
	return dst
}

var errMalformed = errors.New("a row in memory or in the temporary file is malformed")

// readRow reads a row. Its texts share one copy of their bytes, and its account is
// the one before if that has the same name.
func readRow(k key, value []byte, before string) (r history.Row, err error) {
	in := packed.Reader{Left: value}
	account := in.Text()
	r = history.Row{Kind: history.Kind(k.number >> kindShift), At: reward.Instant(k.at ^ signBit), Amount: in.Int(), MCC: reward.MCC(in.Uint())}
	if r.Account = before; string(account) != before {
		r.Account = string(account)
	}
	texts := string(in.Left)
	for _, text := range [...]*string{&r.ID, &r.Transaction, &r.Merchant, &r.Category} {
		n := len(in.Text())
		end := len(texts) - len(in.Left)
		*text = texts[max(end-n, 0):max(end, 0)]
	}
	if !in.Whole() {
		return r, errMalformed
	}
	return r, nil
}

// pile is rows in memory. It keeps what they say in chunks, so that it grows
// without being copied.
type pile struct {
	chunks [][]byte
	rows   []placed
	size   int64 // bytes, about
}

// placed is a row and where its value is.
type placed struct {
	key
	chunk, start, size uint32
}

const (
	chunkSize  = 1 << 20
	placedSize = keySize + 16
)

func (p *pile) add(k key, r *history.Row) {
	last := len(p.chunks) - 1
	need := len(r.Account) + len(r.ID) + len(r.Transaction) + len(r.Merchant) + len(r.Category) + 8*binary.MaxVarintLen64
	if last < 0 || cap(p.chunks[last])-len(p.chunks[last]) < need {
		p.chunks = append(p.chunks, make([]byte, 0, max(chunkSize, need)))
		last++
	}
	chunk := p.chunks[last]
	start := len(chunk)
	chunk = appendRow(chunk, r)
	p.chunks[last] = chunk
	p.rows = append(p.rows, placed{k, uint32(last), uint32(start), uint32(len(chunk) - start)})
	p.size += int64(len(chunk)-start) + placedSize
}

func (p *pile) value(r *placed) []byte {
	return p.chunks[r.chunk][r.start : r.start+r.size]
}

func (p *pile) sort() {
	slices.SortFunc(p.rows, func(a, b placed) int { return a.compare(&b.key) })
}

// from is the first row of a hash of at least so much.
func (p *pile) from(hash uint64) int {
	i, _ := slices.BinarySearchFunc(p.rows, hash, func(r placed, hash uint64) int { return cmp.Compare(r.hash, hash) })
	return i
}

// pileRows walks over the rows of a sorted pile, up to the last.
type pileRows struct {
	*pile
	at, end int
}

func (w *pileRows) next() (key, []byte, error) {
	if w.at == w.end {
		return key{}, nil, nil
	}
	r := &w.rows[w.at]
	w.at++
	return r.key, w.value(r), nil
}

func (w *pileRows) close() error { return nil }
