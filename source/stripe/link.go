package stripe

import (
	"slices"
	"strings"

	"recoup/source"
)

// authorizationKey is under which the captures of an authorisation are kept, for the refunds
// that name it.
func authorizationKey(id id) string { return "captures " + string(id) }

// linkKey is under which it is kept of which capture a refund was said to be.
func linkKey(refund string) string { return "link " + refund }

// unlinked stands for none.
const unlinked = "-"

// maxCaptures is how many of one authorisation are kept. With two it is not known already
// which of them a refund is of.
const maxCaptures = 2

// keepCapture keeps of which authorisation a capture is.
func (w *webhook) keepCapture(kept *source.Notebook, t *transaction, account string) {
	if !source.IsID(string(t.Authorization)) {
		return
	}
	key := authorizationKey(t.Authorization)
	captures := strings.Fields(kept.Get(key))
	if len(captures) < maxCaptures && !slices.Contains(captures, t.ID) {
		kept.Put(key, strings.Join(append(captures, t.ID), " "), account)
	}
}

// guess is the capture that a refund is of by the authorisation that it names: the only one
// that had come by then; "" if there is none. What was said once is said again whenever the
// refund comes again.
func (w *webhook) guess(kept *source.Notebook, t *transaction, account string) (capture string) {
	if !source.IsID(string(t.Authorization)) {
		return ""
	}
	said := kept.Get(linkKey(t.ID))
	if said == "" {
		said = unlinked
		if captures := strings.Fields(kept.Get(authorizationKey(t.Authorization))); len(captures) == 1 {
			said = captures[0]
		}
		kept.Put(linkKey(t.ID), said, account)
	}
	if said == unlinked {
		return ""
	}
	return said
}
