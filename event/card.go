package event

import "recoup/reward"

// A card number has between 13 and 19 digits.
const (
	shortestCard = 13
	longestCard  = 19
)

// CardNumber reports whether a text of the event looks like the number of a
// payment card, and as which member of its line: "subject", "data.merchant". A
// service refuses such an event, so that no card number comes to rest in a
// database by somebody's mistake in mapping members. It looks at each text as a
// whole: 13 to 19 digits, perhaps with single spaces or dashes between them,
// whose check digit is right. One in ten of all numbers of that length has a
// right check digit by chance, so ids should have a letter.
func CardNumber(e *reward.Event) (member string, ok bool) {
	for _, of := range [...]struct{ member, text string }{
		{id.name(), e.ID}, {source.name(), e.Source}, {subject.name(), e.Account},
	} {
		if isCardNumber(of.text) {
			return of.member, true
		}
	}
	for _, m := range cardCandidates {
		if isCardNumber(*textOf(m, e)) {
			if m == program { // stands for all that are kept in Fact
				m = facts & musts[e.Type]
			}
			return "data." + m.name(), true
		}
	}
	return "", false
}

// cardCandidates are the members of data whose text might be a card number, one
// of them for each that an event keeps.
var cardCandidates = [...]member{transaction, program, merchant, category, method, reason, actor, approver, as}

// isCardNumber goes by the check digit of ISO/IEC 7812: of the digits from the
// last to the first, every second one counts twice, the digits of the doubled
// ones are added, and the sum ends in zero.
func isCardNumber(text string) bool {
	n := len(text)
	if n < shortestCard || n >= 2*longestCard || !isDigit(text[0]) || !isDigit(text[n-1]) {
		return false
	}
	digits, sum := 0, 0
	for i := n - 1; i >= 0; i-- {
		c := text[i]
		if c == ' ' || c == '-' {
			if !isDigit(text[i-1]) {
				return false
			}
			continue
		}
		if !isDigit(c) {
			return false
		}
		d := int(c - '0')
		if digits%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
		digits++
	}
	return shortestCard <= digits && digits <= longestCard && sum%10 == 0
}
