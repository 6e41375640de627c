package program

import (
	"fmt"

	"recoup/internal/kit/yamltree"
	"recoup/reward"
)

// readMCCs returns a list of codes and ranges.
func readMCCs(n yamltree.Node) ([]reward.MCCRange, error) {
	items, err := n.List()
	if err != nil {
		return nil, err
	}
	list := make([]reward.MCCRange, len(items))
	for i, item := range items {
		if list[i], err = readMCC(item); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// readMCC reads a code or a range. Quotes may be left out, since the digits
// count and not the number that YAML makes of them: 0742 is "0742".
func readMCC(n yamltree.Node) (reward.MCCRange, error) {
	const want = `a merchant category code of four digits, such as "0742", or a range such as "5400-5499"`
	text, err := n.Scalar(want)
	if err != nil {
		return reward.MCCRange{}, err
	}
	r, ok := parseMCCs(text)
	if !ok {
		return r, n.Expected(want)
	}
	if r.First > r.Last {
		return r, n.Expected(fmt.Sprintf(`a range that ascends, "%s-%s"`, r.Last, r.First))
	}
	return r, nil
}

// parseMCCs reads "0742" or "5400-5499"; the order of a range is not checked.
func parseMCCs(s string) (reward.MCCRange, bool) {
	if code, ok := reward.ParseMCC(s); ok {
		return reward.MCCRange{First: code, Last: code}, true
	}
	if len(s) != len("5400-5499") || s[4] != '-' {
		return reward.MCCRange{}, false
	}
	first, ok := reward.ParseMCC(s[:4])
	last, also := reward.ParseMCC(s[5:])
	return reward.MCCRange{First: first, Last: last}, ok && also
}
