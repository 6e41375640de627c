package durable

import (
	"encoding/binary"
	"errors"

	"recoup/internal/kit/packed"
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
	r := packed.Reader{Left: b}
	s.Cycle = reward.Cycle(r.Int())
	for _, n := range [...]*int64{&s.Opening, &s.Granted, &s.ClawedBack, &s.Redeemed, &s.Adjusted, &s.Closing} {
		*n = r.Int()
	}
	if r.Bad {
		return nil, errors.New("its row is damaged: the open statement ends too early")
	}
	*s = s.Kept()
	return r.Left, nil
}
