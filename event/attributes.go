package event

import "math/bits"

// attribute is one attribute of CloudEvents at the top of a line, and the
// bit-wise union of several.
type attribute uint16

// The attributes that this package knows. Others are extensions.
const (
	specVersion attribute = 1 << iota
	id
	source
	eventType
	instant
	subject
	data
	dataContentType
	dataSchema
)

// requiredAttributes are those of every event; whether data is, its type says.
const requiredAttributes = specVersion | id | source | eventType | instant | subject

// maxExtensions bounds the extension attributes of one event.
const maxExtensions = 64

// name returns the first attribute's name on the wire.
func (a attribute) name() string {
	return [...]string{
		"specversion", "id", "source", "type", "time", "subject", "data", "datacontenttype", "dataschema",
	}[bits.TrailingZeros16(uint16(a))]
}

// attributeNamed returns the attribute with the name, which is in its quotes,
// and 0 if it is none that this package knows.
func attributeNamed(name []byte) attribute {
	switch string(name) {
	case "specversion":
		return specVersion
	case "id":
		return id
	case "source":
		return source
	case "type":
		return eventType
	case "time":
		return instant
	case "subject":
		return subject
	case "data":
		return data
	case "datacontenttype":
		return dataContentType
	case "dataschema":
		return dataSchema
	}
	return 0
}

// isExtension reports whether the name may be an extension attribute's, which
// has lower-case letters and digits alone.
func isExtension(name string) bool {
	for _, c := range []byte(name) {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return false
		}
	}
	return name != "" && len(name) <= MaxText
}
