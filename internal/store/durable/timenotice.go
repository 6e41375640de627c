package durable

import (
	"cmp"
	"slices"

	"recoup/internal/store/outbox"
	"recoup/reward"
)

// timeNotice is what there is to tell of an account by time alone.
type timeNotice struct {
	number int64  // of its own, among those of events
	at     *entry // as of now
	now    reward.Instant
}

// matured is a purchase whose reward may be redeemed, for its age.
type matured struct {
	at          reward.Instant
	Transaction string `json:"transaction"`
	At          string `json:"at"`
	Reward      int64  `json:"reward"` // what is retained
	Held        int64  `json:"held"`   // what of that is held for another reason
}

// notices returns what is to be told of endings, and those that are yet to come after all.
// Nothing is told of a reward that was taken back, of a refund that came, or of a grace hold
// where nothing can be redeemed or another has begun.
func (n *timeNotice) notices(ended []overdue) (list []outbox.Notice, again []ending, err error) {
	account := n.at.account
	var ripe []matured
	var let, lapsed []ending
	for i := range ended {
		e := ended[i].ending
		still := reward.Instant(0)
		switch e.Kind {
		case reward.MaturityEnds:
			still = account.MaturesAt(e.ID)
			if d, is := account.Detail(e.ID); is && still == 0 && d.Retained > 0 {
				ripe = append(ripe, matured{e.At, e.ID, e.At.String(), d.Retained, d.Held})
			}
		case reward.AnnouncementEnds:
			still = account.AnnouncedUntil(e.ID)
			if d, is := account.Refund(e.ID); is && still == 0 && d.Status == reward.ReversalPending {
				let = append(let, e)
			}
		case reward.AuthorizationEnds:
			if v, is := account.Authorization(e.ID); is && v.Open {
				still = v.Expires
			} else if is && v.Expired {
				lapsed = append(lapsed, e)
			}
		case reward.GraceEnds:
			if account.NotBefore() == 0 && account.Redeemable() > 0 {
				let = append(let, e)
			}
		}
		if still != 0 {
			e.At = still
			again = append(again, e)
		}
	}
	add := func(kind string, at reward.Instant, data any) {
		if err == nil {
			list, err = n.add(list, kind, at, data)
		}
	}
	if len(ripe) > 0 {
		slices.SortFunc(ripe, func(x, y matured) int {
			return cmp.Or(cmp.Compare(x.at, y.at), cmp.Compare(x.Transaction, y.Transaction))
		})
		shown := ripe[:min(len(ripe), maxNoticePostings)]
		add(outbox.RewardMatured, ripe[len(ripe)-1].at, maturedNotice{n.about(), shown, len(ripe) - len(shown), n.sums()})
	}
	for i := range let {
		add(outbox.HoldEnded, let[i].At, n.ended(&let[i]))
	}
	for _, e := range lapsed {
		v, _ := account.Authorization(e.ID)
		add(outbox.RedemptionExpired, e.At, expiredNotice{n.about(), authorizationOf(e.ID, &v), n.sums()})
	}
	return list, again, err
}

// add adds a notice about a moment.
func (n *timeNotice) add(list []outbox.Notice, kind string, at reward.Instant, data any) ([]outbox.Notice, error) {
	body, err := bodyOf(kind, at, data)
	return append(list, outbox.Notice{
		Event: n.number, Place: int64(len(list)), Account: n.at.id, Type: kind, Sequence: n.at.version, Moment: int64(at),
		Created: int64(n.now), Body: body,
	}), err
}

// sumsNow are what notices by time say last: what can be redeemed, too.
type sumsNow struct {
	sums
	Redeemable int64 `json:"redeemable"`
}

func (n *timeNotice) sums() sumsNow {
	sum := n.at.account.Balances()
	return sumsNow{sums{sum.Balance, sum.Available}, n.at.account.Redeemable()}
}

func (n *timeNotice) about() about {
	return about{Account: n.at.id, Currency: known(n.at.account.Program().Currency), Unit: n.at.account.Program().Reward.Name}
}

type maturedNotice struct {
	about
	Transactions []matured `json:"transactions"`
	Omitted      int       `json:"transactions_omitted"`
	sumsNow
}

// endedNotice is of a hold that was let go.
type endedNotice struct {
	about
	Why         string  `json:"why"`
	Fact        *string `json:"fact"`
	Transaction *string `json:"transaction"`
	Amount      *int64  `json:"amount"`
	sumsNow
}

type expiredNotice struct {
	about
	authorization
	sumsNow
}

func (n *timeNotice) ended(e *ending) endedNotice {
	if e.Kind == reward.GraceEnds {
		return endedNotice{about: n.about(), Why: "grace", sumsNow: n.sums()}
	}
	d, _ := n.at.account.Refund(e.ID)
	return endedNotice{n.about(), reward.HeldForAnnouncedRefund.String(), &e.ID, known(d.Transaction), &d.Amount, n.sums()}
}
