package spill

import (
	"encoding/binary"
	"errors"
	"math/bits"

	"recoup/internal/audit/history"
	"recoup/internal/kit/packed"
	"recoup/reward"
)

// signBit moves moments so that all are above zero, and a row's kind stands before its number.
const (
	signBit   = 1 << 63
	kindShift = 56
)

// appendKey writes what says where a row comes, so that bytes are in the order in which rows
// are handed out: the hash of its account, the bytes reversed, since shards go by the first
// ones; the account; the moment; the kind, and how many rows came before.
func appendKey(dst []byte, r *history.Row, hash, number uint64) []byte {
	dst = binary.BigEndian.AppendUint64(dst, bits.ReverseBytes64(hash))
	dst = packed.AppendText(dst, r.Account)
	dst = binary.BigEndian.AppendUint64(dst, uint64(r.At)^signBit)
	return binary.BigEndian.AppendUint64(dst, uint64(r.Kind)<<kindShift|number)
}

// appendRow writes what the key does not say of a row.
func appendRow(dst []byte, r *history.Row) []byte {
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
func readRow(key, value []byte, before string) (r history.Row, err error) {
	k, in := packed.Reader{Left: key}, packed.Reader{Left: value}
	k.Bytes(8)
	account, place := k.Text(), k.Bytes(16)
	if !k.Whole() {
		return r, errMalformed
	}
	r = history.Row{
		Kind: history.Kind(place[8]), At: reward.Instant(binary.BigEndian.Uint64(place) ^ signBit),
		Amount: in.Int(), MCC: reward.MCC(in.Uint()), Account: before,
	}
	if string(account) != before {
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
