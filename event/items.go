package event

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"recoup/reward"
)

// itemMember is one member of an item.
type itemMember uint8

const (
	itemName itemMember = 1 << iota
	itemAmount
	itemCategory
	itemMCC
	itemLabels
)

var itemMembers = map[string]itemMember{
	"item": itemName, "amount": itemAmount, "category": itemCategory, "mcc": itemMCC, "labels": itemLabels,
}

// maxItems bounds what is read of a list: one more than rules let pass, so that a list
// that is too long for them is still read as one.
const maxItems = reward.MaxItems + 1

// items reads a list of items. What no purchase can have is for the rules to refuse.
func (d *Decoder) items(raw jsontext.Value) (reward.Items, error) {
	const path = "data.items"
	if raw.Kind() != jsontext.KindBeginArray {
		return "", wrong(path, "a list of items", raw)
	}
	in := jsontext.NewDecoder(bytes.NewReader(raw.Clone()), duplicatesCheckedHere)
	if _, err := in.ReadToken(); err != nil {
		return "", d.explain(err)
	}
	var list []reward.Item
	for in.PeekKind() != jsontext.KindEndArray {
		x, err := d.item(fmt.Sprintf("%s[%d]", path, len(list)), in)
		if err != nil {
			return "", err
		}
		if list = append(list, x); len(list) == maxItems {
			break
		}
	}
	return reward.MakeItems(list), nil
}

func (d *Decoder) item(path string, in *jsontext.Decoder) (x reward.Item, err error) {
	open, err := in.ReadToken()
	if err != nil {
		return x, d.explain(err)
	}
	if open.Kind() != jsontext.KindBeginObject {
		return x, fault(path, "expected an object, found "+kindOf(open.Kind()))
	}
	var have itemMember
	for in.PeekKind() != jsontext.KindEndObject {
		name, err := in.ReadValue()
		if err != nil {
			return x, d.explain(err)
		}
		content, _ := d.unquote(name)
		m, at := itemMembers[string(content)], path+"."+excerpt(string(content))
		switch {
		case m == 0:
			return x, fault(at, "unknown member")
		case have&m != 0:
			return x, twice(at)
		}
		have |= m
		value, err := in.ReadValue()
		if err != nil {
			return x, d.explain(err)
		}
		if err := d.itemMember(at, m, value, &x); err != nil {
			return x, err
		}
	}
	if _, err := in.ReadToken(); err != nil {
		return x, d.explain(err)
	}
	for _, name := range [...]string{"item", "amount"} {
		if have&itemMembers[name] == 0 {
			return x, fault(path+"."+name, "missing; every item must have it")
		}
	}
	return x, nil
}

func (d *Decoder) itemMember(path string, m itemMember, raw jsontext.Value, x *reward.Item) (err error) {
	var want string
	switch m {
	case itemAmount:
		x.Amount, want = parseAmount(raw)
	case itemLabels:
		x.Labels, err = d.labels(path, raw)
		return err
	default:
		var content []byte
		if content, want = d.text(raw); want != "" {
			break
		}
		switch m {
		case itemName:
			x.ID = string(content)
		case itemCategory:
			x.Category = string(content)
		case itemMCC:
			x.MCC, want = parseMCC(content)
		}
	}
	if want != "" {
		return wrong(path, want, raw)
	}
	return nil
}

// checkItems reports what an item of a refund says that only a purchase's may.
func checkItems(e *reward.Event) error {
	if e.Type != reward.RefundPosted {
		return nil
	}
	n := 0
	for x := range e.Items.All() {
		if x.Category != "" || x.MCC != 0 || x.Labels != "" {
			return fault(fmt.Sprintf("data.items[%d]", n), "expected item and amount alone: what it was of, the purchase says")
		}
		n++
	}
	return nil
}

// appendItems appends a list of items.
func appendItems(dst []byte, l reward.Items) []byte {
	dst = append(dst, '[')
	first := len(dst)
	for x := range l.All() {
		if len(dst) > first {
			dst = append(dst, ',')
		}
		dst = appendText(append(dst, `{"item":`...), x.ID)
		dst = strconv.AppendInt(append(dst, `,"amount":`...), x.Amount, 10)
		if x.Category != "" {
			dst = appendText(append(dst, `,"category":`...), x.Category)
		}
		if x.MCC != 0 {
			dst = appendText(append(dst, `,"mcc":`...), x.MCC.String())
		}
		if x.Labels != "" {
			dst = appendLabels(append(dst, `,"labels":`...), x.Labels)
		}
		dst = append(dst, '}')
	}
	return append(dst, ']')
}
