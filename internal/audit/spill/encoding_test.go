package spill_test

import (
	"slices"
	"testing"

	"recoup/internal/audit/history"
	"recoup/internal/audit/spill"
)

func TestARowThatIsCutShortIsAnError(t *testing.T) {
	block := spill.Encode([]history.Row{{
		Kind: history.Refund, Account: "an account with a name of some length", ID: "r1", Transaction: "t1",
		Amount: 5_000, At: 1, Merchant: "m", MCC: 5412, Category: "GROCERY",
	}})
	words := []string{"m", "GROCERY"}
	if _, err := spill.Decode(block, words); err != nil {
		t.Fatal(err)
	}
	for n := 1; n < len(block); n++ {
		if rows, err := spill.Decode(block[:n], words); err == nil {
			t.Errorf("the first %d of %d bytes are %v", n, len(block), rows)
		}
	}
	if rows, err := spill.Decode(block, words[:1]); err == nil {
		t.Errorf("with a word that is not in the table: %v", rows)
	}
}

func TestATextHasNoMoreInCommonThanThereWas(t *testing.T) {
	const head, amount, at = 0x10, 2, 2
	one := []byte{head, 0x01, 'a', amount, at}
	for common, good := range []bool{true, true, false, false} {
		block := append(one[:len(one):len(one)], head, byte(common<<4|1), 'b', amount, at)
		if rows, err := spill.Decode(block, nil); (err == nil) != good || good && rows[1].Account != "a"[:common]+"b" {
			t.Errorf("%d bytes in common with a text of one: %v, %v", common, rows, err)
		}
	}
}

// FuzzDecode: a block of any bytes is rows or an error, and rows that come out of
// one go into a block and come out again as they were.
func FuzzDecode(f *testing.F) {
	words := []string{"GROCERY", "shop-00001"}
	f.Add([]byte{})
	f.Add(spill.Encode(table(9, 10, 20)))
	f.Add(spill.Encode([]history.Row{{Account: "an account with a name of some length", Merchant: "m", MCC: 1}}))
	f.Add([]byte{0x10, 0xff})
	f.Fuzz(func(t *testing.T, block []byte) {
		if len(block) > 1<<12 {
			return
		}
		rows, err := spill.Decode(block, words)
		if err != nil {
			return
		}
		again := make([]string, 0, len(words))
		for _, r := range rows { // the table of words as Encode makes it
			for _, w := range []string{r.Merchant, r.Category} {
				if w != "" && len(w) <= 64 && !slices.Contains(again, w) {
					again = append(again, w)
				}
			}
		}
		if got, err := spill.Decode(spill.Encode(rows), again); err != nil || !slices.Equal(got, rows) {
			t.Fatalf("%v became %v, %v", rows, got, err)
		}
	})
}
