package feed

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/language"

	"recoup/internal/store/durable"
	"recoup/program"
	"recoup/reward"
)

// Language is one that entries are told in.
type Language struct {
	Tag          string // BCP 47
	point, group string
	trailer      bool   // the unit comes after the amount
	date         string // with the day, the month's name and the year
	months       [12]string
	say          map[sentence]string
}

// languages are those that there are, the usual one first. Each says every sentence.
var languages = []*Language{&english, &german, &french, &spanish}

// Languages are their tags.
func Languages() (tags []any) {
	for _, l := range languages {
		tags = append(tags, l.Tag)
	}
	return tags
}

// matcher finds the nearest of the languages.
var matcher = language.NewMatcher([]language.Tag{language.English, language.German, language.French, language.Spanish})

// LanguageFor returns the language that is nearest to what somebody wants, as the header
// Accept-Language has it or as a single tag: English if nothing is near.
func LanguageFor(wanted string) *Language {
	list, _, err := language.ParseAcceptLanguage(wanted)
	if err != nil {
		return languages[0]
	}
	_, i, _ := matcher.Match(list...)
	return languages[i]
}

// Telling is what entries are told with.
type Telling struct {
	*Language
	Units reward.Units
	Zone  *time.Location
}

// amount writes an amount of what rewards are in, and spend one of the currency.
func (t *Telling) amount(minor int64) string {
	return t.write(minor, t.Units.Reward.Name, program.Decimals(t.Units.Reward))
}

func (t *Telling) spend(minor int64) string {
	decimals, _ := program.MinorUnits(t.Units.Currency)
	return t.write(minor, t.Units.Currency, decimals)
}

// write writes an amount, zero or more, from its digits.
func (t *Telling) write(minor int64, unit string, decimals int) string {
	digits := strconv.FormatInt(minor, 10)
	if short := decimals + 1 - len(digits); short > 0 {
		digits = strings.Repeat("0", short) + digits
	}
	whole := digits[:len(digits)-decimals]
	var text strings.Builder
	for i, c := range whole {
		if i > 0 && (len(whole)-i)%3 == 0 {
			text.WriteString(t.group)
		}
		text.WriteRune(c)
	}
	if decimals > 0 {
		text.WriteString(t.point + digits[len(whole):])
	}
	symbol, sole := program.Symbol(unit)
	switch {
	case t.trailer || !t.isCurrency(unit):
		return text.String() + "\u00a0" + symbol
	case sole:
		return symbol + text.String()
	}
	return symbol + "\u00a0" + text.String()
}

// isCurrency reports whether a unit is money rather than points.
func (t *Telling) isCurrency(unit string) bool {
	_, is := program.MinorUnits(unit)
	return is
}

// day writes the day of a moment in the program's zone.
func (t *Telling) day(at reward.Instant) string {
	d := at.Time().In(t.Zone)
	return fmt.Sprintf(t.date, d.Day(), t.months[d.Month()-1], d.Year())
}

// fill is a sentence with its values in the places of %1, %2 and so on, of which it may leave
// some out.
func (t *Telling) fill(s sentence, values ...string) string {
	text := t.say[s]
	for i, v := range values {
		text = strings.ReplaceAll(text, "%"+strconv.Itoa(i+1), v)
	}
	return text
}

// Why says in one sentence why an entry stands as it does.
func (t *Telling) Why(e *Entry) string {
	switch {
	case e.Purchase != nil:
		return t.purchase(e)
	case e.Payout != nil:
		return t.payout(e)
	case e.Posting != nil:
		return t.posting(e)
	}
	return t.fill(heldTogether, t.amount(e.Pending))
}

func (t *Telling) purchase(e *Entry) string {
	p := e.Purchase
	switch {
	case e.comes() && p.Settled == 0:
		return t.say[notCharged]
	case e.comes():
		return t.say[awaitsStatement]
	case e.Pending > 0:
		return t.held(e)
	case e.TakenBack > 0:
		return t.fill(t.reasonOf(p), t.amount(e.TakenBack), t.spend(p.Reversed), t.spend(p.Amount))
	case e.State == Available:
		return t.say[usable]
	case p.Settled == 0:
		return t.say[canceled]
	case p.Reversed > 0:
		return t.say[cameBackUnrewarded]
	}
	return t.say[earnsNothing]
}

// held says what keeps most of a pending reward from being used: what ends last, or never.
func (t *Telling) held(e *Entry) string {
	last := e.Holds[len(e.Holds)-1]
	said := map[reward.HoldReason]sentence{
		reward.HeldForMaturity: matures, reward.HeldForDeferredRefund: goesAtStatement,
		reward.HeldForAnnouncedRefund: refundAnnounced, reward.HeldForWaitingRefund: refundWaits,
	}[last.Why]
	return t.fill(said, t.amount(e.Pending), t.day(last.Until))
}

// reasonOf is the sentence of why a purchase's reward is less than it was.
func (t *Telling) reasonOf(p *reward.Detail) sentence {
	disputed := false
	for _, r := range p.Chargebacks() {
		disputed = disputed || r.Status == reward.ReversalPosted
	}
	switch {
	case p.Withdrawn != 0 && p.Reversed == p.Amount:
		return chargeWithdrawn
	case disputed:
		return wasDisputed
	case p.Reversed == p.Amount:
		return cameBack
	case p.Reversed > 0:
		return cameBackInPart
	}
	return othersChanged
}

func (t *Telling) payout(e *Entry) string {
	switch e.State {
	case Reserved:
		return t.fill(setAside, t.amount(e.Reserved), t.day(e.Payout.Expires))
	case Paid:
		return t.say[paidOut]
	case Returned:
		return t.say[payoutReturned]
	}
	return t.say[payoutReleased]
}

func (t *Telling) posting(e *Entry) string {
	p := e.Posting
	var said sentence
	switch rises := p.Amount > 0; {
	case e.FeedLine.Kind == durable.FeedAdjustment && rises:
		said = corrected
	case e.FeedLine.Kind == durable.FeedAdjustment:
		said = correctedDown
	case e.FeedLine.Kind == durable.FeedExpiry && rises:
		said = expiryUndone
	case e.FeedLine.Kind == durable.FeedExpiry:
		said = expired
	case rises:
		said = bonusReached
	default:
		said = bonusLost
	}
	return t.fill(said, t.amount(max(p.Amount, -p.Amount)))
}
