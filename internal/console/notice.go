package console

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/url"
	"strconv"
	"strings"

	"recoup/internal/console/locale"
)

// noticeField is the field of an address with what was done before the page: the key of
// a notice, its numbers, and a seal.
const noticeField = "notice"

// sealedNotice is what an address of a path has of a notice. Only a session's own redirects
// make one that is shown in that session: nobody can have a page say that something was done
// by a link.
func (v *visit) sealedNotice(path, notice string, numbers []int64) string {
	for _, n := range numbers {
		notice += "~" + strconv.FormatInt(n, 10)
	}
	return notice + "." + v.noticeSeal(path, notice)
}

// noticeSeal follows from what forms of the session carry, which nobody else has.
func (v *visit) noticeSeal(path, notice string) string {
	mac := hmac.New(sha256.New, []byte(v.console.sessions.Token(v.r)))
	mac.Write([]byte("recoup console: notice\n" + path + "\n" + notice))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:12])
}

// signedOut is the one notice that has no session to be of. It says what is plain to see.
const signedOut = "signed-out"

// noticed is what the page is to say was done; empty: nothing.
func (v *visit) noticed() string {
	asked := v.r.URL.Query().Get(noticeField)
	if asked == signedOut && v.person.ID == "" {
		return v.locale.Say(notices[signedOut])
	}
	notice, seal, _ := strings.Cut(asked, ".")
	if v.console.sessions.Token(v.r) == "" || !hmac.Equal([]byte(seal), []byte(v.noticeSeal(v.r.URL.Path, notice))) {
		return ""
	}
	key, rest, _ := strings.Cut(notice, "~")
	var numbers []any
	for text := range strings.SplitSeq(rest, "~") {
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			numbers = append(numbers, v.locale.Count(n))
		}
	}
	return v.locale.Sprintf(string(notices[key]), numbers...)
}

// noticedAt is an address that says of its page what was done.
func (v *visit) noticedAt(path, notice string, numbers []int64) (string, error) {
	u, err := url.Parse(path)
	if err != nil {
		return "", err
	}
	q := u.Query()
	if notice == signedOut {
		q.Set(noticeField, notice)
	} else {
		q.Set(noticeField, v.sealedNotice(u.Path, notice, numbers))
	}
	u.RawQuery = q.Encode()
	return u.String(), nil
}

// notices are what a page says was done, by the key that is in its address.
var notices = map[string]locale.Text{
	signedOut:           "You are signed out.",
	"replayed":          "The delivery is tried again at once.",
	"replayed-all":      "Deliveries that are tried again at once: %s.",
	"webhook-replayed":  "The webhook is taken again within a second or two.",
	"webhook-dismissed": "The webhook is dismissed, and leaves the list.",
	"terms-proposed":    "The version waits for another person, who has to approve it.",

	"draft-saved":         "The draft is saved.",
	"draft-deleted":       "The draft is deleted.",
	"withdrawal-proposed": "The withdrawal waits for another person, who has to approve it.",

	"linked":      "The refund is linked.",
	"linked-over": "The refund is linked. More came back for the purchase than was paid, which is a review of its own.",
	"counted":     "It counts now.",
	"admitted":    "It is let in, as it was sent.",
	"dismissed":   "It is dismissed, and leaves the list.",
	"undone":      "The refund counts for nothing here any more, and what it took is given back.",
	"settled":     "It stays as it was, and is closed again.",

	"confirmed":        "Matches confirmed: %s.",
	"confirmed-some":   "Matches confirmed: %s. Left, since something about them has changed: %s.",
	"noted":            "The note is kept.",
	"assigned":         "It is assigned.",
	"freed":            "It is nobody's.",
	"snoozed":          "It is put off.",
	"woken":            "It is on the list again.",
	"reopened":         "It is to be looked at once more.",
	"filter-saved":     "The filter is saved.",
	"filter-forgotten": "The filter is forgotten.",

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
