package reward

// Ending is a moment at which time alone makes something redeemable, if nothing happens
// before.
type Ending struct {
	Kind EndingKind
	ID   string // of the transaction, refund or redemption; "" for a grace hold
	At   Instant
}

// EndingKind is what ends.
type EndingKind uint8

// The kinds of endings.
const (
	MaturityEnds      EndingKind = iota + 1 // a purchase's reward has matured
	AnnouncementEnds                        // an announced refund was not heard of again
	GraceEnds                               // the hold after a statement
	AuthorizationEnds                       // an authorised redemption was neither captured nor released
)

// EndingOf returns what is to end that an event has begun, after it was applied; ok is
// false if that is nothing. A grace hold is begun by whichever event passes a close: see
// NotBefore.
func (a *Account) EndingOf(e *Event) (ending Ending, ok bool) {
	switch e.Type {
	case TransactionSettled:
		ending = Ending{MaturityEnds, e.Transaction, a.MaturesAt(e.Transaction)}
	case RefundPending:
		ending = Ending{AnnouncementEnds, e.Fact, a.AnnouncedUntil(e.Fact)}
	case RedemptionAuthorized:
		if v, is := a.Authorization(e.Fact); is && v.Open {
			ending = Ending{AuthorizationEnds, e.Fact, v.Expires}
		}
	}
	return ending, ending.At != 0
}

// Endings returns all that is to end as the account stands. It needs no more of the account
// than its head and its working parts.
func (a *Account) Endings() (list []Ending) {
	for _, t := range a.maturing {
		next := Ending{MaturityEnds, t.whole().id, a.ripe(t)}
		if n := len(list); n == 0 || list[n-1] != next { // items of one purchase mature together
			list = append(list, next)
		}
	}
	for _, r := range a.announce {
		if r.holding {
			list = append(list, Ending{AnnouncementEnds, r.id, r.until})
		}
	}
	for _, r := range a.reservations {
		list = append(list, Ending{AuthorizationEnds, r.id, r.expires})
	}
	if at := a.NotBefore(); at != 0 {
		list = append(list, Ending{Kind: GraceEnds, At: at})
	}
	return list
}

// MaturesAt is when a purchase's reward matures; zero if it has, or never had to.
func (a *Account) MaturesAt(transaction string) Instant {
	t, _ := a.lookup(transaction)
	if t == nil {
		return 0
	}
	for _, x := range append(t.items(), t) {
		if x.is(immature) {
			return a.ripe(x)
		}
	}
	return 0
}

// AnnouncedUntil is when what an announced refund holds is let go; zero if it holds
// nothing.
func (a *Account) AnnouncedUntil(refund string) Instant {
	if r := a.lookupRefund(refund); r != nil && r.holding {
		return r.until
	}
	return 0
}
