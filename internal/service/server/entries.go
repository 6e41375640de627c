package server

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"recoup/internal/service/scope"
	"recoup/internal/store/durable"
	"recoup/ledger"
	"recoup/program"
	"recoup/reward"
)

// Entry is one posting of an account's journal, as a double entry.
type Entry struct {
	Number      int64    `json:"number" doc:"Counts the account's postings from one"`
	Time        string   `json:"time" format:"date-time"`
	Cycle       string   `json:"cycle" example:"2026-01" doc:"On whose statement it is"`
	Kind        string   `json:"kind" enum:"grant,clawback,restore,reallocation,redemption,redemption_reversal,adjustment,expiry,expiry_restored"`
	Amount      int64    `json:"amount" doc:"In minor units; negative lowers the balance"`
	Balance     int64    `json:"balance" doc:"After it"`
	Debit       string   `json:"debit" doc:"Ledger account"`
	Credit      string   `json:"credit" doc:"Ledger account"`
	Explanation string   `json:"explanation" doc:"Why, in words that a cardholder can follow"`
	Transaction string   `json:"transaction,omitempty" doc:"The purchase whose reward changed"`
	Item        string   `json:"item,omitempty" doc:"The item of it whose reward changed, of one with line items"`
	Fact        string   `json:"fact,omitempty" doc:"The redemption or adjustment"`
	Source      string   `json:"source" doc:"Of the event that caused it; recoup:clock is the service's own"`
	Event       string   `json:"event" doc:"Id of the event that caused it"`
	Program     string   `json:"program"`
	Version     int32    `json:"version" doc:"Of the program"`
	Rule        string   `json:"rule,omitempty" doc:"Of the purchase; of a bonus left out"`
	Bonus       string   `json:"bonus,omitempty" doc:"The bonus that changed, which is of a period and of no purchase"`
	Layer       string   `json:"layer,omitempty" doc:"Of the rule, under terms with layers, bonuses or limits"`
	Period      string   `json:"period,omitempty" example:"2026-Q1" doc:"Of the bonus, or of the rule's limit; of an expiry the cycle whose rewards these are"`
	Reason      string   `json:"reason,omitempty"`
	Actor       string   `json:"actor,omitempty"`
	Approver    string   `json:"approver,omitempty" doc:"Who agreed to it besides the actor"`
	Principal   string   `json:"principal,omitempty" doc:"Id of who sent the event that caused it: of an API key or a person of the console, or system for what the service does by itself; left out where the log does not say"`
	Formula     *Formula `json:"formula,omitempty" doc:"The numbers that the amount of a purchase's or bonus's posting follows from"`
}

// Formula has the numbers behind a change of a purchase's reward, in minor units: of the
// currency what was bought, of what rewards are in the others.
type Formula struct {
	Method   string `json:"method" enum:"proportional,rerate"`
	Purchase int64  `json:"purchase" doc:"The purchase's amount"`
	Reversed int64  `json:"reversed" doc:"What of it is reversed"`
	Base     int64  `json:"base" doc:"What the original reward was computed on"`
	Original int64  `json:"original" doc:"The reward as it was granted"`
	Before   int64  `json:"before" doc:"Retained before"`
	After    int64  `json:"after" doc:"Retained after"`
	Rate     string `json:"rate" example:"5%" doc:"Or so many minor units of reward for so many of spend, such as 3 per 100"`
	Cap      *int64 `json:"cap" doc:"Of the cycle, or the entry's period; null for none"`
	Used     int64  `json:"used" doc:"Of the cap, after"`
	Spend    int64  `json:"spend,omitempty" doc:"What counts in the entry's period, in minor units of the currency"`
	Counted  int64  `json:"purchases,omitempty" doc:"How many purchases count in it"`
}

// EntryList is a page of a journal.
type EntryList struct {
	Currency string `json:"currency"`
	RewardUnit
	Entries []Entry `json:"entries" nullable:"false" doc:"The newest first"`
	Paged
}

type entriesInput struct {
	OfAccount
	Page
}

type entriesOutput struct {
	Links
	Body EntryList
}

func (s *Server) entries(ctx context.Context, in *entriesInput) (*entriesOutput, error) {
	var before int64
	if in.Cursor != "" {
		p := parseCursor('e', in.Cursor)
		if before = p.Int(); !p.Whole() || before < 1 {
			return nil, errCursor
		}
	}
	units, err := s.units(ctx, in.Account)
	if err != nil {
		return nil, err
	}
	postings, err := s.ledger.Entries(ctx, in.Account, before, in.Limit+1)
	if err != nil {
		return nil, s.failure(ctx, err)
	}
	var next cursor
	if len(postings) > in.Limit {
		postings = postings[:in.Limit]
		next = newCursor('e').number(postings[in.Limit-1].Number)
	}
	merchants, err := s.merchants(ctx, in.Account, postings)
	if err != nil {
		return nil, s.failure(ctx, err)
	}
	out := &entriesOutput{Body: EntryList{Currency: units.Currency, RewardUnit: rewardUnit(units), Entries: make([]Entry, len(postings))}}
	for i := range postings {
		told := s.telling(postings[i].Program)
		told.Cause, told.Merchant = postings[i].Cause, merchants
		out.Body.Entries[i] = entryOf(&postings[i], told)
	}
	out.Body.Paged, out.Links = in.onward(next, nil)
	return out, nil
}

// telling is what postings under a program are explained with.
func (s *Server) telling(id string) reward.Telling {
	p, ok := s.programs.Get(id)
	if !ok { // a posting is under a program that is there
		p = new(reward.Program)
	}
	return program.Telling(p)
}

// merchants returns where the purchases were made that bonuses changed for.
func (s *Server) merchants(ctx context.Context, account string, list []durable.EntryView) (func(transaction string) string, error) {
	var ids []string
	for i := range list {
		if e := list[i].Cause; list[i].OfBonus() && e.Merchant == "" && e.Transaction != "" {
			ids = append(ids, e.Transaction)
		}
	}
	if ids == nil {
		return nil, nil
	}
	purchases, err := s.ledger.TransactionsNamed(ctx, account, ids)
	return func(id string) string { return purchases[id].Merchant }, err
}

func entryOf(v *durable.EntryView, told reward.Telling) Entry {
	p := &v.Posting
	double := ledger.EntryOf(p)
	e := Entry{
		Number: p.Number, Time: p.At.String(), Cycle: p.Cycle.String(), Kind: p.Kind.String(), Amount: p.Amount, Balance: p.Balance,
		Debit: double.Debit.String(), Credit: double.Credit.String(),
		Explanation: p.Explain(told),
		Transaction: p.Transaction, Item: p.Item, Fact: p.Fact, Source: p.Source, Event: p.Event,
		Program: p.Program, Version: p.Version, Rule: p.Rule, Layer: p.Layer, Period: p.Period, Reason: p.Reason, Actor: p.Actor, Approver: p.Approver, Principal: v.Principal,
	}
	if p.OfBonus() {
		e.Rule, e.Bonus = "", p.Rule
	}
	if p.Transaction != "" || p.Period != "" {
		e.Formula = formulaOf(&p.Formula)
	}
	return e
}

func formulaOf(f *reward.Formula) *Formula {
	v := &Formula{
		Method: "proportional", Purchase: f.Purchase, Reversed: f.Reversed, Base: f.Base, Original: f.Original,
		Before: f.Before, After: f.After, Rate: f.Rate.String(), Used: f.Used, Spend: f.Spend, Counted: f.Purchases,
	}
	if f.Method == reward.Rerate {
		v.Method = "rerate"
	}
	if f.Exact != (reward.Fraction{}) {
		v.Rate = f.Exact.String()
	}
	if f.Cap != reward.NoCap {
		v.Cap = &f.Cap
	}
	return v
}

func (s *Server) journalRoutes() {
	register(s, huma.Operation{
		OperationID: "list-entries", Method: http.MethodGet, Path: "/v1/accounts/{account}/entries",
		Tags: []string{"Journal"}, Summary: "An account's journal, the newest posting first",
		Description: "Every change of the balance, with the event and the rule that caused it and an explanation.",
	}, scope.Read, []string{"account_unknown", "invalid_cursor", "invalid_request"}, s.entries)
	register(s, huma.Operation{
		OperationID: "list-statements", Method: http.MethodGet, Path: "/v1/accounts/{account}/statements",
		Tags: []string{"Journal"}, Summary: "An account's statements, the latest first",
	}, scope.Read, []string{"account_unknown", "invalid_cursor", "invalid_request"}, s.statements)
	register(s, huma.Operation{
		OperationID: "get-statement", Method: http.MethodGet, Path: "/v1/accounts/{account}/statements/{cycle}",
		Tags: []string{"Journal"}, Summary: "The statement of a cycle",
	}, scope.Read, []string{"account_unknown", "statement_unknown", "invalid_request"}, s.statement)
}
