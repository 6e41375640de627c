package server

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"recoup/internal/service/scope"
	"recoup/reward"
)

// Transaction is a purchase as it stands. Amounts are minor units, rewards those of what
// rewards are in.
type Transaction struct {
	ID       string        `json:"id"`
	Status   string        `json:"status" enum:"PENDING,SETTLED,PART_REF,REFUNDED,CHARGEBACK"`
	Amount   int64         `json:"amount"`
	Reversed int64         `json:"reversed" doc:"What of the amount is refunded, charged back or withdrawn"`
	Original int64         `json:"reward_original" doc:"The reward as it was granted"`
	Retained int64         `json:"reward_retained" doc:"What of it is still granted"`
	Held     int64         `json:"reward_held" doc:"What of that cannot be redeemed yet"`
	Merchant string        `json:"merchant,omitempty"`
	MCC      string        `json:"mcc,omitempty" doc:"Merchant category code, four digits"`
	Category string        `json:"category,omitempty"`
	Rule     *string       `json:"rule" doc:"Of the program, that it earns under; of several layers, those of each with commas between; null for none"`
	Bonuses  []Bonus       `json:"bonuses,omitempty" doc:"That it counts for, as they stand"`
	Rewards  []LayerReward `json:"rewards,omitempty" doc:"What it earns in each layer of the program, where there are several"`
	Version  int32         `json:"version" doc:"Of the program, that it was posted under"`
	Settled  *string       `json:"settled_at" format:"date-time" doc:"null: not posted"`
	Posted   *string       `json:"posted_at" format:"date-time" doc:"The account's time when it was posted; null: not posted"`
	Cycle    *string       `json:"cycle" example:"2026-01" doc:"That it counts in; null: not posted"`
	Items    []Item        `json:"items,omitempty" doc:"Of its receipt, where they are known, in their order"`
}

// Item is a line item of a purchase. Amounts are minor units.
type Item struct {
	Item     string        `json:"item"`
	Amount   int64         `json:"amount"`
	Reversed int64         `json:"reversed" doc:"What of it is refunded, charged back or withdrawn"`
	Original int64         `json:"original" doc:"The reward as it was granted"`
	Retained int64         `json:"retained" doc:"What of it is still granted"`
	Rewards  []LayerReward `json:"rewards,omitempty" doc:"By layer; only where the program has several"`
}

// LayerReward is what a purchase earns in one layer.
type LayerReward struct {
	Layer    string  `json:"layer"`
	Rule     *string `json:"rule" doc:"null where none matches"`
	Original int64   `json:"original" doc:"As it was granted"`
	Retained int64   `json:"retained" doc:"What of it is still granted"`
}

// TransactionDetail is a purchase with what reverses it.
type TransactionDetail struct {
	Transaction
	Currency string `json:"currency"`
	RewardUnit
	Refunds     []Reversal `json:"refunds" nullable:"false"`
	Chargebacks []Reversal `json:"chargebacks" nullable:"false"`
}

// Reversal is a refund or chargeback of a purchase. Amounts are minor units.
type Reversal struct {
	ID     string  `json:"id"`
	Amount int64   `json:"amount" doc:"Of all of it"`
	Placed int64   `json:"placed" doc:"What of it counts on this purchase"`
	Linked bool    `json:"linked" doc:"It names the purchase; otherwise it was placed here by matching"`
	Status string  `json:"status" enum:"pending,posted,canceled,reversed,dismissed"`
	At     *string `json:"at" format:"date-time" doc:"null: only its undo has arrived"`
}

// TransactionList is a page of purchases.
type TransactionList struct {
	Currency string `json:"currency"`
	RewardUnit
	Transactions []Transaction `json:"transactions" nullable:"false" doc:"By id, in byte order"`
	Paged
}

type transactionsOutput struct {
	Links
	Body TransactionList
}

func (s *Server) transactions(ctx context.Context, in *entriesInput) (*transactionsOutput, error) {
	var after string
	if in.Cursor != "" {
		p := parseCursor('t', in.Cursor)
		if after = p.text(); !p.Whole() {
			return nil, errCursor
		}
	}
	units, err := s.units(ctx, in.Account)
	if err != nil {
		return nil, err
	}
	list, err := s.ledger.Transactions(ctx, in.Account, after, in.Limit+1)
	if err != nil {
		return nil, s.failure(ctx, err)
	}
	var next cursor
	if len(list) > in.Limit {
		list = list[:in.Limit]
		next = newCursor('t').text(list[in.Limit-1].ID)
	}
	out := &transactionsOutput{Body: TransactionList{Currency: units.Currency, RewardUnit: rewardUnit(units), Transactions: make([]Transaction, len(list))}}
	for i := range list {
		out.Body.Transactions[i] = transactionOf(&list[i])
	}
	out.Body.Paged, out.Links = in.onward(next, nil)
	return out, nil
}

type transactionInput struct {
	OfAccount
	Transaction string `path:"transaction" maxLength:"256" doc:"The transaction"`
}

type transactionOutput struct {
	Body TransactionDetail
}

func (s *Server) transaction(ctx context.Context, in *transactionInput) (*transactionOutput, error) {
	units, err := s.units(ctx, in.Account)
	if err != nil {
		return nil, err
	}
	v, ok, err := s.ledger.Transaction(ctx, in.Account, in.Transaction)
	switch {
	case err != nil:
		return nil, s.failure(ctx, err)
	case !ok:
		return nil, problem("transaction_not_found", "").at("transaction")
	}
	return &transactionOutput{TransactionDetail{transactionOf(&v), units.Currency, rewardUnit(units), reversalsOf(v.Refunds()), reversalsOf(v.Chargebacks())}}, nil
}

func transactionOf(v *reward.Detail) Transaction {
	t := Transaction{
		ID: v.ID, Status: v.Status.String(), Amount: v.Amount, Reversed: v.Reversed,
		Original: v.Original, Retained: v.Retained, Held: v.Held,
		Merchant: v.Merchant, MCC: v.MCC.String(), Category: v.Category, Version: v.Version,
		Settled: timeOf(v.Settled), Posted: timeOf(v.Posted), Cycle: textOf(v.Cycle, v.Posted != 0),
	}
	for _, x := range v.Items {
		t.Items = append(t.Items, Item{x.Item, x.Amount, x.Reversed, x.Original, x.Retained, layersOf(x.Rewards)})
	}
	if v.Rule != "" {
		t.Rule = &v.Rule
	}
	t.Bonuses = bonusesOf(v.Bonuses)
	t.Rewards = layersOf(v.Rewards)
	return t
}

func layersOf(list []reward.LayerState) (layers []LayerReward) {
	for _, l := range list {
		r := LayerReward{Layer: l.Layer, Original: l.Original, Retained: l.Retained}
		if l.Rule != "" {
			r.Rule = &l.Rule
		}
		layers = append(layers, r)
	}
	return layers
}

func reversalsOf(list []reward.Reversal) []Reversal {
	out := make([]Reversal, len(list))
	for i, v := range list {
		out[i] = Reversal{v.ID, v.Amount, v.Placed, v.Linked, v.Status.String(), timeOf(v.At)}
	}
	return out
}

func (s *Server) transactionRoutes() {
	register(s, huma.Operation{
		OperationID: "list-transactions", Method: http.MethodGet, Path: "/v1/accounts/{account}/transactions",
		Tags: []string{"Accounts"}, Summary: "An account's purchases",
	}, scope.Read, []string{"account_unknown", "invalid_cursor", "invalid_request"}, s.transactions)
	register(s, huma.Operation{
		OperationID: "get-transaction", Method: http.MethodGet, Path: "/v1/accounts/{account}/transactions/{transaction}",
		Tags: []string{"Accounts"}, Summary: "A purchase, with its refunds and chargebacks",
	}, scope.Read, []string{"account_unknown", "transaction_not_found", "invalid_request"}, s.transaction)
}
