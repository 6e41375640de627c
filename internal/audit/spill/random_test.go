package spill_test

import (
	"cmp"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"recoup/internal/audit/spill"
	"recoup/internal/intake/history"
	"recoup/reward"
)

const senders = 4

// senderOf tells whose row it is: that is in the amount, and so is a row's place,
// so that no two rows are equal.
func senderOf(r history.Row) int64 { return max(r.Amount, -r.Amount) % senders }

// texts draws ids: short, long, empty, alike and not.
var texts = rapid.OneOf(
	rapid.SampledFrom([]string{"", "t", "t1", "txn-0001", "txn-0002", "txn-00021"}),
	rapid.StringN(0, 40, -1),
	rapid.StringMatching(`transaction-00000[0-9]{1,20}`),
)

// sends draws one sender's rows of some accounts.
func sends(t *rapid.T, sender int64, accounts []string) []history.Row {
	moment := rapid.OneOf(
		rapid.Int64Range(0, 3),
		rapid.Map(rapid.Int64Range(0, 400), func(day int64) int64 { return 1_760_000_000_000_000_000 + day*int64(reward.Day) }),
		rapid.Int64(),
	)
	place := int64(0)
	row := rapid.Custom(func(t *rapid.T) history.Row {
		place++
		amount := (place+rapid.Int64Range(0, 1<<30).Draw(t, "amount")<<20)*senders + sender
		if rapid.Bool().Draw(t, "below zero") {
			amount = -amount
		}
		return history.Row{
			Kind:        history.Kind(rapid.IntRange(int(history.Purchase), int(history.Redemption)).Draw(t, "kind")),
			Account:     rapid.SampledFrom(accounts).Draw(t, "account"),
			ID:          texts.Draw(t, "ID"),
			Transaction: texts.Draw(t, "transaction"),
			Amount:      amount,
			At:          reward.Instant(moment.Draw(t, "at")),
			Merchant:    rapid.OneOf(rapid.SampledFrom([]string{"", "m1", "m2"}), rapid.StringN(0, 100, -1)).Draw(t, "merchant"),
			MCC:         reward.MCC(rapid.IntRange(0, 10_000).Draw(t, "mcc")),
			Category:    rapid.SampledFrom([]string{"", "GAS", "GROCERY"}).Draw(t, "category"),
		}
	})
	n := rapid.IntRange(0, 150).Draw(t, "number of rows")
	return rapid.SliceOfN(row, n, n).Draw(t, "rows")
}

func TestWhatIsAddedComesOutOnceByAccountInOrder(t *testing.T) {
	dir := t.TempDir()
	onDisk := 0
	rapid.Check(t, func(t *rapid.T) {
		s := open(t, spill.Options{Dir: dir, Memory: rapid.SampledFrom([]int64{1, 1 << 12, 1 << 20, 0}).Draw(t, "memory")})
		accounts := append(alike(8), rapid.SliceOfN(texts, 1, 8).Draw(t, "accounts")...)
		var added [senders][]history.Row
		batch := rapid.IntRange(1, 100).Draw(t, "batch")
		var group sync.WaitGroup
		for i := range added {
			added[i] = sends(t, int64(i), accounts)
			group.Go(func() {
				if err := send(s, added[i], batch); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		if s.Size().Disk > 0 {
			onDisk++
		}

		got := histories(t, s, rapid.IntRange(0, 3).Draw(t, "workers"))
		var all int
		for account, rows := range got {
			if !slices.IsSortedFunc(rows, inOrder) {
				t.Fatalf("account %q has rows out of order: %v", account, rows)
			}
			all += len(rows)
		}
		if want := len(slices.Concat(added[:]...)); all != want {
			t.Fatalf("%d rows came out, %d were added", all, want)
		}
		for i := range added { // a sender's rows are as if it were alone
			own := map[string][]history.Row{}
			for account, rows := range got {
				rows = slices.DeleteFunc(slices.Clone(rows), func(r history.Row) bool { return senderOf(r) != int64(i) })
				if len(rows) > 0 {
					own[account] = rows
				}
			}
			expect(t, own, byAccount(added[i]))
		}
		expect(t, histories(t, s, 2), got) // and again
	})
	if onDisk == 0 {
		t.Error("nothing ever went to disk")
	}
}

func inOrder(a, b history.Row) int {
	return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Kind, b.Kind))
}
