package verify

import (
	"context"
	"fmt"
	"os"

	"recoup/internal/service/programs"
	"recoup/internal/store/durable"
	"recoup/internal/store/record"
)

// Copy applies the events of accounts in a copy of a shard again, all for nil. What differs
// goes to standard error; the error says how much.
func Copy(ctx context.Context, home record.Store, at durable.Driver, accounts []string) error {
	programs, err := programs.Open(ctx, home)
	if err != nil {
		return err
	}
	if accounts == nil {
		accounts = []string{""}
	}
	for _, account := range accounts {
		report, err := Run(ctx, at, Options{Programs: programs, Account: account})
		if err != nil {
			return err
		}
		if report.Count > 0 {
			_ = report.WriteTable(os.Stderr)
			return fmt.Errorf("it is not what its log adds up to; differences: %d", report.Count)
		}
	}
	return nil
}
