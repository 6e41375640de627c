package foreign

import "time"

var tulipKolkata = tulipZone("Asia/Kolkata")

var tulipReplayDesign = Design{
	Name:   "tulip-replay",
	Source: "Style of Indian online-shopping cashback cards (5 % online, limit per statement, credited by the statement); section 5.2, Issuer B",
	Published: "5 % on online purchases up to 500.00 INR a statement period (from the 5th), 1 % on everything else. The statement credits the period's cashback, which can be redeemed from then. " +
		"Cashback on returned or cancelled purchases is reversed when the refund reaches us; the balance may become negative. Refunds that we cannot match are reversed at 5 %.",
	How: "Statements are sums of a replayed event journal. A statement's journal is replayed on every return and at every close while it is the open one or one of the last two closed; " +
		"older journals are compacted into their sum, and a return that belongs to a compacted one finds nothing to replay.",
	Class: "V2",
	Leak: "Returns three statements later take nothing back: headphones of 6,000.00 INR bought online on 6 January earn 300.00 on 5 February; the refund of 10 April, after the journal of January has been compacted on " +
		"5 April, leaves the 300.00.",
	Currency: "INR",
	New: func() Engine {
		return tulipOpen(func(f *tulipFile) tulipClerk {
			return &tulipReplay{f: f, journals: map[int64]*tulipJournal{}, due: tulipCycle(f.now, tulipKolkata, 5).AddDate(0, 1, 0)}
		})
	},
}

const tulipReplayCap = 50000

// tulipJournal is what happened in a statement period.
type tulipJournal struct {
	buys   []*tulipBuy
	stated int   // how many of them a statement has seen
	posted int64 // what the statements have credited, less what was reversed
}

// worth replays the purchases that a statement has seen.
func (j *tulipJournal) worth() int64 {
	var online, other int64
	for _, b := range j.buys[:j.stated] {
		if b.category == "ONLINE" {
			online += tulipPart(b.net(), 500)
		} else {
			other += tulipPart(b.net(), 100)
		}
	}
	return min(online, tulipReplayCap) + other
}

// tulipReplay credits statements by replay of their journals.
type tulipReplay struct {
	f        *tulipFile
	journals map[int64]*tulipJournal // by the period's first second
	due      time.Time
}

// oldest is the first instant of the oldest period that is not compacted.
func (c *tulipReplay) oldest() time.Time { return c.due.AddDate(0, -3, 0) }

func (c *tulipReplay) bought(b *tulipBuy) {
	period := tulipCycle(b.at, tulipKolkata, 5)
	if period.Before(c.oldest()) {
		period = c.oldest()
	}
	j := c.journals[period.Unix()]
	if j == nil {
		j = &tulipJournal{}
		c.journals[period.Unix()] = j
	}
	j.buys = append(j.buys, b)
}

func (c *tulipReplay) returned(b *tulipBuy, r tulipReturn) {
	if b == nil {
		c.f.post(Reversed, -tulipOver(r.amount, 500), "", r.id, "unmatched merchant credit")
		return
	}
	for _, j := range c.journals {
		for _, m := range j.buys {
			if m == b {
				c.replay(j, b.id, r.id, "cashback reversal")
				return
			}
		}
	}
}

// replay posts what has changed since the journal was last replayed.
func (c *tulipReplay) replay(j *tulipJournal, transaction, refund, note string) {
	change := j.worth() - j.posted
	j.posted += change
	switch {
	case change > 0:
		c.f.post(Earned, change, "", "", note)
	case change < 0:
		c.f.post(Reversed, change, transaction, refund, note)
	}
}

func (c *tulipReplay) next() time.Time { return c.due }

func (c *tulipReplay) run(at time.Time) {
	for period := c.oldest(); period.Before(at); period = period.AddDate(0, 1, 0) {
		if j := c.journals[period.Unix()]; j != nil {
			j.stated = len(j.buys)
			c.replay(j, "", "", "cashback for the period from "+period.Format("2 Jan 2006"))
		}
	}
	c.due = at.AddDate(0, 1, 0)
	for first := range c.journals {
		if first < c.oldest().Unix() {
			delete(c.journals, first)
		}
	}
}

func (c *tulipReplay) redeemable() int64 { return c.f.balance }
