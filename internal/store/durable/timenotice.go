package durable

import (
	"cmp"
	"slices"
	"time"

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
	transaction  string
	at           reward.Instant
	reward, held int64 // what is retained, and what of that is held for another reason
}

// notices returns what is to be told of endings, and those that are yet to come after all.
// Nothing is told of a reward that was taken back, of a refund that came, or of a grace hold
// where nothing can be redeemed or another has begun.
func (n *timeNotice) notices(ended []overdue) (list []outbox.Notice, again []ending) {
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
				ripe = append(ripe, matured{e.ID, e.At, d.Retained, d.Held})
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
			if account.GraceUntil() == 0 && account.Redeemable() > 0 {
				let = append(let, e)
			}
		}
		if still != 0 {
			e.At = still
			again = append(again, e)
		}
	}
	if len(ripe) > 0 {
		slices.SortFunc(ripe, func(x, y matured) int {
			return cmp.Or(cmp.Compare(x.at, y.at), cmp.Compare(x.transaction, y.transaction))
		})
		list = n.add(list, outbox.RewardMatured, ripe[len(ripe)-1].at, func(p *payload) { p.matured(ripe) })
	}
	for i := range let {
		list = n.add(list, outbox.HoldEnded, let[i].At, func(p *payload) { n.let(p, &let[i]) })
	}
	for _, e := range lapsed {
		v, _ := account.Authorization(e.ID)
		list = n.add(list, outbox.RedemptionExpired, e.At, func(p *payload) { p.authorization(e.ID, &v) })
	}
	return list, again
}

// add adds a notice about a moment.
func (n *timeNotice) add(list []outbox.Notice, kind string, at reward.Instant, data func(*payload)) []outbox.Notice {
	account := n.at.account
	p := payload(`{"type":`)
	p.quote(kind)
	p = append(p, `,"timestamp":"`...)
	p = at.Time().AppendFormat(p, time.RFC3339Nano)
	p = append(p, `","data":{"account":`...)
	p.quote(n.at.id)
	p = append(p, `,"event":null,"outcome":null,"code":null`...)
	p.text("currency", account.Program().Currency)
	p.unit(account.Program().Reward.Name)
	data(&p)
	sum := account.Balances()
	p.number("balance", sum.Balance)
	p.number("available", sum.Available)
	p.number("redeemable", account.Redeemable())
	return append(list, outbox.Notice{
		Event: n.number, Place: int64(len(list)), Account: n.at.id, Type: kind, Sequence: n.at.version, Moment: int64(at),
		Created: int64(n.now), Body: append(p, "}}"...),
	})
}

func (p *payload) matured(list []matured) {
	shown := list[:min(len(list), maxNoticePostings)]
	p.name("transactions")
	*p = append(*p, '[')
	for i := range shown {
		if i > 0 {
			*p = append(*p, ',')
		}
		*p = append(*p, `{"transaction":`...)
		p.quote(shown[i].transaction)
		p.text("at", shown[i].at.String())
		p.number("reward", shown[i].reward)
		p.number("held", shown[i].held)
		*p = append(*p, '}')
	}
	*p = append(*p, ']')
	p.number("transactions_omitted", int64(len(list)-len(shown)))
}

// let is a hold that was let go.
func (n *timeNotice) let(p *payload, e *ending) {
	if e.Kind == reward.GraceEnds {
		p.text("why", "grace")
		p.optional("fact", "")
		p.optional("transaction", "")
		p.optional("amount", "")
		return
	}
	d, _ := n.at.account.Refund(e.ID)
	p.text("why", reward.HeldForAnnouncedRefund.String())
	p.text("fact", e.ID)
	p.optional("transaction", d.Transaction)
	p.number("amount", d.Amount)
}
