package foreign

// outsideFifty is a supermarket with vouchers.
var outsideFifty = Design{
	Name: "outside-fifty",
	Source: "supermarket and grocery apps with a voucher for each so much spent (\"spend 50, get 5\"), in the manner of Lidl Plus, Albert and Flybuys campaigns, from memory. " +
		"That the count never ends, and the error in it, are mine.",
	Currency: "EUR",
	Class:    "other",
	Published: "A voucher of €5.00 for each full €50.00 that you spend on GROCERY, DINING and ONLINE, all purchases together, however long it takes. You have it with the purchase that completes it and can use it at once, also in part. " +
		"What you return no longer counts: vouchers that you would not have had are taken back, from those to come if need be.",
	How: "The count is what is kept of all purchases, and is right at any time. A purchase gives as many vouchers as it takes the count over multiples of 50. A return only asks whether it takes the count below one, and then takes a single voucher back, " +
		"whatever it was worth. Debts stay.",
	Leak: "Buy for €300.00 online: six vouchers, €30.00. Return all of it: €5.00 are taken back, €25.00 stay. Buy it again, and it is six more.",
	New:  func() Engine { return newOutsideDesk(fifty{}, 0) },
}

type fifty struct{}

const (
	fiftySpend   = 5000
	fiftyVoucher = 500
)

// count is how many vouchers the account had and now has by its count.
func (fifty) count(a *outsideAccount) (had, has int64) {
	had = a.stands["spent"] / fiftySpend
	spent := int64(0)
	for _, s := range a.sales {
		if s.category == "GROCERY" || s.category == "DINING" || s.category == "ONLINE" {
			spent += s.kept
		}
	}
	a.stands["spent"] = spent
	return had, spent / fiftySpend
}

func (f fifty) sold(a *outsideAccount, s *outsideSale) {
	if had, has := f.count(a); has > had {
		a.row(Earned, (has-had)*fiftyVoucher, s.id, "", "vouchers")
	}
}

func (f fifty) came(a *outsideAccount, r *outsideReturn) {
	if had, has := f.count(a); has < had {
		a.row(Reversed, -fiftyVoucher, r.of, r.id, "voucher taken back")
	}
}

func (fifty) due(*outsideAccount) {}

func (fifty) open(a *outsideAccount) int64 { return a.balance }
