package sqlite

import (
	"context"

	"recoup/ledger"
	"recoup/reward"
	"recoup/store/durable"
)

// Statements are written to their table at once, not through the backlog.

const (
	statementWrite = `INSERT INTO statements (account, cycle, opening, granted, clawed_back, redeemed, adjusted, closing, last)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`
	statementRead  = `SELECT account, cycle, opening, granted, clawed_back, redeemed, adjusted, closing, last FROM statements `
	statementQuery = statementRead + `WHERE account = ? AND cycle < ? ORDER BY cycle DESC LIMIT ?`
	cycleQuery     = statementRead + `WHERE cycle = ? AND account > ? AND account <= ? ORDER BY account`
	// A statement whose account is not filed yet comes by itself, with that account.
	sumsQuery = `SELECT a.program, CASE WHEN a.program IS NULL THEN s.account END AS unfiled, s.cycle, count(*),
		sum(s.opening), sum(s.granted), sum(s.clawed_back), sum(s.redeemed), sum(s.adjusted), sum(s.closing)
		FROM statements s LEFT JOIN accounts a ON a.account = s.account WHERE s.cycle >= ? GROUP BY 3, 1, 2`
)

func (c *conn) writeStatement(st *durable.StatementRow) error {
	return c.query(statementWrite).text(st.Account).int(int64(st.Cycle)).int(st.Opening).int(st.Granted).int(st.ClawedBack).
		int(st.Redeemed).int(st.Adjusted).int(st.Closing).int(st.Last).run()
}

// statements reads the rows of a statementRead.
func (s *statement) statements() (list []durable.StatementRow, err error) {
	for s.next() {
		list = append(list, durable.StatementRow{Account: s.textAt(0), Statement: s.amountsAt(1, 2), Last: s.intAt(8)})
	}
	return list, s.end()
}

// amountsAt reads a statement whose cycle is in one column and whose amounts
// begin at another.
func (s *statement) amountsAt(cycle, first int32) ledger.Statement {
	return ledger.Statement{
		Cycle: reward.Cycle(s.intAt(cycle)), Opening: s.intAt(first), Granted: s.intAt(first + 1), ClawedBack: s.intAt(first + 2),
		Redeemed: s.intAt(first + 3), Adjusted: s.intAt(first + 4), Closing: s.intAt(first + 5),
	}
}

// Statements implements durable.Reader.
func (s *source) Statements(ctx context.Context, account string, before reward.Cycle, limit int) ([]durable.StatementRow, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return s.conn.query(statementQuery).text(account).int(int64(before)).int(int64(limit)).statements()
}

// StatementsOf implements durable.Reader.
func (s *source) StatementsOf(ctx context.Context, cycle reward.Cycle, after, last string) ([]durable.StatementRow, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return s.conn.query(cycleQuery).int(int64(cycle)).text(after).text(last).statements()
}

// StatementSums implements durable.Reader.
func (s *source) StatementSums(ctx context.Context, from reward.Cycle) (sums []durable.ProgramSum, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	q := s.conn.query(sumsQuery).int(int64(from))
	for q.next() {
		sum := durable.ProgramSum{Accounts: q.intAt(3), Statement: q.amountsAt(2, 4)}
		if q.isNull(1) {
			sum.Program = q.textAt(0)
		} else if a := s.account(q.textAt(1)); a != nil {
			sum.Program = a.Program
		}
		sums = append(sums, sum)
	}
	return sums, q.end()
}
