package server

import (
	"context"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"recoup/internal/service/scope"
	"recoup/reward"
)

// Bonus is a bonus of a program in one of its periods.
type Bonus struct {
	Bonus     string `json:"bonus"`
	Period    string `json:"period" example:"2026-Q1" doc:"2026-03-01, 2026-W09, 2026-03, 2026-Q1, 2026 or lifetime"`
	Spend     int64  `json:"spend" doc:"What counts for it, in minor units of the currency"`
	Purchases int64  `json:"purchases" doc:"How many purchases count for it"`
	Reward    int64  `json:"reward" doc:"What it has paid, less what was taken back, in minor units of reward_unit"`
}

func bonusesOf(list []reward.BonusState) []Bonus {
	out := make([]Bonus, len(list))
	for i, b := range list {
		out[i] = Bonus{b.Bonus, b.Period, b.Spend, b.Purchases, b.Reward}
	}
	return out
}

// BonusList is a page of the bonuses of an account.
type BonusList struct {
	Currency string `json:"currency"`
	RewardUnit
	Bonuses []Bonus `json:"bonuses" nullable:"false" doc:"Those for which something counts or was paid, by bonus and period, in byte order"`
	Paged
}

type bonusesOutput struct {
	Links
	Body BonusList
}

func (s *Server) bonuses(ctx context.Context, in *entriesInput) (*bonusesOutput, error) {
	var after string
	if in.Cursor != "" {
		p := parseCursor('b', in.Cursor)
		if after = p.text(); !p.Whole() || !strings.HasPrefix(after, reward.BonusParts) {
			return nil, errCursor
		}
	}
	units, err := s.units(ctx, in.Account)
	if err != nil {
		return nil, err
	}
	list, place, err := s.ledger.Bonuses(ctx, in.Account, after, in.Limit)
	if err != nil {
		return nil, s.failure(ctx, err)
	}
	var next cursor
	if place != "" {
		next = newCursor('b').text(place)
	}
	out := &bonusesOutput{Body: BonusList{Currency: units.Currency, RewardUnit: rewardUnit(units), Bonuses: bonusesOf(list)}}
	out.Body.Paged, out.Links = in.onward(next, nil)
	return out, nil
}

func (s *Server) bonusRoutes() {
	register(s, huma.Operation{
		OperationID: "list-bonuses", Method: http.MethodGet, Path: "/v1/accounts/{account}/bonuses",
		Tags: []string{"Accounts"}, Summary: "An account's bonuses, in all periods",
		Description: "How far each is, and what it has paid. The account itself lists those of the present periods.",
	}, scope.Read, []string{"account_unknown", "invalid_cursor", "invalid_request"}, s.bonuses)
}
