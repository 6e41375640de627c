package scenario

import "recoup/reward"

// This file reads what terms may ask for besides merchant, code and category: labels,
// written name=value, and the lines of a receipt, "item pan 39.50 HOME sale=yes". What
// stands behind an item is the item's.

// label reads one label, of the move or of its last item.
func (r *moveReader) label(name, value string) error {
	switch {
	case r.has&withLabels == 0 && len(r.step.Move.Items) == 0:
		return r.errorf("%s: it has no labels", r.name)
	case !reward.IsName(name) || !isWord(value):
		return r.errorf("%s: label %q: expected a name and a value, such as channel=app", r.name, clip(name+"="+value))
	case r.labels[name] != "":
		return r.errorf("%s: it has the label %q twice", r.name, name)
	case r.has&oneLabel != 0 && len(r.labels) > 0:
		return r.errorf("%s: it sets %q as well: expected one name and value", r.name, name)
	case len(r.labels) == reward.MaxLabels:
		return r.errorf("%s: more than %d labels", r.name, reward.MaxLabels)
	}
	if r.labels == nil {
		r.labels = map[string]string{}
	}
	r.labels[name] = value
	return nil
}

// endLabels gives the labels read so far to what they are of.
func (r *moveReader) endLabels() {
	of := &r.step.Move.Labels
	if n := len(r.step.Move.Items); n > 0 {
		of = &r.step.Move.Items[n-1].Labels
	}
	*of, r.labels = reward.MakeLabels(r.labels), nil
}

// item reads the id and the amount of one line of a receipt.
func (r *moveReader) item() error {
	r.endLabels()
	r.seen = nil // each item has its own code and category
	m := &r.step.Move
	if len(m.Items) == reward.MaxItems {
		return r.errorf("%s: more than %d items", r.name, reward.MaxItems)
	}
	id, err := r.word("an item behind \"item\"")
	if err != nil {
		return err
	}
	for _, before := range m.Items {
		if before.ID == id {
			return r.errorf("%s: it has the item %q twice", r.name, id)
		}
	}
	amount, err := r.amount()
	m.Items = append(m.Items, reward.Item{ID: id, Amount: amount})
	return err
}

// whole checks that nothing is missing of labels and items.
func (r *moveReader) whole() error {
	m := &r.step.Move
	var sum int64
	for _, item := range m.Items {
		sum += item.Amount
	}
	switch {
	case r.has&oneLabel != 0 && m.Labels == "":
		return r.errorf("%s: expected what it sets, such as plan=gold", r.name)
	case m.Kind == Itemize && len(m.Items) == 0:
		return r.errorf("%s: expected items, such as \"item pan 39.50\"", r.name)
	case m.Kind != Itemize && len(m.Items) > 0 && sum != m.Amount:
		return r.errorf("%s: its items come to another amount than it: expected all of it", r.name)
	}
	return nil
}

// itemOf names an item of a purchase, as "really" does.
func itemOf(purchase, item string) string { return purchase + "/" + item }
