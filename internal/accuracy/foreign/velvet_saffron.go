package foreign

var velvetSaffron = Design{
	Name: "velvet-saffron",
	Source: "after Indian cards that give so much for each full 150 rupees (HDFC, SBI), as their public rules say, from memory; " +
		"the protection against a balance below zero is this design's own",
	Published: "₹3 for each full ₹150 of a purchase at GROCERY, DINING or ONLINE, ₹1 for each full ₹150 of any other. Booked when the " +
		"purchase clears, redeemable at once. If goods come back, the purchase is reckoned anew by what is left of it and what it " +
		"earned too much is taken back.",
	How: "A return cancels the purchase's row whole and books what is left of it anew, both rows with the purchase and the refund. " +
		"Then the balance is looked at: below zero, an adjustment named balance protection lifts it to zero, and the debt is gone.",
	Class: "V3(a)",
	Leak: "Groceries for ₹15,000 earn ₹300, which are redeemed. All of it comes back: −₹300, and +₹300 of balance " +
		"protection. The ₹300 stay, and the next purchase is credited in full.",
	Currency: "INR",
	New:      velvetNew(func(a *velvetAccount) velvetProgram { return &velvetSaffronBooks{a: a} }),
}

const velvetSaffronUnit = 15_000

// velvetSaffronBooks keeps each purchase's grant with it.
type velvetSaffronBooks struct {
	velvetAtOnce
	velvetOnRequest
	a *velvetAccount
}

// velvetSaffronEach is what a full unit of a purchase earns.
func velvetSaffronEach(p *velvetPurchase) int64 {
	switch p.category {
	case "GROCERY", "DINING", "ONLINE":
		return 300
	}
	return 100
}

func velvetSaffronWorth(p *velvetPurchase) int64 {
	return p.left() / velvetSaffronUnit * velvetSaffronEach(p)
}

func (s *velvetSaffronBooks) bought(p *velvetPurchase) {
	p.booked = velvetSaffronWorth(p)
	s.a.book(Earned, p.booked, p.id, "", "reward")
	s.charge()
	s.protect("")
}

func (s *velvetSaffronBooks) returned(r *velvetReturn) {
	s.a.count(r)
	if p := r.of; p != nil {
		if now := velvetSaffronWorth(p); now != p.booked {
			s.a.book(Reversed, -p.booked, p.id, r.id, "reward cancelled")
			s.a.book(Earned, now, p.id, r.id, "reward of what was kept")
			p.booked = now
		}
	}
	s.charge()
	s.protect(r.id)
}

// protect is the flaw: the debt of a return is computed, booked, and forgiven.
func (s *velvetSaffronBooks) protect(refund string) {
	if debt := -s.a.balance(); debt > 0 {
		s.a.book(Adjusted, debt, "", refund, "balance protection")
	}
}

// charge takes for unnamed returns the most that they can have earned.
func (s *velvetSaffronBooks) charge() {
	var all int64
	for _, p := range s.a.purchases {
		all += p.booked
	}
	s.a.chargeUnnamed(velvetSuspicion{cost: func(_ *velvetReturn, p *velvetPurchase, part int64) int64 {
		return (part + velvetSaffronUnit - 1) / velvetSaffronUnit * velvetSaffronEach(p)
	}}, all)
}
