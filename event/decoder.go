package event

import (
	"bytes"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"recoup/reward"
)

// MaxLine is the length in bytes of the longest line, without its newline.
const MaxLine = 1 << 20

// A Decoder turns lines into events. It remembers the strings that repeat from
// line to line, so one decoder should read many of them; it is not safe for
// concurrent use.
type Decoder struct {
	json       *jsontext.Decoder
	in         bytes.Buffer
	line       []byte
	scratch    []byte   // the last string that had escapes, without them
	extensions []string // names of the line's extension attributes
	repeated   repeated
	ids        arena
}

// duplicatesCheckedHere: the decoder must know which members it has seen in any
// case, to tell which are missing, and so need not have them remembered twice.
var duplicatesCheckedHere = jsontext.AllowDuplicateNames(true)

// NewDecoder returns a decoder of lines.
func NewDecoder() *Decoder {
	d := &Decoder{repeated: repeated{seed: maphash.MakeSeed()}}
	d.json = jsontext.NewDecoder(&d.in, duplicatesCheckedHere)
	return d
}

// Decode reads the event of one line, with or without its newline, into e. The
// error is an *Error without a place; what e holds then means nothing. The
// event keeps no part of the line.
func (d *Decoder) Decode(line []byte, e *reward.Event) error {
	*e = reward.Event{}
	if len(bytes.TrimSuffix(line, newline)) > MaxLine {
		return lineTooLong()
	}
	d.line, d.in = line, *bytes.NewBuffer(line)
	d.json.Reset(&d.in, duplicatesCheckedHere)
	d.extensions = d.extensions[:0]
	return d.event(e)
}

var newline = []byte{'\n'}

func lineTooLong() *Error {
	return &Error{Problem: fmt.Sprintf("expected a line of at most %d bytes, found a longer one", MaxLine)}
}

// event reads the object of the line, and that there is nothing else.
func (d *Decoder) event(e *reward.Event) error {
	switch open, err := d.json.ReadToken(); {
	case err == io.EOF:
		return fault("", "expected an event, found an empty line")
	case err != nil:
		return d.explain(err)
	case open.Kind() != jsontext.KindBeginObject:
		return fault("", "expected an object, found "+kindOf(open.Kind()))
	}
	var seen attribute
	var have member
	for {
		name, more, err := d.name()
		if err != nil {
			return err
		}
		if !more {
			break
		}
		a := attributeNamed(name)
		if seen&a != 0 {
			return twice(a.name())
		}
		seen |= a
		switch a {
		case data:
			have, err = d.data(e)
		case 0:
			err = d.extension(name)
		default:
			err = d.attribute(a, e)
		}
		if err != nil {
			return err
		}
	}
	if _, err := d.json.ReadToken(); err != io.EOF {
		return fault("", "expected nothing after the event's object, found more")
	}
	if missing := requiredAttributes &^ seen; missing != 0 {
		return fault(missing.name(), "missing; every event must have it")
	}
	if err := checkMembers(e.Type, have, seen&data != 0); err != nil {
		return err
	}
	if one := have & (merchantAmount | merchantCurrency); one == merchantAmount || one == merchantCurrency {
		return fault("data."+one.name(), "expected merchant_amount and merchant_currency together")
	}
	if have&linkedBy != 0 && have&transaction == 0 {
		return fault("data."+linkedBy.name(), "expected with a transaction, which is what it is about")
	}
	return checkItems(e)
}

// name reads the next member's name, which holds until the next read; more is
// false where the object ends instead.
func (d *Decoder) name() (name []byte, more bool, err error) {
	if d.json.PeekKind() == jsontext.KindEndObject {
		_, err := d.json.ReadToken()
		return nil, false, d.explain(err)
	}
	raw, err := d.json.ReadValue()
	if err != nil {
		return nil, false, d.explain(err)
	}
	name, _ = d.unquote(raw)
	return name, true, nil
}

// attribute reads the value of an attribute other than data.
func (d *Decoder) attribute(a attribute, e *reward.Event) error {
	raw, err := d.json.ReadValue()
	if err != nil {
		return d.explain(err)
	}
	content, want := d.text(raw)
	if want == "" {
		switch a {
		case specVersion:
			want = only("1.0", content)
		case id:
			e.ID = d.ids.string(content)
		case source:
			e.Source = d.repeated.string(content)
		case subject:
			e.Account = d.repeated.string(content)
		case instant:
			e.Time, want = parseTime(content)
		case eventType:
			e.Type, want = parseType(content)
		case dataContentType:
			want = only("application/json", content)
		}
	}
	if want != "" {
		return wrong(a.name(), want, raw)
	}
	return nil
}

// extension reads an attribute that CloudEvents lets senders add, only to see
// that it is well formed.
func (d *Decoder) extension(attribute []byte) error {
	name := string(attribute)
	switch {
	case name == "data_base64":
		return fault(name, "expected JSON in data, found binary data")
	case !isExtension(name):
		return fault(excerpt(name), "unknown; an extension attribute's name has only lower-case letters and digits")
	case slices.Contains(d.extensions, name):
		return twice(excerpt(name))
	case len(d.extensions) == maxExtensions:
		return fault(excerpt(name), fmt.Sprintf("expected at most %d extension attributes, found more", maxExtensions))
	}
	d.extensions = append(d.extensions, name)
	raw, err := d.json.ReadValue()
	if err != nil {
		return d.explain(err)
	}
	switch raw.Kind() {
	case jsontext.KindString, jsontext.KindNumber, jsontext.KindTrue, jsontext.KindFalse:
		return nil
	}
	return wrong(excerpt(name), "a string, a number or a boolean", raw)
}

// data reads the members of data, whichever type they are of: the type may come
// later on the line.
func (d *Decoder) data(e *reward.Event) (have member, err error) {
	open, err := d.json.ReadToken()
	if err != nil {
		return 0, d.explain(err)
	}
	if open.Kind() != jsontext.KindBeginObject {
		return 0, fault(data.name(), "expected an object, found "+kindOf(open.Kind()))
	}
	for {
		name, more, err := d.name()
		if !more || err != nil {
			return have, err
		}
		m := memberNamed(name)
		switch {
		case m == 0:
			return have, fault("data."+excerpt(name), "unknown member")
		case have&m != 0:
			return have, twice("data." + m.name())
		}
		have |= m
		if err := d.member(m, e); err != nil {
			return have, err
		}
	}
}

// member reads the value of a member of data.
func (d *Decoder) member(m member, e *reward.Event) error {
	raw, err := d.json.ReadValue()
	if err != nil {
		return d.explain(err)
	}
	var want string
	switch m {
	case amount:
		e.Amount, want = parseAmount(raw)
		e.HasAmount = true
	case mcc:
		content, _ := d.text(raw)
		e.MCC, want = parseMCC(content)
	case purchased, from:
		content, isText := d.text(raw)
		if want = isText; want == "" {
			e.Purchased, want = parseTime(content)
		}
	case labels:
		if e.Labels, err = d.labels("data.labels", raw); err != nil {
			return err
		}
	case merchantAmount:
		if e.MerchantAmount, want = parseAmount(raw); want == "" && e.MerchantAmount <= 0 {
			want = "more than zero"
		}
	case linkedBy:
		var content []byte
		if content, want = d.text(raw); want == "" {
			e.LinkedBy, want = parseLinkedBy(content)
		}
	case items:
		if e.Items, err = d.items(raw); err != nil {
			return err
		}
	case expires:
		var content []byte
		if content, want = d.text(raw); want == "" {
			e.Expires, want = parseTime(content)
		}
	default:
		want = d.textMember(m, raw, e)
	}
	if want != "" {
		return wrong("data."+m.name(), want, raw)
	}
	return nil
}

// textMember reads a member of data that is kept as text.
func (d *Decoder) textMember(m member, raw jsontext.Value, e *reward.Event) (want string) {
	content, want := d.text(raw)
	switch {
	case want != "":
		return want
	case m == factName && !reward.IsName(string(content)):
		return nameForm
	case (m == currency || m == merchantCurrency) && !isCurrency(content):
		return `three letters A-Z, such as "USD"`
	case m&identifiers != 0:
		*textOf(m, e) = d.ids.string(content)
	default:
		*textOf(m, e) = d.repeated.string(content)
	}
	return ""
}

// text returns the content of a string, which holds until the next read, or
// what was wanted instead.
func (d *Decoder) text(raw jsontext.Value) (content []byte, want string) {
	if raw.Kind() != jsontext.KindString {
		return nil, "text"
	}
	content, plain := d.unquote(raw)
	switch {
	case len(content) == 0:
		return nil, "text that is not empty"
	case len(content) > MaxText:
		return nil, fmt.Sprintf("text of at most %d bytes", MaxText)
	case !plain && hasControl(content):
		return nil, "text without control characters"
	}
	return content, ""
}

// unquote returns the content of a string, which holds until the next read, and
// whether it is of printable ASCII alone, as nearly all are.
func (d *Decoder) unquote(raw jsontext.Value) (content []byte, plain bool) {
	content = raw[1 : len(raw)-1]
	if isPlain(content) {
		return content, true
	}
	d.scratch, _ = jsontext.AppendUnquote(d.scratch[:0], raw)
	return d.scratch, false
}

// explain turns an error of the JSON decoder into one about the line.
func (d *Decoder) explain(err error) error {
	if err == nil {
		return nil
	}
	var syntax *jsontext.SyntacticError
	if errors.As(err, &syntax) {
		return malformed(d.line, syntax)
	}
	return fault("", err.Error())
}
