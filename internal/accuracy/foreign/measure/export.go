package measure

import (
	"encoding/csv"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"recoup/internal/accuracy/foreign"
	"recoup/internal/accuracy/foreign/people"
)

// export writes what the design's operator would export, as docs/audit-your-program.md
// has it, into a folder, and returns the files by table.
func (c *course) export(dir, currency string) (map[string]string, error) {
	tables := map[string][][]string{
		"transactions": {{"transaction", "account", "amount", "currency", "posted_at", "merchant", "mcc", "category"}},
		"refunds":      {{"refund", "account", "amount", "posted_at", "transaction", "kind", "merchant", "mcc", "category", "currency"}},
		"rewards":      {{"account", "amount", "posted_at", "transaction", "kind"}},
		"redemptions":  {{"account", "amount", "posted_at"}},
	}
	add := func(table string, cells ...string) { tables[table] = append(tables[table], cells) }
	told := make(map[string]string) // the purchase that a refund names
	for i := range c.history.Moves {
		m := &c.history.Moves[i]
		switch {
		case m.Again:
		case m.Kind == people.Buy:
			add("transactions", m.ID, m.Account, minor(m.Amount), currency, stamp(m.When()), m.Merchant, m.MCC, m.Category)
		case m.TakesBack():
			kind := "refund"
			if m.Kind == people.Dispute {
				kind = "chargeback"
			}
			told[m.ID] = m.Told
			add("refunds", m.ID, m.Account, minor(m.Amount), stamp(m.When()), m.Told, kind, m.Merchant, m.MCC, m.Category, currency)
		}
	}
	for _, account := range c.history.Accounts {
		for _, p := range c.postings[account] {
			of := p.Transaction
			if of == "" {
				of = told[p.Refund]
			}
			switch {
			case p.Amount == 0:
			case p.Kind == foreign.Paid:
				add("redemptions", account, minor(-p.Amount), stamp(p.At))
			case p.Kind == foreign.Adjusted:
				add("rewards", account, minor(p.Amount), stamp(p.At), of, "adjustment")
			default:
				add("rewards", account, minor(p.Amount), stamp(p.At), of, "reward")
			}
		}
		for _, p := range c.redeemed[account] {
			add("redemptions", account, minor(p.amount), stamp(p.at))
		}
	}
	files := make(map[string]string)
	for table, rows := range tables {
		files[table] = filepath.Join(dir, table+".csv")
		if err := writeCSV(files[table], rows); err != nil {
			return nil, err
		}
	}
	return files, nil
}

func minor(amount int64) string { return strconv.FormatInt(amount, 10) }

func stamp(at time.Time) string { return at.UTC().Format(time.RFC3339) }

func writeCSV(path string, rows [][]string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(csv.NewWriter(f).WriteAll(rows), f.Close())
}
