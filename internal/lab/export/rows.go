package export

import (
	"encoding/csv"
	"errors"
	"strconv"

	"recoup/internal/kit/tabular"
	"recoup/reward"
)

// Count counts rows, headers aside.
type Count struct {
	Transactions int64 `json:"transactions"`
	Refunds      int64 `json:"refunds"`
	Rewards      int64 `json:"rewards"`
	Redemptions  int64 `json:"redemptions"`
}

// rows writes the rows of an export. The first error stays until it is
// asked for.
type rows struct {
	currency string
	count    Count
	latest   reward.Instant // of all rows

	transactions, refunds, rewards, redemptions *csv.Writer
	payouts                                     int // that got a name
	row                                         []string
}

func newRows(currency string, to Files) *rows {
	r := &rows{
		currency:     currency,
		transactions: csv.NewWriter(to.Transactions), refunds: csv.NewWriter(to.Refunds),
		rewards: csv.NewWriter(to.Rewards), redemptions: csv.NewWriter(to.Redemptions),
	}
	r.write(r.transactions, "transaction", "account", "amount", "currency", "posted_at", "merchant", "mcc", "category")
	r.write(r.refunds, "refund", "account", "amount", "posted_at", "transaction", "kind", "merchant", "mcc", "category", "currency")
	r.write(r.rewards, "account", "amount", "posted_at", "transaction", "kind")
	r.write(r.redemptions, "account", "amount", "posted_at", "redemption")
	return r
}

// write writes one row. A writer of package csv is buffered, and keeps its error.
func (r *rows) write(to *csv.Writer, cells ...string) {
	r.row = append(r.row[:0], cells...)
	_ = to.Write(r.row)
}

func (r *rows) writers() []*csv.Writer {
	return []*csv.Writer{r.transactions, r.refunds, r.rewards, r.redemptions}
}

func (r *rows) err() error {
	var errs []error
	for _, w := range r.writers() {
		errs = append(errs, w.Error())
	}
	return errors.Join(errs...)
}

func (r *rows) flush() error {
	for _, w := range r.writers() {
		w.Flush()
	}
	return r.err()
}

// at renders the time of a row.
func (r *rows) at(i reward.Instant) string {
	r.latest = max(r.latest, i)
	return i.String()
}

// text is a text of somebody else's as a cell.
func text(s string) string { return tabular.Defuse(s) }

func minor(amount int64) string { return strconv.FormatInt(amount, 10) }

func (r *rows) transaction(account, id string, amount int64, t reward.Terms, at reward.Instant) {
	r.count.Transactions++
	r.write(r.transactions, text(id), text(account), minor(amount), r.currency, r.at(at), text(t.Merchant), t.MCC.String(), text(t.Category))
}

func (r *rows) refund(account, id string, amount int64, kind, transaction string, t reward.Terms, at reward.Instant) {
	r.count.Refunds++
	r.write(r.refunds, text(id), text(account), minor(amount), r.at(at), text(transaction), kind, text(t.Merchant), t.MCC.String(), text(t.Category), r.currency)
}

// reward leaves out the kind where it is empty.
func (r *rows) reward(account string, amount int64, transaction, kind string, at reward.Instant) {
	r.count.Rewards++
	r.write(r.rewards, text(account), minor(amount), r.at(at), text(transaction), kind)
}

func (r *rows) redemption(account, id string, amount int64, at reward.Instant) {
	r.count.Redemptions++
	r.write(r.redemptions, text(account), minor(amount), r.at(at), text(id))
}

// payout is a redemption that nobody asked for.
func (r *rows) payout(account string, amount int64, at reward.Instant) {
	r.payouts++
	r.redemption(account, "credit-"+strconv.Itoa(r.payouts), amount, at)
}
