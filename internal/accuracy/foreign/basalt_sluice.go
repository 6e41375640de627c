package foreign

import "time"

var basaltSluiceDesign = Design{
	Name:   "basalt-sluice",
	Source: "After US store-network cards that pay out to a bank account by themselves; from memory.",
	Published: "5 % on GROCERY, up to $30 of reward a calendar quarter (New York), 3 % on DINING, 1 % on all else, booked five days after clearing. $10 as a welcome. " +
		"$25 or more is paid out on the 10th. A refund first takes all of its purchase's reward; what belongs to the part that you keep is given back a week after. " +
		"Room under the limit that a return frees goes to other purchases on Sundays. A refund without a known purchase takes 5 %, after a week no more than your best rate.",
	How: "A refund reverses the whole reward at once; after a week's review the kept part is booked as goodwill (adjusted, naming nothing), and so is what a claim took too much. " +
		"Rewards in earned rows name the purchase but those of freed room; the welcome is earned, too. What is paid out is only what stands by all that is known.",
	Class: "robust", Currency: "USD",
	New: func() Engine {
		return basaltPayer{basaltNew(func() basaltPlan { return &basaltSluice{lines: map[string]*basaltLine{}} })}
	},
}

var basaltNewYork = basaltZone("America/New_York")

const (
	basaltSluiceCap     = 3000
	basaltSluiceWelcome = 1000
	basaltSluicePayout  = 2500
	basaltSluiceReview  = 7 * basaltDays
)

// basaltPayer is a desk that pays out by itself.
type basaltPayer struct{ *basaltDesk }

// PaidOut implements issuer.Payer.
func (d basaltPayer) PaidOut(account string) (int64, error) {
	a, err := d.account(account)
	if err != nil {
		return 0, err
	}
	return a.paid, nil
}

// basaltLine is what the books say of one purchase.
type basaltLine struct {
	booked  int64
	granted bool
	review  time.Time // of its last return; until a week after nothing is booked
	owed    bool      // what is booked next is the kept part
}

type basaltSluice struct {
	lines         map[string]*basaltLine
	claim, gifted int64
}

func (p *basaltSluice) next(_ *basaltAccount, after time.Time) time.Time {
	night, noon := basaltDay(after, 6, basaltNewYork), basaltDay(after, 12, basaltNewYork)
	if noon.Before(night) && noon.In(basaltNewYork).Day() == 10 {
		return noon
	}
	return night
}

func (p *basaltSluice) bought(_ *basaltAccount, b *basaltBuy, _ time.Time) {
	p.lines[b.id] = &basaltLine{}
}

// returned takes at once, and more than it may need to.
func (p *basaltSluice) returned(a *basaltAccount, r basaltReturn, at time.Time) {
	if l := p.lines[r.buy]; l != nil {
		l.review, l.owed = at, l.owed || l.granted
		a.book(Posting{At: at, Kind: Reversed, Amount: -l.booked, Transaction: r.buy, Refund: r.id, Note: "returned, under review"})
		l.booked = 0
		return
	}
	if _, claim := p.state(a, at); claim > p.claim {
		a.book(Posting{At: at, Kind: Reversed, Amount: p.claim - claim, Refund: r.id, Note: "returned, purchase sought"})
		p.claim = claim
	}
}

func basaltSluiceRate(b *basaltBuy) int64 {
	switch b.category {
	case "GROCERY":
		return 5
	case "DINING":
		return 3
	}
	return 1
}

// state is what each purchase earns, in the order of clearing, and what claims hold: in
// their first week at 5 %, then at the best rate of what has not come back yet.
func (p *basaltSluice) state(a *basaltAccount, at time.Time) (rewards []int64, claim int64) {
	used := map[int]int64{}
	var all, best int64
	for _, b := range a.buys {
		net, rate := a.net(b), basaltSluiceRate(b)
		reward := net * rate / 100
		if q := basaltMonth(b.at, basaltNewYork) / 3; rate == 5 {
			reward = min(reward, basaltSluiceCap-used[q])
			used[q] += reward
		}
		if net > 0 {
			best = max(best, rate)
		}
		rewards = append(rewards, reward)
		all += reward
	}
	for _, r := range a.claims() {
		rate := best
		if r.heard.Add(basaltSluiceReview).After(at) {
			rate = 5
		}
		claim += (r.amount*rate + 99) / 100
	}
	return rewards, min(claim, all)
}

func (p *basaltSluice) worth(a *basaltAccount, at time.Time) int64 {
	rewards, claim := p.state(a, at)
	all := p.gifted - claim
	for _, r := range rewards {
		all += r
	}
	return all
}
