package record

import (
	"encoding/binary"
	"fmt"
	"strings"
)

// Key makes a key of several parts, which are strings and int64s: keys are in the order
// of their first parts, then of their second, and so on, strings in byte order.
func Key(parts ...any) string {
	var key []byte
	for _, part := range parts {
		switch part := part.(type) {
		case string:
			// A zero byte ends a string; one within it is followed by 0xff, so that what
			// is longer comes after what it begins with.
			key = append(key, strings.ReplaceAll(part, "\x00", "\x00\xff")...)
			key = append(key, 0, 1)
		case int64:
			key = binary.BigEndian.AppendUint64(key, uint64(part)^1<<63)
		default:
			panic(fmt.Sprintf("record: a %T cannot be part of a key", part))
		}
	}
	return string(key)
}

// ParseInt reads a key that is a single int64.
func ParseInt(key string) (int64, error) {
	if len(key) != 8 {
		return 0, fmt.Errorf("record: the key %q is no number", key)
	}
	return int64(binary.BigEndian.Uint64([]byte(key)) ^ 1<<63), nil
}

// Under is the span of the keys that begin with some parts.
func Under(parts ...any) Span {
	prefix := []byte(Key(parts...))
	end := make([]byte, len(prefix))
	copy(end, prefix)
	for i := len(end) - 1; i >= 0; i-- {
		if end[i] < 0xff {
			end[i]++
			return Span{From: string(prefix), Before: string(end[:i+1])}
		}
	}
	return Span{From: string(prefix)}
}
