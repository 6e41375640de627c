package durable

import (
	"encoding/binary"
	"errors"

	"recoup/ledger"
	"recoup/reward"
)

// The head that a row has is the tally of the account's open statement, then the
// head of the account itself.

// appendTally appends a statement in nine variable-length integers at most.
func appendTally(dst []byte, s *ledger.Statement) []byte {
	for _, n := range [...]int64{int64(s.Cycle), s.Opening, s.Granted, s.ClawedBack, s.Redeemed, s.Adjusted, s.Closing} {
		dst = binary.AppendVarint(dst, n)
	}
	return dst
}

// readTally reads what appendTally wrote and returns the rest.
func readTally(b []byte, s *ledger.Statement) (rest []byte, err error) {
	var cycle int64
	for _, n := range [...]*int64{&cycle, &s.Opening, &s.Granted, &s.ClawedBack, &s.Redeemed, &s.Adjusted, &s.Closing} {
		v, size := binary.Varint(b)
		if size <= 0 {
			return nil, errors.New("its row is damaged: the open statement ends too early")
		}
		*n, b = v, b[size:]
	}
	s.Cycle = reward.Cycle(cycle)
	return b, nil
}
