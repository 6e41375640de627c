package foreign

func (d *indigoDesk) Postings(account string) []Posting {
	if a := d.accounts[account]; a != nil {
		return append([]Posting(nil), a.rows...)
	}
	return nil
}

// PaidOut is what a program paid out by itself.
func (d *indigoDesk) PaidOut(account string) (int64, error) {
	a, err := d.find(account)
	if err != nil {
		return 0, err
	}
	return a.paid, nil
}

// post adds a row; one of nothing is none.
func (a *indigoAccount) post(kind Kind, amount int64, txn, refund, note string) {
	if amount == 0 {
		return
	}
	a.sum += amount
	a.rows = append(a.rows, Posting{At: a.now, Kind: kind, Amount: amount, Transaction: txn, Refund: refund, Note: note})
}

// level brings the lines to what they should be: those that fall at once, those that rise
// only if raise is set. row writes the rows of one line.
func (a *indigoAccount) level(lines []indigoLine, raise bool, row func(l indigoLine, have int64)) {
	for _, l := range lines {
		have := a.booked[l.key]
		if l.want == have || l.want > have && !raise {
			a.dirty = a.dirty || l.want != have
			continue
		}
		row(l, have)
		a.booked[l.key] = l.want
	}
}
