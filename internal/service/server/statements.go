package server

import (
	"context"

	"recoup/internal/store/durable"
	"recoup/reward"
)

// Statement is what a journal adds up to over a billing cycle, by the zone and statement
// day of the program: closing = opening + granted − clawed_back − redeemed − expired + adjusted.
// Amounts are minor units of what rewards are in.
type Statement struct {
	Cycle      string `json:"cycle" example:"2026-01"`
	From       string `json:"from" format:"date-time"`
	To         string `json:"to" format:"date-time" doc:"The first moment that is not in it"`
	Open       bool   `json:"open" doc:"The cycle is not closed yet"`
	Opening    int64  `json:"opening" doc:"Balance when the cycle began"`
	Granted    int64  `json:"granted"`
	ClawedBack int64  `json:"clawed_back" doc:"Without sign"`
	Redeemed   int64  `json:"redeemed" doc:"Paid out, less what came back"`
	Expired    int64  `json:"expired" doc:"Not used in time, less what of that is back; may be negative"`
	Adjusted   int64  `json:"adjusted" doc:"By hand; may be negative"`
	Closing    int64  `json:"closing" doc:"Balance when the cycle ended, or now if it is open"`
}

// StatementList is a page of statements.
type StatementList struct {
	Currency string `json:"currency"`
	RewardUnit
	Statements []Statement `json:"statements" nullable:"false" doc:"The latest first"`
	Paged
}

type statementsOutput struct {
	Links
	Body StatementList
}

func (s *Server) statements(ctx context.Context, in *entriesInput) (*statementsOutput, error) {
	var before reward.Cycle
	if in.Cursor != "" {
		p := parseCursor('s', in.Cursor)
		n := p.Int()
		if before = reward.Cycle(n); !p.Whole() || n < 1 || int64(before) != n {
			return nil, errCursor
		}
	}
	units, err := s.units(ctx, in.Account)
	if err != nil {
		return nil, err
	}
	list, err := s.ledger.Statements(ctx, in.Account, before, in.Limit+1)
	if err != nil {
		return nil, s.failure(ctx, err)
	}
	var next cursor
	if len(list) > in.Limit {
		list = list[:in.Limit]
		next = newCursor('s').number(int64(list[in.Limit-1].Cycle))
	}
	out := &statementsOutput{Body: StatementList{Currency: units.Currency, RewardUnit: rewardUnit(units), Statements: make([]Statement, len(list))}}
	for i := range list {
		out.Body.Statements[i] = statementOf(&list[i])
	}
	out.Body.Paged, out.Links = in.onward(next, nil)
	return out, nil
}

func statementOf(v *durable.StatementView) Statement {
	return Statement{
		Cycle: v.Cycle.String(), From: v.From.String(), To: v.To.String(), Open: v.Open,
		Opening: v.Opening, Granted: v.Granted, ClawedBack: v.ClawedBack, Redeemed: v.Redeemed, Expired: v.Expired, Adjusted: v.Adjusted, Closing: v.Closing,
	}
}

type statementInput struct {
	OfAccount
	Cycle string `path:"cycle" example:"2026-01" doc:"The billing cycle"`
}

type statementOutput struct {
	Body Statement
}

func (s *Server) statement(ctx context.Context, in *statementInput) (*statementOutput, error) {
	c, refused := cycle(in.Cycle)
	if refused != nil {
		return nil, refused
	}
	if _, err := s.units(ctx, in.Account); err != nil {
		return nil, err
	}
	v, ok, err := s.ledger.Statement(ctx, in.Account, c)
	switch {
	case err != nil:
		return nil, s.failure(ctx, err)
	case !ok:
		return nil, problem("statement_unknown", "").at("cycle")
	}
	return &statementOutput{statementOf(&v)}, nil
}
