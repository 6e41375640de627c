package packed_test

import (
	"encoding/binary"
	"testing"

	"pgregory.net/rapid"

	"recoup/internal/kit/packed"
)

// What is written is read again, and what is cut off anywhere is bad, and nothing else.
func TestWhatIsWrittenIsRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, u, s := rapid.Int64().Draw(t, "n"), rapid.Uint64().Draw(t, "u"), rapid.String().Draw(t, "s")
		value := packed.AppendText(binary.AppendUvarint(binary.AppendVarint(nil, n), u), s)
		value = append(value, 7)
		r := packed.Reader{Left: value}
		if gotN, gotU, gotS, b := r.Int(), r.Uint(), string(r.Text()), r.Byte(); gotN != n || gotU != u || gotS != s || b != 7 || !r.Whole() {
			t.Fatalf("read %d, %d, %q, %d of %d, %d, %q, 7", gotN, gotU, gotS, b, n, u, s)
		}
		cut := packed.Reader{Left: value[:rapid.IntRange(0, len(value)-1).Draw(t, "cut")]}
		cut.Int()
		cut.Uint()
		cut.Text()
		if cut.Byte(); !cut.Bad || cut.Whole() {
			t.Fatal("what is cut off is a value")
		}
		if cut.Int() != 0 || cut.Uint() != 0 || cut.Text() != nil || cut.Byte() != 0 {
			t.Fatal("after that something is read")
		}
	})
}
