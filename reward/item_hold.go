package reward

// wouldShareOut says what of the items of a transaction would be reversed if the refunds
// were posted that are announced of it: at home and in firm places, which it puts in
// seen, by its spread, which it returns, and what is short of firm refunds then. Less is
// what that leaves aside of the items' room.
func (a *Account) wouldShareOut(t *transaction, announced span, seen map[*transaction]int64, short map[*refund]int64) (claims []*claim, less []placement) {
	facts, named := t.home+t.pending(), t.pending()
	if t.links != nil {
		named += t.links.named
	}
	homes, spread := a.homes(t, facts, named)
	fits := a.fitItems(t, homes, facts)
	for i, x := range t.items() {
		seen[x] = homes[i]
		for j, fit := range fits[i] {
			f := x.links.firm[j]
			short[f.of] += f.placed - fit
			seen[x] += fit
		}
		if gone := x.room() - (x.amount - seen[x]); gone != 0 {
			less = append(less, placement{x, gone})
		}
	}
	if spread > 0 {
		claims = append(claims, a.spreadOf(t, spread, a.namedAnd(t, announced)))
	}
	return claims, less
}
