package foreign

import "time"

// A program that gets its rewards entered by a partner: on Friday evening a file is cut of
// what is due, on Tuesday morning the partner's entries are in.

const (
	latestDCutAge   = 21 * 24 * time.Hour     // purchases of that age go into the file
	latestDCutEntry = (3*24 + 12) * time.Hour // from the cut to the entry
	latestDCutEvery = 7 * 24 * time.Hour      // from cut to cut
	latestDCutHour  = 18                      // on Fridays, UTC
	latestDCutTrip  = 300                     // basis points
	latestDCutPlain = 100
)

// A claim is open until it is in a file, filed until the entry and entered from then on.
const (
	latestDCutOpen = iota
	latestDCutFiled
	latestDCutEntered
)

type latestDCutClaim struct {
	sale  *latestDSale
	state int
	line  int64 // what the file says
}

type latestDCutAccount struct {
	latestDFile
	claims             []*latestDCutClaim
	of                 map[*latestDSale]*latestDCutClaim
	nextCut, nextEntry time.Time
}

func latestDCutTravel(mcc string) bool {
	return len(mcc) == 4 && (mcc >= "3000" && mcc <= "3999" || mcc == "4511" || mcc == "4722" || mcc == "7011")
}

// worth is the reward of an amount of the purchase.
func (c *latestDCutClaim) worth(amount int64) int64 {
	bp := int64(latestDCutPlain)
	if latestDCutTravel(c.sale.mcc) {
		bp = latestDCutTrip
	}
	return latestDHalfEven(amount*bp, 10_000)
}

func (a *latestDCutAccount) due(now time.Time) {
	if now.IsZero() {
		return
	}
	if a.nextCut.IsZero() {
		a.nextCut = time.Date(now.Year(), now.Month(), now.Day(), latestDCutHour, 0, 0, 0, time.UTC)
		for a.nextCut.Weekday() != time.Friday || !a.nextCut.After(now) {
			a.nextCut = a.nextCut.AddDate(0, 0, 1)
		}
	}
	for {
		if !a.nextEntry.IsZero() && !a.nextEntry.After(now) {
			a.enter(a.nextEntry)
			a.nextEntry = time.Time{}
		}
		if a.nextCut.After(now) {
			return
		}
		a.cut(a.nextCut)
		a.nextEntry = a.nextCut.Add(latestDCutEntry)
		a.nextCut = a.nextCut.Add(latestDCutEvery)
	}
}

// cut writes the lines of the file, each for what is left of its purchase by now.
func (a *latestDCutAccount) cut(at time.Time) {
	for _, c := range a.claims {
		if c.state == latestDCutOpen && !c.sale.at.After(at.Add(-latestDCutAge)) {
			c.state = latestDCutFiled
			c.line = c.worth(c.sale.net())
		}
	}
}

// enter books the lines as they were written.
func (a *latestDCutAccount) enter(at time.Time) {
	for _, c := range a.claims {
		if c.state == latestDCutFiled {
			c.state = latestDCutEntered
			a.post(Posting{At: at, Kind: Earned, Amount: c.line, Transaction: c.sale.id})
		}
	}
}

func (a *latestDCutAccount) booked(_ time.Time, s *latestDSale) {
	c := &latestDCutClaim{sale: s}
	a.claims = append(a.claims, c)
	a.of[s] = c
}

// taken takes back what was entered. Before that there seems to be nothing to take: the
// claim is of what is left. But one that is filed has its line written already, and when
// that is entered nobody asks what came back in the meantime.
func (a *latestDCutAccount) taken(now time.Time, s *latestDSale, amount int64, ref string, _ bool) {
	c := a.of[s]
	if c.state != latestDCutEntered {
		return
	}
	a.post(Posting{At: now, Kind: Reversed, Amount: c.worth(s.net()) - c.worth(s.net()+amount), Transaction: s.id, Refund: ref})
}

func latestDCutDesign() Design {
	return Design{
		Name: "latest-cut-file",
		Source: "MyPoints help (partners report at intervals, points pending for 30 days, help.mypoints.com), Wildfire help (pending rewards are cancelled by returns, support.wildfire-corp.com), " +
			"Shop Your Way help (a hold of weeks, then confirmed); weekly partner files between bank and loyalty operator as is common; the paper's section 4.3, V2",
		Published: "You earn 3% on airlines, hotels and travel agencies (MCC 3000 to 3999, 4511, 4722, 7011) and 1% on all other purchases, rounded to the nearest cent for each purchase, half a cent to the even one. " +
			"Cash back is credited on a Tuesday between three and a half and four and a half weeks after the purchase, and can be redeemed from then on. What you return before that earns nothing; what you return later has its cash back taken back at once, however late, " +
			"and your balance may go below zero, which new cash back pays off first. A refund that names no purchase counts against your latest purchases at that merchant, otherwise in the same kind of shop, otherwise your latest.",
		How: "On Fridays at 18:00 UTC a file is cut with every purchase that is at least 21 days old, by what is left of it then. On Tuesday at 06:00 its lines are entered as written. A return before the cut lowers the line and one after the entry is taken back, " +
			"with debts and all. A return between the cut and the entry does neither: there is no entry yet to take back, and the line is not written anew. Every purchase goes through these three and a half days once.",
		Class: "V2",
		Leak: "A hotel is paid with 2,000.00 on Wednesday, 1 January 2025. Its line of 60.00 is cut on Friday, 24 January. Cancel it on Saturday or Monday: 2,000.00 come back. On Tuesday, 28 January, 60.00 are credited, " +
			"can be redeemed and are never taken back. A cancellation on the Thursday before or the Wednesday after leaves nothing.",
		Currency: "USD",
		New: func() Engine {
			return latestDNewDesk(func(f latestDFile) latestDAccount {
				return &latestDCutAccount{latestDFile: f, of: map[*latestDSale]*latestDCutClaim{}}
			})
		},
	}
}
