package foreign

import "time"

// A program with an odometer: every purchase runs through the steps of the card year and
// takes the rates with it that it ran through.

// latestDClimbSteps are the upper ends of the steps below the last, and
// latestDClimbRates what the steps pay, in basis points.
var (
	latestDClimbSteps = [2]int64{200_000, 600_000}
	latestDClimbRates = [3]int64{50, 100, 200}
)

// latestDClimbStub is what a purchase keeps: its card year and how much of it earned at
// which step.
type latestDClimbStub struct {
	year int
	part [3]int64
}

func (s *latestDClimbStub) worth() int64 {
	var n int64
	for i, p := range s.part {
		n += p * latestDClimbRates[i]
	}
	return latestDHalfUp(n, 10_000)
}

type latestDClimbAccount struct {
	latestDFile
	odometer map[int]int64 // net purchases of a card year
	stubs    map[*latestDSale]*latestDClimbStub
}

// cardYear counts the years since the account was opened.
func (a *latestDClimbAccount) cardYear(at time.Time) int {
	y := at.Year() - a.opened.Year()
	if at.Before(a.opened.AddDate(y, 0, 0)) {
		y--
	}
	return y
}

func (a *latestDClimbAccount) booked(now time.Time, s *latestDSale) {
	y := a.cardYear(s.at)
	stub := &latestDClimbStub{year: y}
	a.stubs[s] = stub
	left := s.amount
	for i := range stub.part {
		room := left
		if i < len(latestDClimbSteps) {
			room = min(left, max(0, latestDClimbSteps[i]-a.odometer[y]))
		}
		stub.part[i] = room
		a.odometer[y] += room
		left -= room
	}
	a.post(Posting{At: now, Kind: Earned, Amount: stub.worth(), Transaction: s.id})
}

// taken takes off what the purchase earned, its dearest part first. The odometer goes
// down too, so that what is bought later earns by the net purchases. What was bought in
// between keeps the step that the returned purchase had lifted it to: that is the leak.
func (a *latestDClimbAccount) taken(now time.Time, s *latestDSale, amount int64, ref string, _ bool) {
	stub := a.stubs[s]
	a.odometer[stub.year] -= amount
	before := stub.worth()
	for i := len(stub.part) - 1; i >= 0; i-- {
		off := min(amount, stub.part[i])
		stub.part[i] -= off
		amount -= off
	}
	a.post(Posting{At: now, Kind: Reversed, Amount: stub.worth() - before, Transaction: s.id, Refund: ref})
}

func latestDClimbDesign() Design {
	return Design{
		Name: "latest-climb",
		Source: "Own, after tiered cards (prove.com glossary \"tiered rewards\"; creditcardchaser.com/tiered-rewards) and \"your progress would also go back down\" " +
			"(homegrowncannabisco.helpdocs.io, what happens to my points if I make a return); the clawback is the paper's Algorithm 2, which takes back what the purchase itself had earned",
		Published: "In each card year (from the anniversary of your account) you earn 0.5% on your first 2,000.00 of net purchases, 1% on the next 4,000.00 and 2% on net purchases above 6,000.00. " +
			"Net purchases are purchases less returns. A purchase that crosses a step earns by parts. The reward of a purchase is rounded to the nearest cent, half a cent up, is credited when the purchase " +
			"posts and can be redeemed at once. If you return something its reward is taken back at once, part by part, and your net purchases of that year go down; your balance may go below zero, and " +
			"new rewards pay that off first. A refund that names no purchase counts against your latest purchases at that merchant, otherwise in the same kind of shop, otherwise your latest.",
		How: "A purchase stores how much of it fell into which step. A return takes off its dearest parts first at exactly the rates that they earned, and lowers the odometer of the card year of the purchase. " +
			"Every single purchase is made good to the cent. But purchases that were made after the returned one and are kept stay on the higher step, though the year's net purchases never reached it.",
		Class: "other",
		Leak: "Buy for 6,000.00 on the first day (10.00 + 40.00 = 50.00), then what you want to keep for 5,000.00: that is all on the third step and earns 100.00. Return the first purchase: 50.00 are taken back. " +
			"Net purchases are 5,000.00, for which 10.00 + 30.00 = 40.00 are promised; you keep 100.00 and are 60.00 ahead, every card year.",
		Currency: "USD",
		New: func() Engine {
			return latestDNewDesk(func(f latestDFile) latestDAccount {
				return &latestDClimbAccount{latestDFile: f, odometer: map[int]int64{}, stubs: map[*latestDSale]*latestDClimbStub{}}
			})
		},
	}
}
