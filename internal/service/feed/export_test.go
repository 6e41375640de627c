package feed

import (
	"fmt"
	"strings"
)

// Gaps are what languages do not say, or with other values than English does.
func Gaps() (list []string) {
	for _, l := range languages {
		for s := range sentences {
			text, there := l.say[s]
			if !there || text == "" {
				list = append(list, fmt.Sprintf("%s does not say %d", l.Tag, s))
			}
			for n := 1; n <= 9; n++ {
				value := fmt.Sprintf("%%%d", n)
				if strings.Contains(text, value) != strings.Contains(english.say[s], value) {
					list = append(list, fmt.Sprintf("%s says %q, English %q", l.Tag, text, english.say[s]))
				}
			}
		}
	}
	return list
}
