package console

import (
	"regexp"
	"strconv"

	"recoup/internal/console/locale"
)

// The reasons that the console writes into the log of who proposes terms. They are English
// there, and are read back to be said in a reader's language.
const (
	wasPreviewed  locale.Text = "previewed in the console"
	costPreviewed locale.Text = "previewed in the console: the cost changes by %s"
	withdraws     locale.Text = "withdraws version %d: the terms of version %d go on"
)

var (
	costReason      = regexp.MustCompile(`^previewed in the console: the cost changes by (from nothing|[-+]\d+\.\d %)$`)
	withdrawsReason = regexp.MustCompile(`^withdraws version (\d{1,9}): the terms of version (\d{1,9}) go on$`)
)

// reasonOf says why something was proposed: a person's own words as they are, and of terms
// what the console wrote, in the page's language.
func reasonOf(l *locale.Locale) func(terms bool, reason string) any {
	return func(terms bool, reason string) any {
		if !terms {
			return visibleText(reason)
		}
		if reason == string(wasPreviewed) {
			return l.Say(wasPreviewed)
		}
		if m := costReason.FindStringSubmatch(reason); m != nil {
			return l.Sprintf(string(costPreviewed), changeShown(l, m[1]))
		}
		if m := withdrawsReason.FindStringSubmatch(reason); m != nil {
			version, _ := strconv.Atoi(m[1]) // digits
			to, _ := strconv.Atoi(m[2])
			return l.Sprintf(string(withdraws), version, to)
		}
		return visibleText(reason)
	}
}
