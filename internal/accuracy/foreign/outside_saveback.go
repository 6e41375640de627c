package foreign

// outsideSaveback is a neobank's card that saves for its customers.
var outsideSaveback = Design{
	Name: "outside-saveback",
	Source: "neobank cards that put 1% of what is spent into a savings plan, with a limit a month (in the manner of Trade Republic's Saveback), from memory. " +
		"The weekly transfer, its least amount and the pairs of entries are mine.",
	Currency: "EUR",
	Class:    "robust",
	Published: "1% of each purchase, down to the cent, at most €15.00 in a calendar month (Berlin), in the order of clearing. Credited on clearing. Each Monday at 00:00 all of it goes into your plan if it is €1.00 or more; less is carried over. Nothing can be redeemed otherwise. " +
		"Refunds and chargebacks at any time count as if that part had never been bought, within the limit of its month too. What was transferred already is set off against what you earn later, without end. " +
		"A refund without a purchase is put to an earlier purchase at the merchant, or else of the category: to the newest of that price, or else to the newest.",
	How: "At each fact all purchases are reckoned again from what is kept. Of each that changes the old entry is reversed in full and a new one made, others of its month too if the limit frees up. The balance may go below zero, and the transfer waits till it is above.",
	New: func() Engine { return newOutsideDesk(saveback{}, 0) },
}

type saveback struct{}

var berlinPlan = outsideZone("Europe/Berlin")

const (
	savebackMost  = 1500
	savebackLeast = 100
)

func (saveback) reckon(a *outsideAccount, refund string) {
	used := make(map[string]int64)
	for _, s := range a.sales {
		month := s.made.In(berlinPlan).Format("2006-01")
		reward := min(s.kept/100, savebackMost-used[month])
		used[month] += reward
		if old := a.stands[s.id]; old != reward {
			a.row(Reversed, -old, s.id, refund, "saveback, cancelled")
			a.row(Earned, reward, s.id, refund, "saveback")
			a.stands[s.id] = reward
		}
	}
	a.wake(outsideMonday(a.now, berlinPlan))
}

func (v saveback) sold(a *outsideAccount, s *outsideSale)   { v.reckon(a, "") }
func (v saveback) came(a *outsideAccount, r *outsideReturn) { v.reckon(a, r.id) }

func (saveback) due(a *outsideAccount) {
	if a.balance >= savebackLeast {
		a.row(Paid, -a.balance, "", "", "to your plan")
	}
}

func (saveback) open(*outsideAccount) int64 { return 0 }
