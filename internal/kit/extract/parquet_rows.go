package extract

import (
	"recoup/internal/store/durable"
	"recoup/ledger"
	"recoup/program"
	"recoup/reward"
)

// The rows of the tables. Amounts are minor units of the account's unit of rewards, those of
// purchases of its currency; times are of UTC, in nanoseconds. What there is not is null.

// accountRow is an account as it stands.
type accountRow struct {
	Account   string `parquet:"account"`
	Program   string `parquet:"program"`
	Currency  string `parquet:"currency"`
	Unit      string `parquet:"reward_unit"` // the currency, or the program's own
	Decimals  int32  `parquet:"decimals"`    // of that
	Status    string `parquet:"status"`      // open or closed
	Latest    *int64 `parquet:"latest,optional,timestamp(nanosecond)"`
	Balance   int64  `parquet:"balance"`
	Held      int64  `parquet:"held"`
	Reserved  int64  `parquet:"reserved"`
	Available int64  `parquet:"available"`
	Redeemed  int64  `parquet:"redeemed"`
	Events    int64  `parquet:"events"`     // how many are logged, and exported
	LastEvent int64  `parquet:"last_event"` // number of the last
}

// entryRow is a posting, as double entry.
type entryRow struct {
	Account     string `parquet:"account"`
	Number      int64  `parquet:"number"` // counts the account's postings from one
	At          int64  `parquet:"at,timestamp(nanosecond)"`
	Cycle       string `parquet:"cycle"`
	Kind        string `parquet:"kind"`
	Amount      int64  `parquet:"amount"`
	Balance     int64  `parquet:"balance"` // after it
	Debit       string `parquet:"debit"`
	Credit      string `parquet:"credit"`
	Source      string `parquet:"source"`
	Event       string `parquet:"event"`
	EventNumber int64  `parquet:"event_number"`
	Transaction string `parquet:"transaction,optional"`
	Item        string `parquet:"item,optional"`
	Fact        string `parquet:"fact,optional"`
	Program     string `parquet:"program"`
	Version     int64  `parquet:"version"`
	Rule        string `parquet:"rule,optional"`
	Reason      string `parquet:"reason,optional"`
	Actor       string `parquet:"actor,optional"`
	Approver    string `parquet:"approver,optional"`
}

// eventRow is a logged event.
type eventRow struct {
	Number    int64  `parquet:"number"`
	Account   string `parquet:"account"`
	Sequence  int64  `parquet:"sequence"` // counts the account's events from one
	Received  int64  `parquet:"received,timestamp(nanosecond)"`
	Time      int64  `parquet:"time,timestamp(nanosecond)"`
	Source    string `parquet:"source"`
	ID        string `parquet:"id"`
	Type      string `parquet:"type"`
	Outcome   string `parquet:"outcome"`
	Code      string `parquet:"code,optional"`
	Amount    *int64 `parquet:"amount,optional"`
	Currency  string `parquet:"currency,optional"`
	Principal string `parquet:"principal,optional"`
	Event     string `parquet:"event"` // as it was delivered, in JSON
}

func accountOf(v *durable.Standing, has durable.Had) accountRow {
	row := accountRow{
		Account: v.Account, Program: v.Program, Currency: v.Currency, Unit: v.Reward.Name, Decimals: int32(v.Reward.Decimals), Status: "open",
		Balance: v.Balance, Held: v.Held, Reserved: v.Reserved, Available: v.Balance - v.Held - v.Reserved, Redeemed: v.Redeemed,
		Events: has.Events, LastEvent: has.Last,
	}
	if v.Closed {
		row.Status = "closed"
	}
	if decimals, known := program.MinorUnits(v.Reward.Name); known {
		row.Decimals = int32(decimals)
	}
	if v.Latest != 0 {
		at := int64(v.Latest)
		row.Latest = &at
	}
	return row
}

func eventOf(row *durable.EventRow, e *reward.Event) eventRow {
	out := eventRow{
		Number: row.Number, Account: row.Account, Sequence: row.Sequence, Received: int64(row.Received), Time: int64(e.Time),
		Source: row.Source, ID: row.ID, Type: row.Type, Outcome: row.Outcome.String(), Code: row.Code.String(), Currency: e.Currency,
		Principal: row.Principal, Event: string(row.Event),
	}
	if e.HasAmount {
		out.Amount = &e.Amount
	}
	return out
}

func entryOf(row *durable.EventRow, p *reward.Posting) entryRow {
	sides := ledger.EntryOf(p)
	return entryRow{
		Account: p.Account, Number: p.Number, At: int64(p.At), Cycle: p.Cycle.String(), Kind: p.Kind.String(), Amount: p.Amount, Balance: p.Balance,
		Debit: sides.Debit.String(), Credit: sides.Credit.String(), Source: p.Source, Event: p.Event, EventNumber: row.Number,
		Transaction: p.Transaction, Item: p.Item, Fact: p.Fact, Program: p.Program, Version: int64(p.Version), Rule: p.Rule,
		Reason: p.Reason, Actor: p.Actor, Approver: p.Approver,
	}
}
