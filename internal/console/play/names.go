package play

import (
	"strconv"
	"strings"
)

// things are what is bought where no category says it.
var things = []string{"headphones", "coat", "lamp", "kettle", "backpack", "camera", "chair", "blender", "tent", "watch", "radio", "carpet"}

// shops are what stands on the doors of m1, m2 and so on.
var shops = []string{"the corner shop", "the market hall", "the department store", "the outlet"}

// Names are what people call the purchases of a run, in its order: "the groceries". Links
// and files call them t1, t2 and so on.
func (r Run) Names() []string {
	var names []string
	times := make(map[string]int)
	other := 0
	for i := range r.Moves {
		m := &r.Moves[i]
		if m.Kind != Buy {
			continue
		}
		name := Goods(m.Category)
		if name == "" {
			name = things[other%len(things)]
			other++
		}
		if times[name]++; times[name] > 1 {
			name += " (" + strconv.Itoa(times[name]) + ")"
		}
		names = append(names, "the "+name)
	}
	return names
}

// name is what people call a purchase; one that is not in the run is yet to come.
func (r Run) name(n int) string {
	if names := r.Names(); n <= len(names) {
		return names[n-1]
	}
	return "what is yet to be bought"
}

// Goods are what a category is of, in people's words; "" for none.
func Goods(category string) string {
	switch category {
	case grocery:
		return "groceries"
	case "GAS", "FUEL":
		return "fuel"
	}
	return strings.ReplaceAll(strings.ToLower(category), "_", " ")
}

// Shop is what people call a merchant: m1 is the corner shop, others are as they are.
func Shop(merchant string) string {
	if n, ok := number(strings.TrimPrefix(merchant, "m"), len(shops)); ok && merchant[0] == 'm' {
		return shops[n-1]
	}
	return merchant
}
