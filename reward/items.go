package reward

import (
	"iter"
	"strconv"
	"strings"
)

// MaxItems is how many items a purchase, or a refund, may name.
const MaxItems = 200

// Item is a line of a purchase's receipt, or what a refund says of one, which is its
// id and an amount alone. Amounts are in minor units; zero members were left out.
type Item struct {
	ID       string
	Amount   int64
	Category string
	MCC      MCC
	Labels   Labels
}

// Items are items in their order, in one text so that events compare. The zero value
// says that there was no list; that of MakeItems without items is an empty one.
type Items string

// Each field of an item ends with fieldEnd, and each item with itemEnd: characters that
// no text of an event may have. Labels come last, with ends of their own.
const (
	fieldEnd = labelEnd
	itemEnd  = "\x01"
)

// MakeItems returns a list of items. No text of theirs may have a control character.
func MakeItems(list []Item) Items {
	if len(list) == 0 {
		return itemEnd
	}
	var b strings.Builder
	for _, x := range list {
		for _, field := range [...]string{x.ID, strconv.FormatInt(x.Amount, 10), x.Category, x.MCC.String()} {
			b.WriteString(field + fieldEnd)
		}
		b.WriteString(string(x.Labels) + itemEnd)
	}
	return Items(b.String())
}

// All yields the items in their order.
func (l Items) All() iter.Seq[Item] {
	return func(yield func(Item) bool) {
		if l == itemEnd {
			return
		}
		for rest := string(l); rest != ""; {
			var line string
			line, rest, _ = strings.Cut(rest, itemEnd)
			if !yield(itemOf(line)) {
				return
			}
		}
	}
}

func itemOf(line string) (x Item) {
	next := func() (field string) {
		field, line, _ = strings.Cut(line, fieldEnd)
		return field
	}
	x.ID = next()
	x.Amount, _ = strconv.ParseInt(next(), 10, 64)
	x.Category = next()
	x.MCC, _ = ParseMCC(next())
	x.Labels = Labels(line)
	return x
}

// total adds up items that can be those of something: 1 to MaxItems, each with an id of
// its own and an amount above zero, together at most MaxAmount. It is zero for others.
func (l Items) total() (sum int64) {
	seen := make(map[string]bool)
	for x := range l.All() {
		if seen[x.ID] || x.ID == "" || x.Amount <= 0 || x.Amount > MaxAmount-sum || len(seen) == MaxItems {
			return 0
		}
		seen[x.ID] = true
		sum += x.Amount
	}
	return sum
}

// count is how many items there are.
func (l Items) count() (n int) {
	for range l.All() {
		n++
	}
	return n
}
