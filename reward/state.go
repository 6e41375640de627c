package reward

import (
	"cmp"
	"math/big"
	"slices"
)

// State is an account as `recoup replay` prints it. Amounts are minor units.
type State struct {
	Account     string
	Closed      bool
	Balance     int64 // negative: a debt
	Held        int64 // of the balance, not redeemable yet
	Reserved    int64 // authorised and not captured yet
	Available   int64 // balance − held − reserved
	Redeemed    int64
	Adjustments int64
	// NetSpend is posted amounts minus reversed minus what rests unmatched.
	NetSpend int64
	// NetReward is balance + redeemed + expired − adjustments.
	NetReward int64
	// Entitlement is the right-hand side of Reward Integrity, rounded down.
	Entitlement int64
	// Expired is what has expired and stays so; Expiring what will unless it is used, what
	// is first first, nil where the rewards of no version of the program expire.
	Expired  int64
	Expiring []ExpiringState
	// HoldUntil is the end of the last grace hold, also when it has passed; zero where there
	// was none. Account.NotBefore is it while it lasts.
	HoldUntil Instant
	// Reservations are what is reserved, what ends first first.
	Reservations []ReservationState
	// Transactions are those authorised, posted or canceled, by id.
	Transactions []TransactionState
	// Bonuses are those of a program that has any, in file order, then by period;
	// otherwise nil.
	Bonuses []BonusState
	// Tiers are those of a program that has any, in file order, then by period;
	// otherwise nil.
	Tiers []TierState
}

// BonusState is a bonus of a period.
type BonusState struct {
	Bonus, Period string
	Spend         int64 // S: what counts for it
	Purchases     int64 // N
	Reward        int64 // as posted
}

// LayerState is what a purchase earns in one layer.
type LayerState struct {
	Layer, Rule        string // Rule is "" where none matched
	Original, Retained int64
}

// TransactionState is one purchase of a State.
type TransactionState struct {
	ID       string
	Status   Status
	Amount   int64
	Reversed int64
	Original int64 // R_orig
	Retained int64 // R
	// Rewards are those of each layer, of a posted purchase of a program with
	// several; otherwise nil.
	Rewards []LayerState
	// Items are those of a posted purchase that has any; otherwise nil.
	Items []ItemState
}

// State returns the account as it stands. It costs as much as the account is long.
func (a *Account) State() State {
	a.readAll()
	s := a.Summary()
	list := make([]*transaction, 0, a.transactions.used)
	for t := range a.transactions.all() {
		if t.is(authorised|posted|canceled) && !t.isItem() {
			list = append(list, t)
		}
	}
	slices.SortFunc(list, func(x, y *transaction) int { return cmp.Compare(x.id, y.id) })
	s.Reservations = a.Reservations()
	s.Transactions = make([]TransactionState, len(list))
	for i, t := range list {
		s.Transactions[i] = a.transactionState(t)
	}
	s.Bonuses = a.bonuses()
	s.Tiers = a.tiers()
	return s
}

func (a *Account) transactionState(t *transaction) TransactionState {
	s := TransactionState{
		ID: t.id, Status: a.status(t), Amount: t.amount, Reversed: t.takenBack(), Original: t.original, Retained: t.kept(),
	}
	if !t.is(split) {
		s.Rewards = a.layersOf(t)
		return s
	}
	s.Items, s.Original = a.itemStates(t), 0
	for _, x := range s.Items {
		s.Original += x.Original
		s.Retained += x.Retained
	}
	return s
}

// Summary is the State without its transactions.
func (a *Account) Summary() State {
	a.readAll()
	s := a.Balances()
	if a.newest.everLayered() {
		sum := a.promisedByTerms()
		sum.Add(sum, new(big.Rat).SetFrac(a.entitlement().big(), big.NewInt(rateScale)))
		s.Entitlement = new(big.Int).Div(sum.Num(), sum.Denom()).Int64()
	} else {
		s.Entitlement = a.entitlement().quo(rateScale)
	}
	return s
}

// Balances is the Summary without the entitlement. It needs no more of the account
// than its head.
func (a *Account) Balances() State {
	return State{
		Account: a.id, Closed: a.closed,
		Balance: a.balance, Held: a.withheld(), Reserved: a.reserved, Available: a.available(),
		Redeemed: a.redeemed, Adjustments: a.adjustments,
		NetSpend: a.spend - a.rest, NetReward: a.netReward(),
		HoldUntil: a.holdUntil, Expired: a.expiredSoFar(), Expiring: a.Expiring(),
	}
}

// entitlement is Σ over buckets of min(cap, Σ rate·(amount − reversed)), in
// units of 1/rateScale.
func (a *Account) entitlement() uint128 {
	var total uint128
	for b := range a.buckets() {
		total = total.add(b.bound(b.net))
	}
	return total
}
