package program

import (
	"strings"

	"recoup/internal/kit/yamltree"
	"recoup/reward"
)

// builtInCodes are the categories that every program knows, as codes and ranges
// of ISO 18245.
var builtInCodes = []struct{ category, codes string }{
	{"GROCERY", "5411 5422 5441 5451 5462 5499"},
	{"GAS", "5541 5542 5983"},
	{"DINING", "5811-5814"},
	{"TRAVEL", "3000-3999 4411 4511 4722 7011 7012 7512"},
	{"TRANSIT", "4111 4112 4121 4131 4784 7523"},
	{"DRUGSTORE", "5912"},
	{"ENTERTAINMENT", "7832 7922 7929 7991 7996 7998 7999"},
	{"STREAMING", "4899 5815-5818"},
	{"HOME", "5200 5211 5231 5251 5261"},
	{"DEPARTMENT", "5309-5311 5331"},
	{"CASH_LIKE", "4829 6010-6012 6050 6051 6211 6540 7800-7802 7995"},
}

var builtIn = builtInCategories()

// BuiltInCategories returns the names of the categories that every program knows.
func BuiltInCategories() []string {
	names := make([]string, len(builtInCodes))
	for i, row := range builtInCodes {
		names[i] = row.category
	}
	return names
}

func builtInCategories() *categories {
	c := &categories{names: []string{""}}
	for _, row := range builtInCodes {
		category := c.add(row.category)
		for codes := range strings.FieldsSeq(row.codes) {
			r, ok := parseMCCs(codes)
			if !ok {
				panic("program: built-in category " + row.category + ": " + codes)
			}
			for code := r.First; code <= r.Last; code++ {
				c.byCode[code] = category
			}
		}
	}
	return c
}

// categories gives each merchant category code its category. It is asked for
// every purchase, hence a table.
type categories struct {
	names  []string                    // names[0] is "", no category
	byCode [maxCode + 1]categoryNumber // by reward.MCC; an index into names
}

type categoryNumber uint16

// maxCode is the reward.MCC of "9999".
const maxCode reward.MCC = 10_000

// of returns the category of the code, "" for none.
func (c *categories) of(code reward.MCC) string {
	if code > maxCode {
		return ""
	}
	return c.names[c.byCode[code]]
}

// add appends a category without codes.
func (c *categories) add(name string) categoryNumber {
	c.names = append(c.names, name)
	return categoryNumber(len(c.names) - 1)
}

// MaxCategories is the largest number of categories that a program may define.
const MaxCategories = 1000

// readCategories lays the program's own categories over the built-in table.
func readCategories(dst *func(reward.MCC) string) yamltree.Reader {
	return func(n yamltree.Node) error {
		entries, err := n.Entries()
		if err != nil {
			return err
		}
		if len(entries) > MaxCategories {
			return n.Fail("expected at most %d categories, not %d", MaxCategories, len(entries))
		}
		c := &categories{names: append([]string(nil), builtIn.names...), byCode: builtIn.byCode}
		firstOwn := categoryNumber(len(c.names))
		for _, e := range entries {
			items, err := e.List()
			if err != nil {
				return err
			}
			category := c.add(e.Name)
			for _, item := range items {
				r, err := readMCC(item)
				if err != nil {
					return err
				}
				for code := r.First; code <= r.Last; code++ {
					if other := c.byCode[code]; other >= firstOwn && other != category {
						return item.Fail("the code %s is in the category %s already", code, yamltree.Quote(c.names[other]))
					}
					c.byCode[code] = category
				}
			}
		}
		*dst = c.of
		return nil
	}
}
