package server

import (
	"encoding/base64"
	"encoding/binary"
	"net/url"
	"recoup/internal/kit/packed"
	"strconv"
)

// A cursor is a place in a list, from which the next page goes on. Clients pass it
// on as it is: what is in it may change. It begins with a letter for the list that
// it is of, so that one of another list is told from a wrong one.
type cursor []byte

func newCursor(list byte) cursor { return cursor{list} }

func (c cursor) text(s string) cursor {
	return packed.AppendText(c, s)
}

func (c cursor) number(n int64) cursor { return binary.AppendVarint(c, n) }

// String returns the cursor as it is in a URL.
func (c cursor) String() string { return base64.RawURLEncoding.EncodeToString(c) }

// places reads what is in a cursor, in the order in which it was put in. Once it
// fails it gives nothing.
type places struct{ packed.Reader }

func parseCursor(list byte, text string) *places {
	b, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(b) == 0 || b[0] != list {
		return &places{packed.Reader{Bad: true}}
	}
	return &places{packed.Reader{Left: b[1:]}}
}

func (p *places) text() string { return string(p.Text()) }

// Page is which part of a list is asked for.
type Page struct {
	Cursor string `query:"cursor" doc:"Where to go on: next of the page before"`
	Limit  int    `query:"limit" minimum:"1" maximum:"500" default:"100" doc:"At most so many"`
}

// Paged is what every page has besides its list.
type Paged struct {
	Next *string `json:"next" doc:"The cursor of the next page; null on the last"`
}

// Links is the header that leads to the next page, for clients that go by it.
type Links struct {
	Link string `header:"Link" doc:"The next page, if there is one, as rel=\"next\""`
}

// onward returns how the page after this one is found: by its cursor and by a
// link, which is relative to the request.
func (p *Page) onward(next cursor, others url.Values) (Paged, Links) {
	if next == nil {
		return Paged{}, Links{}
	}
	text := next.String()
	if others == nil {
		others = url.Values{}
	}
	others.Set("cursor", text)
	others.Set("limit", strconv.Itoa(p.Limit))
	return Paged{&text}, Links{"<?" + others.Encode() + `>; rel="next"`}
}

var errCursor = problem("invalid_cursor", "").at("cursor")
