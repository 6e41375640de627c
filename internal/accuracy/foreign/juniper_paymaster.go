package foreign

import "time"

var juniperPaymasterDesign = Design{
	Name:   "juniper-paymaster",
	Source: "after Gulf banks' cash back that is credited by itself, from memory",
	Published: "3% on FUEL up to KWD 6 a quarter, 2% on DINING, 0.5% on all else. Every quarter we pay out what purchases that are at least 30 days old have earned; " +
		"nothing can be redeemed on request. Returns are deducted, from later payouts if need be. On the anniversary of your account you get KWD 0.750; for the yearly works in October KWD 0.250.",
	How: "Each night one row that names nothing books the day provisionally: half a percent of what cleared, less three percent of what was returned, so that it may be below zero. " +
		"On the 3rd of a month one adjustment brings the account to what all its purchases are worth. On the 5th of January, April, July and October it pays what is left of purchases that are old enough, " +
		"with all returns known that morning. Gifts stand between these rows. Returns of no known purchase are deducted at 3%.",
	Class:    "robust",
	Currency: "KWD",
	New: func() Engine {
		return juniperPayer{juniperNew(&juniperPaymaster{loc: juniperZone("Asia/Kuwait")})}
	},
}

// juniperPayer is a desk that pays out by itself.
type juniperPayer struct{ *juniperDesk }

// PaidOut implements issuer.Payer.
func (d juniperPayer) PaidOut(name string) (int64, error) {
	a, err := d.account(name)
	if err != nil {
		return 0, err
	}
	return a.paid, nil
}

// juniperPaymaster books days by rule of thumb and trues the account up each month.
type juniperPaymaster struct{ loc *time.Location }

const (
	juniperPaymasterCap = 6000
	juniperPaymasterTop = 300 // per ten thousand
	juniperPaymasterAge = 30 * 24 * time.Hour
)

func (s *juniperPaymaster) jobs() []juniperJob {
	quarters := []time.Month{time.January, time.April, time.July, time.October}
	return []juniperJob{
		{next: juniperDaily(s.loc, 2, 1), run: s.night},
		{next: juniperMonthly(s.loc, 3, 4), run: s.trueUp},
		{next: juniperMonthly(s.loc, 5, 9, quarters...), run: s.payout},
		{next: juniperYearly(s.loc, 365), run: func(a *juniperAccount, at time.Time) {
			a.give(at, Earned, 750, "Anniversary gift")
		}},
		{next: juniperMonthly(s.loc, 12, 8, time.October), run: func(a *juniperAccount, at time.Time) {
			a.give(at, Adjusted, 250, "Goodwill")
		}},
	}
}

// night books what came since the last night, at a rule of thumb.
func (s *juniperPaymaster) night(a *juniperAccount, at time.Time) {
	var row, bought int64
	for _, p := range a.purchases[a.seenBuy:] {
		bought += p.amount
	}
	for _, r := range a.returns[a.seenRet:] {
		back := r.amount
		if p := a.known[r.purchase]; p != nil && r.whole {
			back = p.amount
		}
		row -= juniperUp(back*juniperPaymasterTop, 10000)
	}
	row += bought * 50 / 10000
	a.seenBuy, a.seenRet = len(a.purchases), len(a.returns)
	kind := Earned
	if row < 0 {
		kind = Reversed
	}
	a.posted += row
	a.post(at, kind, row, "", "", "Provisional")
}

// trueUp replaces the rule of thumb by what is promised.
func (s *juniperPaymaster) trueUp(a *juniperAccount, at time.Time) {
	for _, p := range a.purchases {
		p.granted = true
	}
	row := s.worth(a, at) - a.posted
	a.posted += row
	a.post(at, Adjusted, row, "", "", "Monthly correction")
}

// worth is what the purchases until then that have been trued up once are worth.
func (s *juniperPaymaster) worth(a *juniperAccount, until time.Time) int64 {
	var sum int64
	fuel := map[int]int64{}
	for _, p := range a.purchases {
		if !p.granted || p.at.After(until) {
			continue
		}
		switch p.category {
		case "FUEL":
			fuel[juniperMonth(p.at, s.loc, 1)/3] += p.net * 3 / 100
		case "DINING":
			sum += p.net * 2 / 100
		default:
			sum += p.net * 5 / 1000
		}
	}
	for _, f := range fuel {
		sum += min(f, juniperPaymasterCap)
	}
	return max(0, sum-a.worst(juniperPaymasterTop))
}

// payout pays what is sure, and never what is only provisional.
func (s *juniperPaymaster) payout(a *juniperAccount, at time.Time) {
	out := min(a.balance, s.worth(a, at.Add(-juniperPaymasterAge))+a.extras-a.paid)
	if out <= 0 {
		return
	}
	a.paid += out
	a.post(at, Paid, -out, "", "", "Paid to your account")
}

func (s *juniperPaymaster) changed(*juniperAccount, time.Time, *juniperReturn) {}

// sure is nothing: there are no redemptions on request.
func (s *juniperPaymaster) sure(*juniperAccount, time.Time) int64 { return 0 }
