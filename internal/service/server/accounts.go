package server

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json"

	"recoup/internal/service/scope"
	"recoup/internal/store/durable"
	"recoup/reward"
)

// Account is an account as of now.
type Account struct {
	Account  string `json:"account"`
	Program  string `json:"program"`
	Currency string `json:"currency" doc:"Of purchases and refunds"`
	RewardUnit
	Status           string        `json:"status" enum:"open,closed"`
	Balance          int64         `json:"balance" doc:"In minor units of reward_unit, as all amounts but net_spend; negative is a debt"`
	Held             int64         `json:"held" doc:"What of the balance cannot be redeemed yet"`
	Reserved         int64         `json:"reserved" doc:"Authorised redemptions that are neither captured nor over"`
	Available        int64         `json:"available" doc:"balance − held − reserved"`
	Redeemable       int64         `json:"redeemable" doc:"The most that a redemption would pay out: what is available above the program's minimum balance; 0 during a grace hold and of a closed account"`
	Debt             int64         `json:"debt" doc:"What is owed: −balance where it is negative, otherwise 0"`
	Redeemed         int64         `json:"redeemed" doc:"Paid out, less what came back"`
	Adjustments      int64         `json:"adjustments" doc:"By hand; may be negative"`
	Expired          int64         `json:"expired" doc:"Not used in time, less what of that is back"`
	Expiring         []Expiring    `json:"expiring" nullable:"false" doc:"What expires unless it is used, what is first first; empty where rewards do not expire"`
	NetSpend         int64         `json:"net_spend" doc:"Posted less reversed less what rests unmatched, in minor units of the currency"`
	HoldUntil        *string       `json:"hold_until" format:"date-time" doc:"No redemption before: the end of the grace hold, while it lasts; null where none does"`
	Holds            []Hold        `json:"holds" nullable:"false" doc:"Why held is held, those that end first first"`
	MoreHolds        bool          `json:"more_holds" doc:"There are more holds than are listed"`
	Reservations     []Reservation `json:"reservations" nullable:"false" doc:"What reserved is, those that end first first"`
	MoreReservations bool          `json:"more_reservations" doc:"There are more reservations than are listed"`
	Bonuses          []Bonus       `json:"bonuses,omitempty" doc:"How far each bonus of the program is in the period that it is now"`
	NextMature       *Mature       `json:"next_maturity" doc:"What matures next, always still to come; null where nothing waits"`
	Latest           *string       `json:"latest" format:"date-time" doc:"The account's own time, which its events have moved on"`
	Version          int64         `json:"version" doc:"Counts the account's events"`
}

// Hold is a part of a balance that cannot be redeemed yet.
type Hold struct {
	Transaction string  `json:"transaction" doc:"Whose reward it is; empty where it is of no purchase alone"`
	Bonus       string  `json:"bonus,omitempty" doc:"Then the bonus that is held"`
	Rule        string  `json:"rule,omitempty" doc:"Or the rule of which all of a period would earn another rate"`
	Period      string  `json:"period,omitempty" example:"2026-Q1" doc:"Of either"`
	Amount      int64   `json:"amount" doc:"In minor units"`
	Why         string  `json:"why" enum:"maturity,refund_deferred,refund_announced,refund_waiting"`
	Until       *string `json:"until" format:"date-time" doc:"null where no time ends it"`
}

// Expiring is what is left of the rewards of a cycle that expire.
type Expiring struct {
	Cycle  string `json:"cycle" example:"2026-01" doc:"Of which the rewards are"`
	Amount int64  `json:"amount" doc:"In minor units"`
	At     string `json:"at" format:"date-time"`
}

// Reservation is an authorised redemption that may be captured.
type Reservation struct {
	Redemption string `json:"redemption"`
	Amount     int64  `json:"amount" doc:"In minor units"`
	Expires    string `json:"expires" format:"date-time" doc:"When it ends by itself"`
}

// Mature is an amount that becomes available at a time.
type Mature struct {
	At     string `json:"at" format:"date-time"`
	Amount int64  `json:"amount" doc:"In minor units"`
}

// PastBalance is a balance as the journal had it at a moment.
type PastBalance struct {
	Account  string `json:"account"`
	Currency string `json:"currency"`
	RewardUnit
	At      string `json:"at" format:"date-time"`
	Balance int64  `json:"balance" doc:"In minor units of reward_unit, after the last posting at or before the moment"`
}

type accountInput struct {
	OfAccount
	At    string `query:"at" example:"2026-01-31T23:59:59Z" doc:"The balance at this moment (RFC 3339) instead, as the journal has it"`
	AsOf  string `query:"as_of" example:"2026-02-28T12:00:00Z" doc:"The account as this moment (RFC 3339) finds it instead of the present one, if nothing is delivered until then: what will have matured, which holds will have ended. A moment before the account's latest event is as that event left it"`
	Known string `header:"If-None-Match" doc:"The ETag of an earlier answer: 304 if nothing has changed"`
}

type accountOutput struct {
	Status int
	ETag   string `header:"ETag" doc:"Changes with every event of the account, and when time changes what it shows"`
	Body   any
}

func (s *Server) account(ctx context.Context, in *accountInput) (*accountOutput, error) {
	at := s.instant()
	switch {
	case in.At != "" && in.AsOf != "":
		return nil, problem("invalid_request", "at, as_of: expected one of them, or none.").at("as_of")
	case in.At != "":
		return s.balanceAt(ctx, in)
	case in.AsOf != "":
		var refused *Problem
		if at, refused = moment("as_of", in.AsOf); refused != nil {
			return nil, refused
		}
	}
	v, ok, err := s.ledger.AccountAsOf(ctx, in.Account, at)
	switch {
	case err != nil:
		return nil, s.failure(ctx, err)
	case !ok:
		return nil, problem("account_unknown", "").at("account")
	}
	body := accountOf(&v)
	tag, err := tagOf(body)
	if err != nil {
		return nil, s.failure(ctx, err)
	}
	if matches(in.Known, tag) {
		return &accountOutput{Status: http.StatusNotModified, ETag: tag}, nil
	}
	return &accountOutput{Status: http.StatusOK, ETag: tag, Body: body}, nil
}

// tagOf is the ETag of an account: its version, and a hash of all that it shows, since
// that changes with time too.
func tagOf(a *Account) (string, error) {
	text, err := json.Marshal(a)
	sum := sha256.Sum256(text)
	return fmt.Sprintf(`"%d-%x"`, a.Version, sum[:8]), err
}

// matches reports whether an If-None-Match has the tag.
func matches(header, tag string) bool {
	for one := range strings.SplitSeq(header, ",") {
		if one = strings.TrimPrefix(strings.TrimSpace(one), "W/"); one == tag || one == "*" {
			return true
		}
	}
	return false
}

func accountOf(v *durable.AccountView) *Account {
	a := &Account{
		Account: v.Account, Program: v.Program, Currency: v.Currency, RewardUnit: rewardUnit(v.Units), Status: "open",
		Balance: v.Balance, Held: v.Held, Reserved: v.Reserved, Available: v.Available, Redeemable: v.Redeemable, Debt: max(0, -v.Balance),
		Redeemed: v.Redeemed, Adjustments: v.Adjustments, Expired: v.Expired, Expiring: make([]Expiring, len(v.Expiring)), NetSpend: v.NetSpend,
		HoldUntil: timeOf(v.NotBefore), Holds: make([]Hold, len(v.Holds)), MoreHolds: v.MoreHolds,
		Reservations: make([]Reservation, len(v.Reservations)), MoreReservations: v.MoreReservations,
		Bonuses: bonusesOf(v.Bonuses), Latest: timeOf(v.Latest), Version: v.Version,
	}
	if v.Closed {
		a.Status = "closed"
	}
	for i, h := range v.Holds {
		a.Holds[i] = Hold{h.Transaction, h.Bonus, h.Rule, h.Period, h.Amount, h.Why.String(), timeOf(h.Until)}
	}
	for i, x := range v.Expiring {
		a.Expiring[i] = Expiring{x.Cycle.String(), x.Amount, x.At.String()}
	}
	for i, r := range v.Reservations {
		a.Reservations[i] = Reservation{r.Redemption, r.Amount, r.Expires.String()}
	}
	if v.MaturesAt != 0 {
		a.NextMature = &Mature{v.MaturesAt.String(), v.Matures}
	}
	return a
}

func (s *Server) balanceAt(ctx context.Context, in *accountInput) (*accountOutput, error) {
	at, refused := moment("at", in.At)
	if refused != nil {
		return nil, refused
	}
	if now := s.instant(); at > now {
		return nil, problemf("invalid_request", "at: expected a moment that has passed, at most %v, found %v.", now, at).at("at")
	}
	units, err := s.units(ctx, in.Account)
	if err != nil {
		return nil, err
	}
	balance, err := s.ledger.BalanceAt(ctx, in.Account, at)
	if err != nil {
		return nil, s.failure(ctx, err)
	}
	return &accountOutput{Status: http.StatusOK, Body: &PastBalance{in.Account, units.Currency, rewardUnit(units), at.String(), balance}}, nil
}

// ClosureDecision is an account that was closed.
type ClosureDecision struct {
	Account string `json:"account"`
	Status  string `json:"status" enum:"closed"`
	Outcome string `json:"outcome" enum:"applied,duplicate" doc:"duplicate: it was closed already"`
	Time    string `json:"time" format:"date-time" doc:"When it was decided"`
}

type closeInput struct {
	OfAccount
	MayHaveKey
}

type closeOutput struct {
	Status int
	Replay
	Body ClosureDecision
}

func (s *Server) closeAccount(ctx context.Context, in *closeInput) (*closeOutput, error) {
	if p := first(checkKey(in.Key, false), given("account", in.Account)); p != nil {
		return nil, p
	}
	d, err := s.decide(ctx, reward.Event{ID: idFrom("closure", in.Key), Account: in.Account, Type: reward.AccountClosed})
	if err != nil {
		return nil, err
	}
	return &closeOutput{d.status(), d.replay(), ClosureDecision{in.Account, "closed", d.Result.Outcome.String(), d.Event.Time.String()}}, nil
}

func (s *Server) accountRoutes() {
	schemas := s.api.OpenAPI().Components.Schemas
	register(s, huma.Operation{
		OperationID: "get-account", Method: http.MethodGet, Path: "/v1/accounts/{account}",
		Tags: []string{"Accounts"}, Summary: "An account as of now",
		Description: "What is available, what is held, why and until when, as a redemption asked for at this moment would find it: what has matured since the last event is available. Reading writes nothing. Or, with at, the balance at a past moment from the journal.",
		Responses: map[string]*huma.Response{
			"200": {Description: "The account, or with at its balance then", Content: map[string]*huma.MediaType{"application/json": {Schema: s.oneOf("AccountAnswer",
				schemas.Schema(reflect.TypeFor[Account](), true, ""), schemas.Schema(reflect.TypeFor[PastBalance](), true, ""))}}},
			"304": {Description: "Nothing has changed since the answer with this ETag"},
		},
	}, scope.Read, []string{"account_unknown", "invalid_request"}, s.account)
	register(s, huma.Operation{
		OperationID: "close-account", Method: http.MethodPost, Path: "/v1/accounts/{account}/closure", DefaultStatus: http.StatusCreated,
		Tags: []string{"Accounts"}, Summary: "Close an account",
		Description: "Refused while rewards are owed. A closed account still takes refunds, chargebacks and adjustments; nothing earns any more.",
	}, scope.Admin, []string{"account_unknown", "outstanding_negative_balance", "idempotency_key_reused", "card_number", "invalid_request"}, s.closeAccount)
}
