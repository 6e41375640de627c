package session

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"recoup/internal/service/access"
)

// claims are what a provider says of a person. They were signed by it, and are
// somebody's choice of text all the same.
type claims map[string]any

// maxSubject is the longest subject, in bytes: with what goes before it, it is still
// short enough for the actor of an event.
const maxSubject = 200

// person is who the claims are about, with the role that they give.
func (p *provider) person(c claims) (Person, error) {
	subject, _ := c["sub"].(string)
	if subject == "" || len(subject) > maxSubject || !utf8.ValidString(subject) || strings.ContainsFunc(subject, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return Person{}, &Denied{Message: "The provider does not say who you are: expected a claim sub of at most %d printable bytes.", Values: []any{maxSubject}}
	}
	name := p.name(c)
	values := c.texts(p.RoleClaim)
	var role access.Role
	for _, value := range values {
		role = max(role, p.Roles[value])
	}
	if role == 0 {
		return Person{}, &Denied{Message: "You are known as %s, and have no role here: the claim %s has %s. Ask whoever runs this service for a role.", Values: []any{name, p.RoleClaim, list(values)}}
	}
	return Person{ID: access.Subject(p.Issuer, subject), Name: name, Role: role, Scopes: role.Scopes()}, nil
}

// name is what the person is called.
func (p *provider) name(c claims) string {
	names := []string{p.NameClaim, "sub"}
	if p.NameClaim == "" {
		names = []string{"email", "name", "sub"}
		if v := c["email_verified"]; v == false || v == "false" {
			names = names[1:] // it may be anybody's
		}
	}
	for _, claim := range names {
		for _, text := range c.texts(claim) {
			if text = visible(text, access.MaxName); text != "" {
				return text
			}
		}
	}
	return "somebody" // whose subject is printable, but leaves no trace: spaces
}

// texts returns the texts of a claim, which is one or has a list of them. A name
// with dots that is no claim's is the way to one within others.
func (c claims) texts(name string) []string {
	for i := range name {
		if c[name] != nil || name[i] != '.' {
			continue
		}
		if within, ok := c[name[:i]].(map[string]any); ok {
			return claims(within).texts(name[i+1:])
		}
	}
	switch value := c[name].(type) {
	case string:
		return []string{value}
	case []any:
		var texts []string
		for _, v := range value {
			if text, ok := v.(string); ok {
				texts = append(texts, text)
			}
		}
		return texts
	}
	return nil
}

// list names values for a message.
func list(values []string) string {
	const most = 10
	if len(values) == 0 {
		return "nothing"
	}
	var names []string
	for _, value := range values[:min(most, len(values))] {
		names = append(names, shown(value))
	}
	if more := len(values) - most; more > 0 {
		names = append(names, strconv.Itoa(more)+" more")
	}
	return strings.Join(names, ", ")
}

// shown makes a piece of somebody's text fit for a message, where it cannot pass for
// a part of it.
func shown(text string) string { return strconv.Quote(visible(text, 100)) }

// visible returns of a text what can be seen, on one line, up to so many bytes. Marks
// that turn the direction of writing or have no width are no part of it: by them one
// name could look like another.
func visible(text string, longest int) string {
	text = strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case r == utf8.RuneError || !unicode.IsGraphic(r):
			return -1
		}
		return access.Seen(r)
	}, text)), " ")
	if len(text) > longest {
		text = strings.ToValidUTF8(text[:longest-len("…")], "") + "…"
	}
	return text
}
