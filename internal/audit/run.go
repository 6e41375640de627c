package audit

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/csv"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"recoup/internal/audit/judge"
	"recoup/internal/audit/spill"
	"recoup/internal/intake"
	"recoup/internal/intake/history"
	"recoup/internal/kit/tabular"
	"recoup/reward"
)

// DefaultReturnDays is for how long merchants take purchases back unless Options
// say otherwise: the paper's 30 days (section 5.2).
const DefaultReturnDays = 30

// leastKey is how many bytes the key of pseudonyms must have.
const leastKey = 16

// Options say what is audited, and how.
type Options struct {
	Program *reward.Program // the published terms
	// Transactions, Refunds, Rewards and Redemptions are the files of the exports,
	// or globs. Redemptions may be empty.
	Transactions, Refunds, Rewards, Redemptions []string
	Mapping                                     *intake.Mapping // how they are laid out; nil for the native format
	BadLimit                                    int             // see intake.Options
	ReturnDays                                  int             // for how long a purchase can be returned; 0: DefaultReturnDays
	// Adjustments is what adjustments are, by one of judge.AdjustmentsNamed; empty to find out.
	Adjustments string
	Rounding    judge.Rounding // how the program rounds, if it is known
	// Shard is the part of the accounts that RunPart audits, from 1 to Of; Of is zero
	// for all of them.
	Shard, Of int
	// Pseudonymise replaces the ids of accounts, transactions and refunds by keyed
	// hashes. The key has 16 bytes or more; without one, it is drawn at random and
	// forgotten, and nobody can tell whom a pseudonym is of.
	Pseudonymise bool
	Key          []byte
	TempDir      string         // see spill.Options
	Memory       int64          // see spill.Options
	Accounts     io.Writer      // if not nil, is given the figures of every account as CSV, in no order
	Simulate     bool           // what Recoup would have done is wanted; in shards it always is
	Progress     func(Progress) // if not nil, is told how far the audit is, from several goroutines
}

// Progress is how far an audit is: about so many bytes were read, then so many accounts judged.
type Progress struct{ Bytes, Accounts int64 }

// Run audits exports, and reports on all their accounts.
func Run(ctx context.Context, o Options) (*Report, error) {
	if o.Of > 1 {
		return nil, errors.New("audit: one shard of several makes no report: merge the parts of all")
	}
	part, err := RunPart(ctx, o)
	if err != nil {
		return nil, err
	}
	return Merge(part)
}

// RunPart audits one shard of the accounts of exports. It reads all rows: the
// files are not dealt out, the accounts are.
func RunPart(ctx context.Context, o Options) (part *Part, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("audit: %w", err)
		}
	}()
	if err := o.complete(); err != nil {
		return nil, err
	}
	store, err := spill.New(spill.Options{Dir: o.TempDir, Memory: o.Memory, Shard: o.Shard - 1, Of: o.Of})
	if err != nil {
		return nil, err
	}
	defer store.Close()
	rows := &checked{Sink: store, wanted: o.Of > 1}
	input, err := o.read(ctx, rows)
	if err != nil {
		return nil, err
	}
	first, last := store.Span()
	are := o.Adjustments
	if are == "" && rows.adjusted.Load() {
		if are, err = o.adjustments(ctx, store, last); err != nil {
			return nil, err
		}
	}
	all, err := o.judge(ctx, store, last, judge.AdjustmentsNamed[are])
	if err != nil {
		return nil, err
	}
	// The mark tells keys apart without telling anything of them.
	options := outcomeOptions{ReturnDays: o.ReturnDays, Key: newPseudonyms(o.Key).of("key-", "mark"), Rounding: o.Rounding}
	h := header{partVersion, o.Shard, o.Of, fingerprint(o.Program), options, first, last, "", are, *input}
	if rows.wanted {
		h.Checksum = strconv.FormatUint(rows.sum.Load(), 16)
	}
	return &Part{h, *all}, nil
}

// complete puts in what is not given, and refuses options that make no sense.
func (o *Options) complete() error {
	if o.Of == 0 {
		o.Shard, o.Of = 1, 1
	}
	if o.ReturnDays == 0 {
		o.ReturnDays = DefaultReturnDays
	}
	_, known := judge.AdjustmentsNamed[o.Adjustments]
	switch {
	case o.Program == nil:
		return errors.New("no program: expected the published terms")
	case o.Adjustments != "" && !known:
		return fmt.Errorf("adjustments that are %q: expected by-hand, rewards, after-refunds, clawbacks, after-unnamed, clawbacks-and-gifts or after-unnamed-and-gifts", o.Adjustments)
	case o.Rounding != judge.Rounding{} && judge.RoundingModes[o.Rounding.Mode] == nil:
		return fmt.Errorf("rounding %q: expected %s", cmp.Or(o.Rounding.Mode, "of statements"), strings.Join(slices.Sorted(maps.Keys(judge.RoundingModes)), ", "))
	case o.ReturnDays < 0:
		return fmt.Errorf("return window of %d days: must not be negative", o.ReturnDays)
	case o.Of < 0 || o.Shard < 1 || o.Shard > o.Of:
		return fmt.Errorf("shard %d of %d: expected one from 1 to their number", o.Shard, o.Of)
	case !o.Pseudonymise && len(o.Key) > 0:
		return errors.New("a key is given, but no pseudonyms are asked for")
	case !o.Pseudonymise:
		o.Key = nil
	case len(o.Key) == 0 && o.Of > 1:
		return errors.New("pseudonyms in shards need a key that is the same for all of them")
	case len(o.Key) == 0:
		o.Key = make([]byte, sha256.Size)
		rand.Read(o.Key) // never fails
	case len(o.Key) < leastKey:
		return errors.New("the key of pseudonyms is too short: expected 16 bytes or more")
	}
	return nil
}

// read reads all exports.
func (o *Options) read(ctx context.Context, to intake.Sink) (*intake.Input, error) {
	in := intake.Options{
		Currency: o.Program.Currency, Reward: o.Program.Units().Reward, Mapping: o.Mapping, BadLimit: o.BadLimit,
		Transactions: o.Transactions, Refunds: o.Refunds, Rewards: o.Rewards, Redemptions: o.Redemptions,
	}
	if o.Progress != nil {
		var read atomic.Int64
		in.Progress = func(bytes int64) { o.Progress(Progress{Bytes: read.Add(bytes)}) }
	}
	return intake.Read(ctx, in, to)
}

// judge judges all accounts of the store and adds them up.
func (o *Options) judge(ctx context.Context, store *spill.Store, end reward.Instant, are judge.Adjustments) (*Tally, error) {
	options := judge.Options{ReturnDays: o.ReturnDays, End: end, Simulate: o.Simulate || o.Of > 1 || o.Accounts != nil, Adjustments: are, Rounding: o.Rounding}
	type worker struct {
		judge *judge.Judge
		tally *Tally
		names *pseudonyms
	}
	workers := make([]worker, runtime.GOMAXPROCS(0))
	for i := range workers {
		workers[i] = worker{judge.New(o.Program, options), NewTally(o.Program), newPseudonyms(o.Key)}
	}
	var file sync.Mutex // of the rows of accounts
	rows := csv.NewWriter(cmp.Or(o.Accounts, io.Discard))
	rows.Write(accountColumns) // whether that fails is asked in the end
	var done atomic.Int64
	err := store.Each(ctx, len(workers), func(i int, h *history.History) error {
		if o.Progress != nil {
			o.Progress(Progress{Accounts: done.Add(1)})
		}
		w := &workers[i]
		w.names.replace(h)
		a, err := w.judge.Account(h)
		if err != nil {
			return fmt.Errorf("account %q: %w", h.Account, err)
		}
		w.tally.Add(a, h)
		if o.Accounts == nil {
			return nil
		}
		row := accountRow(a)
		file.Lock()
		defer file.Unlock()
		return rows.Write(row)
	})
	if err != nil {
		return nil, err
	}
	rows.Flush()
	if err := rows.Error(); err != nil {
		return nil, fmt.Errorf("file of accounts: %w", err)
	}
	all := workers[0].tally
	for _, w := range workers[1:] {
		if err := all.Merge(w.tally); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// checked looks at rows on their way to a sink: whether adjustments take something and, where it
// is wanted, what all say, summed up in any order, so that parts of different exports are told apart.
type checked struct {
	intake.Sink
	wanted   bool
	sum      atomic.Uint64
	adjusted atomic.Bool
}

// Add passes rows on.
func (c *checked) Add(rows []history.Row) error {
	sum, b := uint64(0), make([]byte, 0, 256)
	for i := range rows {
		r := &rows[i]
		if judge.TakesByHand(r) {
			c.adjusted.Store(true)
		}
		if !c.wanted {
			continue
		}
		b = b[:0]
		for _, number := range [...]int64{int64(r.Kind), r.Amount, int64(r.At), int64(r.MCC)} {
			b = binary.LittleEndian.AppendUint64(b, uint64(number))
		}
		sum += hashOf(b, r.Account, r.ID, r.Transaction, r.Merchant, r.Category)
	}
	c.sum.Add(sum)
	return c.Sink.Add(rows)
}

// hashOf hashes bytes and then texts (FNV-1a, 64 bits).
func hashOf(b []byte, texts ...string) uint64 {
	for _, text := range texts {
		b = append(append(b, text...), 0)
	}
	h := fnv.New64a()
	h.Write(b)
	return h.Sum64()
}

// accountColumns are the figures of an account, under the names that the report's have.
var accountColumns = []string{
	"account", "purchases", "refunds", "spend", "refunded", "net_spend", "granted", "taken_back", "adjustments", "forgiven", "redeemed", "balance",
	"net_reward", "entitlement", "not_due", "leakage", "in_question", "unexplained", "short_paid", "debt", "redeemed_in_return_window", "float_amount_days", "net_reward_under_recoup",
}

// accountRow has them of one account.
func accountRow(a *judge.Account) []string {
	n, row := &a.Figures, []string{tabular.Defuse(a.ID)}
	for _, amount := range [...]int64{
		n.Purchases, n.Refunds, n.Spend, n.Refunded, n.NetSpend, n.Granted, n.TakenBack, n.Adjustments, n.Forgiven, n.Redeemed, n.Balance,
		n.NetReward, n.Entitlement, n.NotDue, n.Leakage, n.InQuestion, n.Unexplained, n.ShortPaid, n.Debt, n.RedeemedOpen, n.FloatDays, a.Simulation.NetReward,
	} {
		row = append(row, strconv.FormatInt(amount, 10))
	}
	return row
}
