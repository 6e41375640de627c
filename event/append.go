package event

import (
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"recoup/reward"
)

// Append appends the canonical line of an event to dst, without a newline, and
// returns it. Decode turns it into the same event again, provided that the
// event is one that Decode could have given: Append checks nothing.
func Append(dst []byte, e *reward.Event) []byte {
	dst = append(dst, `{"specversion":"1.0","id":`...)
	dst = appendText(dst, e.ID)
	dst = append(dst, `,"source":`...)
	dst = appendText(dst, e.Source)
	dst = append(dst, `,"type":`...)
	dst = appendText(dst, e.Type.String())
	dst = append(dst, `,"time":"`...)
	dst = e.Time.Time().AppendFormat(dst, time.RFC3339Nano)
	dst = append(dst, `","subject":`...)
	dst = appendText(dst, e.Account)
	dst = append(dst, `,"data":{`...)
	first := len(dst)
	for _, m := range layouts[e.Type].must {
		dst = appendMember(dst, m, e, len(dst) == first)
	}
	for _, m := range layouts[e.Type].may {
		if isSet(m, e) {
			dst = appendMember(dst, m, e, len(dst) == first)
		}
	}
	return append(dst, "}}"...)
}

// isSet reports whether the event has a member that its type may leave out.
func isSet(m member, e *reward.Event) bool {
	switch m {
	case amount:
		return e.HasAmount
	case mcc:
		return e.MCC != 0
	case labels:
		return e.Labels != ""
	case items:
		return e.Items != ""
	case purchased, from:
		return e.Purchased != 0
	case expires:
		return e.Expires != 0
	case linkedBy:
		return e.LinkedBy != reward.LinkUnsaid
	case merchantAmount:
		return e.MerchantAmount != 0
	}
	return *textOf(m, e) != ""
}

func appendMember(dst []byte, m member, e *reward.Event, first bool) []byte {
	if !first {
		dst = append(dst, ',')
	}
	dst = append(append(append(dst, '"'), m.name()...), `":`...)
	switch m {
	case amount:
		return strconv.AppendInt(dst, e.Amount, 10)
	case mcc:
		return appendText(dst, e.MCC.String())
	case labels:
		return appendLabels(dst, e.Labels)
	case items:
		return appendItems(dst, e.Items)
	case purchased, from:
		dst = append(dst, '"')
		dst = e.Purchased.Time().AppendFormat(dst, time.RFC3339Nano)
		return append(dst, '"')
	case expires:
		return appendText(dst, e.Expires.String())
	case merchantAmount:
		return strconv.AppendInt(dst, e.MerchantAmount, 10)
	case linkedBy:
		return appendText(dst, e.LinkedBy.String())
	}
	return appendText(dst, *textOf(m, e))
}

// appendLabels appends labels as an object, by name.
func appendLabels(dst []byte, l reward.Labels) []byte {
	dst = append(dst, '{')
	first := len(dst)
	for name, text := range l.All() {
		if len(dst) > first {
			dst = append(dst, ',')
		}
		dst = append(appendText(dst, name), ':')
		dst = appendText(dst, text)
	}
	return append(dst, '}')
}

// appendText appends a string in quotes. The error it leaves aside is about
// invalid UTF-8, which no decoded event has and which is replaced.
func appendText(dst []byte, s string) []byte {
	dst, _ = jsontext.AppendQuote(dst, s)
	return dst
}
