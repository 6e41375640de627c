package foreign

// freshLadder is an airline's card: the more one spends in a year, the higher the rate.
type freshLadder struct {
	freshDesk[freshLadderBook]
}

// freshLadderBook is where an account stands, and at what its purchases were rated.
type freshLadderBook struct {
	years map[int]*freshLadderYear
	rates map[string]freshLadderRate
}

// freshLadderYear is how far somebody has come in a year.
type freshLadderYear struct {
	net  int64 // bought and kept
	rung int
}

// freshLadderRate is what a purchase earns: per thousand, and what was posted.
type freshLadderRate struct {
	perMille, counted, posted int64
}

// freshLadderRungs are where rates begin.
var freshLadderRungs = []struct{ from, perMille int64 }{{0, 10}, {500_000, 15}, {1_500_000, 25}}

var freshLadderDesign = Design{
	Name: "fresh-ladder",
	Source: "X1 Card as launched, after reviews of 2020 to 2022 (a higher rate for the year from $15,000 of yearly spending on), and airlines' cards whose status goes by yearly spending; " +
		"the rungs are ours; paper, section 4.2 (monotonicity with net spend)",
	Published: "You earn miles of one cent each: 1% of a purchase while what you have bought before it in the calendar year comes to less than C$5,000, 1.5% from C$5,000 on, 2.5% from C$15,000 on. " +
		"A purchase earns one rate, that of before it. The year is that of the day on which a purchase is made (UTC), the order that in which purchases clear. Miles are rounded down to the cent for each purchase. " +
		"They are granted when a purchase clears and can be used at once, in any amount. " +
		"Returns and chargebacks, at any time: what is returned earns nothing and does not count towards the C$5,000 and C$15,000, neither for later purchases nor for those that came between: you have at last what you would have if you had bought only what you kept. " +
		"Miles that you have used are owed, and made good by the next ones. " +
		freshGuessExact,
	How: "Per year the net sum and the rung. A purchase is rated at the rung that stands, then added to the sum, and the rung goes up if the sum calls for it. A return takes back what its purchase earned at its own rate, on what came back, and lowers the sum; the rung stays, and nothing else is rated anew. " +
		"The first release did let the rung go down. Refunds are told of faster than clearings, and while hotels' final bills were late it threw people back for a week who got their rate back afterwards, with the purchases between at the lower one; " +
		"after the second article in a newspaper \"never down within a year\" became a rule of the code. That it also keeps rungs which were climbed with goods that went back was not discussed.",
	Class: "other",
	Leak: "A rung climbed with a purchase that goes back stays for the year, and so do the rates of what was bought between. Buy a fare for C$15,000 in January (1%), return it (C$150 are taken back), and buy for C$20,000 until December: all of it at 2.5%, C$500, " +
		"where the terms have C$50 on the first 5,000, C$150 on the next 10,000 and C$125 on the rest: C$175 too much.",
	Currency: "CAD",
	New: func() Engine {
		e := &freshLadder{}
		e.house, e.exact = e, true
		return e
	},
}

func (e *freshLadder) opened(f *freshFile[freshLadderBook]) {
	f.own = freshLadderBook{years: map[int]*freshLadderYear{}, rates: map[string]freshLadderRate{}}
}

// year is where the account stands in the year of a purchase.
func (b *freshLadderBook) year(p *freshPurchase) *freshLadderYear {
	of := p.made.UTC().Year()
	if b.years[of] == nil {
		b.years[of] = &freshLadderYear{}
	}
	return b.years[of]
}

// add moves the sum, and the rung if it is higher.
func (y *freshLadderYear) add(amount int64) {
	y.net += amount
	for y.rung+1 < len(freshLadderRungs) && y.net >= freshLadderRungs[y.rung+1].from {
		y.rung++
	}
}

func (e *freshLadder) moved(f *freshFile[freshLadderBook], cleared *freshPurchase, others []*freshPurchase, by *freshReturn) {
	for _, p := range others {
		e.count(f, p, by, "return")
	}
	if cleared != nil {
		f.own.rates[cleared.id] = freshLadderRate{perMille: freshLadderRungs[f.own.year(cleared).rung].perMille}
		e.count(f, cleared, nil, "miles")
	}
}

// count counts a purchase on what is kept of it, at its own rate.
func (e *freshLadder) count(f *freshFile[freshLadderBook], p *freshPurchase, by *freshReturn, note string) {
	r := f.own.rates[p.id]
	due := p.kept() * r.perMille / 1000
	f.change(e.now, due-r.posted, p.id, by, note)
	f.own.year(p).add(p.kept() - r.counted)
	r.counted, r.posted = p.kept(), due
	f.own.rates[p.id] = r
}

func (e *freshLadder) spendable(f *freshFile[freshLadderBook]) int64 { return f.balance }

func (e *freshLadder) run(*freshFile[freshLadderBook]) {}
