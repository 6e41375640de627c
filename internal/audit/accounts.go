package audit

import (
	"encoding/csv"
	"strconv"
	"sync"

	"recoup/internal/audit/judge"
	"recoup/internal/kit/tabular"
)

// accountColumns are the figures of an account, under the names that the report's have.
var accountColumns = []string{
	"account", "purchases", "refunds", "spend", "refunded", "net_spend", "granted", "taken_back", "adjustments", "forgiven", "redeemed", "balance",
	"net_reward", "entitlement", "not_due", "leakage", "in_question", "unexplained", "short_paid", "debt", "redeemed_in_return_window", "float_amount_days", "net_reward_under_recoup",
}

// accountFile has the figures of accounts, in no order.
type accountFile struct {
	lock sync.Mutex
	out  *csv.Writer
}

// add writes one account. It is safe for concurrent use.
func (f *accountFile) add(a *judge.Account) error {
	n, row := &a.Figures, []string{tabular.Defuse(a.ID)}
	for _, amount := range [...]int64{
		n.Purchases, n.Refunds, n.Spend, n.Refunded, n.NetSpend, n.Granted, n.TakenBack, n.Adjustments, n.Forgiven, n.Redeemed, n.Balance,
		n.NetReward, n.Entitlement, n.NotDue, n.Leakage, n.InQuestion, n.Unexplained, n.ShortPaid, n.Debt, n.RedeemedOpen, n.FloatDays, a.Simulation.NetReward,
	} {
		row = append(row, strconv.FormatInt(amount, 10))
	}
	f.lock.Lock()
	defer f.lock.Unlock()
	return f.out.Write(row)
}
