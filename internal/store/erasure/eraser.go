package erasure

import (
	"bytes"
	"hash"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"recoup/reward"
)

// subject is the member of an event's line that is the account's id.
const subject = "subject"

// inLine and inPostings are the members, of the line of an event and of its postings, whose
// texts are replaced. Who decided something by hand, actor and approver, stays: that is staff, and
// what the two of them answer for. So do the names of labels and attributes, which are the
// terms', and categories, which what is earned depends on, and
// ids, which others know the same facts by.
func inLine(member []byte) bool {
	switch string(member) {
	case subject, "merchant", "reason", "method", "value", labels:
		return true
	}
	return false
}

func inPostings(member []byte) bool { return string(member) == "reason" }

// Eraser puts tokens in place of an account's texts. That of the nil Key leaves them as
// they are. It is not safe for concurrent use.
type Eraser struct {
	// Named reports whether the terms of a program name a text of a member: a merchant,
	// one of labels, or the value of an attribute. What is earned depends on those, so
	// they stay, after their tokens, which the chain does not cover. Nil, as for the
	// chain: tokens alone.
	Named func(member, text string) bool

	mac hash.Hash // nil: there is no key
	sum []byte
}

// AppendLine appends the line of an event with tokens in place of what is personal in it.
// All else stays byte for byte, whether or not it is as this program writes it. Of an
// account without a key, what a token has after it is left out: so what becomes of a line,
// without Named, is the same before and after its account is forgotten.
func (e *Eraser) AppendLine(dst, line []byte) []byte { return e.append(dst, line, inLine) }

// AppendPostings is AppendLine of the postings of an event.
func (e *Eraser) AppendPostings(dst, postings []byte) []byte {
	return e.append(dst, postings, inPostings)
}

func (e *Eraser) append(dst, text []byte, personal func(member []byte) bool) []byte {
	if e.mac == nil && !bytes.Contains(text, []byte(reward.ErasedPrefix)) {
		return append(dst, text...)
	}
	done := 0   // of the text
	inside := 0 // where the labels end that it is among
	for at := 0; ; {
		name, next := quoted(text, at)
		if next < 0 {
			break
		}
		at = next
		if bytes.HasPrefix(text[at:], []byte(`:{`)) && string(name) == labels && personal(name) {
			inside = objectEnd(text, at+1)
			continue
		}
		if at < inside {
			name = []byte(labels)
		}
		if !bytes.HasPrefix(text[at:], []byte(`:"`)) || !personal(name) {
			continue
		}
		value, next := quoted(text, at)
		if next < 0 {
			break
		}
		at = next
		if len(value) > 0 {
			end := at - 1
			dst = append(dst, text[done:end-len(value)]...)
			dst, done = e.replace(dst, name, value), end
		}
	}
	return append(dst, text[done:]...)
}

// labels is the member that has texts of its own by name, all of them personal.
const labels = "labels"

// objectEnd is where an object of texts ends that begins at a brace.
func objectEnd(text []byte, at int) int {
	for {
		brace := bytes.IndexByte(text[at:], '}')
		_, next := quoted(text, at)
		if brace < 0 {
			return len(text)
		}
		if open := bytes.IndexByte(text[at:], '"'); next < 0 || open > brace {
			return at + brace
		}
		at = next
	}
}

// quoted returns what stands between the next quotes, and where it goes on after them;
// less than zero: there are none.
func quoted(text []byte, at int) (inner []byte, next int) {
	open := bytes.IndexByte(text[at:], '"')
	if open < 0 {
		return nil, -1
	}
	open += at + 1
	for end := open; ; end++ {
		quote := bytes.IndexByte(text[end:], '"')
		if quote < 0 {
			return nil, -1
		}
		end += quote
		escapes := 0
		for end-escapes > open && text[end-escapes-1] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return text[open:end], end + 1
		}
	}
}

// replace appends what is put in place of a text.
func (e *Eraser) replace(dst, member, text []byte) []byte {
	matched := false // by terms
	switch string(member) {
	case "merchant", labels, "value":
		matched = true
	}
	if e.mac == nil {
		if matched && bytes.HasPrefix(text, []byte(reward.ErasedPrefix)) {
			text, _, _ = bytes.Cut(text, []byte(" "))
		}
		return append(dst, text...)
	}
	dst = e.token(dst, member, text)
	if !matched || e.Named == nil {
		return dst
	}
	name, err := jsontext.AppendUnquote(nil, slices.Concat([]byte(`"`), text, []byte(`"`)))
	if known := reward.MatchedText(string(name)); err == nil && e.Named(string(member), known) {
		name, _ = jsontext.AppendQuote(nil, known) // it was UTF-8
		dst = append(append(dst, ' '), name[1:len(name)-1]...)
	}
	return dst
}
