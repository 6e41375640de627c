package postgres

import (
	"context"

	"recoup/internal/store/durable"
	"recoup/ledger"
	"recoup/reward"
)

// statementsOf reads statements; statement reads a row of it.
const statementsOf = `SELECT account, cycle, opening, granted, clawed_back, redeemed, adjusted, closing, last FROM statements `

func statementRow(v row) durable.StatementRow {
	return durable.StatementRow{Account: text(v[0]), Statement: amounts(v[1:]), Last: integer(v[8])}
}

// amounts reads the columns from the cycle to the closing balance.
func amounts(v row) ledger.Statement {
	s := ledger.Statement{
		Cycle: reward.Cycle(integer(v[0])), Opening: integer(v[1]), Granted: integer(v[2]), ClawedBack: integer(v[3]),
		Redeemed: integer(v[4]), Adjusted: integer(v[5]), Closing: integer(v[6]),
	}
	return s.Kept()
}

func (r *reader) Statements(ctx context.Context, account string, before reward.Cycle, limit int) (list []durable.StatementRow, err error) {
	err = r.read(ctx, func(v row) { list = append(list, statementRow(v)) },
		statementsOf+`WHERE account = $1 AND cycle < $2 ORDER BY cycle DESC LIMIT $3`, account, int64(before), limit)
	return list, err
}

func (r *reader) StatementsOf(ctx context.Context, cycle reward.Cycle, after, last string) (list []durable.StatementRow, err error) {
	err = r.read(ctx, func(v row) { list = append(list, statementRow(v)) },
		statementsOf+`WHERE cycle = $1 AND account > $2 AND account <= $3 ORDER BY account`, int64(cycle), after, last)
	return list, err
}

func (r *reader) StatementSums(ctx context.Context, from reward.Cycle) (sums []durable.ProgramSum, err error) {
	err = r.read(ctx, func(v row) {
		sums = append(sums, durable.ProgramSum{Program: text(v[0]), Accounts: integer(v[1]), Statement: amounts(v[2:])})
	}, `SELECT a.program, count(*), s.cycle, sum(s.opening)::INT8, sum(s.granted)::INT8, sum(s.clawed_back)::INT8,
		sum(s.redeemed)::INT8, sum(s.adjusted)::INT8, sum(s.closing)::INT8
		FROM statements s JOIN accounts a ON a.account = s.account WHERE s.cycle >= $1 GROUP BY s.cycle, a.program`, int64(from))
	return sums, err
}
