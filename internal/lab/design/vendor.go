package design

import (
	"context"
	"maps"
	"slices"

	"recoup/internal/flaw"
	"recoup/internal/issuer"
	"recoup/reward"
)

// Vendors returns designs that run any program's terms and never look again at something
// that they have given, as loyalty platforms document of themselves (docs/lab.md has the
// sources): a refund takes back what its own purchase has earned, and of the rest only
// what the design remembers to; or of a receipt what that earned on the average. Each has
// one flaw. What it is about a program must have:
// under one without bonuses nobody keeps a bonus.
//
// But for that they are Recoup, since what is to be seen is this one flaw.
func Vendors() []Variant {
	return []Variant{
		vendor("Bonus stays", "any terms; a bonus that was reached stays, whatever comes back", keeps{bonuses: true}.open, flaw.Other, flaw.SpendBonusKept),
		vendor("Level stays", "any terms; a refund changes its own purchase, and never what its spend has lifted", keeps{levels: true}.open, flaw.Other, flaw.LevelKept),
		vendor("Expiry goes on", "any terms; what has expired is taken back once more with its purchase", keeps{expiry: true}.open, flaw.Robust, flaw.ExpiredTaken),
		vendor("Items ignored", "any terms; a refund takes of every item of the receipt in proportion, whichever was returned", newLineless, flaw.Other, flaw.ItemsIgnored),
	}
}

func vendor(name, title string, open func(*reward.Program) issuer.Issuer, class flaw.Class, own flaw.Code) Variant {
	return Variant{Design{Name: name, Title: title, Source: "Loyalty platforms", New: open}, truth(class, []flaw.Code{own})}
}

// vendorTruth is the truth about one of Vendors under a program: its flaw, if the program
// has what that is about, and what Recoup has by the program's own terms.
func vendorTruth(v *Variant, p *reward.Program) Truth {
	t := ownTruth(p.Method == reward.Rerate, p.MaturityDays > 0)
	about := map[flaw.Code]bool{
		flaw.SpendBonusKept: len(p.Bonuses) > 0,
		flaw.LevelKept: len(p.Tiers) > 0 || slices.ContainsFunc(p.Layers, func(l reward.Layer) bool {
			return slices.ContainsFunc(l.Rules, func(r reward.Rule) bool { return len(r.Steps) > 0 })
		}),
		flaw.ExpiredTaken: p.ExpiryMonths > 0,
		flaw.ItemsIgnored: tellsItems(p),
	}
	if !about[v.Flaws[0]] {
		return t
	}
	return truth(v.Class, v.Flaws, t.Flaws)
}

// keeps is what a design never takes back.
type keeps struct{ bonuses, levels, expiry bool }

// keeping is an issuer that passes over some of what the terms post. Its engine is told of
// everything and knows what is due; what customers have is in wallets beside it. Payouts
// are of the wallet, so the engine hears of them as uses and is not asked.
type keeping struct {
	*Recoup
	journal
	keeps   keeps
	bonuses map[string]bool // of the program
	wallets map[string]*wallet
}

// wallet is what one customer has.
type wallet struct {
	balance int64
	paid    map[string]int64 // by redemption
	// By what is paid for: what is due of it, and how much more than that has stayed; of an
	// expiry, how much less.
	due, stayed map[string]int64
}

var (
	_ Journaler = (*keeping)(nil)
	_ Cloner    = (*keeping)(nil)
	_ Stater    = (*keeping)(nil)
)

func (k keeps) open(p *reward.Program) issuer.Issuer { return newKeeping(p, k) }

func newKeeping(p *reward.Program, k keeps) *keeping {
	i := &keeping{Recoup: newRecoup(p), keeps: k, bonuses: map[string]bool{}, wallets: map[string]*wallet{}}
	for v := p; v != nil; v = v.Earlier {
		for _, b := range v.Bonuses {
			i.bonuses[b.ID] = true
		}
	}
	i.store.Observe(i.take)
	return i
}

// take takes in what the terms have posted.
func (i *keeping) take(e *reward.Event, postings []reward.Posting) {
	for n := range postings {
		p := &postings[n]
		w := i.wallets[p.Account]
		if w == nil {
			w = &wallet{paid: map[string]int64{}, due: map[string]int64{}, stayed: map[string]int64{}}
			i.wallets[p.Account] = w
		}
		if p.Kind == reward.Adjustment {
			w.balance += p.Amount
			w.paid[p.Fact] -= p.Amount
			continue
		}
		amount := i.given(w, p, p.Transaction != "" && p.Transaction == e.Transaction)
		w.balance += amount
		i.note(Posting{p.Account, p.Transaction, postingKinds[p.Kind], amount, p.At, p.Cycle < i.program.CycleAt(p.At)})
	}
}

// given is what of a posting reaches the wallet. What stayed before is not given twice, and
// what an event does to its own purchase is done.
func (i *keeping) given(w *wallet, p *reward.Posting, own bool) int64 {
	of := p.Transaction + "/" + p.Item + "/" + p.Layer
	stays := i.keeps.levels && p.Kind == reward.Reallocation && !own
	switch {
	case p.Kind == reward.Expiry || p.Kind == reward.ExpiryRestored:
		if !i.keeps.expiry {
			return p.Amount
		}
		of = "expired " + p.Period
		back := max(p.Amount, -w.stayed[of])
		w.stayed[of] += back
		return p.Amount - back
	case p.Transaction == "":
		of = p.Rule + " " + p.Period
		stays = i.bonuses[p.Rule] && i.keeps.bonuses || !i.bonuses[p.Rule] && stays
	}
	w.due[of] += p.Amount
	stayed := -p.Amount
	switch {
	case p.Amount > 0:
		stayed = -min(p.Amount, w.stayed[of])
	case !stays && w.due[of] > 0:
		stayed = 0
	case !stays: // nothing is due of it any more: it is gone, with all that had stayed
		stayed = -w.stayed[of]
	}
	w.stayed[of] += stayed
	return p.Amount + stayed
}

// Balance implements issuer.Issuer. What Recoup holds is held here too.
func (i *keeping) Balance(account string) (issuer.Balance, error) {
	shown, err := i.Recoup.Balance(account)
	w, a := i.wallets[account], i.store.Account(account)
	if err != nil || w == nil || a == nil {
		return shown, err
	}
	return issuer.Balance{Balance: w.balance, Redeemable: max(0, w.balance-a.Balances().Held)}, nil
}

// Redeem implements issuer.Issuer, out of the wallet.
func (i *keeping) Redeem(d issuer.Redemption) (bool, error) {
	if w := i.wallets[d.Account]; w != nil {
		if paid, again := w.paid[d.Redemption]; again {
			return paid == d.Amount, nil
		}
	}
	shown, err := i.Balance(d.Account)
	if err != nil || d.Amount <= 0 || d.Amount > shown.Redeemable {
		return false, err
	}
	result, err := i.deliver(reward.Event{
		Account: d.Account, Type: reward.AdjustmentPosted, Fact: d.Redemption, Amount: -d.Amount, HasAmount: true,
		Currency: i.program.RewardUnit(), Reason: "paid out", Actor: "lab",
	}, i.now)
	return result.Outcome == reward.Applied, err
}

// Bonus implements issuer.Promoter: what the terms say, and what has stayed.
func (i *keeping) Bonus(account, bonus string) (int64, error) {
	sum, err := i.Recoup.Bonus(account, bonus)
	if w := i.wallets[account]; w != nil && i.keeps.bonuses {
		for of, stayed := range w.stayed {
			if len(of) > len(bonus) && of[:len(bonus)+1] == bonus+" " {
				sum += stayed
			}
		}
	}
	return sum, err
}

// Journal implements Journaler.
func (i *keeping) Journal(f func(Posting)) { i.journal.Journal(f) }

// Clone implements Cloner by playing the same events again.
func (i *keeping) Clone() issuer.Issuer {
	c := newKeeping(i.program, i.keeps)
	c.now, c.accounts, c.log, c.sent = i.now, slices.Clone(i.accounts), slices.Clone(i.log), i.sent
	if _, err := c.engine.Apply(context.Background(), c.log, nil); err != nil {
		panic("lab: events that were applied once are refused: " + err.Error())
	}
	return c
}

// AppendState implements Stater.
func (i *keeping) AppendState(to State, account string, open []string) State {
	if w := i.wallets[account]; w != nil {
		to.Add(w.balance)
		for _, of := range slices.Sorted(maps.Keys(w.stayed)) {
			if w.stayed[of] != 0 {
				to = append(to, of...)
				to.Add(w.stayed[of])
			}
		}
	}
	return i.Recoup.AppendState(to, account, open)
}
