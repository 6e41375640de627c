package export_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"recoup/internal/ingest"
	"recoup/internal/kit/labtest"
	"recoup/internal/lab/design"
	"recoup/internal/lab/export"
	"recoup/internal/traffic"
	"recoup/program"
	"recoup/reward"
)

// exported is an export in memory.
type exported struct {
	*export.Summary
	transactions, refunds, rewards, redemptions bytes.Buffer
}

func exportOf(t testing.TB, p *reward.Program, events iter.Seq2[[]reward.Event, error], subject string, o export.Options) *exported {
	t.Helper()
	d, err := design.Find(subject)
	if err != nil {
		t.Fatal(err)
	}
	var x exported
	x.Summary, err = export.Write(context.Background(), p, events, d, o, export.Files{
		Transactions: &x.transactions, Refunds: &x.refunds, Rewards: &x.rewards, Redemptions: &x.redemptions,
	})
	if err != nil {
		t.Fatal(err)
	}
	return &x
}

// wantRows checks the rows of a file below its header, in any order.
func wantRows(t *testing.T, name string, file *bytes.Buffer, want ...string) {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(file.String(), "\n"), "\n")[1:]
	slices.Sort(lines)
	slices.Sort(want)
	if !slices.Equal(lines, want) {
		t.Errorf("%s has\n  %s\nwant\n  %s", name, strings.Join(lines, "\n  "), strings.Join(want, "\n  "))
	}
}

func TestExportIsTheNativeForm(t *testing.T) {
	x := exportOf(t, labtest.Everyday(), labtest.Stream(
		labtest.Settled("2026-01-05", "a", "t1", 100_00, "GROCERY"),
		labtest.Refunded("2026-02-10", "a", "r1", 40_00, "t1"),
		labtest.At("2026-02-20", reward.Event{Account: "a", Type: reward.ChargebackPosted, Fact: "c1", Transaction: "t1"}),
	), "C", export.DefaultOptions())
	for name, c := range map[string]struct {
		file bytes.Buffer
		want string
	}{
		"transactions": {x.transactions, "transaction,account,amount,currency,posted_at,merchant,mcc,category\n" +
			"t1,a,10000,USD,2026-01-05T00:00:00Z,m1,,GROCERY\n"},
		"refunds": {x.refunds, "refund,account,amount,posted_at,transaction,kind,merchant,mcc,category,currency\n" +
			"r1,a,4000,2026-02-10T00:00:00Z,t1,refund,,,,USD\n" +
			"c1,a,10000,2026-02-20T00:00:00Z,t1,chargeback,,,,USD\n"},
		"rewards": {x.rewards, "account,amount,posted_at,transaction,kind\n" +
			"a,500,2026-01-05T00:00:00Z,t1,grant\n" +
			"a,-200,2026-02-10T00:00:00Z,t1,clawback\n" +
			"a,-300,2026-02-20T00:00:00Z,t1,clawback\n"},
		"redemptions": {x.redemptions, "account,amount,posted_at,redemption\n" +
			"a,500,2026-01-31T23:59:59.999999999Z,all-1\n"},
	} {
		if got := c.file.String(); got != c.want {
			t.Errorf("%s.csv is\n%s, want\n%s", name, got, c.want)
		}
	}
	if x.Rows != (export.Count{Transactions: 1, Refunds: 2, Rewards: 3, Redemptions: 1}) || x.Rewards != (export.RewardTotal{Granted: 500, TakenBack: 500}) {
		t.Errorf("counted %+v, %+v", x.Rows, x.Rewards)
	}
	if f := x.Figures; x.Entitlement != 0 || f.NetReward != 0 || f.Leakage != 0 || f.Debt != 5_00 || x.Truth == nil || x.Truth.Class != "robust" {
		t.Errorf("summary %+v", x.Summary)
	}
	if got := x.Through.Format(time.DateOnly); got != "2026-02-20" {
		t.Errorf("through %s, want the day of the last row", got)
	}
}

// What a close posts is dated at the close, and what it pays out is a redemption.
func TestExportOfStatements(t *testing.T) {
	events := func() iter.Seq2[[]reward.Event, error] {
		return labtest.Stream(
			labtest.Settled("2026-01-05", "a", "t1", 100_00, "GROCERY"),
			labtest.Settled("2026-01-06", "a", "t2", 100_00, ""),
			labtest.Refunded("2026-02-10", "a", "r1", 100_00, "t1"),
			labtest.Settled("2026-02-11", "a", "t3", 300_00, ""),
			labtest.Settled("2026-02-12", "b", "t4", 700_00, ""),
		)
	}
	x := exportOf(t, labtest.Everyday(), events(), "B", export.DefaultOptions())
	wantRows(t, "rewards", &x.rewards,
		"a,500,2026-02-01T00:00:00Z,t1,grant", "a,100,2026-02-01T00:00:00Z,t2,grant", "a,300,2026-03-01T00:00:00Z,t3,grant", "b,700,2026-03-01T00:00:00Z,t4,grant")
	wantRows(t, "redemptions", &x.redemptions, "a,600,2026-02-01T00:00:00Z,credit-1", "a,300,2026-03-01T00:00:00Z,credit-2", "b,700,2026-03-01T00:00:00Z,credit-3")

	sums := export.DefaultOptions()
	sums.RewardSums = true
	x = exportOf(t, labtest.Everyday(), events(), "D", sums)
	wantRows(t, "rewards", &x.rewards, "a,600,2026-02-01T00:00:00Z,,reward", "a,-200,2026-03-01T00:00:00Z,,reward", "b,700,2026-03-01T00:00:00Z,,reward")
	x = exportOf(t, labtest.Everyday(), events(), "C", sums)
	wantRows(t, "rewards", &x.rewards, "a,500,2026-01-05T00:00:00Z,t1,grant", "a,100,2026-01-06T00:00:00Z,t2,grant",
		"a,-500,2026-02-10T00:00:00Z,t1,clawback", "a,300,2026-02-11T00:00:00Z,t3,grant", "b,700,2026-02-12T00:00:00Z,t4,grant")

	unnamed := export.DefaultOptions()
	unnamed.RewardLinks = false
	x = exportOf(t, labtest.Everyday(), events(), "D", unnamed)
	wantRows(t, "rewards", &x.rewards, "a,500,2026-02-01T00:00:00Z,,grant", "a,100,2026-02-01T00:00:00Z,,grant",
		"a,-500,2026-03-01T00:00:00Z,,clawback", "a,300,2026-03-01T00:00:00Z,,grant", "b,700,2026-03-01T00:00:00Z,,grant")
}

// A debt that is forgotten is a reward by the program's rules.
func TestExportOfAWriteOff(t *testing.T) {
	x := exportOf(t, labtest.Everyday(), labtest.Stream(
		labtest.Settled("2026-01-05", "a", "t1", 100_00, "GROCERY"),
		labtest.Refunded("2026-02-10", "a", "r1", 100_00, "t1"),
		labtest.Settled("2026-09-01", "b", "t2", 1_00, ""),
	), "debt-written-off", export.DefaultOptions())
	wantRows(t, "rewards", &x.rewards, "a,500,2026-01-05T00:00:00Z,t1,grant", "a,-500,2026-02-10T00:00:00Z,t1,clawback",
		"a,500,2026-06-01T00:00:00Z,,reward", "b,1,2026-09-01T00:00:00Z,t2,grant")
	if x.Figures.Leakage != 5_00 || x.Truth.Class != "V3(a)" {
		t.Errorf("leakage %d, truth %+v", x.Figures.Leakage, x.Truth)
	}
}

// Each fact has one row, whatever happens to its delivery, dated at the clock,
// with all that was ever said of it.
func TestExportOfDeliveries(t *testing.T) {
	authorised := labtest.Money(reward.TransactionAuthorized, "2026-01-04", reward.Event{Account: "a", Transaction: "t1", Amount: 90_00, Merchant: "m7", MCC: labtest.MCC("5411"), Category: "GROCERY"})
	cleared := labtest.Money(reward.TransactionSettled, "2026-01-05", reward.Event{Account: "a", Transaction: "t1", Amount: 100_00, Merchant: "m8"})
	announced := labtest.Money(reward.RefundPending, "2026-01-07", reward.Event{Account: "a", Fact: "r1", Amount: 10_00, Transaction: "t1"})
	undo := func(day string, kind reward.Type, fact string) reward.Event {
		return labtest.At(day, reward.Event{Account: "a", Type: kind, Fact: fact})
	}
	authorisedAt := func(day, merchant string) reward.Event {
		return labtest.Money(reward.TransactionAuthorized, day, reward.Event{Account: "a", Transaction: "t5", Amount: 20_00, Merchant: merchant})
	}
	events := []reward.Event{
		authorised, cleared, cleared,
		announced, labtest.Refunded("2026-01-08", "a", "r1", 10_00, ""), labtest.Refunded("2026-01-08", "a", "r1", 10_00, ""),
		labtest.Settled("2026-01-06", "a", "t2", 50_00, ""), // late, at the same clock
		undo("2026-01-09", reward.RefundReversed, "r1"), undo("2026-01-09", reward.RefundReversed, "r1"),
		undo("2026-01-10", reward.ChargebackReversed, "c1"),                                                                // before its chargeback,
		labtest.At("2026-01-11", reward.Event{Account: "a", Type: reward.ChargebackPosted, Fact: "c1", Transaction: "t3"}), // before its purchase
		labtest.At("2026-01-12", reward.Event{Account: "a", Type: reward.TransactionReversed, Transaction: "t4"}),
		labtest.Settled("2026-01-13", "a", "t3", 30_00, ""), labtest.Settled("2026-01-14", "a", "t4", 40_00, ""),
		labtest.At("2026-01-15", reward.Event{Account: "a", Type: reward.TransactionReversed, Transaction: "t4"}),
		undo("2026-01-16", reward.RefundReversed, "r9"), // of nothing
		authorisedAt("2026-01-17", "m4"), labtest.At("2026-01-18", reward.Event{Account: "a", Type: reward.TransactionCanceled, Transaction: "t5"}),
		authorisedAt("2026-01-19", "m5"), // after it was canceled: stale
		labtest.Money(reward.TransactionSettled, "2026-01-20", reward.Event{Account: "a", Transaction: "t5", Amount: 20_00}),
	}
	for _, design := range []string{"A", "Recoup", "Literal (hybrid)"} {
		x := exportOf(t, labtest.Everyday(), labtest.Stream(slices.Clone(events)...), design, export.DefaultOptions())
		wantRows(t, design+": transactions", &x.transactions,
			"t1,a,10000,USD,2026-01-05T00:00:00Z,m8,5411,GROCERY", "t2,a,5000,USD,2026-01-08T00:00:00.000000001Z,m1,,",
			"t3,a,3000,USD,2026-01-13T00:00:00Z,m1,,", "t4,a,4000,USD,2026-01-14T00:00:00Z,m1,,", "t5,a,2000,USD,2026-01-20T00:00:00Z,m4,,")
		wantRows(t, design+": refunds", &x.refunds,
			"r1,a,1000,2026-01-08T00:00:00Z,t1,refund,,,,USD", "r1,a,1000,2026-01-09T00:00:00Z,t1,refund_reversed,,,,USD",
			"c1,a,3000,2026-01-11T00:00:00Z,t3,chargeback,,,,USD", "c1,a,3000,2026-01-10T00:00:00Z,t3,chargeback_reversed,,,,USD",
			"withdrawal-t4,a,4000,2026-01-12T00:00:00Z,t4,refund,,,,USD")
		if x.Entitlement != 5_00+50+30+20 {
			t.Errorf("%s: entitlement %d, want 600", design, x.Entitlement)
		}
	}
}

// Without links a refund says where the purchase was, and nobody else knows more.
func TestExportWithoutRefundLinks(t *testing.T) {
	events := []reward.Event{
		labtest.Settled("2026-01-05", "a", "t1", 100_00, "GROCERY"),
		labtest.Money(reward.RefundPending, "2026-01-07", reward.Event{Account: "a", Fact: "r1", Amount: 100_00, Transaction: "t1"}),
		labtest.Refunded("2026-01-08", "a", "r1", 100_00, "t1"),
	}
	p := program.Everyday() // which says for how long a refund may be matched
	for design, rewards := range map[string][]string{
		"C":                {"a,500,2026-01-05T00:00:00Z,t1,grant", "a,-500,2026-01-08T00:00:00Z,t1,clawback"},
		"unlinked-ignored": {"a,500,2026-01-05T00:00:00Z,t1,grant"},
	} {
		x := exportOf(t, p, labtest.Stream(slices.Clone(events)...), design, export.Options{RewardLinks: true})
		wantRows(t, design+": refunds", &x.refunds, "r1,a,10000,2026-01-08T00:00:00Z,,refund,m1,,GROCERY,USD")
		wantRows(t, design+": rewards", &x.rewards, rewards...)
		if x.Entitlement != 0 || x.LeftOut["refund.pending"] != 1 {
			t.Errorf("%s: entitlement %d, left out %v", design, x.Entitlement, x.LeftOut)
		}
	}
}

// rows reads a file.
func rows(t testing.TB, file *bytes.Buffer) []map[string]string {
	t.Helper()
	all, err := csv.NewReader(bytes.NewReader(file.Bytes())).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var list []map[string]string
	for _, cells := range all[1:] {
		row := map[string]string{}
		for i, name := range all[0] {
			row[name] = cells[i]
		}
		list = append(list, row)
	}
	return list
}

func number(t testing.TB, s string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func sum(t testing.TB, rows []map[string]string) (total int64) {
	for _, r := range rows {
		total += number(t, r["amount"])
	}
	return total
}

// readBack makes events of the facts in the files again, in order of their times.
func (x *exported) readBack(t testing.TB) iter.Seq2[[]reward.Event, error] {
	var events []reward.Event
	for _, r := range append(rows(t, &x.transactions), rows(t, &x.refunds)...) {
		at, err := time.Parse(time.RFC3339Nano, r["posted_at"])
		if err != nil || at.Location() != time.UTC || r["currency"] != x.Currency {
			t.Fatalf("row %v: %v: expected a time in UTC and %s", r, err, x.Currency)
		}
		e := reward.Event{
			Account: r["account"], Time: reward.At(at), Amount: number(t, r["amount"]), HasAmount: true, Currency: x.Currency,
			Transaction: r["transaction"], Fact: r["refund"], Merchant: r["merchant"], Category: r["category"],
		}
		if r["mcc"] != "" {
			e.MCC = labtest.MCC(r["mcc"])
		}
		withdrawn, isWithdrawal := strings.CutPrefix(e.Fact, "withdrawal-")
		switch {
		case isWithdrawal:
			e.Type, e.Transaction = reward.TransactionReversed, withdrawn
		case r["kind"] == "":
			e.Type = reward.TransactionSettled
		default:
			e.Type = map[string]reward.Type{
				"refund": reward.RefundPosted, "chargeback": reward.ChargebackPosted,
				"refund_reversed": reward.RefundReversed, "chargeback_reversed": reward.ChargebackReversed,
			}[r["kind"]]
		}
		events = append(events, e)
	}
	slices.SortStableFunc(events, func(a, b reward.Event) int {
		return cmp.Or(cmp.Compare(a.Time, b.Time), cmp.Compare(a.Account, b.Account))
	})
	for i := 1; i < len(events); i++ {
		if a, b := &events[i-1], &events[i]; a.Account == b.Account && a.Time == b.Time {
			t.Fatalf("two facts of account %s at %s: %+v, %+v", a.Account, a.Time, a, b)
		}
	}
	return labtest.Stream(events...)
}

// Whoever has the files alone comes to the figures of the summary.
func TestExportSaysWhatTheSummarySays(t *testing.T) {
	rerated := program.Everyday()
	rerated.Method = reward.Rerate
	programs := []*reward.Program{program.Everyday(), labtest.Everyday(), rerated}
	for i, d := range designNames() {
		t.Run(d, func(t *testing.T) {
			t.Parallel()
			p := programs[i%len(programs)]
			for _, o := range []export.Options{export.DefaultOptions(), {RewardSums: true}} {
				x := exportOf(t, p, labtest.InBatches(traffic.Generate(traffic.Options{
					Accounts: 20, Events: 1500, Days: 250, Seed: uint64(i), Program: p, Disorder: 80, Duplicates: 30, OverRefunds: 100, ReturnShare: 250,
				})), d, o)
				f := x.Figures
				if got := sum(t, rows(t, &x.rewards)); got != f.NetReward || got != x.Rewards.Granted-x.Rewards.TakenBack {
					t.Errorf("reward rows add up to %d, net reward is %d", got, f.NetReward)
				}
				if got := sum(t, rows(t, &x.redemptions)); got != f.Redeemed {
					t.Errorf("redemption rows add up to %d, redeemed is %d", got, f.Redeemed)
				}
				if x.Entitlement == 0 || f.NetReward != x.Entitlement+f.Leakage-f.ShortPaid {
					t.Errorf("%+v does not add up", x.Summary)
				}
				if c := labtest.Compared(t, p, x.readBack(t)); c.Entitlement != x.Entitlement || c.NetSpend != x.NetSpend || c.Purchased != x.Purchased || c.Accounts != x.Accounts {
					t.Errorf("links %t: entitlement %d, net spend %d; by the files %d, %d", o.RefundLinks, x.Entitlement, x.NetSpend, c.Entitlement, c.NetSpend)
				}
				if f.Leakage != 0 && strings.HasPrefix(d, "Recoup") {
					t.Errorf("it leaks %d", f.Leakage)
				}
			}
		})
	}
}

func designNames() (names []string) {
	for _, d := range design.All() {
		names = append(names, d.Name)
	}
	for _, v := range design.Variants() {
		names = append(names, v.Name)
	}
	return names
}

// Played on facts as a comparison is given them, the figures are the comparison's.
func TestExportFiguresAreThoseOfCompare(t *testing.T) {
	for _, name := range []string{"A", "B", "F", "Literal (statement)"} {
		x := exportOf(t, labtest.Everyday(), labtest.InBatches(labtest.Busy(4)), name, export.DefaultOptions())
		if again := labtest.Compared(t, labtest.Everyday(), x.readBack(t)); again.Entitlement != x.Entitlement {
			t.Errorf("%s: entitlement %d, of the same facts by comparison %d", name, x.Entitlement, again.Entitlement)
		}
		orderly := traffic.Generate(traffic.Options{Accounts: 60, Events: 6_000, Seed: 9, Program: labtest.Everyday(), ReturnShare: 200})
		x = exportOf(t, labtest.Everyday(), labtest.InBatches(orderly), name, export.DefaultOptions())
		c := labtest.Compared(t, labtest.Everyday(), labtest.InBatches(orderly), labtest.Design(t, name))
		got, want := x.Figures, labtest.Figures(t, c, name)
		got.NoPath, want.NoPath = nil, nil
		if got.Granted != want.Granted || got.Leakage != want.Leakage || got.ShortPaid != want.ShortPaid || got.AccountsAbove != want.AccountsAbove ||
			got.Redeemed != want.Redeemed || got.Debt != want.Debt || x.Entitlement != c.Entitlement {
			t.Errorf("%s: in the export %+v, entitlement %d\n   in the comparison %+v, entitlement %d", name, got, x.Entitlement, want, c.Entitlement)
		}
	}
}

// Noise is in the files alone; it comes from the seed.
func TestExportNoise(t *testing.T) {
	noisy := export.DefaultOptions()
	noisy.Noise = export.Noise{LatePermille: 100, AdjustPermille: 500, UnlinkPermille: 300}
	of := func(o export.Options) *exported {
		return exportOf(t, labtest.Everyday(), labtest.InBatches(labtest.Busy(5)), "C", o)
	}
	quiet, loud := of(export.DefaultOptions()), of(noisy)
	if loud.Figures.Leakage != quiet.Figures.Leakage || loud.Entitlement != quiet.Entitlement || loud.Rewards != quiet.Rewards || loud.Through != quiet.Through {
		t.Errorf("noise changed the figures:\n%+v\n%+v", quiet.Summary, loud.Summary)
	}
	if quiet.Noise != (export.NoiseDone{}) {
		t.Errorf("noise that was not asked for: %+v", quiet.Noise)
	}
	n := loud.Noise
	if loud.transactions.String() != quiet.transactions.String() || loud.redemptions.String() != quiet.redemptions.String() {
		t.Error("noise changed purchases or redemptions")
	}
	before, after := rows(t, &quiet.refunds), rows(t, &loud.refunds)
	unlinked := int64(0)
	for i := range before {
		if before[i]["transaction"] == "" || after[i]["transaction"] != "" {
			continue
		}
		if after[i]["merchant"] == "" {
			t.Errorf("%v says neither purchase nor merchant", after[i])
		}
		if after[i]["kind"] == "refund" {
			unlinked++
		}
	}
	if unlinked != n.UnlinkedRefunds || unlinked < 50 {
		t.Errorf("%d refunds lost their link, %d by the summary", unlinked, n.UnlinkedRefunds)
	}
	rewards := rows(t, &quiet.rewards)
	late := int64(0)
	var marked, unmarked, marks, others int64
	for i, r := range rows(t, &loud.rewards) {
		switch {
		case r["kind"] == "adjustment":
			marked += number(t, r["amount"])
			marks++
		case r["kind"] == "":
			unmarked += number(t, r["amount"])
			others++
		case r["posted_at"] != rewards[i]["posted_at"]:
			late++
			was, _ := time.Parse(time.RFC3339Nano, rewards[i]["posted_at"])
			is, _ := time.Parse(time.RFC3339Nano, r["posted_at"])
			if by := is.Sub(was); by < 24*time.Hour || by > 5*24*time.Hour {
				t.Errorf("reward %v is late by %s", r, by)
			}
		}
	}
	if late != n.LateRewards || late < 200 {
		t.Errorf("%d late rewards, %d by the summary", late, n.LateRewards)
	}
	if marks != n.Adjustments || marked != n.Adjusted || others != n.Unmarked || unmarked != n.UnmarkedAmount || marks < 5 || marks-others > 1 || others > marks {
		t.Errorf("%d adjustments of %d and %d of %d without a word; the summary has %+v", marks, marked, others, unmarked, n)
	}
	if again := of(noisy); again.rewards.String() != loud.rewards.String() || again.refunds.String() != loud.refunds.String() {
		t.Error("the same seed gave other noise")
	}
	noisy.Seed = 2
	if other := of(noisy); other.rewards.String() == loud.rewards.String() {
		t.Error("another seed gave the same noise")
	}
}

func TestExportRefuses(t *testing.T) {
	c := labtest.Design(t, "C")
	discard := export.Files{Transactions: io.Discard, Refunds: io.Discard, Rewards: io.Discard, Redemptions: io.Discard}
	for _, n := range []export.Noise{{LatePermille: -1}, {AdjustPermille: 1001}, {UnlinkPermille: 2000}} {
		_, err := export.Write(context.Background(), labtest.Everyday(), labtest.Stream(), c, export.Options{Noise: n}, discard)
		if err == nil || !strings.Contains(err.Error(), "expected 0 to 1000") {
			t.Errorf("%+v: error %v", n, err)
		}
	}
	broken := errors.New("line 7 is broken")
	_, err := export.Write(context.Background(), labtest.Everyday(), func(yield func([]reward.Event, error) bool) { yield(nil, broken) }, c, export.Options{}, discard)
	if !errors.Is(err, broken) {
		t.Errorf("error %v, want that of the stream", err)
	}
	full := discard
	full.Rewards = writerFunc(func([]byte) (int, error) { return 0, broken })
	if _, err := export.Write(context.Background(), labtest.Everyday(), labtest.Stream(labtest.Settled("2026-01-05", "a", "t1", 100_00, "")), c, export.Options{}, full); !errors.Is(err, broken) {
		t.Errorf("error %v, want that of the file", err)
	}
	_, err = export.CreateFiles(func(name string) (io.Writer, error) {
		if name == "rewards.csv" {
			return nil, broken
		}
		return io.Discard, nil
	})
	if !errors.Is(err, broken) {
		t.Errorf("error %v, want that of creating", err)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

func TestExportOfNothing(t *testing.T) {
	x := exportOf(t, labtest.Everyday(), labtest.Stream(), "Recoup", export.DefaultOptions())
	if x.Rows != (export.Count{}) || !x.Through.IsZero() || !strings.HasPrefix(x.rewards.String(), "account,amount,") {
		t.Errorf("%+v, rewards %q", x.Summary, x.rewards.String())
	}
}

func TestExportTable(t *testing.T) {
	o := export.DefaultOptions()
	o.Noise.AdjustPermille = 1000
	x := exportOf(t, labtest.Everyday(), labtest.Stream(
		labtest.Settled("2026-01-05", "a", "t1", 1000_00, "GROCERY"), labtest.Refunded("2026-02-05", "a", "r1", 1000_00, "t1"),
	), "A", o)
	var out bytes.Buffer
	if err := x.WriteTable(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"A: instant rewards, never adjusted.\n", "1 transactions, 1 refunds, 2 rewards and 1 redemptions of 1 accounts, through 2026-02-05T00:00:00Z.",
		"│ leakage     │    $50.00 │        1 │", "0 rewards late, 0 refunds without their link, 1 adjustments of ", "What an audit should say: class V1.\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}

// The first months of a real shop, with its refunds' links taken away.
func TestExportRetail(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	p, err := program.Load("../../../examples/retail.yaml")
	if err != nil {
		t.Fatal(err)
	}
	retail := labtest.RetailStart(t, "../../..", ingest.LinkMatched)
	x := exportOf(t, p, labtest.InBatches(retail.Events()), "C", export.Options{RewardLinks: true})
	c := labtest.Compared(t, p, x.readBack(t))
	if c.Entitlement != x.Entitlement || x.Accounts < 1000 || sum(t, rows(t, &x.rewards)) != x.Figures.NetReward || c.UnlinkedRefunds != c.Refunds {
		t.Errorf("entitlement %d, by the files %d; %d accounts, net reward %d", x.Entitlement, c.Entitlement, x.Accounts, x.Figures.NetReward)
	}
}
