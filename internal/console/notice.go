package console

import "recoup/internal/console/locale"

// notices are what a page says was done, by the key that is in its address. That
// way nobody can put words of their own into a page by a link.
var notices = map[string]locale.Text{
	"signed-out":     "You are signed out.",
	"replayed":       "The delivery is tried again at once.",
	"terms-proposed": "The version waits for another person, who has to approve it.",

	"linked":      "The refund is linked.",
	"linked-over": "The refund is linked. More came back for the purchase than was paid, which is a review of its own.",
	"counted":     "It counts now.",
	"admitted":    "It is let in, as it was sent.",
	"dismissed":   "It is dismissed, and leaves the list.",

	"adjusted":          "The adjustment is posted.",
	"proposed":          "The adjustment waits for another person, who has to approve it.",
	"approved":          "The adjustment is approved and posted.",
	"rejected":          "The adjustment is rejected. Nothing was posted.",
	"withdrawn":         "The adjustment is withdrawn. Nothing was posted.",
	"decision-proposed": "The decision waits for another person, who has to approve it.",
	"approved-other":    "It is approved, and done.",
	"rejected-other":    "It is rejected. Nothing was done.",
	"withdrawn-other":   "It is withdrawn. Nothing was done.",

	"known": "This adjustment was proposed before, and somebody has decided about it.",
}
