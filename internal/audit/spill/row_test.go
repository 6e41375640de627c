package spill_test

import (
	"slices"
	"testing"

	"recoup/internal/audit/spill"
	"recoup/internal/intake/history"
)

func TestARowThatIsCutShortIsAnError(t *testing.T) {
	row := spill.Encode(&history.Row{
		Kind: history.Refund, Account: "an account with a name of some length", ID: "r1", Transaction: "t1",
		Amount: 5_000, At: 1, Merchant: "m", MCC: 5412, Category: "GROCERY",
	})
	if _, err := spill.Decode(row); err != nil {
		t.Fatal(err)
	}
	for n := range row {
		if r, err := spill.Decode(row[:n]); err == nil {
			t.Errorf("the first %d of %d bytes are %v", n, len(row), r)
		}
	}
	if r, err := spill.Decode(append(row, 0)); err == nil {
		t.Errorf("with a byte behind it: %v", r)
	}
}

// Accounts whose hashes are one come apart all the same, each in its own order.
func TestAccountsOfOneHash(t *testing.T) {
	rows := table(11, 20, 400)
	got := map[string][]history.Row{}
	err := spill.Collide(rows, func(h *history.History) error {
		if got[h.Account] != nil {
			t.Errorf("account %q comes twice", h.Account)
		}
		got[h.Account] = slices.Clone(h.Rows)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	expect(t, got, byAccount(rows))
}

// FuzzDecode: any bytes are a row or an error, and a row that comes out of them
// comes out again as it was.
func FuzzDecode(f *testing.F) {
	f.Add([]byte{})
	for _, r := range table(9, 10, 20) {
		f.Add(spill.Encode(&r))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := spill.Decode(b)
		if err != nil {
			return
		}
		if again, err := spill.Decode(spill.Encode(&r)); err != nil || again != r {
			t.Fatalf("%v became %v, %v", r, again, err)
		}
	})
}
