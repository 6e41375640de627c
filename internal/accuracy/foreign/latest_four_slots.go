package foreign

import "time"

// A program on the record layout of an old card system: a purchase is one record of fixed
// length, with room for four returns.

const (
	latestDSlotsRoom   = 4
	latestDSlotsOnline = 300 // basis points
	latestDSlotsPlain  = 100
)

// latestDSlotsRecord is a purchase's record. The fifth return goes where the first was.
type latestDSlotsRecord struct {
	sale     *latestDSale
	slot     [latestDSlotsRoom]int64
	returns  int
	disputed int64
	billed   bool
	reward   int64 // as it was last entered
}

func (r *latestDSlotsRecord) rate() int64 {
	m := r.sale.mcc
	if r.sale.category == "online" || len(m) == 4 && m >= "5964" && m <= "5969" {
		return latestDSlotsOnline
	}
	return latestDSlotsPlain
}

// worth works the reward out from the record alone.
func (r *latestDSlotsRecord) worth() int64 {
	net := r.sale.amount - r.disputed
	for _, back := range r.slot {
		net -= back
	}
	return latestDHalfUp(max(0, net)*r.rate(), 10_000)
}

type latestDSlotsAccount struct {
	latestDFile
	records []*latestDSlotsRecord
	of      map[*latestDSale]*latestDSlotsRecord
}

func (a *latestDSlotsAccount) booked(_ time.Time, s *latestDSale) {
	r := &latestDSlotsRecord{sale: s}
	a.records = append(a.records, r)
	a.of[s] = r
}

func (a *latestDSlotsAccount) taken(now time.Time, s *latestDSale, amount int64, ref string, dispute bool) {
	r := a.of[s]
	if dispute {
		r.disputed += amount
	} else {
		r.slot[r.returns%latestDSlotsRoom] = amount
		r.returns++
	}
	if r.billed {
		a.enter(r, now, ref)
	}
}

// enter brings what was entered for a record to its worth.
func (a *latestDSlotsAccount) enter(r *latestDSlotsRecord, at time.Time, ref string) {
	p := Posting{At: at, Kind: Earned, Amount: r.worth() - r.reward, Transaction: r.sale.id, Refund: ref}
	if p.Amount < 0 {
		p.Kind = Reversed
	}
	a.post(p)
	r.reward += p.Amount
}

func (a *latestDSlotsAccount) closeStatement(now time.Time) {
	for _, r := range a.records {
		if !r.billed {
			r.billed = true
			a.enter(r, now, "")
		}
	}
}

func latestDSlotsDesign() Design {
	return Design{
		Name: "latest-four-slots",
		Source: "Own, after record layouts with a table of fixed size (COBOL's OCCURS 4 TIMES, as in card systems on mainframes), whose index wraps around; the terms after " +
			"net purchases in statement programs (lawinsider.com, \"Points Issuance\"; nbc.ca help centre, deduction of points after a return)",
		Published: "You earn 3% on online purchases (MCC 5964 to 5969, or marked as online) and 1% on all others, rounded to the nearest cent for each purchase, half a cent up. Cash back is credited when your statement closes and can be redeemed from then on. " +
			"What you return before that earns nothing; for what you return later the cash back is taken back at once, however late and in as many parts as you like, so that a purchase has earned for what you kept of it. Your balance may go below zero, and new cash back pays that off first. " +
			"A refund that names no purchase counts against your latest purchases at that merchant, otherwise in the same kind of shop, otherwise your latest.",
		How: "Each purchase is a record with four fields for returns; its reward is always worked out from the record, as the rate on the amount less these four. The fifth return of a purchase overwrites the first, the sixth the second, and so on. " +
			"So the record knows the last four returns only. The fifth takes nothing more if it is as large as the first was, and brings reward back if it is smaller. Disputes have a field of their own that adds up. Debts are carried.",
		Class: "other",
		Leak: "An online order of ten things for 50.00 each earns 15.00 at the statement; redeem that. Send the things back one by one: the first four take 1.50 each, the other six nothing. The whole 500.00 are back, 6.00 are owed instead of 15.00, and 9.00 are kept. " +
			"Worse: return 490.00 of the 500.00 first and then 2.00 four times: the last of these overwrites the 490.00, and the purchase, of which 2.00 are left (0.06), stands at 14.76 again.",
		Currency: "EUR",
		New: func() Engine {
			return latestDNewDesk(func(f latestDFile) latestDAccount {
				return &latestDSlotsAccount{latestDFile: f, of: map[*latestDSale]*latestDSlotsRecord{}}
			})
		},
	}
}
